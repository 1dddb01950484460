"""A scenario is understood whole, or refused with its file, the line and the reason."""

import tomllib
from pathlib import Path

import pytest

from forewarn.testing.scenarios import ScenarioError, load, parse, scenario_of, shipped, text_of
from forewarn.testing.scenarios.shelf import names

FLEET = "[fleet.machine.solo]\n"
STEP = '[[at]]\ndo = "restart"\nmachine = "solo"\nas = "reboot"\n'
WRONG = {
    "no-toml": ("name = \n", "mine.toml:1: Invalid value"),
    "unknown-key": ('nam = "x"\n', 'mine.toml:1: there is no key "nam"; did you mean "name"?'),
    "fleet": ("[fleet.machine.solo]\nzone = 1\n", "mine.toml:2: solo: zone must be a text"),
    "fleet-of-another-kind": ("fleet = 1\n", "mine.toml:1: fleet must be the tables of a fleet"),
    "no-fleet-file": ('fleet = "none.toml"\n', "mine.toml:1: none.toml cannot be read"),
    "speed": ('speed = "fast"\n', "mine.toml:1: 'fast' is not a rate"),
    "standstill": ('speed = "0x"\n', "mine.toml:1: speed must be more than nothing"),
    "no-array": ('at = "1m"\n', "mine.toml:1: at must be tables, each of which begins with [[at]]"),
    "does-nothing": (f"{FLEET}[[at]]\n", "mine.toml:2: step 1: it does nothing: say do = schedule, "),
    "does-something-else": (f'{FLEET}[[at]]\ndo = "explode"\n', 'mine.toml:3: step 1: do must be "schedule", '),
    "needs-more": (f'{FLEET}[[at]]\ndo = "schedule"\ntype = "Freeze"\n', 'do = "schedule" needs machines'),
    "needs-less": (f'{FLEET}{STEP}notice = "1m"\n', 'mine.toml:6: step 1: there is no key "notice"'),
    "back-in-time": (f'{FLEET}{STEP}at = "2m"\n[[at]]\nat = "1m"\ndo = "wait"\n', "mine.toml:8: step 2: steps are in"),
    "two-times": (f'{FLEET}{STEP}at = "2m"\nafter = "1m"\n', "mine.toml:7: step 1: a step is at a time, or after"),
    "no-duration": (f'{FLEET}[[at]]\nat = "soon"\ndo = "wait"\n', "mine.toml:3: step 1: at must be a duration"),
    "no-such-machine": (f'{FLEET}[[at]]\ndo = "stop"\nmachine = "x"\n', 'mine.toml:2: there is no machine "x"'),
    "no-machine-at-all": (f'{FLEET}[[at]]\ndo = "stop"\nmachines = []\n', "mine.toml:4: step 1: machines must name at"),
    "one-and-many": (f'{FLEET}{STEP}machines = ["solo"]\n', "mine.toml:4: step 1: machine and machines exclude"),
    "same-name-twice": (f"{FLEET}{STEP}{STEP}", 'mine.toml:6: as = "reboot" is taken'),
    "event-nobody-makes": (f'{FLEET}[[at]]\ndo = "cancel"\nevent = "x"\n', "mine.toml:2: no step before it makes the"),
    "no-such-scope": (
        f'{FLEET}[[at]]\ndo = "start-campaign"\ntype = "Reboot"\nscopes = ["x"]\n',
        'mine.toml:2: there is no scope or scale set "x"',
    ),
    "settings": (f'{FLEET}[[at]]\ndo = "settings"\nsettings.x = 1\n', 'mine.toml:2: settings: there is no key "x"'),
    "settings-of-no-fleet": ('[[at]]\ndo = "settings"\nsettings.user_operations = 1\n', "mine.toml:1: settings are"),
    "client-of-nobody": (f"{FLEET}[[client]]\n", "mine.toml:2: client 1: it is the client of a machine"),
    "client-too-eager": (
        f'{FLEET}[[client]]\nmachine = "solo"\nevery = "1ms"\n',
        "mine.toml:4: client 1: every must be",
    ),
    "fault-without-kind": (f'{FLEET}[[fault]]\nmachine = "solo"\n', "mine.toml:2: fault 1: it has no kind"),
    "fault-for-nobody": (f'{FLEET}[[fault]]\nkind = "hang"\n', "mine.toml:3: fault 1: say for whom"),
    "fault-by-nothing": (
        f'{FLEET}[[fault]]\nkind = "delay"\nmachine = "solo"\n',
        "mine.toml:3: fault 1: the fault delay needs to know by how much",
    ),
    "fault-out-of-range": (
        f'{FLEET}[[fault]]\nkind = "hang"\nmachine = "solo"\nprobability = 2\n',
        "mine.toml:5: fault 1: a number above 0",
    ),
    "expects-of-nothing": (
        f"{FLEET}[[expect]]\nat = '1m'\n",
        "mine.toml:2: expect 1: it is about one thing: say event",
    ),
    "expects-nothing": (
        f"{FLEET}[[expect]]\nscope = 'solo'\n",
        "mine.toml:3: expect 1: nothing is expected of it: say",
    ),
    "expects-another-key": (
        f"{FLEET}[[expect]]\nscope = 'solo'\nstatus = 'Started'\nenrolled = true\n",
        'mine.toml:4: expect 1: there is no key "status"',
    ),
    "expects-no-such-status": (
        f"{FLEET}{STEP}[[expect]]\nevent = 'reboot'\nstatus = 'Finished'\n",
        'mine.toml:8: expect 1: status must be "Scheduled", "Started", "Completed", "Canceled" or "Failed"',
    ),
    "expects-twice": (
        f"{FLEET}[[expect]]\nscope = 'solo'\nenrolled = true\nat = '1m'\nby = '2m'\n",
        "mine.toml:6: expect 1: say once when",
    ),
    "within-what": (
        f"{FLEET}[[expect]]\nscope = 'solo'\nenrolled = true\nwithin = '1m'\n",
        "mine.toml:5: expect 1: within is counted from when an event appears",
    ),
    "ends-before-it-begins": (
        f"{FLEET}[[expect]]\nscope = 'solo'\nenrolled = true\nfrom = '2m'\nto = '1m'\n",
        "mine.toml:5: expect 1: from needs to, a later time",
    ),
    "expects-it-of-a-stranger": (
        f"{FLEET}{STEP}[[expect]]\nevent = 'reboot'\napproved_by = ['x']\n",
        'mine.toml:6: there is no machine "x"',
    ),
}


@pytest.mark.parametrize(("text", "reason"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_refused_with_file_line_and_reason(text: str, reason: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        parse(text, "mine.toml")
    assert reason in str(refused.value)
    assert str(refused.value).startswith("mine.toml:")


def test_two_machines_of_one_name_have_to_be_told_apart() -> None:
    fleet = "[fleet.cloud_service.a.role.Web]\ninstances = 1\n[fleet.cloud_service.b.role.Web]\ninstances = 1\n"
    step = '[[at]]\ndo = "restart"\nmachine = "{}"\n'
    with pytest.raises(ScenarioError, match="several machines are called"):
        parse(fleet + step.format("Web_IN_0"), "mine.toml")
    assert parse(fleet + step.format("b/Web_IN_0"), "mine.toml").steps[0].machines == ("b/Web_IN_0",)


def test_a_fleet_file_of_its_own_is_found_beside_the_scenario_and_its_errors_name_it(tmp_path: Path) -> None:
    (tmp_path / "fleet.toml").write_text("[machine.solo]\n")
    (tmp_path / "mine.toml").write_text('fleet = "fleet.toml"\n[[at]]\ndo = "restart"\nmachine = "solo"\n')
    assert load(tmp_path / "mine.toml").fleet == {"machine": {"solo": {}}}
    (tmp_path / "fleet.toml").write_text("[machine.solo]\nzone = 1\n")
    with pytest.raises(ScenarioError, match=r"fleet\.toml:2: solo: zone must be a text"):
        load(tmp_path / "mine.toml")


def test_what_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(b"name = 'x'\n\xff\n")
    with pytest.raises(ScenarioError, match=r"mine\.toml:2: a scenario is UTF-8 text"):
        load(tmp_path / "mine.toml")


@pytest.mark.parametrize("name", names())
def test_the_same_as_python_values_is_the_same_scenario(name: str) -> None:
    values = scenario_of(tomllib.loads(text_of(name)), f"{name}.toml")
    read = shipped(name)
    assert (values.name, values.fleet, values.end) == (read.name, read.fleet, read.end)
    assert [e.title for e in values.expectations] == [e.title for e in read.expectations]


def test_python_values_that_are_wrong_are_refused_by_name() -> None:
    with pytest.raises(ScenarioError, match="scenario: step 1: it does nothing"):
        scenario_of({"fleet": {"machine": {"solo": {}}}, "at": [{}]})
