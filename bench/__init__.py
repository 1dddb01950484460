"""How fast it is, as ratios against named peers in one interleaved run. `make bench` writes docs/performance.md."""
