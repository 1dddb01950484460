"""Every handler through every check: `python -m tests.testing.doctor [NAME…]`. It takes minutes: no test."""

import inspect
import sys

from forewarn.testing.doctor import Verdict, examine
from tests.testing.doctor.handlers import wrong
from tests.testing.doctor.handlers.right import Handler
from tests.testing.doctor.patients import handler

NAMES = [
    name
    for name, one in vars(wrong).items()
    if inspect.isclass(one) and issubclass(one, Handler) and one is not Handler
]

if __name__ == "__main__":
    for name in sys.argv[1:] or NAMES:
        report = examine(handler("wrong", name, interval=0.2, jobs=8))
        print(f"{name} ({report.seconds:.0f} s)")
        for finding in report.findings:
            if finding.verdict is not Verdict.PASSED:
                print(
                    f"    {finding.verdict.value:<14}  {finding.id:<20}  {finding.reason.splitlines()[0]}", flush=True
                )
