"""The SDK: what a program inside a machine needs to know what is about to happen to it, and to say that it is ready.

Its law: the standard library only, and nothing of the server. It reads what any Azure host sends, also what no host
should send, and says so when it does not know.
"""
