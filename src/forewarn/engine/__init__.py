"""The use cases, and what they ask of the world.

The law of this package: load, decide in `domain`, save, publish. It holds no rule of its own and names no adapter;
what it needs of the world is in `ports`.
"""
