"""Placeholder for the package law."""
