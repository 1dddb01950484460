"""A whole Forewarn tells a webhook of an event, and counts that it did."""

import json
from pathlib import Path

from forewarn.access.files import RESOURCE
from forewarn.domain.events import Actor, EventType
from forewarn.domain.fleet import Fleet
from forewarn.domain.machines import Machine, Profile
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.scopes import EventsPolicy, Scope, ScopeKind
from forewarn.grid.calling import Webhooks
from forewarn.wiring import Forewarn, Options, running
from tests.engine.desk import in_a_loop
from tests.grid.receiver import receiving


async def ask(forewarn: Forewarn, method: str, path: str, body: object = None) -> tuple[int, bytes]:
    token = forewarn.access.issue("local", name="local", audience=RESOURCE).token
    headers = {"Authorization": f"Bearer {token}"}
    raw = b"" if body is None else json.dumps(body).encode()
    answer = await Webhooks().call(method, f"{forewarn.control_url}{path}", headers, raw)
    return answer.status, answer.body


@in_a_loop
async def test_a_webhook_hears_of_an_event_while_everything_runs(tmp_path: Path) -> None:
    anywhere = ("127.0.0.1", 0)
    options = Options(metadata=anywhere, control=anywhere, arm=anywhere, clock="manual", data=tmp_path / "data")
    async with running(options) as forewarn, receiving() as receiver:
        here = Profile(subscription_id=forewarn.access.local.subscription)
        scope = Scope(id="vm", kind=ScopeKind.STANDALONE, policy=EventsPolicy(publish=True))
        fleet = Fleet(scopes=(scope,), machines=(Machine(scope="vm", name="vm", profile=here),))
        await forewarn.engine.load_fleet(fleet, "mine")
        hooks = f"{forewarn.access.subscription}/providers/Microsoft.EventGrid/eventSubscriptions"
        for port, wanted in ((receiver.port, 201), (int(forewarn.control_url.rpartition(":")[2]), 400)):
            hook = {"endpointType": "WebHook", "properties": {"endpointUrl": f"http://127.0.0.1:{port}/"}}
            body = {"properties": {"destination": hook}}
            status, _ = await ask(forewarn, "PUT", f"{hooks}/hook-{wanted}?api-version=2025-02-15", body)
            assert status == wanted
        await forewarn.engine.schedule([("vm", "vm")], Maintenance(impact=EventType.FREEZE), Actor.user("me"))
        await receiver.hears(1)
        assert receiver.notifications[0].json[0]["data"]["resourceInfo"]["properties"]["EventStatus"] == "Scheduled"
        _, metrics = await ask(forewarn, "GET", "/metrics")
        assert b'forewarn_webhook_deliveries_total{outcome="dropped"} 0' in metrics
