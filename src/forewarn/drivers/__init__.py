"""What makes an impact real.

The law of this package: a driver performs one action on one machine and tells how far it is. It is idempotent on
(operation, machine), refuses an older fence than one it has seen, and decides nothing about events.
"""
