import re
from datetime import timedelta

from tests.control.rig import Rig

LINE = re.compile(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+')


def figures(rig: Rig) -> dict[str, float]:
    status, body, headers = rig.raw("GET", "/metrics")
    assert (status, headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    lines = [line for line in body.decode().splitlines() if not line.startswith("#")]
    assert all(LINE.fullmatch(line) for line in lines)
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_the_process_is_alive(rig: Rig) -> None:
    assert rig.get("/healthz") == {"status": "ok", "version": "1.2.3"}


def test_it_is_ready_when_the_store_answers_and_every_part_runs(rig: Rig) -> None:
    assert rig.get("/readyz") == {"ready": True, "parts": ["store", "ticker", "worker"]}
    rig.parts["ticker"] = False
    status, message = rig.refused("GET", "/readyz")
    assert (status, "ticker ended" in message) == (503, True)


def test_it_is_not_ready_without_its_store(rig: Rig) -> None:
    rig.run(rig.store.close())
    assert rig.refused("GET", "/readyz")[0] == 503
    assert rig.refused("GET", "/forewarn/v1/events")[0] == 503
    assert rig.get("/healthz")["status"] == "ok"


def test_the_figures_follow_what_happens(rig: Rig) -> None:
    before = figures(rig)
    assert before['forewarn_machines{kind="placement-group"}'] == 102
    assert before['forewarn_machines{kind="standalone"}'] == 2
    assert before['forewarn_scopes{kind="availability-set",enrolled="false"}'] == 2
    rig.enrol("db")
    rig.post("/forewarn/v1/events", {"type": "Reboot", "machines": ["db-0", "db-1"]})
    (first, _) = rig.get("/forewarn/v1/events")["items"]
    rig.post(f"/forewarn/v1/events/{first['id']}/approve")
    during = figures(rig)
    assert during['forewarn_scopes{kind="availability-set",enrolled="true"}'] == 1
    assert during['forewarn_live_events{type="Reboot",phase="Scheduled"}'] == 1
    assert during['forewarn_live_events{type="Reboot",phase="Started"}'] == 1
    assert during["forewarn_outbox_actions"] == 1
    assert during['forewarn_history_entries_total{what="approved"}'] == 1
    assert during['forewarn_control_requests_total{method="POST",status="2xx"}'] == 2
    rig.post("/forewarn/v1/machines/web_0/delete")
    rig.post("/forewarn/v1/clock/advance", {"by": "5s"})
    after = figures(rig)
    assert after["forewarn_outbox_actions"] == 0
    assert after['forewarn_machines{kind="placement-group"}'] == 101
    assert 'forewarn_live_events{type="Reboot",phase="Started"}' not in after


def test_what_waits_too_long_shows(rig: Rig) -> None:
    rig.post("/forewarn/v1/machines/db-0/restart")

    async def move_the_clock_alone() -> None:
        rig.clock.set(rig.clock.moved(timedelta(minutes=1)))

    rig.run(move_the_clock_alone())
    assert figures(rig)["forewarn_action_late_seconds"] == 60
