"""What an event, a machine and a scope is, and every rule about them.

The law of this package: values in, values out. No I/O, no clock, no randomness, no framework;
`now` and new ids are arguments.
"""
