"""Forewarn: machines are told what is about to happen to them, prepare, approve, and only then it happens."""

__version__ = "0.1.0"
