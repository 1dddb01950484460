"""What pages show, as values: made by pure functions from domain values, so that every state can be made by hand."""
