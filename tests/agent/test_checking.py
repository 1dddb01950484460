"""What would run for which event, and what is probably not meant so."""

from datetime import timedelta

import pytest

from forewarn.agent.checking import covers, prospects, warnings
from forewarn.agent.config import Config, Rule
from forewarn.agent.options import read_options
from forewarn.agent.reading import parse_config
from forewarn.agent.telling import tell
from forewarn.client.documents import EventType

STEP = '[steps.a]\nuse = "log"\nlimit = "30s"\n[steps.b]\nuse = "log"\nlimit = "20s"\nurgent = "0s"\n'


def config(rules: str, settings: str = "") -> Config:
    return parse_config(f"[agent]\n{settings}\n{STEP}{rules}")


def told(rules: str, settings: str = "") -> str:
    return "".join(f"{line}\n" for line in tell(config(rules, settings)))


def section(text: str, heading: str) -> list[str]:
    """What is told under it, up to the next blank line."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(heading))
    return lines[start : lines.index("", start)]


def test_each_type_is_told_of_with_notice_and_without() -> None:
    found = prospects(config("[[rules]]\nsteps = ['a', 'b']"))
    assert [(p.type, p.short) for p in found if p.type is not EventType.PREEMPT] == [
        (type, short) for type in EventType if type is not EventType.PREEMPT for short in (False, True)
    ]
    assert [p.short for p in found if p.type is EventType.PREEMPT] == [True]


def test_the_first_rule_that_fits_in_any_case_ends_the_list() -> None:
    rules = """
[[rules]]
name = "short"
types = ["Freeze"]
shorter_than = "10s"
ignore = true
[[rules]]
name = "all"
steps = ["a", "b"]
[[rules]]
name = "never"
steps = ["a"]
"""
    freeze = section(told(rules), "Freeze with 15m of notice")
    assert freeze[1] == "  if it is known to last less than 10s: ignored, by short"
    assert freeze[2] == "  otherwise by all"
    assert "never" not in "\n".join(freeze)


def test_limits_are_those_of_the_usual_notice() -> None:
    lines = told("[[rules]]\nsteps = ['a', 'b']")
    assert "    1. a (log, up to 30s)" in section(lines, "Reboot with 15m")
    preempt = section(lines, "Preempt with 30s of notice, which is the short path")
    assert "    1. a (log, up to 5s)" in preempt
    assert "    2. b (log): left out of the short path" in preempt


def test_notice_decides_where_it_is_known_and_is_a_condition_where_it_is_not() -> None:
    rules = "[[rules]]\nname = 'hurry'\nnotice_under = '20s'\nsteps = ['a']\n[[rules]]\nname = 'calm'\nsteps = ['b']\n"
    lines = told(rules)
    assert "  by calm" in section(lines, "Reboot with 15m")
    short = section(lines, "Reboot on the short path")
    assert "  if less than 20s is left: by hurry" in short
    assert "  otherwise by calm" in short


@pytest.mark.parametrize(
    ("how", "words"),
    [
        pytest.param("own", "this machine, if the event is about it alone", id="own"),
        pytest.param("leader", "the next after 40s if it stays silent", id="leader"),
        pytest.param("all-ready", "once all have said that they are ready", id="all-ready"),
        pytest.param("never", "nobody", id="never"),
        pytest.param("ask", "a person, with `forewarn agent approve`", id="ask"),
    ],
)
def test_who_approves_is_said(how: str, words: str) -> None:
    lines = told("[[rules]]\nsteps = ['a']", f"approve = '{how}'\ntakeover = '40s'")
    assert any("approved by" in line and words in line for line in lines.splitlines())


@pytest.mark.parametrize(
    ("rules", "warning"),
    [
        pytest.param("", "there is no rule: nothing is done about any event", id="no-rule"),
        pytest.param(
            "[[rules]]\nname='x'\nsteps=['a','b']\n[[rules]]\nname='y'\ntypes=['Reboot']",
            "y is never reached: x stands before it and fits all that it fits",
            id="a-rule-behind-a-wider-one",
        ),
        pytest.param(
            "[[rules]]\nname='x'\nshorter_than='5s'\nlonger_than='10s'",
            "x can never fit: its limits contradict each other",
            id="limits-that-contradict",
        ),
        pytest.param("[[rules]]\nsteps=['a']", "steps.b is used by no rule", id="a-step-that-nobody-uses"),
        pytest.param(
            "[[rules]]\ntypes=['Reboot']\nsteps=['a','b']",
            "Terminate: not every such event fits a rule; what does not is left alone",
            id="a-type-without-a-rule",
        ),
    ],
)
def test_what_is_probably_not_meant_is_warned_of(rules: str, warning: str) -> None:
    assert warning in warnings(config(rules))


def test_a_chain_that_does_not_fit_is_warned_of() -> None:
    text = '[steps.long]\nuse="log"\nlimit="20m"\nleast="12m"\n[[rules]]\nname="x"\nsteps=["long"]'
    found = warnings(parse_config(text))
    assert "Reboot with 15m of notice, x: long gets 895 s of its 1200 s" in found
    assert "Redeploy with 10m of notice, x: long does not fit into the notice that is left" in found


def test_all_ready_without_peers_is_warned_of_unless_there_are_some() -> None:
    rules = "[[rules]]\nname='x'\nsteps=['a','b']\napprove='all-ready'"
    assert any("peers is not set" in warning for warning in warnings(config(rules)))
    assert warnings(config(rules, "peers = '/mnt/shared'")) == []


@pytest.mark.parametrize(
    ("wide", "narrow", "covered"),
    [
        pytest.param({}, {"types": ["Freeze"]}, True, id="everything"),
        pytest.param({"types": ["Freeze"]}, {}, False, id="one-type-of-all"),
        pytest.param({"types": ["Freeze", "Reboot"]}, {"types": ["Reboot"]}, True, id="one-type-of-two"),
        pytest.param({"source": "User"}, {"source": "User"}, True, id="the-same-source"),
        pytest.param({"source": "User"}, {}, False, id="any-source"),
        pytest.param({"shorter_than": "9s"}, {"shorter_than": "5s"}, True, id="shorter-still"),
        pytest.param({"shorter_than": "5s"}, {"shorter_than": "9s"}, False, id="less-short"),
        pytest.param({"longer_than": "5s"}, {"longer_than": "9s"}, True, id="longer-still"),
        pytest.param({"longer_than": "9s"}, {}, False, id="of-any-length"),
        pytest.param({"notice_under": "1m"}, {"notice_under": "30s"}, True, id="less-notice"),
        pytest.param({"notice_over": "1m"}, {"notice_over": "30s"}, False, id="more-notice"),
        pytest.param({"resources": ["web_*"]}, {"resources": ["web_*"]}, True, id="the-same-names"),
        pytest.param({"resources": ["web_*"]}, {"resources": ["db_*"]}, False, id="other-names"),
    ],
)
def test_when_one_rule_leaves_nothing_for_another(
    wide: dict[str, object], narrow: dict[str, object], covered: bool
) -> None:
    assert covers(read_options(Rule, wide, "wide"), read_options(Rule, narrow, "narrow")) is covered


def test_the_usual_notices_are_azures() -> None:
    found = {p.type.value: p.notice for p in prospects(Config()) if p.notice is not None}
    seconds = {"Freeze": 900, "Reboot": 900, "Redeploy": 600, "Preempt": 30, "Terminate": 300}
    assert found == {name: timedelta(seconds=number) for name, number in seconds.items()}
