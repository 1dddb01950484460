"""The kit's fleet, its machines and its events, as a test's author meets them."""

from datetime import timedelta

import pytest

from forewarn.remote import Refusal
from forewarn.testing import Event, Forewarn, RanAtOnce
from forewarn.testing.metadata import ask

# The fleet


def test_a_machine_on_its_own(forewarn: Forewarn) -> None:
    vm = forewarn.vm("web", priority="Spot")
    assert (vm.scope, vm.name, vm.host_name, vm.path, str(vm)) == ("web", "web", "web", "web/web", "web")
    assert vm.poll() == {"DocumentIncarnation": 1, "Events": []}
    assert vm.look()["priority"] == "Spot"
    assert vm.power == "running"


def test_machines_of_a_set_share_a_document(forewarn: Forewarn) -> None:
    database = forewarn.availability_set("db", machines=4)
    assert [machine.name for machine in database] == ["db-0", "db-1", "db-2", "db-3"]
    event = database[2].schedule("Reboot")
    assert database.machine(0).poll()["Events"][0]["EventId"] == event.id
    assert event.machines == {database[2]}


def test_instances_are_in_the_order_of_their_numbers(forewarn: Forewarn) -> None:
    workers = forewarn.scale_set("workers", instances=12)
    assert [machine.name for machine in workers] == [f"workers_{number}" for number in range(12)]
    assert workers.instance(10).host_name == "workers00000a"
    assert repr(workers) == "Group('workers', 12 machines)"
    assert list(workers[1:3]) == [workers[1], workers[2]]


def test_a_cloud_service_has_roles(forewarn: Forewarn) -> None:
    shop = forewarn.cloud_service("shop", Front=2, Back=1)
    assert {machine.name for machine in shop} == {"Front_IN_0", "Front_IN_1", "Back_IN_0"}
    assert {machine.scope for machine in shop} == {"shop"}


def test_what_the_fleet_refuses_leaves_it_as_it_was(forewarn: Forewarn) -> None:
    vm = forewarn.vm()
    with pytest.raises(ValueError, match="There is a machine vm already"):
        forewarn.vm()
    with pytest.raises(Refusal, match="colour"):
        forewarn.vm("another", colour="blue")
    assert forewarn.vm("another") != vm
    assert forewarn.machine_called("vm", "vm") == vm


def test_the_numbers_of_the_rules_can_be_set(forewarn: Forewarn) -> None:
    forewarn.settings(notice_reboot="5m")
    event = forewarn.vm().schedule("Reboot")
    assert event.not_before - forewarn.now == timedelta(minutes=5)


# What happens to a machine


HAPPENINGS = [
    pytest.param("restart", (), "Reboot", "User", id="restart"),
    pytest.param("redeploy", (), "Redeploy", "User", id="redeploy"),
    pytest.param("delete", ("5m",), "Terminate", "User", id="delete"),
    pytest.param("evict", (), "Preempt", "Platform", id="evict"),
    pytest.param("schedule", ("Freeze",), "Freeze", "Platform", id="schedule"),
    pytest.param("break_down", (), "Reboot", "Platform", id="break-down"),
]


@pytest.mark.parametrize(("verb", "arguments", "kind", "source"), HAPPENINGS)
def test_it_is_told(forewarn: Forewarn, verb: str, arguments: tuple[str, ...], kind: str, source: str) -> None:
    vm = forewarn.scale_set("set", instances=1, priority="Spot" if verb == "evict" else "Regular").instance(0)
    event: Event = getattr(vm, verb)(*arguments)
    (told,) = vm.poll()["Events"]
    assert (told["EventId"], told["EventType"], told["EventSource"]) == (event.id, kind, source)
    assert (event.type, event.status) == (kind, told["EventStatus"])
    assert event.started == (verb == "break_down")
    assert vm.events == [event] == forewarn.events()


def test_more_can_be_said_of_maintenance(forewarn: Forewarn) -> None:
    forewarn.vm().schedule("Freeze", notice=timedelta(minutes=20), description="A new kernel.", duration=9)
    (told,) = forewarn.machine_called("vm", "vm").poll()["Events"]
    assert (told["Description"], told["DurationInSeconds"]) == ("A new kernel.", 9)


def test_maintenance_of_a_group_names_each_machine_once(forewarn: Forewarn) -> None:
    database = forewarn.availability_set("db", machines=6)
    events = database.schedule("Reboot")
    named = [machine for event in events for machine in event.machines]
    assert len(named) == 6
    assert set(named) == set(database)


def test_where_nobody_polls_an_operation_runs_at_once(forewarn: Forewarn) -> None:
    vm = forewarn.vm(enrolled=False)
    assert vm.operate("restart")["event"] is None
    with pytest.raises(RanAtOnce, match="redeploy of vm ran at once, without an event: its scope is not enrolled"):
        vm.redeploy()


def test_and_a_delete_without_a_terminate_notification_too(forewarn: Forewarn) -> None:
    vm = forewarn.scale_set("set").instance(0)
    with pytest.raises(RanAtOnce, match="or it has no terminate notification"):
        vm.delete()


def test_a_deleted_machine_is_gone_and_stays_so(forewarn: Forewarn) -> None:
    workers = forewarn.scale_set("workers", instances=3, notice="5m")
    event = workers[0].delete()
    workers[1].approve(event)
    assert event.approved_by == {workers[1]}
    forewarn.advance("5m")
    assert event.gone
    assert [machine.gone for machine in workers] == [True, False, False]
    with pytest.raises(Refusal, match="workers_0"):
        workers[0].look()
    with pytest.raises(AssertionError, match="workers_0 polled and was answered 403"):
        workers[0].poll()
    forewarn.vm("another")
    assert workers[0].gone


def test_an_evicted_machine_is_deallocated(forewarn: Forewarn) -> None:
    vm = forewarn.vm(priority="Spot", eviction_policy="Deallocate")
    event = vm.evict()
    forewarn.advance("10m")
    assert event.gone
    assert (vm.gone, vm.power) == (False, "deallocated")


def test_maintenance_can_be_canceled(forewarn: Forewarn) -> None:
    vm = forewarn.vm()
    event = vm.schedule("Redeploy")
    event.cancel("not needed any more")
    assert event.canceled
    assert event.gone
    assert not event.started
    assert vm.poll()["Events"] == []


# Handles


def test_two_handles_of_one_thing_are_equal(forewarn: Forewarn) -> None:
    vm = forewarn.vm()
    event = vm.restart()
    (named,) = event.machines
    assert named == vm
    assert named is not vm
    assert named.metadata_url == vm.metadata_url
    assert named.poll()["Events"][0]["EventId"] == event.id
    assert {event, *forewarn.events()} == {event}
    assert event != vm.schedule("Freeze")


def test_an_event_tells_its_story_where_an_assertion_fails(forewarn: Forewarn) -> None:
    vm = forewarn.vm()
    event = vm.schedule("Reboot")
    forewarn.advance("3m")
    told = repr(event).splitlines()
    assert told[0] == f"Reboot of vm (Scheduled), event {event.id}"
    assert [line.split(maxsplit=1) for line in told[1:]] == [
        ["+0s", "scheduled by user:local (Reboot of vm)"],
        ["+0s", "nobody has polled since"],
        ["+3m", "now"],
        ["+15m", "NotBefore: it starts by itself"],
    ]


def test_what_clients_ask_is_kept_and_what_the_kit_asks_for_them_is_not(forewarn: Forewarn) -> None:
    vm, another = forewarn.vm(), forewarn.vm("another")
    vm.poll()
    ask(another.metadata_url, "/metadata/instance?api-version=2021-02-01", fields={"User-Agent": "curl/8"})
    assert vm.requests == []
    (asked,) = another.requests
    assert (asked["asked"], asked["machine"], asked["status"]) == ("instance", "another", 200)
    assert forewarn.requests() == [asked]


def test_faults_come_and_go(forewarn: Forewarn) -> None:
    workers = forewarn.scale_set("workers", instances=2)
    workers[0].fault("status", status=500)
    with pytest.raises(AssertionError, match="workers_0 polled and was answered 500"):
        workers[0].poll()
    workers[1].poll()
    workers.fault("status", status=429, lasts=timedelta(minutes=1))
    forewarn.clear_faults()
    assert workers[0].poll() == workers[1].poll()


def test_the_history_is_there(forewarn: Forewarn) -> None:
    event = forewarn.vm().restart()
    assert [entry["what"] for entry in forewarn.history() if entry["subject"] == event.id] == ["scheduled"]
    assert forewarn.events(all=True) == [event]
    assert forewarn.timeline(event).event["id"] == event.id
