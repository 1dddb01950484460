"""Where the metadata service is, if nobody says so."""

import random
from collections.abc import Callable, Mapping, Sequence

import pytest

from forewarn.client import Answer, Interrupted, NoEndpoint, Patience, Request, Unreachable
from forewarn.client.discovery import Surroundings, discover
from tests.client.acting import says

VERSIONS = ("/metadata/versions", says(200, b'{"apiVersions":["2017-03-01"]}'))
INSTANCE = ("/metadata/instance", says(200, b'{"compute":{"name":"vm1"}}'))
EVENTS = ("/metadata/scheduledevents", says(200, b'{"DocumentIncarnation":1,"Events":[]}'))
OTHER_CLOUD = ("/metadata", says(401, b"Unauthorized"))
WIRE = "168.63.129.16"
LINK_LOCAL = "169.254.169.254"


class Network:
    """Hosts by address, with what each answers below a path; nobody is anywhere else."""

    def __init__(self, hosts: Mapping[str, Sequence[tuple[str, Answer]]]) -> None:
        self._hosts = hosts
        self.asked: list[str] = []

    def send(self, request: Request) -> Answer:
        address = request.endpoint.removeprefix("http://")
        self.asked.append(address + request.target)
        if address not in self._hosts:
            raise Unreachable("no route")
        known = (answer for path, answer in self._hosts[address] if request.target.startswith(path))
        return next(known, says(404))

    def close(self) -> None:
        pass


def find(
    network: Network,
    environ: Mapping[str, str] | None = None,
    leases: Sequence[str] = (),
    wire: Callable[[int], str | None] = lambda xid: None,
) -> str:
    around = Surroundings(environ=environ or {}, leases=lambda: leases, wire=wire)
    return discover(network, Patience(), random.Random(1), around=around)


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param([VERSIONS], id="that-tells-its-versions"),
        pytest.param([INSTANCE], id="that-tells-of-the-instance"),
        pytest.param([("/metadata", says(410))], id="that-is-being-updated"),
        pytest.param([("/metadata", says(429))], id="that-has-too-much-to-do"),
        pytest.param([("/metadata", says(500))], id="in-trouble"),
    ],
)
def test_the_link_local_address_comes_first(answers: Sequence[tuple[str, Answer]]) -> None:
    found = find(Network({LINK_LOCAL: answers}), leases=[WIRE])
    assert found == "http://169.254.169.254"


def test_what_the_environment_says_is_not_questioned() -> None:
    nobody = Network({})
    assert find(nobody, {"FOREWARN_ENDPOINT": "http://127.0.0.1:8254"}) == "http://127.0.0.1:8254"
    assert nobody.asked == []
    with pytest.raises(NoEndpoint, match="is no metadata endpoint"):
        find(nobody, {"FOREWARN_ENDPOINT": "nonsense"})


@pytest.mark.parametrize(
    "first",
    [
        pytest.param({}, id="nobody-there"),
        pytest.param({LINK_LOCAL: [OTHER_CLOUD]}, id="another-cloud-there"),
        pytest.param({LINK_LOCAL: [("/metadata", says(200, b"<html>"))]}, id="a-portal-there"),
        pytest.param({LINK_LOCAL: [("/metadata", says(200, b'{"other":1}'))]}, id="something-else-there"),
    ],
)
def test_outside_of_a_virtual_network_the_lease_says_where(first: dict[str, Sequence[tuple[str, Answer]]]) -> None:
    assert find(Network({**first, WIRE: [EVENTS]}), leases=["10.0.0.9", WIRE]) == f"http://{WIRE}"


def test_microsoft_s_sample_may_have_found_it_before() -> None:
    assert find(Network({"10.0.0.7": [EVENTS]}), {"SCHEDULEDEVENTSIP": "10.0.0.7"}) == "http://10.0.0.7"


def test_without_a_lease_dhcp_is_asked() -> None:
    xids: list[int] = []

    def wire(xid: int) -> str:
        xids.append(xid)
        return WIRE

    assert find(Network({WIRE: [VERSIONS]}), wire=wire) == f"http://{WIRE}"
    assert 0 <= xids[0] < 2**32


def fails(error: OSError) -> Callable[[int], str | None]:
    def wire(xid: int) -> str | None:
        raise error

    return wire


@pytest.mark.parametrize(
    ("leases", "wire", "reasons"),
    [
        pytest.param(
            [],
            lambda xid: None,
            ["169.254.169.254 is no metadata service", "no lease has", "no DHCP server offered"],
            id="nothing",
        ),
        pytest.param([WIRE], lambda xid: WIRE, [f"{WIRE} is no metadata service"], id="the-wrong-service"),
        pytest.param([], fails(PermissionError(1, "no")), ["needs root"], id="without-rights"),
        pytest.param([], fails(OSError("no network card is up")), ["no network card is up"], id="without-a-card"),
    ],
)
def test_when_all_is_in_vain_it_is_told_what_was_tried(
    leases: Sequence[str], wire: Callable[[int], str | None], reasons: Sequence[str]
) -> None:
    hosts = Network({WIRE: [("/machine", says(200))]})
    with pytest.raises(NoEndpoint, match="set FOREWARN_ENDPOINT") as told:
        find(hosts, leases=leases, wire=wire)
    for reason in reasons:
        assert reason in str(told.value)
    assert len(hosts.asked) == len(set(hosts.asked))


def test_a_search_can_be_interrupted() -> None:
    class Interrupting(Network):
        def send(self, request: Request) -> Answer:
            raise Interrupted("stop")

    with pytest.raises(Interrupted):
        find(Interrupting({}))
