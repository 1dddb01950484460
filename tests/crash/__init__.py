"""What survives when everything stops at once. `python -m tests.crash` runs the long form of each part."""
