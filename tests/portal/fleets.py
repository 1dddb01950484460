"""A portal before a small declared fleet, whose names are as nasty as names can be."""

from collections.abc import Sequence
from datetime import timedelta
from urllib.parse import urlencode

from forewarn.domain.access import Role
from forewarn.domain.events import Event
from forewarn.domain.fleet import Fleet
from forewarn.domain.machines import Machine, Priority
from forewarn.domain.scopes import Scope, ScopeKind
from tests.access.asking import Answer
from tests.portal.forms import forms_in
from tests.portal.sets import Portal

NASTY = "<b>&\"'x"
SCOPE = "rg/web:0"
"""Of the scale set `web`, whose deletes are announced ten minutes ahead."""
TEN = timedelta(minutes=10)


def a_fleet() -> Fleet:
    group = Scope(id=SCOPE, kind=ScopeKind.PLACEMENT_GROUP, scale_set="web")
    scopes = [Scope(id=name, kind=ScopeKind.STANDALONE) for name in ("solo", "spot", NASTY)]
    machines = [Machine(scope=SCOPE, name=f"web_{n}", host="h", terminate_notice=TEN) for n in range(3)]
    machines += [Machine(scope=name, name=name) for name in ("solo", NASTY)]
    machines.append(Machine(scope="spot", name="spot", priority=Priority.SPOT))
    return Fleet(scopes=(group, *scopes), machines=tuple(machines))


class FleetPortal(Portal):
    def __init__(self) -> None:
        super().__init__()
        self.run(self.engine.load_fleet(a_fleet(), "first"))
        self.enrol(SCOPE)
        self.enrol(NASTY)
        self.admit("reader", Role.READER)
        self.admit("approver", Role.SCHEDULED_EVENT_CONTRIBUTOR)

    def sent(self, page: str, action: str, **typed: str) -> str:
        """Open the page, fill in its form, send it; where it leads."""
        answer = self.send(page, action, **typed)
        assert answer.status == 303, answer.body.decode()
        return answer.headers["location"]

    def do(self, deed: str, scope: str, name: str) -> str:
        place = deed_of(deed, scope, name)
        return self.sent(place, place)

    def post(self, path: str, body: object = None, *, who: str = "local", **form: str) -> Answer:
        return self.visit("POST", path, {"csrf": self.csrf(who), **form}, who=who)

    def live(self) -> list[Event]:
        return list(self.run(self.store.read(lambda reader: reader.list_events())))

    def event(self, event: str) -> Event:
        return self.run(self.engine.event(event))


def machine_of(scope: str, name: str) -> str:
    return f"/portal/machines?{urlencode({'scope': scope, 'name': name})}"


def deed_of(deed: str, scope: str, name: str) -> str:
    return f"/portal/machines/{deed}?{urlencode({'scope': scope, 'name': name})}"


def actions_in(html: str) -> Sequence[str]:
    """Of the page's forms that are sent, except the clock's, which is on every page."""
    return [form.action for form in forms_in(html) if form.method == "post" and "/clock" not in form.action]
