"""Azure's own Python libraries, unchanged, against a whole Forewarn."""
