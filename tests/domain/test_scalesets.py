"""What may be said of a scale set, and how a new model reaches its instances."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from forewarn.domain.errors import Invalid, NotFound
from forewarn.domain.machines import EvictionPolicy, Machine, Power, Priority, Profile
from forewarn.domain.scalesets import Repairs, SetSpec, Upgrade, base36, check, to_upgrade, upgraded, upgraded_by_itself
from forewarn.domain.settings import Settings
from tests.domain.world import NOON, minutes

MODEL = Machine(
    scope="",
    name="",
    priority=Priority.LOW,
    eviction_policy=EvictionPolicy.DELETE,
    os_image_notice=minutes(15),
    profile=Profile(size="large", tags={"a": "b"}),
)
INSTANCE = Machine(
    scope="web:0",
    name="web_7",
    computer_name="web000007",
    address="127.0.0.7",
    update_domain=2,
    fault_domain=1,
    zone="3",
    power=Power.STOPPED,
    terminate_notice=minutes(5),
    instance="7",
    model=1,
    keep_on_scale_in=True,
    created_at=NOON,
    profile=Profile(vm_id="me", size="small"),
)


def spec(**facts: object) -> SetSpec:
    return replace(SetSpec(name="web", title="web", instance=MODEL), **facts)


@pytest.mark.parametrize(
    ("notice", "is_fine"),
    [
        pytest.param(None, True, id="none"),
        pytest.param(minutes(5), True, id="the-least"),
        pytest.param(minutes(15), True, id="the-most"),
        pytest.param(minutes(5) - timedelta(microseconds=1), False, id="less"),
        pytest.param(minutes(15) + timedelta(microseconds=1), False, id="more"),
    ],
)
def test_a_terminate_notice_is_within_its_bounds(notice: timedelta | None, is_fine: bool) -> None:
    wanted = spec(instance=Machine(scope="", name="", terminate_notice=notice))
    if is_fine:
        check(wanted, Settings())
    else:
        with pytest.raises(Invalid, match="notBeforeTimeout must be from PT5M to PT15M"):
            check(wanted, Settings())


@pytest.mark.parametrize(
    ("enabled", "grace", "is_fine"),
    [
        pytest.param(True, minutes(10), True, id="the-least"),
        pytest.param(True, minutes(90), True, id="the-most"),
        pytest.param(True, minutes(10) - timedelta(microseconds=1), False, id="less"),
        pytest.param(True, minutes(90) + timedelta(microseconds=1), False, id="more"),
        pytest.param(False, minutes(1), True, id="of-no-consequence"),
    ],
)
def test_a_grace_period_is_within_its_bounds(enabled: bool, grace: timedelta, is_fine: bool) -> None:
    wanted = spec(repairs=Repairs(enabled=enabled, grace=grace), instance=Machine(scope="", name=""))
    if is_fine:
        check(wanted, Settings())
    else:
        with pytest.raises(Invalid, match="gracePeriod must be from PT10M to PT1H30M"):
            check(wanted, Settings())


@pytest.mark.parametrize("priority", [Priority.SPOT, Priority.LOW])
def test_spot_instances_get_no_terminate_notice(priority: Priority) -> None:
    instance = Machine(scope="", name="", terminate_notice=minutes(5), priority=priority)
    with pytest.raises(Invalid, match="cannot be enabled on Spot"):
        check(spec(instance=instance), Settings())


def test_a_flexible_set_may_be_large_whatever_is_said_of_its_group() -> None:
    check(spec(capacity=1000, flexible=True, single_group=True), Settings())
    with pytest.raises(Invalid, match="from 0 to 1000"):
        check(spec(capacity=1001, flexible=True), Settings())


def test_an_upgraded_instance_is_as_the_model_wants_and_stays_who_it_is() -> None:
    after = upgraded(INSTANCE, spec(), 2)
    assert (after.priority, after.eviction_policy) == (Priority.LOW, EvictionPolicy.DELETE)
    assert (after.terminate_notice, after.os_image_notice) == (None, minutes(15))
    assert after.profile == Profile(vm_id="me", size="large", tags={"a": "b"})
    kept = ("scope", "name", "computer_name", "address", "update_domain", "fault_domain", "zone", "power", "instance")
    assert all(getattr(after, name) == getattr(INSTANCE, name) for name in (*kept, "keep_on_scale_in", "created_at"))
    assert after.model == 2


@pytest.mark.parametrize(
    ("mode", "facts", "follows"),
    [
        pytest.param(Upgrade.MANUAL, {}, False, id="manual"),
        pytest.param(Upgrade.AUTOMATIC, {}, True, id="automatic"),
        pytest.param(Upgrade.ROLLING, {}, True, id="rolling"),
        pytest.param(Upgrade.AUTOMATIC, {"keep_as_it_is": True}, False, id="protected"),
        pytest.param(Upgrade.AUTOMATIC, {"model": 0}, False, id="never-of-the-model"),
        pytest.param(Upgrade.AUTOMATIC, {"model": 2}, False, id="already-there"),
    ],
)
def test_what_a_new_model_does_by_itself(mode: Upgrade, facts: dict[str, object], follows: bool) -> None:
    machine = replace(INSTANCE, **facts)
    after = upgraded_by_itself(machine, spec(upgrade=mode), 2)
    assert (after is not machine) is follows
    assert not follows or after == upgraded(machine, spec(), 2)


def test_all_is_all_that_follow_and_a_name_is_a_name() -> None:
    guarded = replace(INSTANCE, name="web_8", instance="8", keep_as_it_is=True)
    assert to_upgrade([INSTANCE, guarded], None) == [INSTANCE]
    assert to_upgrade([INSTANCE, guarded], ["8", "7", "8"]) == [guarded, INSTANCE]
    with pytest.raises(NotFound, match="no instance 9, 1"):
        to_upgrade([INSTANCE], ["9", "7", "1"])


@given(st.integers(0, 36**6 - 1))
def test_a_computer_name_ends_in_six_digits_that_say_the_number(number: int) -> None:
    assert len(base36(number)) == 6
    assert int(base36(number), 36) == number


def test_the_captured_one() -> None:
    assert base36(18) == "00000i"
