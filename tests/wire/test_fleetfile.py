"""The fleet file: what each key makes, and what is said of a file that is wrong."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import forewarn.cli
from forewarn.domain.consent import ApprovalPolicy, Rule
from forewarn.domain.events import EventType
from forewarn.domain.fleet import Fleet
from forewarn.domain.machines import EvictionPolicy, Machine, Priority
from forewarn.domain.scopes import EventsPolicy, ScopeKind
from forewarn.domain.settings import Settings
from forewarn.wire.fleetfile import Command, Declaration, FleetFileError, Simulated, decode, parse

SAMPLE = Path(forewarn.cli.__file__).with_name("sample-fleet.toml")


def fleet(text: str) -> Declaration:
    return parse(text, "fleet.toml")


def machines(text: str) -> dict[str, Machine]:
    return {machine.name: machine for machine in fleet(text).fleet.machines}


def told(text: str) -> str:
    with pytest.raises(FleetFileError) as refused:
        fleet(text)
    return str(refused.value)


def test_an_empty_file_is_an_empty_fleet_with_azures_numbers() -> None:
    declared = fleet("")
    assert declared.fleet == Fleet(scopes=(), machines=(), settings=Settings())
    assert declared.driver == Simulated()


def test_a_machine_alone_is_a_scope_of_its_own() -> None:
    declared = fleet(
        """
        [profile]
        location = "westeurope"
        tags = { owner = "us" }

        [machine.jump]
        computer_name = "jumphost"
        address = "127.0.0.9"
        host = "host-1"
        zone = "2"
        update_domain = 3
        fault_domain = 1
        priority = "spot"
        eviction_policy = "Delete"
        vm_id = "f5b2"
        tags = { role = "jump" }
        """
    ).fleet
    (scope,), (machine,) = declared.scopes, declared.machines
    assert (scope.id, scope.kind) == ("jump", ScopeKind.STANDALONE)
    assert (machine.scope, machine.name, machine.computer_name) == ("jump", "jump", "jumphost")
    assert (machine.address, machine.host, machine.zone) == ("127.0.0.9", "host-1", "2")
    assert (machine.update_domain, machine.fault_domain) == (3, 1)
    assert (machine.priority, machine.eviction_policy) == (Priority.SPOT, EvictionPolicy.DELETE)
    assert (machine.profile.location, machine.profile.vm_id) == ("westeurope", "f5b2")
    assert machine.profile.tags == {"owner": "us", "role": "jump"}


def test_an_availability_set_is_one_scope_spread_over_five_update_and_three_fault_domains() -> None:
    declared = fleet("[availability_set.db]\nmachines = 7").fleet
    assert [scope.id for scope in declared.scopes] == ["db"]
    assert [m.name for m in declared.machines] == [f"db-{n}" for n in range(7)]
    assert [m.update_domain for m in declared.machines] == [0, 1, 2, 3, 4, 0, 1]
    assert [m.fault_domain for m in declared.machines] == [0, 1, 2, 0, 1, 2, 0]


def test_members_of_a_set_can_be_named_and_have_wishes_of_their_own() -> None:
    found = machines(
        """
        [availability_set.db]
        machines = ["ann", "bob"]
        update_domains = 2
        size = "Standard_E4"
        [availability_set.db.machine.bob]
        update_domain = 0
        address = "10.0.0.7"
        """
    )
    assert {name: m.update_domain for name, m in found.items()} == {"ann": 0, "bob": 0}
    assert (found["bob"].address, found["bob"].profile.size) == ("10.0.0.7", "Standard_E4")


def test_the_tables_of_the_members_alone_name_them() -> None:
    found = machines("[availability_set.db.machine.ann]\nhost = 'h1'\n[availability_set.db.machine.bob]")
    assert {name: m.host for name, m in found.items()} == {"ann": "h1", "bob": ""}


def test_a_scale_set_is_split_into_placement_groups_of_at_most_a_hundred() -> None:
    declared = fleet("[scale_set.web]\ninstances = 250\nterminate_notification = '10m'").fleet
    assert [(s.id, s.kind, s.scale_set) for s in declared.scopes] == [
        (f"web:{n}", ScopeKind.PLACEMENT_GROUP, "web") for n in range(3)
    ]
    sizes = [sum(m.scope == scope.id for m in declared.machines) for scope in declared.scopes]
    assert sizes == [100, 100, 50]
    assert declared.machines[18].name == "web_18"
    assert declared.machines[18].computer_name == "web00000i"
    assert {m.terminate_notice for m in declared.machines} == {timedelta(minutes=10)}


def test_placement_groups_never_span_zones() -> None:
    declared = fleet("[scale_set.web]\ninstances = 5\nzones = ['1', '2']").fleet
    assert {(m.name, m.scope, m.zone) for m in declared.machines} == {
        ("web_0", "web:z1-0", "1"),
        ("web_1", "web:z2-0", "2"),
        ("web_2", "web:z1-0", "1"),
        ("web_3", "web:z2-0", "2"),
        ("web_4", "web:z1-0", "1"),
    }


def test_instance_ids_may_have_gaps_and_computer_names_a_prefix() -> None:
    found = machines("[scale_set.web]\ninstances = [4, 37]\ncomputer_name_prefix = 'w'\ninstance.37.host = 'h'")
    assert {name: (m.computer_name, m.host) for name, m in found.items()} == {
        "web_4": ("w000004", ""),
        "web_37": ("w000011", "h"),
    }


def test_a_scale_set_of_none_still_is_a_scope() -> None:
    assert [scope.id for scope in fleet("[scale_set.web]\ninstances = 0").fleet.scopes] == ["web:0"]


def test_a_cloud_service_has_role_instances() -> None:
    declared = fleet(
        "[cloud_service.shop]\nsize = 'Small'\n[cloud_service.shop.role.FrontEnd]\ninstances = 2\n"
        "[cloud_service.shop.role.Back]\ninstances = 1"
    ).fleet
    assert [(s.id, s.kind) for s in declared.scopes] == [("shop", ScopeKind.CLOUD_SERVICE)]
    assert [m.name for m in declared.machines] == ["FrontEnd_IN_0", "FrontEnd_IN_1", "Back_IN_0"]
    assert {m.profile.size for m in declared.machines} == {"Small"}


@pytest.mark.parametrize(
    ("hosts", "expected"),
    [
        pytest.param("2", ["web-host-0", "web-host-1", "web-host-0"], id="a-number"),
        pytest.param('["a", "b"]', ["a", "b", "a"], id="names"),
        pytest.param(
            '"{set}-{index}-{update_domain}{fault_domain}"', ["web-0-00", "web-1-11", "web-2-22"], id="pattern"
        ),
    ],
)
def test_hosts_are_counted_named_or_made_from_a_pattern(hosts: str, expected: list[str]) -> None:
    found = fleet(f"[scale_set.web]\ninstances = 3\nhosts = {hosts}").fleet.machines
    assert [m.host for m in found] == expected


def test_addresses_are_given_one_after_another() -> None:
    found = fleet("[scale_set.web]\ninstances = 3\nfirst_address = '10.0.0.254'").fleet.machines
    assert [m.address for m in found] == ["10.0.0.254", "10.0.0.255", "10.0.1.0"]


def test_the_events_policy_belongs_to_the_scope() -> None:
    declared = fleet("[scale_set.web]\ninstances = 101\nevents_policy = { approve_user_reboot = true }").fleet
    assert {scope.policy for scope in declared.scopes} == {EventsPolicy(approve_user_reboot=True)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", None, id="the-file-has-no-say"),
        pytest.param("approval_policy = 'first'", ApprovalPolicy(), id="first"),
        pytest.param("approval_policy = 'all-named'", ApprovalPolicy(rule=Rule.ALL_NAMED), id="all-named"),
        pytest.param(
            "approval_policy = 'k-of-n'\napproval_count = 2", ApprovalPolicy(rule=Rule.K_OF_N, count=2), id="k-of-n"
        ),
        pytest.param("approval_policy = 'Human'", ApprovalPolicy(rule=Rule.HUMAN), id="human"),
    ],
)
@pytest.mark.parametrize(
    "scope",
    [
        "[machine.a]\n{}",
        "[availability_set.a]\nmachines = 2\n{}",
        "[scale_set.a]\ninstances = 101\n{}",
        "[cloud_service.a]\n{}\n[cloud_service.a.role.b]\ninstances = 1",
    ],
)
def test_the_approval_policy_belongs_to_the_scope(scope: str, text: str, expected: ApprovalPolicy | None) -> None:
    assert {found.approval for found in fleet(scope.format(text)).fleet.scopes} == {expected}


def test_every_setting_can_be_set() -> None:
    chosen = fleet("[settings]\nnotice_freeze = '1m'\nuser_operations = 3\nfirst_answer_delay = '90s'").fleet.settings
    assert chosen == Settings(
        notice_freeze=timedelta(minutes=1), user_operations=3, first_answer_delay=timedelta(seconds=90)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("reboot = '5s'", Simulated(durations={EventType.REBOOT: timedelta(seconds=5)}), id="simulated"),
        pytest.param(
            "kind = 'command'\nprogram = './act'\nargs = ['-v']\ntime_limit = '1m'",
            Command(program=("./act", "-v"), time_limit=timedelta(minutes=1)),
            id="command",
        ),
        pytest.param(
            "kind = 'command'\nprogram = 'act'",
            Command(program=("act",), time_limit=timedelta(minutes=5)),
            id="command-with-defaults",
        ),
    ],
)
def test_the_driver_is_declared_with_the_fleet(text: str, expected: Simulated | Command) -> None:
    assert fleet(f"[driver]\n{text}").driver == expected


def test_the_sample_fleet_has_one_of_each_kind() -> None:
    declared = parse(SAMPLE.read_text(), SAMPLE.name)
    assert {scope.kind for scope in declared.fleet.scopes} == set(ScopeKind)
    assert declared.fleet.machines[0].name == "solo"
    assert sum(machine.is_spot for machine in declared.fleet.machines) == 1
    assert isinstance(declared.driver, Simulated)
    assert set(declared.driver.durations) == set(EventType)


WRONG = {
    "syntax": ("[machine.a]\nhost = \n", "fleet.toml:2: Invalid value (column 8)"),
    "syntax-at-the-end": ("\n[machine.a", "fleet.toml:2: "),
    "twice-the-same-table": ("[machine.a]\n[machine.a]\n", "fleet.toml:2: Cannot declare ('machine', 'a') twice"),
    "too-deep": ("a = " + "[" * 5000 + "]" * 5000, "fleet.toml:1: a value in it is too long or nested too deeply"),
    "unknown-table": ("[machin.a]", 'fleet.toml:1: there is no key "machin"; did you mean "machine"?'),
    "unknown-key": (
        "[scale_set.web]\ninstances = 3\n\n# a comment\nteminate_notification = '5m'",
        'fleet.toml:5: web: there is no key "teminate_notification"; did you mean "terminate_notification"?',
    ),
    "unknown-key-without-a-guess": (
        "[scale_set.web]\ninstances = 3\nevents_policy = { zzz = 1 }",
        'fleet.toml:3: web: there is no key "zzz"; known here: approve_all_instances_down, approve_user_reboot',
    ),
    "unknown-setting": (
        "[settings]\nnotice_rebot = '1m'",
        'fleet.toml:2: settings: there is no key "notice_rebot"; did you mean "notice_reboot"?',
    ),
    "range-of-terminate": (
        "[scale_set.web]\ninstances = 3\nterminate_notification = '20m'",
        'fleet.toml:3: web: terminate_notification must be 5m to 15m, not "20m"',
    ),
    "range-follows-the-settings": (
        "[settings]\nterminate_max = '8m'\n[scale_set.web]\ninstances = 3\nterminate_notification = '9m'",
        'fleet.toml:5: web: terminate_notification must be 5m to 8m, not "9m"',
    ),
    "no-such-approval-policy": (
        "[machine.a]\nhost = 'h'\napproval_policy = 'majority'",
        'fleet.toml:3: a: approval_policy must be "first", "all-named", "k-of-n" or "human", not "majority"',
    ),
    "approval-policy-without-its-count": (
        "[machine.a]\napproval_policy = 'k-of-n'",
        'fleet.toml:2: a: approval_policy = "k-of-n" needs approval_count = 2, or another number',
    ),
    "approval-count-without-its-policy": (
        "[machine.a]\napproval_count = 2",
        'fleet.toml:2: a: approval_count is for approval_policy = "k-of-n" only',
    ),
    "approval-count-of-none": (
        "[machine.a]\napproval_policy = 'k-of-n'\napproval_count = 0",
        "fleet.toml:3: a: approval_count must be a whole number from 1 to 100,000, not 0",
    ),
    "terminate-for-spot": (
        "[scale_set.web]\ninstances = 1\nterminate_notification = '5m'\npriority = 'Low'",
        "fleet.toml:3: web: terminate_notification is not for Spot machines",
    ),
    "spot-in-a-set-with-terminate": (
        "[scale_set.web]\ninstances = 1\nterminate_notification = '5m'\n[scale_set.web.instance.0]\npriority = 'Spot'",
        "fleet.toml:5: web/0: terminate_notification is not for Spot machines",
    ),
    "not-a-duration": (
        "[settings]\nnotice_reboot = 15",
        'fleet.toml:2: settings: notice_reboot must be a duration such as "90s", "15m" or "1h30m", not 15',
    ),
    "first-answer-too-late": (
        "[settings]\nfirst_answer_delay = '3m'",
        'fleet.toml:2: settings: first_answer_delay must be 0s to 2m, not "3m"',
    ),
    "terminate-settings-out-of-order": (
        "[settings]\nterminate_min = '10m'",
        "fleet.toml:2: settings: terminate_min, notice_terminate and terminate_max must not decrease",
    ),
    "grace-settings-out-of-order": (
        "[settings]\nrepair_grace_max = '5m'",
        "fleet.toml:2: settings: repair_grace_min and repair_grace_max must not decrease",
    ),
    "count-as-text": (
        "[scale_set.web]\ninstances = 'three'",
        'fleet.toml:2: web: instances must be a whole number from 0 to 100,000, not "three"',
    ),
    "count-too-great": (
        "[availability_set.db]\nmachines = 0xffffffffffffffffffff",
        "fleet.toml:2: db: machines must be a whole number from 0 to 100,000, not such a number",
    ),
    "count-as-boolean": (
        "[scale_set.web]\ninstances = true",
        "instances must be a whole number from 0 to 100,000, not true",
    ),
    "no-instances": ("[scale_set.web]\n", "fleet.toml:1: web: it has no instances: say instances = 3"),
    "no-machines": ("[availability_set.db]\n", "fleet.toml:1: db: it has no machines"),
    "no-roles": ("\n[cloud_service.shop]\n", "fleet.toml:2: shop: a cloud service has at least one role"),
    "instance-twice": ("[scale_set.web]\ninstances = [1, 1]", "fleet.toml:2: web: an instance id is there twice"),
    "instance-below-zero": ("[scale_set.web]\ninstances = [-1]", "fleet.toml:2: web: instances must be a number of"),
    "member-twice": (
        "[availability_set.db]\nmachines = ['a', 'A']",
        'fleet.toml:2: db: the machine "A" is named twice',
    ),
    "wishes-of-a-stranger": (
        "[scale_set.web]\ninstances = 2\n[scale_set.web.instance.2]\nhost = 'h'",
        'fleet.toml:3: web: "2" is not one of its members',
    ),
    "priority": (
        "[machine.a]\npriority = 'Cheap'",
        'fleet.toml:2: a: priority must be "Regular", "Spot" or "Low", not "Cheap"',
    ),
    "update-domain": (
        "[machine.a]\nupdate_domain = 20",
        "fleet.toml:2: a: update_domain must be a whole number from 0 to 19, not 20",
    ),
    "address": ("[machine.a]\naddress = '127.0.0.256'", "fleet.toml:2: a: address must be an IP address such as"),
    "address-twice": (
        "[machine.a]\nhost = 'h'\naddress = '127.0.0.5'\n[machine.b]\naddress = '127.0.0.5'",
        "fleet.toml:5: b: the address 127.0.0.5 is already given on line 3",
    ),
    "address-in-a-range": (
        "[machine.a]\naddress = '10.0.0.3'\n[scale_set.web]\ninstances = 3\nfirst_address = '10.0.0.2'",
        "fleet.toml:5: web: the address 10.0.0.3 is already given on line 2",
    ),
    "addresses-run-out": (
        "[scale_set.web]\ninstances = 3\nfirst_address = '255.255.255.254'",
        "fleet.toml:3: web: there are not 3 addresses from 255.255.255.254 on",
    ),
    "name-taken": (
        "[machine.web]\n\n[scale_set.Web]\ninstances = 1",
        'fleet.toml:3: Web: the name "Web" is already taken on line 1',
    ),
    "name": ('\n[machine."a/b"]', 'fleet.toml:2: a/b: "a/b" is not a name'),
    "zones": (
        "[scale_set.web]\ninstances = 1\nzones = ['1', '1']",
        "fleet.toml:3: web: zones must be a list of different",
    ),
    "hosts-of-none": (
        "[scale_set.web]\ninstances = 1\nhosts = []",
        "fleet.toml:3: web: hosts must be a number of hosts",
    ),
    "host-pattern": (
        "[scale_set.web]\ninstances = 1\nhosts = 'h{rack}'",
        "fleet.toml:3: web: hosts may hold {set}, {index}, {update_domain}, {fault_domain}, {zone}, not {rack}",
    ),
    "machine-as-a-value": ("machine = 3", "fleet.toml:1: machine must be a table, such as [machine.NAME], not 3"),
    "machine-as-an-array": (
        "\n[[machine]]\nname = 'a'",
        "fleet.toml:2: machine must be a table, such as [machine.NAME]",
    ),
    "a-machine-as-a-value": ("[machine]\na = 3", "fleet.toml:2: a must be a table: [machine.a], not 3"),
    "tag-as-a-number": ("[machine.a.tags]\nn = 3", "fleet.toml:2: a: n must be a text, not 3"),
    "driver-kind": (
        "[driver]\nkind = 'magic'",
        'fleet.toml:2: driver: kind must be "simulated" or "command", not "magic"',
    ),
    "driver-without-program": ("[driver]\nkind = 'command'", 'fleet.toml:2: driver: kind = "command" needs program'),
    "driver-of-the-other-kind": (
        "[driver]\nkind = 'command'\nprogram = 'x'\nreboot = '5s'",
        'fleet.toml:4: driver: there is no key "reboot"',
    ),
    "in-an-inline-table": (
        "machine = {a = {host = 'x'}, b = {\"zone\" = 3}}",
        "fleet.toml:1: b: zone must be a text, not 3",
    ),
    "after-a-long-string": (
        '[machine.a]\ntags.x = """\n[machine.b]\nhost = 1\\""""\n',
        "fleet.toml:2: a: x must be a text",
    ),
    "in-a-list-over-lines": (
        "[availability_set.db]\nmachines = [ # three\n  'a', '#]',\n]\nupdate_domains = 0",
        'fleet.toml:3: db: "#]" is not a name',
    ),
    "below-lists-over-lines": (
        "[availability_set.db]\nmachines = [ # ]\n  'a',\n  'b',\n]\nupdate_domains = 0 # none",
        "fleet.toml:6: db: update_domains must be a whole number from 1 to 20, not 0",
    ),
    "dotted-and-quoted": (
        '# x\n[ scale_set . "web" ]\ninstances = 1\n\'instance\'."0".zone = 1.5',
        "fleet.toml:4: web/0: zone must be a text, not 1.5",
    ),
}


@pytest.mark.parametrize(("text", "expected"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_file_is_refused_with_its_line_and_the_reason(text: str, expected: str) -> None:
    assert expected in told(text)


def test_bytes_that_are_no_text_are_refused_with_their_line() -> None:
    with pytest.raises(FleetFileError, match=r"fleet\.toml:2: a fleet file is UTF-8 text"):
        decode(b"# fine\n# \xff\n", "fleet.toml")


def test_a_byte_order_mark_is_no_harm() -> None:
    assert fleet(decode(b"\xef\xbb\xbf[machine.a]\n", "fleet.toml")).fleet.machines[0].name == "a"


@pytest.mark.parametrize("key", [f"notice_{impact.value.lower()}" for impact in EventType])
def test_each_notice_can_be_set_to_the_millisecond(key: str) -> None:
    text = f"[settings]\nterminate_min = '1ms'\n{key} = '250ms'"
    if key != "notice_terminate":
        text = f"[settings]\n{key} = '250ms'"
    chosen: Any = fleet(text).fleet.settings
    assert getattr(chosen, key) == timedelta(milliseconds=250)


PIECES = st.sampled_from(
    ["[", "]", "=", '"', "'", ".", "{", "}", "#", "\n", "-1", "0x", "1e9", "machine", "\0", "é", '"""', ","]
)


@given(st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 30), PIECES), min_size=1, max_size=4))
def test_any_text_is_a_fleet_or_is_refused_with_a_line(edits: list[tuple[int, int, str]]) -> None:
    text = SAMPLE.read_text()
    for place, cut, piece in edits:
        text = text[:place] + piece + text[place + cut :]
    try:
        parse(text, "fleet.toml")
    except FleetFileError as refused:
        line = re.match(r"fleet\.toml:([0-9]+): .", str(refused))
        assert line is not None
        assert 1 <= int(line[1]) <= text.count("\n") + 1
