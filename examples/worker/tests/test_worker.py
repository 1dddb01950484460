"""The worker is ready when its machine goes down, and only then says so."""

import pytest

from conftest import Start
from forewarn.testing import Forewarn


def test_it_finishes_its_job_before_its_machine_is_deleted(forewarn: Forewarn, start: Start) -> None:
    vm = forewarn.scale_set("workers", instances=3).instance(0)
    worker = start(vm)
    worker.give("a-long-job", seconds=0.2)
    forewarn.until(lambda: worker.is_at("a-long-job"), within="1m")
    event = vm.delete(notice="10m")
    worker.give("b-too-late")

    forewarn.until(lambda: event.approved, within="9m")
    assert event.approved_by == {vm}
    assert worker.has_done("a-long-job")
    forewarn.advance("10m")
    assert event.gone
    assert vm.gone
    assert not worker.has_done("b-too-late")


def test_it_works_on_after_a_reboot(forewarn: Forewarn, start: Start) -> None:
    vm = forewarn.vm()
    worker = start(vm)
    event = vm.restart()
    forewarn.until(lambda: event.approved, within="15m")
    worker.give("after")
    forewarn.advance("1m")
    assert event.gone
    forewarn.until(lambda: worker.has_done("after"), within="1m")


def test_it_leaves_the_events_of_others_alone(forewarn: Forewarn, start: Start) -> None:
    pair = forewarn.availability_set("pair", machines=2)
    worker = start(pair[0])
    forewarn.until(lambda: pair[0].requests, within="1m")
    event = pair[1].schedule("Reboot")
    forewarn.settle()  # it has seen the event, and done about it what it does
    assert not event.approved
    worker.give("meanwhile")
    forewarn.until(lambda: worker.has_done("meanwhile"), within="1m")


def test_it_is_ready_in_the_half_minute_before_an_eviction(forewarn: Forewarn, start: Start) -> None:
    vm = forewarn.vm(priority="Spot", eviction_policy="Deallocate")
    start(vm)
    event = vm.evict()
    forewarn.until(lambda: event.approved, within="30s")


def test_it_takes_no_job_while_its_hardware_fails(forewarn: Forewarn, start: Start) -> None:
    vm = forewarn.vm()
    event = vm.break_down()
    worker = start(vm)
    worker.give("later")
    forewarn.settle()
    assert not worker.has_done("later")
    forewarn.advance("1h")
    assert event.gone
    forewarn.until(lambda: worker.has_done("later"), within="1m")


FAULTS = [
    pytest.param({"kind": "status", "status": 500}, id="500"),
    pytest.param({"kind": "status", "status": 429}, id="429"),
    pytest.param({"kind": "reset"}, id="reset"),
    pytest.param({"kind": "truncated"}, id="truncated"),
    pytest.param({"kind": "empty"}, id="empty"),
]


@pytest.mark.parametrize("fault", FAULTS)
def test_it_survives(forewarn: Forewarn, start: Start, fault: dict[str, str]) -> None:
    vm = forewarn.vm()
    vm.fault(**fault, requests=3)
    worker = start(vm)
    event = vm.schedule("Redeploy")
    forewarn.until(lambda: event.approved, within="14m")
    assert worker.process.poll() is None
