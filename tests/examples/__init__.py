"""What `examples/` shows is run as it is."""
