"""What a scenario does when it is played."""

import sys
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise

import pytest

from forewarn.testing import Forewarn
from forewarn.testing.hosting import Host
from forewarn.testing.scenarios import CannotPlay, Report, ScenarioError, parse, play, shipped
from forewarn.testing.scenarios.fleettime import FleetTime
from forewarn.testing.scenarios.junit import to_junit

SOLO = '[fleet.machine.solo]\n[[client]]\nmachine = "solo"\n'
REBOOT = '[[at]]\nat = "1m"\ndo = "schedule"\ntype = "Reboot"\nmachine = "solo"\nas = "reboot"\n'
WORKER = """
import json, os, sys, time, urllib.request
url = os.environ["FOREWARN_METADATA_URL"] + "/metadata/scheduledevents?api-version=2020-07-01"
print("a worker at", os.environ["http_proxy"], flush=True)
while True:
    ask = urllib.request.Request(url, headers={"Metadata": "true"})
    for event in json.load(urllib.request.urlopen(ask))["Events"]:
        if event["EventStatus"] == "Scheduled" and "--deaf" not in sys.argv:
            body = json.dumps({"StartRequests": [{"EventId": event["EventId"]}]}).encode()
            urllib.request.urlopen(urllib.request.Request(url, body, {"Metadata": "true"})).read()
    time.sleep(0.02)
"""


def played(text: str) -> Report:
    return play(parse(text, "mine.toml"))


def told(report: Report) -> list[str]:
    return [str(happening) for happening in report.happenings]


def test_what_does_not_hold_says_what_was_there_instead_and_what_happened() -> None:
    report = played(f'{SOLO}{REBOOT}[[expect]]\nevent = "reboot"\nat = "2m"\nstatus = "Scheduled"\napproved_by = []\n')
    assert not report.held
    (verdict,) = report.failures
    assert verdict.at == timedelta(minutes=2)
    assert "status Completed instead of Scheduled; approved by solo instead of nobody" in str(verdict)
    assert "mine.toml:10: the event reboot" in str(verdict)
    assert "approved by machine:solo" in verdict.timeline


def test_a_step_that_the_server_refuses_ends_it_with_the_servers_words() -> None:
    report = played(
        f'{SOLO}[[at]]\ndo = "evict"\nmachine = "solo"\n[[expect]]\nscope = "solo"\nat = "1m"\nenrolled = true\n'
    )
    assert "mine.toml:4: evict solo: refused: Operation 'simulateEviction' is allowed only for Spot" in report.trouble
    assert not report.held
    assert report.verdicts[0].held is None


def test_within_is_counted_from_when_the_event_appears() -> None:
    late = '[fleet.machine.solo]\n[[client]]\nmachine = "solo"\nprepares = "6m"\n'
    expected = '[[expect]]\nevent = "reboot"\nwithin = "5m"\napproved_by = ["solo"]\n'
    (verdict,) = played(late + REBOOT + expected).failures
    assert verdict.at == timedelta(minutes=6)


def test_what_must_hold_throughout_fails_at_the_first_moment_at_which_it_does_not() -> None:
    expected = '[[expect]]\nevent = "reboot"\nfrom = "1m"\nto = "10m"\nstatus = "Scheduled"\n'
    quiet = SOLO + 'approves = "none"\n'
    assert played(quiet + REBOOT + expected).held
    (verdict,) = played(SOLO + REBOOT + expected).failures
    assert verdict.at == timedelta(minutes=1)


def test_an_event_that_never_came_is_told_as_such() -> None:
    restart = '[fleet.machine.solo]\n[[at]]\ndo = "restart"\nmachine = "solo"\nas = "x"\n'
    (verdict,) = played(restart + '[[expect]]\nevent = "x"\ngone = true\n').failures
    assert verdict.seen == "no such event"


def test_clients_poll_through_every_fault_and_go_on() -> None:
    kinds = ("status", "hang", "reset", "empty", "not-json", "truncated")
    faults = "".join(
        f'[[fault]]\nat = "{number}m"\nkind = "{kind}"\nmachine = "solo"\nrequests = 2\n'
        for number, kind in enumerate(kinds, 1)
    )
    last = '[[at]]\nat = "8m"\ndo = "restart"\nmachine = "solo"\nas = "x"\n'
    report = played(SOLO + last + faults + '[[expect]]\nevent = "x"\napproved_by = ["solo"]\n')
    assert report.held, report.failures
    vain = [line for line in told(report) if "in vain" in line]
    assert [line.split()[0] for line in vain] == [f"+{m}m{s}" for m in range(1, 7) for s in ("", "1s")]


def test_an_approval_that_fails_is_tried_again() -> None:
    fault = '[[fault]]\nkind = "status"\nmachine = "solo"\nasked = "approval"\nrequests = 1\n'
    report = played(SOLO + REBOOT + fault + '[[expect]]\nevent = "reboot"\nby = "1m1s"\napproved_by = ["solo"]\n')
    assert report.held
    assert "+1m        solo's client approves in vain: answered 500" in told(report)


def test_who_approves_everything_also_approves_for_others() -> None:
    text = """
[fleet.availability_set.db]
machines = 2
[[client]]
machine = "db-0"
approves = "all"
[[at]]
at = "1m"
do = "redeploy"
machine = "db-1"
as = "move"
[[expect]]
event = "move"
approved_by = ["db-0"]
started = "before-not-before"
"""
    assert played(text).held


def test_a_scope_can_be_enrolled_without_a_client_and_its_settings_changed_on_the_way() -> None:
    text = """
[fleet.machine.solo]
[fleet.settings]
first_answer_delay = "10s"
[[at]]
do = "enrol"
machine = "solo"
[[at]]
at = "1m"
do = "settings"
settings.notice_reboot = "3m"
[[at]]
do = "restart"
machine = "solo"
as = "reboot"
[[at]]
after = "1m"
do = "approve"
event = "reboot"
[[expect]]
event = "reboot"
notice = "3m"
started = "before-not-before"
[[expect]]
client = "solo"
polled = false
"""
    assert played(text).held


def test_power_campaigns_and_failing_drivers_are_steps_too() -> None:
    text = """
[fleet.availability_set.db]
machines = 2
update_domains = 2
[[client]]
machine = "db-0"
approves = "none"
[[at]]
do = "driver-failure"
machine = "db-0"
times = 5
[[at]]
at = "1m"
do = "start-campaign"
type = "Reboot"
scopes = ["db"]
as = "rollout"
[[at]]
after = "1m"
do = "pause-campaign"
campaign = "rollout"
[[at]]
do = "resume-campaign"
campaign = "rollout"
[[at]]
after = "1m"
do = "deallocate"
machines = ["db-0", "db-1"]
[[at]]
after = "5m"
do = "cancel-campaign"
campaign = "rollout"
[[expect]]
machine = "db-1"
at = "3m"
power = "deallocated"
[[expect]]
title = "with all machines down, nothing waits"
event_of = "db-0"
at = "3m"
status = "Started"
[[expect]]
event_of = "db-0"
by = "8m"
status = "Failed"
[[expect]]
campaign = "rollout"
state = "Canceled"
under_way = false
"""
    report = played(text)
    assert report.held, [report.trouble, *map(str, report.failures)]


@pytest.fixture
def host() -> Iterator[Host]:
    host = Host(fleet="[machine.other]\n")
    yield host
    host.close()


def test_the_same_scenario_plays_against_a_running_forewarn_and_again(host: Host) -> None:
    for _ in range(2):
        report = play(shipped("scale-in-approve-all"), against=host.client)
        assert report.held, [report.trouble, *map(str, report.failures)]
    assert [machine["name"] for machine in host.client.pages("/machines")] == ["workers_0", "workers_1"]
    assert host.client.get("/faults")["items"] == []


def test_without_a_fleet_of_its_own_it_plays_on_the_one_that_is_there(host: Host) -> None:
    client = '[[client]]\nmachine = "{}"\n[[expect]]\nscope = "{}"\nat = "1m"\nenrolled = true\n'
    assert play(parse(client.format("other", "other"), "mine.toml"), against=host.client).held
    with pytest.raises(ScenarioError, match=r'mine\.toml:1: there is no machine "solo" in the fleet; it has other'):
        play(parse(client.format("solo", "other"), "mine.toml"), against=host.client)
    with pytest.raises(CannotPlay, match="has no fleet of its own"):
        played(client.format("other", "other"))


def test_a_real_client_takes_the_place_of_the_scripted_one() -> None:
    report = play(shipped("live-migration"), real={"solo": [sys.executable, "-c", WORKER]})
    assert report.held, [report.trouble, *map(str, report.failures), report.said]
    assert "a worker at http://" in report.said["solo"]


def test_a_real_client_that_does_not_react_is_found_out() -> None:
    report = play(shipped("live-migration"), real={"solo": [sys.executable, "-c", WORKER, "--deaf"]}, speed=6000)
    failed = {verdict.expectation.title: verdict for verdict in report.failures}
    verdict = failed["the client approves while there is notice left"]
    assert verdict.seen == "approved by nobody instead of solo"
    assert "solo asked" in verdict.timeline


def test_a_client_that_cannot_be_started_or_has_no_machine_is_told() -> None:
    assert "no-such-program" in play(shipped("live-migration"), real={"solo": ["no-such-program"]}).trouble
    with pytest.raises(ScenarioError, match='there is no machine "x" in the fleet of live-migration; it has solo'):
        play(shipped("live-migration"), real={"x": []})


def test_at_a_pace_time_goes_by_in_small_steps_and_stops_where_something_happens() -> None:
    real = [0.0]
    with Forewarn.start() as forewarn:
        solo = forewarn.vm("solo")
        time = FleetTime(forewarn, 60.0, lambda: real[0], lambda seconds: real.__setitem__(0, real[0] + seconds))
        solo.schedule("Freeze", notice="16m")
        time.settle()
        stops = []
        while time.now < timedelta(minutes=17):
            time.towards(timedelta(minutes=17))
            stops.append(time.now)
    assert real[0] == pytest.approx(17)
    assert timedelta(minutes=16) in stops
    assert max(later - earlier for earlier, later in pairwise(stops)) <= timedelta(seconds=3.1)


def test_junit_has_a_case_for_each_expectation_and_says_why_it_failed() -> None:
    failed = played(f'{SOLO}{REBOOT}[[expect]]\ntitle = "a <b>"\nevent = "reboot"\nstatus = "Canceled"\n')
    broken = played(f'{SOLO}[[at]]\ndo = "evict"\nmachine = "solo"\n[[expect]]\nscope = "solo"\nenrolled = true\n')
    text = to_junit([failed, broken, play(shipped("sudden-failure"))])
    assert '<testsuite name="mine" tests="1" failures="1" errors="0" skipped="0"' in text
    assert '<testsuite name="mine" tests="2" failures="0" errors="1" skipped="1"' in text
    assert '<testsuite name="sudden-failure" tests="5" failures="0" errors="0" skipped="0"' in text
    assert 'message="at +2m there was status Completed instead of Canceled"' in text
