"""Requests that clients send, and what becomes of them in bad hands. The same seed gives the same bytes."""

import re
from collections.abc import Callable, Iterator
from random import Random

EVENTS = "/metadata/scheduledevents?api-version=2020-07-01"
READY = "/forewarn/v1/ready"
SAID = b'{"EventId":"4CAEA225-A741-474D-A72E-428C86FCD853","Ready":true}'
APPROVAL = b'{"StartRequests":[{"EventId":"4CAEA225-A741-474D-A72E-428C86FCD853"}]}'


def _request(method: str, target: str, *fields: str, body: bytes = b"") -> bytes:
    head = [f"{method} {target} HTTP/1.1", "Host: 169.254.169.254", "Metadata: true", *fields]
    return "\r\n".join([*head, "", ""]).encode() + body


def _post(body: bytes, *fields: str, target: str = EVENTS) -> bytes:
    return _request("POST", target, f"Content-Length: {len(body)}", *fields, body=body)


CORPUS: tuple[bytes, ...] = (
    _request("GET", EVENTS),
    _request("GET", EVENTS, "User-Agent: curl/8.5.0", "Accept: */*"),
    _request("GET", EVENTS, "Accept-Encoding: gzip, deflate", "Connection: keep-alive", 'If-None-Match: W/"2", "3"'),
    _request("GET", EVENTS + "&wait=30", "If-None-Match: 2"),
    _request("GET", "/metadata/latest/scheduledevents"),
    _request("GET", "/metadata/scheduledEvents%3Fapi-version=2017-08-01", "Connection: close"),
    _request("GET", "http://169.254.169.254" + EVENTS),
    _request("GET", "/metadata/instance?api-version=2021-02-01"),
    _request("GET", "/metadata/instance/compute/tagsList/0?api-version=2021-02-01&format=text"),
    _request("GET", "/metadata/versions"),
    _request("GET", "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https://management.azure.com/"),
    _request("GET", "/forewarn/v1/about"),
    _request("GET", READY + "?event=4CAEA225-A741-474D-A72E-428C86FCD853"),
    _post(SAID, target=READY),
    _post(SAID.replace(b"true", b"false"), "Content-Type: application/json", "Connection: close", target=READY),
    _request("GET", "/index.html"),
    _request("HEAD", EVENTS),
    _request("OPTIONS", EVENTS, "Origin: http://example.com"),
    _post(APPROVAL),
    _post(APPROVAL, "Content-Type: application/json", "Expect: 100-continue"),
    _post(b"\xef\xbb\xbf" + APPROVAL, "Connection: close"),
    _post(b'{"DocumentIncarnation":"5", "StartRequests": [{"EventId": "a"}, {"EventId": "b"}]}'),
    _request("POST", EVENTS, "Transfer-Encoding: chunked", body=b"%x\r\n%b\r\n0\r\n\r\n" % (len(APPROVAL), APPROVAL)),
    _request("GET", EVENTS) + _post(APPROVAL) + _request("GET", "/metadata/versions"),
)

WORDS: tuple[bytes, ...] = (
    *(b"\r\n", b"\n", b"\r", b"\r\n\r\n", b" ", b"\t", b"\0", b"\x7f", b"\xff", b"\xc0\xaf"),
    *(b":", b",", b'"', b"{", b"[", b"?", b"&", b"=", b";", b"#", b"/", b"\\", b"..", b"/../"),
    *(b"%2F", b"%00", b"%3F", b"%", b"%zz", b"%C0%AE", b"&wait=99999", b"&api-version=latest"),
    *(b"0", b"-1", b"+1", b"65536", b"65537", b"4294967296", b"99999999999999999999", b"0x10", b"1e9", b"ffffffff"),
    *(b"HTTP/1.0", b"HTTP/1.1", b"HTTP/2.0", b"HTTP/0.9", b"GET ", b"POST ", b"TRACE ", b"CONNECT ", b"PRI * "),
    *(b"Host: localhost\r\n", b"Host: vm1.localhost\r\n", b"Metadata: true\r\n", b"X-Forwarded-For: 1.2.3.4\r\n"),
    *(b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"Expect: 100-continue\r\n"),
    *(b"Connection: close\r\n", b"If-None-Match: *\r\n", b"\r\n folded", b"a" * 300, b"x: y\r\n" * 70),
)


def _flip(raw: bytearray, random: Random) -> None:
    if raw:
        raw[random.randrange(len(raw))] ^= 1 << random.randrange(8)


def _replace(raw: bytearray, random: Random) -> None:
    if raw:
        raw[random.randrange(len(raw))] = random.randrange(256)


def _insert_word(raw: bytearray, random: Random) -> None:
    place = random.randint(0, len(raw))
    raw[place:place] = random.choice(WORDS)


def _overwrite_with_word(raw: bytearray, random: Random) -> None:
    place, word = random.randint(0, len(raw)), random.choice(WORDS)
    raw[place : place + len(word)] = word


def _delete(raw: bytearray, random: Random) -> None:
    start = random.randint(0, len(raw))
    del raw[start : start + random.randint(1, 12)]


def _double(raw: bytearray, random: Random) -> None:
    start = random.randint(0, len(raw))
    piece = raw[start : start + random.randint(1, 60)]
    raw[start:start] = piece


def _swap_lines(raw: bytearray, random: Random) -> None:
    lines = bytes(raw).split(b"\r\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    raw[:] = b"\r\n".join(lines)


def _truncate(raw: bytearray, random: Random) -> None:
    del raw[random.randint(0, len(raw)) :]


def _swell(raw: bytearray, random: Random) -> None:
    place = random.randint(0, len(raw))
    raw[place:place] = bytes([random.randrange(256)]) * random.choice((100, 2_000, 9_000, 70_000))


def _splice(raw: bytearray, random: Random) -> None:
    raw[random.randint(0, len(raw)) :] = random.choice(CORPUS)[random.randrange(20) :]


COMMON: tuple[Callable[[bytearray, Random], None], ...] = (
    *(_flip, _replace, _insert_word, _insert_word, _overwrite_with_word, _delete, _double, _swap_lines, _splice),
)
RARE = (_truncate, _swell)


def _whole(raw: bytes, random: Random) -> tuple[int, int]:
    return 0, len(raw)


def _target(raw: bytes, random: Random) -> tuple[int, int]:
    start = raw.index(b" ") + 1
    return start, raw.index(b" ", start)


def _value(raw: bytes, random: Random) -> tuple[int, int]:
    head = raw[: raw.index(b"\r\n\r\n") + 2]
    lines = [match.span(1) for match in re.finditer(rb": ([^\r]*)\r\n", head)]
    return random.choice(lines)


def _body(raw: bytes, random: Random) -> tuple[int, int]:
    return raw.index(b"\r\n\r\n") + 4, len(raw)


AIMS = (_whole, _target, _value, _body)


def mutated(random: Random) -> bytes:
    """A request hit once or a few times, anywhere or in one part only; its length may be put right again."""
    raw = random.choice(CORPUS)
    start, end = random.choice(AIMS)(raw, random)
    part = bytearray(raw[start:end])
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 5))):
        random.choice(COMMON)(part, random)
    if random.random() < 0.05:
        random.choice(RARE)(part, random)
    hit = raw[:start] + bytes(part) + raw[end:]
    return _with_right_length(hit) if random.random() < 0.7 else hit


def _with_right_length(raw: bytes) -> bytes:
    head, end, body = raw.partition(b"\r\n\r\n")
    return re.sub(rb"Content-Length: \d+", b"Content-Length: %d" % len(body), head) + end + body


def requests(seed: str, count: int) -> Iterator[bytes]:
    random = Random(seed)
    return (mutated(random) for _ in range(count))
