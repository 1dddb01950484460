"""Time is shared out by rule: the same notice always gives the same plan."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forewarn.agent.config import StepSpec
from forewarn.agent.timing import plan
from tests.agent.building import a_spec


def s(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


POOL = a_spec("pool", limit=s(300), least=s(20))
STOP = a_spec("stop", limit=s(60), least=s(10), urgent=s(8))
TELL = a_spec("tell", limit=s(10), least=s(1), urgent=s(0))
CHAIN = [POOL, STOP, TELL]


@pytest.mark.parametrize(
    ("available", "urgent", "limits"),
    [
        pytest.param(s(895), False, [300, 60, 10], id="notice enough"),
        pytest.param(s(370), False, [300, 60, 10], id="just enough"),
        pytest.param(None, False, [300, 60, 10], id="unknown notice: nothing is cut"),
        pytest.param(s(200.5), False, [160, 35, 5.5], id="half of what is above the least"),
        pytest.param(s(31), False, [20, 10, 1], id="nothing but the least"),
        pytest.param(s(30), False, [20, 10, None], id="who comes last goes without"),
        pytest.param(s(12), False, [None, 10, 1], id="who does not fit is passed over"),
        pytest.param(s(0), False, [None, None, None], id="no time at all"),
        pytest.param(s(-5), False, [None, None, None], id="too late"),
        pytest.param(s(25), True, [5, 8, None], id="the short path"),
    ],
)
def test_limits_are_cut_by_rule(available: timedelta | None, urgent: bool, limits: list[float | None]) -> None:
    slots = plan(CHAIN, available, urgent=urgent)
    assert [None if slot.limit is None else slot.limit.total_seconds() for slot in slots] == limits


def test_each_step_must_begin_in_time_for_all_that_follow() -> None:
    assert [slot.latest for slot in plan(CHAIN, s(895))] == [s(370), s(70), s(10)]


def test_what_is_cut_or_left_out_is_warned_of() -> None:
    warnings = [slot.warning for slot in plan(CHAIN, s(30))]
    assert warnings == [
        "pool gets 20 s of its 300 s",
        "stop gets 10 s of its 60 s",
        "tell does not fit into the notice that is left",
    ]
    assert not any(slot.warning for slot in plan(CHAIN, s(900)))
    assert not any(slot.warning for slot in plan(CHAIN, s(25), urgent=True))


specs = st.builds(
    lambda least, more, urgent: a_spec(
        limit=s(least + more), least=s(least), urgent=urgent if urgent is None else s(urgent)
    ),
    st.integers(0, 60),
    st.integers(0, 600),
    st.one_of(st.none(), st.integers(0, 20)),
)


@given(chain=st.lists(specs, max_size=6), available=st.integers(-10, 2000), urgent=st.booleans())
def test_a_plan_never_takes_more_than_there_is_nor_gives_a_step_more_than_its_limit(
    chain: list[StepSpec], available: int, urgent: bool
) -> None:
    slots = plan(chain, s(available), urgent=urgent)
    given_away = sum((slot.limit for slot in slots if slot.limit is not None), s(0))
    assert given_away <= s(max(available, 0)) + timedelta(microseconds=len(chain))
    for spec, slot in zip(chain, slots, strict=True):
        wanted = spec.on_short_path if urgent else spec.limit
        assert slot.limit is None or min(spec.least, wanted) <= slot.limit <= wanted
