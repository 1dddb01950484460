"""Scenarios: a fleet, what happens when, who polls, which faults there are, and what is expected. Played, not mocked.

The law of this package: it speaks the native API and the metadata endpoint, as anybody could, so a scenario plays the
same in a Forewarn of its own and against one elsewhere; a scenario is understood whole before any of it is played; and
the same scenario with the same seed is the same history, byte for byte.
"""

from forewarn.testing.scenarios.converting import scenario_from
from forewarn.testing.scenarios.errors import CannotPlay, ScenarioError
from forewarn.testing.scenarios.model import Scenario
from forewarn.testing.scenarios.playing import play, with_seed
from forewarn.testing.scenarios.reading import load, parse, scenario_of
from forewarn.testing.scenarios.report import Happening, Report, Verdict
from forewarn.testing.scenarios.shelf import names, shipped, text_of

__all__ = [
    "CannotPlay",
    "Happening",
    "Report",
    "Scenario",
    "ScenarioError",
    "Verdict",
    "load",
    "names",
    "parse",
    "play",
    "scenario_from",
    "scenario_of",
    "shipped",
    "text_of",
    "with_seed",
]
