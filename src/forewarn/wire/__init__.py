"""The bytes both sides agree on: documents per api-version, approvals, answers, instance metadata, dates, durations;
ARM's resource ids, templates and catalogue; and the fleet file.

The law of this package: bytes and values in, bytes and values out. Servers, clients and golden files share it, so what
one side writes the other can read. No I/O, no clock, no randomness.
"""
