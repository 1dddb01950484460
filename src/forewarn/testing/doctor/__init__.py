"""Is a client of Scheduled Events right? It is run, things happen to its machine, and what it asks tells.

The law of this package: a check provokes and looks on. It never reads the client, and what it says against a client it
can show: requests and their times, what was approved when, what the probe said. What a client does not set out to do
(an observer approves nothing) is not held against it.
"""

from forewarn.testing.doctor.catalogue import CATALOGUE
from forewarn.testing.doctor.checks import Check
from forewarn.testing.doctor.examining import examine
from forewarn.testing.doctor.findings import Finding, Report, Verdict
from forewarn.testing.doctor.orders import CannotRun, Orders

__all__ = ["CATALOGUE", "CannotRun", "Check", "Finding", "Orders", "Report", "Verdict", "examine"]
