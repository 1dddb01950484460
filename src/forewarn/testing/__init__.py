"""What others need to test with: values to build on, the contract of a store, and a whole Forewarn from one seed.

The law of this package: it is shipped, and no test framework is needed to use it. Checks are plain asserts; time and
chance are given, never taken.
"""

from forewarn.testing.contracts import check_store

__all__ = ["check_store"]
