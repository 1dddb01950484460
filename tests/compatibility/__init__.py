"""Clients of Scheduled Events that others wrote, run unmodified: how each is had, how it is started, what it does."""
