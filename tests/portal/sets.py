"""The portal beside the ARM face, on one real engine: memory store, standing clock, no sockets."""

from typing import Any
from urllib.parse import urlencode

from forewarn.access.entrance import COOKIE, Entrance, csrf_of
from forewarn.domain.access import Assignment, Role
from forewarn.domain.machines import Machine
from forewarn.engine.hub import Hub
from forewarn.portal.app import create_portal
from forewarn.portal.desk import Desk
from forewarn.portal.roster import Roster
from forewarn.testing.builders import NOON
from forewarn.wiring.portal import InProcess
from tests.access.asking import Answer, ask
from tests.access.making import SUBSCRIPTION
from tests.arm.compute import Cloud
from tests.arm.rig import RG
from tests.portal.forms import HtmlForm, form_to

SETS = "/portal/scale-sets"
WEB = f"{SETS}/rg/web"
CREATE = f"{SETS}/create"


class Portal(Cloud):
    def __init__(self) -> None:
        super().__init__()
        self.entrance = Entrance(self.access, wall=lambda: NOON, new_secret=self.engine.new_id)
        self.portal = create_portal(
            Desk(
                engine=self.engine,
                clock=self.clock,
                player=self.player,
                access=self.access,
                entrance=self.entrance,
                hub=Hub(self.store),
                roster=Roster(self.engine),
                resources=InProcess(self.app, self.access),
                new_id=self.engine.new_id,
                version="1.2.3",
                metadata_url=lambda machine: "",
            )
        )
        self._cookies: dict[str, str] = {}
        self.language = "en"

    def admit(self, who: str, role: Role) -> None:
        given = Assignment(id=who, principal=who, role=role, scope=f"/subscriptions/{SUBSCRIPTION}")
        self.run(self.access.assignments.put(given))

    def visit(self, method: str, path: str, form: dict[str, str] | None = None, *, who: str = "local") -> Answer:
        """As a browser that has logged in. A form is sent as it is."""
        headers = {"cookie": f"{COOKIE}-8443={self._cookie(who)}; forewarn-language={self.language}"}
        return ask(self.portal, method, path, headers, urlencode(form or {}).encode())

    def csrf(self, who: str = "local") -> str:
        """What their pages' forms send along."""
        return csrf_of(self._cookie(who))

    def _cookie(self, who: str) -> str:
        if who not in self._cookies:
            self._cookies[who] = self.entrance.enter(self.entrance.link(who, who)) or ""
        return self._cookies[who]

    def look(self, path: str, **how: Any) -> str:
        answer = self.visit("GET", path, **how)
        assert answer.status == 200, (answer.status, answer.body)
        return answer.body.decode()

    def form(self, page: str, action: str) -> HtmlForm:
        return form_to(self.look(page), action)

    def send(self, page: str, action: str, press: str = "", **typed: str) -> Answer:
        """Open the page, fill in its form, send it."""
        return self.visit("POST", action, self.form(page, action).filled(typed, press))

    def members(self, scope: str = "rg/web:0") -> list[Machine]:
        return list(self.run(self.store.read(lambda reader: reader.machines(scope))))


def a_portal() -> Portal:
    """With one resource group."""
    portal = Portal()
    portal.put(RG, {"location": "eastus"})
    return portal
