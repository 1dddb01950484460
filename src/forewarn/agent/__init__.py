"""The agent: it prepares a machine for what is coming, approves when it is ready, and undoes afterwards.

Its law: the standard library only, and nothing of the server. Nothing is approved that was not prepared; what has been
prepared is restored once; and what was done is in the journal before anything else is.
"""
