"""What the ARM face's handlers work with, around an engine of the test's own."""

from collections.abc import Callable
from datetime import datetime

from forewarn.access.service import Access
from forewarn.arm.asking import Desk
from forewarn.engine.clock import FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.estate import Estate
from forewarn.grid.calling import Webhooks


def an_arm_desk(
    engine: Engine,
    clock: FleetClock,
    access: Access,
    wall: Callable[[], datetime] | None = None,
    webhooks: Webhooks | None = None,
) -> Desk:
    return Desk(
        engine=engine,
        estate=Estate(engine),
        clock=clock,
        access=access,
        new_id=engine.new_id,
        wall=wall or clock.now,
        webhooks=webhooks or Webhooks(),
    )
