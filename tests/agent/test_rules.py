"""The first rule that fits an event decides about it."""

from datetime import timedelta
from typing import Any

import pytest

from forewarn.agent.config import Rule
from forewarn.agent.rules import choose, fits
from forewarn.client.documents import EventType
from tests.agent.building import an_event

QUARTER = timedelta(minutes=15)


def seconds(count: float) -> timedelta:
    return timedelta(seconds=count)


@pytest.mark.parametrize(
    ("rule", "event", "left", "is_fit"),
    [
        pytest.param({}, {}, QUARTER, True, id="an empty rule fits everything"),
        pytest.param({"types": (EventType.REBOOT,)}, {}, QUARTER, True, id="its type"),
        pytest.param({"types": (EventType.FREEZE,)}, {}, QUARTER, False, id="another type"),
        pytest.param({"types": (EventType.FREEZE,)}, {"type": "Levitate"}, QUARTER, False, id="a type unheard of"),
        pytest.param({}, {"type": "Levitate"}, QUARTER, True, id="any type, unheard of or not"),
        pytest.param({"source": "User"}, {"source": "User"}, QUARTER, True, id="its source"),
        pytest.param({"source": "User"}, {"source": ""}, QUARTER, False, id="a source that was not told"),
        pytest.param({"resources": ("VM*",)}, {"resources": ("vm1",)}, QUARTER, True, id="a pattern in any case"),
        pytest.param(
            {"resources": ("web_*",)}, {"resources": ("db", "web_1")}, QUARTER, True, id="one of its machines"
        ),
        pytest.param({"resources": ("web_*",)}, {"resources": ("db",)}, QUARTER, False, id="none of its machines"),
        pytest.param({"shorter_than": seconds(10)}, {"duration": seconds(9)}, QUARTER, True, id="a short pause"),
        pytest.param({"shorter_than": seconds(10)}, {"duration": seconds(10)}, QUARTER, False, id="not quite short"),
        pytest.param({"shorter_than": seconds(10)}, {"duration": None}, QUARTER, False, id="unknown is not short"),
        pytest.param({"longer_than": seconds(10)}, {"duration": None}, QUARTER, True, id="unknown is long"),
        pytest.param({"longer_than": seconds(10)}, {"duration": seconds(10)}, QUARTER, False, id="not quite long"),
        pytest.param({"notice_under": seconds(60)}, {}, seconds(59), True, id="little notice"),
        pytest.param({"notice_under": seconds(60)}, {}, seconds(60), False, id="notice enough"),
        pytest.param({"notice_under": seconds(60)}, {}, None, True, id="unknown notice is none"),
        pytest.param({"notice_over": seconds(60)}, {}, None, False, id="unknown notice is not much"),
        pytest.param({"notice_over": seconds(60)}, {}, QUARTER, True, id="much notice"),
    ],
)
def test_a_rule_fits_by_all_that_it_says(
    rule: dict[str, Any], event: dict[str, Any], left: timedelta | None, is_fit: bool
) -> None:
    assert fits(Rule(**rule), an_event(**event), left) is is_fit


def test_the_first_that_fits_wins_and_there_may_be_none() -> None:
    rules = [Rule(name="freeze", types=(EventType.FREEZE,)), Rule(name="user", source="User"), Rule(name="late")]
    assert choose(rules, an_event(source="User"), QUARTER) is rules[1]
    assert choose(rules[:2], an_event(source="Platform"), QUARTER) is None
