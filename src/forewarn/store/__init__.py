"""Where things live.

The law of this package: it saves and loads, and decides nothing. `sqlite` keeps things on disk, `memory` for tests;
both keep every promise of `engine.ports`, and `testing.contracts` holds them to it. Above this package the word SQLite
does not exist: its errors are translated in `errors`.
"""
