"""The checks of `testing.contracts` for stores, by what they are about. Each is a sentence."""
