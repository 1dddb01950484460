"""A whole Forewarn, its users and its accidents, from one seed.

Engine, ticker, workers and clock are the real ones. Around them everything is played: an event loop whose time is
virtual, a store that cuts the power, a driver that fails, hangs or loses its report, users who ask for everything at
the wrong moment, and a wall clock that somebody keeps setting. All of it is drawn from one `random.Random`, so the same
seed gives the same trace, and the laws of docs/explanation/architecture.md are asked of every trace.

    python -m forewarn.testing.simulation --seeds 2000
    python -m forewarn.testing.simulation --seed 17 --trace
"""

from forewarn.testing.simulation.laws import LAWS, Breach
from forewarn.testing.simulation.running import Violation, check, simulate
from forewarn.testing.simulation.site import Parts
from forewarn.testing.simulation.trace import Trace

__all__ = ["LAWS", "Breach", "Parts", "Trace", "Violation", "check", "simulate"]
