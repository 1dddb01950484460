"""The laws that every trace is asked about."""

from forewarn.testing.simulation.laws import design, estate, others
from forewarn.testing.simulation.laws.book import LAWS, Breach, Law

__all__ = ["LAWS", "Breach", "Law", "design", "estate", "others"]
