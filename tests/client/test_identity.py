"""Is it about me?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forewarn.client import Event, EventType, Identity, Status, Verdict, is_about, judge
from forewarn.client.identity import MOST_INSTANCES, computer_name, split_computer_name

YES, NO, UNSURE = Verdict.YES, Verdict.NO, Verdict.UNSURE


def event(*resources: str) -> Event:
    return Event(id="1", type=EventType.REBOOT, status=Status.SCHEDULED, resources=resources, raw={})


@pytest.mark.parametrize(
    ("resources", "me", "verdict"),
    [
        pytest.param(["vm1"], Identity(name="vm1"), YES, id="the-name-given"),
        pytest.param(["VM1"], Identity(name="vm1"), YES, id="letter-case-does-not-matter"),
        pytest.param(["vm2"], Identity(name="vm1"), NO, id="another-than-the-name-given"),
        pytest.param(["vm1"], Identity(name="vm2", resource="vm1", host="vm1"), NO, id="the-name-given-decides-alone"),
        pytest.param(["vm0", "vm1"], Identity(resource="vm1"), YES, id="one-of-several"),
        pytest.param(["vm1"], Identity(resource="vm1", host="db"), YES, id="a-host-called-otherwise"),
        pytest.param(["db"], Identity(resource="vm1", host="db"), NO, id="the-host-name-of-another"),
        pytest.param(["vm10"], Identity(resource="vm1"), NO, id="a-longer-name"),
        pytest.param(["_vm1"], Identity(resource="vm1"), NO, id="an-underscore-is-part-of-a-name"),
        pytest.param(["FrontEnd_IN_0"], Identity(resource="FrontEnd_IN_0"), YES, id="role-instance"),
        pytest.param(["FrontEnd_IN_1"], Identity(resource="FrontEnd_IN_0"), NO, id="its-neighbour"),
        pytest.param(["web_18"], Identity(resource="web_18", computer_name="web00000i"), YES, id="uniform-instance"),
        pytest.param(["web_1"], Identity(resource="web_18", computer_name="web00000i"), NO, id="uniform-neighbour"),
        pytest.param(["web_18"], Identity(host="web00000i"), YES, id="host-in-base-36"),
        pytest.param(["web_13"], Identity(host="WEB00000D"), YES, id="host-in-base-36-upper-case"),
        pytest.param(["web_18"], Identity(host="web00000i.internal.example"), YES, id="host-with-its-domain"),
        pytest.param(["web_18"], Identity(computer_name="web00000i", host="pod"), YES, id="computer-name-in-base-36"),
        pytest.param(["web_18"], Identity(host="web00000j"), UNSURE, id="host-with-another-number"),
        pytest.param(["vmss1_0"], Identity(host="vmss1e119000000"), UNSURE, id="host-with-another-prefix"),
        pytest.param(["web_18"], Identity(host="db00000i"), UNSURE, id="host-of-another-set"),
        pytest.param(["vm1"], Identity(host="vm1"), YES, id="host-of-that-name"),
        pytest.param(["vm1"], Identity(host="vm1.internal.example"), YES, id="host-of-that-name-with-its-domain"),
        pytest.param(["vm2"], Identity(host="vm1"), UNSURE, id="a-host-may-be-called-otherwise"),
        pytest.param(["web_1be0f2a3"], Identity(host="web000001"), UNSURE, id="flexible-instances-are-not-counted"),
        pytest.param(["vm1"], Identity(), UNSURE, id="nothing-known"),
        pytest.param([], Identity(name="vm1"), UNSURE, id="an-event-of-nobody"),
    ],
)
def test_is_it_about_me(resources: list[str], me: Identity, verdict: Verdict) -> None:
    assert is_about(event(*resources), me) is verdict


def test_who_is_unsure_says_why() -> None:
    reason = judge(event("vmss1_0"), Identity(host="vmss1e119000000")).reason
    assert "only a host name is known" in reason
    assert "vmss1_0 has the number of the host vmss1e119000000" in reason
    assert judge(event(), Identity(name="vm1")).reason == "the event names no machine"


@given(st.text(min_size=1), st.integers(min_value=0, max_value=MOST_INSTANCES - 1))
def test_a_number_survives_base_36(prefix: str, instance: int) -> None:
    name = computer_name(prefix, instance)
    assert len(name) == len(prefix) + 6
    assert split_computer_name(name) == (prefix, instance)
    assert split_computer_name(name[: len(prefix)] + name[len(prefix) :].upper()) == (prefix, instance)


@given(st.from_regex(r"[a-z-]+[0-9a-z]{6}", fullmatch=True))
def test_a_computer_name_survives_being_counted(name: str) -> None:
    counted = split_computer_name(name)
    assert counted is not None
    assert computer_name(*counted) == name


@pytest.mark.parametrize(("name", "counted"), [("web00000i", ("web", 18)), ("aks-vmss00000D", ("aks-vmss", 13))])
def test_computer_names_as_captured(name: str, counted: tuple[str, int]) -> None:
    assert split_computer_name(name) == counted


@pytest.mark.parametrize("name", ["", "web", "00000i", "web-00-00i", "web00000é", "web00000٣"])
def test_what_is_no_computer_name_of_an_instance(name: str) -> None:
    assert split_computer_name(name) is None


@pytest.mark.parametrize("instance", [-1, MOST_INSTANCES])
def test_what_six_digits_do_not_hold_is_refused(instance: int) -> None:
    with pytest.raises(ValueError, match="6 digits of base 36"):
        computer_name("web", instance)


@given(st.lists(st.text(max_size=12), max_size=3), st.text(max_size=12), st.text(max_size=12), st.text(max_size=12))
def test_every_verdict_has_a_reason(resources: list[str], name: str, resource: str, host: str) -> None:
    judgement = judge(event(*resources), Identity(name=name, resource=resource, host=host))
    assert judgement.reason
    assert judgement.verdict is not Verdict.YES or name or resource or host
