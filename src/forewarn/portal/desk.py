"""What the pages work with, and who visits them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request

from forewarn.access.entrance import Entrance
from forewarn.access.service import Access
from forewarn.access.tokens import Caller
from forewarn.domain.access import Right
from forewarn.domain.events import Actor
from forewarn.domain.machines import Machine
from forewarn.engine.clock import FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.hub import Hub
from forewarn.engine.player import Player
from forewarn.portal.ports import Resources
from forewarn.portal.roster import Roster
from forewarn.portal.texts import Texts


@dataclass(frozen=True, kw_only=True, slots=True)
class Desk:
    engine: Engine
    clock: FleetClock
    player: Player
    access: Access
    entrance: Entrance
    hub: Hub
    roster: Roster
    resources: Resources
    new_id: Callable[[], str]
    version: str
    metadata_url: Callable[[Machine], str]
    development: bool = False
    """Whether the gallery is shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Visit:
    """One request, by somebody who is logged in."""

    request: Request
    desk: Desk
    caller: Caller
    texts: Texts
    csrf: str
    """What a form must send along."""

    @property
    def may_look(self) -> bool:
        return self.desk.access.may(self.caller, Right.READ, self.desk.access.subscription)

    @property
    def may_act(self) -> bool:
        return self.desk.access.may(self.caller, Right.WRITE, self.desk.access.subscription)

    @property
    def may_approve(self) -> bool:
        return self.desk.access.may(self.caller, Right.ACKNOWLEDGE, self.desk.access.subscription)

    def check_look(self) -> None:
        """Forbidden, unless the visitor may see what there is. Likewise below."""
        self.desk.access.check(self.caller, Right.READ, self.desk.access.subscription)

    def check_act(self) -> None:
        self.desk.access.check(self.caller, Right.WRITE, self.desk.access.subscription)

    def check_approve(self) -> None:
        self.desk.access.check(self.caller, Right.ACKNOWLEDGE, self.desk.access.subscription)

    @property
    def by(self) -> Actor:
        return self.caller.actor

    @property
    def now(self) -> datetime:
        """The fleet's time."""
        return self.desk.clock.now()

    def asked(self, name: str, default: str = "") -> str:
        """From the query."""
        return self.request.query_params.get(name, default)
