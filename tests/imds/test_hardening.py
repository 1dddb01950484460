"""The rules of the hardening page, as bytes on the wire. Each refusal ends its connection and no other."""

import pytest

from forewarn.imds import Limits, Rules
from tests.imds.world import PATH, World, get, post, request, serving

VALID = get()
LINE = f"GET {PATH} HTTP/1.1\r\n".encode()
HOST = b"Host: 127.0.0.1\r\n"
METADATA = b"Metadata: true\r\n"
POST = f"POST {PATH} HTTP/1.1\r\n".encode() + HOST + METADATA


REFUSED = [
    # 2. Host exactly once, and one of ours
    pytest.param(get(host=None), 400, id="no Host"),
    pytest.param(get(PATH, "Host: 127.0.0.1"), 400, id="two Hosts"),
    pytest.param(get(host=""), 400, id="empty Host"),
    pytest.param(get(host="evil.example"), 400, id="another's name"),
    pytest.param(get(host="127.0.0.1.evil.example"), 400, id="our address in another's name"),
    pytest.param(get(host="localhost.evil.example"), 400, id="localhost in another's name"),
    pytest.param(get(host="evillocalhost"), 400, id="nearly localhost"),
    pytest.param(get(host="127.0.0.2"), 400, id="an address not connected to"),
    pytest.param(get(host="127.0.0.1:x"), 400, id="port that is none"),
    pytest.param(get(host="127.0.0.1:8:8"), 400, id="two ports"),
    pytest.param(get(host="a@127.0.0.1"), 400, id="user in Host"),
    pytest.param(get(host="127.0.0.1, 127.0.0.1"), 400, id="two Hosts in one"),
    pytest.param(get("http://evil.example" + PATH), 400, id="absolute target of another"),
    pytest.param(get("http://169.254.169.254" + PATH, host="evil.example"), 400, id="ours to another"),
    # 4. one canonical target
    pytest.param(get("/metadata%2Fscheduledevents?api-version=2020-07-01"), 400, id="encoded slash"),
    pytest.param(get("/x/..%2fmetadata/scheduledevents?api-version=2020-07-01"), 400, id="dots and encoded slash"),
    pytest.param(get("/metadata/../metadata/scheduledevents?api-version=2020-07-01"), 400, id="dot-dot"),
    pytest.param(get("/metadata/scheduledevents;a=b?api-version=2020-07-01"), 400, id="semicolon"),
    pytest.param(get("/metadata/scheduledevents%00?api-version=2020-07-01"), 400, id="NUL"),
    pytest.param(get("/metadata/%C0%AE%C0%AE/?api-version=2020-07-01"), 400, id="overlong UTF-8"),
    pytest.param(get(PATH + "&api-version=2020-07-01"), 400, id="api-version twice"),
    pytest.param(get(PATH + "&a=1&a=2"), 400, id="any key twice"),
    pytest.param(get("*"), 400, id="asterisk"),
    # 5. limits
    pytest.param(get("/metadata/" + "a" * 2048), 414, id="request line over 2 KiB"),
    pytest.param(get(PATH, "X: " + "a" * 8192), 431, id="head over 8 KiB"),
    pytest.param(get(PATH, *["X: y"] * 63), 431, id="65 fields"),
    pytest.param(POST + b"Content-Length: 65537\r\n\r\n", 413, id="body over 64 KiB"),
    pytest.param(POST + b"Transfer-Encoding: chunked\r\n\r\n10001\r\n", 413, id="chunk over 64 KiB"),
    # 6. strictness
    pytest.param(VALID.replace(b"\r\n", b"\n"), 400, id="bare LF"),
    pytest.param(LINE + HOST + b"Metadata: true\n\r\n", 400, id="one bare LF"),
    pytest.param(LINE + HOST + METADATA + b"X: a\r\n b\r\n\r\n", 400, id="obs-fold"),
    pytest.param(LINE + HOST + b"Metadata : true\r\n\r\n", 400, id="space before the colon"),
    pytest.param(LINE + HOST + METADATA + b"X: \x00\r\n\r\n", 400, id="NUL in a value"),
    pytest.param(LINE + HOST + METADATA + b"X: \x1b[0m\r\n\r\n", 400, id="control character in a value"),
    pytest.param(LINE + HOST + METADATA + b"X: \xff\r\n\r\n", 400, id="not UTF-8 in a value"),
    pytest.param(POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", 400, id="both framings"),
    pytest.param(POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400, id="differing lengths"),
    pytest.param(POST + b"Content-Length: +2\r\n\r\n{}", 400, id="signed length"),
    pytest.param(POST + b"Content-Length: 2, 2\r\n\r\n{}", 400, id="length as a list"),
    pytest.param(POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400, id="other coding"),
    pytest.param(POST + b"Transfer-Encoding: identity\r\n\r\n", 400, id="identity coding"),
    pytest.param(POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, id="chunk size that is none"),
    pytest.param(POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n", 400, id="trailer"),
    pytest.param(b"GET /metadata/versions\r\n", 400, id="HTTP/0.9"),
    pytest.param(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, id="HTTP/2 preface"),
    pytest.param(request("TRACE"), 400, id="TRACE"),
    pytest.param(request("CONNECT", "127.0.0.1:80"), 400, id="CONNECT"),
    pytest.param(b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\n", 400, id="TLS"),
    pytest.param(POST + b"Expect: 200-ok\r\nContent-Length: 2\r\n\r\n", 417, id="unknown expectation"),
]


@pytest.mark.parametrize(("raw", "status"), REFUSED)
def test_refused_and_closed(world: World, raw: bytes, status: int) -> None:
    with world.connect() as bystander, world.connect() as client:
        client.send(raw)
        response = client.receive()
        assert response.status == status
        assert response.fields["connection"] == "close"
        assert client.is_closed()
        bystander.send(VALID)
        assert bystander.receive().status == 200


@pytest.mark.parametrize(("raw", "status"), REFUSED)
def test_refused_alike_however_the_bytes_are_cut(world: World, raw: bytes, status: int) -> None:
    for cut in range(1, min(len(raw), 300), 7):
        with world.connect() as client:
            client.send(raw[:cut])
            world.do(lambda: None)
            client.send(raw[cut:])
            assert client.receive().status == status


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:8254",
        "169.254.169.254",
        "169.254.169.254:80",
        "localhost",
        "LocalHost:80",
        "vm1.localhost",
    ],
)
def test_hosts_that_are_ours(world: World, host: str) -> None:
    assert world.ask(get(host=host)).status == 200


def test_a_host_can_be_allowed_by_rule() -> None:
    with serving(rules=Rules(host_names=frozenset({"Metadata.example"}))) as world:
        assert world.ask(get(host="metadata.EXAMPLE:80")).status == 200
        assert world.ask(get(host="other.example")).status == 400


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"nonsense", id="no JSON"),
        pytest.param(b"\xff\xfe\x00", id="not UTF-8"),
        pytest.param(b"[" * 60_000, id="deep"),
        pytest.param(b'{"StartRequests":' + b"[" * 60_000, id="deep below StartRequests"),
        pytest.param(b'{"a":' * 10_000 + b"1" + b"}" * 10_000, id="deep objects"),
        pytest.param(b'{"StartRequests":[]}', id="nothing to approve"),
        pytest.param(b'{"StartRequests":[{"EventId":5}]}', id="number for an id"),
        pytest.param(b'{"startrequests":[{"eventid":"a"}]}', id="other case"),
    ],
)
def test_bodies_that_make_no_sense(world: World, body: bytes) -> None:
    with world.connect() as client:
        client.send(post(body) + get())
        assert client.receive().status == 400
        assert client.receive().status == 200, "the request was understood, its body was not: the connection goes on"
        assert world.backend.approved == []


def test_a_body_of_64_kib_is_taken(world: World) -> None:
    body = b'{"StartRequests":[{"EventId":"4caea225-a741-474d-a72e-428c86fcd853"}]}'
    assert world.ask(post(body.ljust(65536))).status == 200


def test_five_requests_a_second_if_that_is_the_rate() -> None:
    with serving(limits=Limits(rate=5)) as world, world.connect() as client:
        client.send(get() * 6)
        assert [client.receive().status for _ in range(6)] == [200] * 5 + [429]
        world.pass_time(0.2)
        client.send(get() * 2)
        assert [client.receive().status for _ in range(2)] == [200, 429]
        world.pass_time(60)
        client.send(get() * 6)
        assert [client.receive().status for _ in range(6)] == [200] * 5 + [429], "what was not used is not kept"
