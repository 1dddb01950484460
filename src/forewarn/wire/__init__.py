"""The bytes both sides agree on."""
