"""Reading one request head: the strict reader beside httptools, which checks less. Strictness must not cost much."""

import time
from collections.abc import Callable

import httptools

from bench.http import REQUEST
from bench.measuring import Row, median
from forewarn.imds import Limits
from forewarn.imds.http import Head, HeadReader

COUNT = 50_000
BYTES = REQUEST.replace("\r\n\r\n", "\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n").encode()


class Collected:
    """What a protocol on httptools has to collect to know as much as our reader tells."""

    def __init__(self) -> None:
        self.target = b""
        self.fields: dict[bytes, bytes] = {}
        self.complete = False

    def on_url(self, url: bytes) -> None:
        self.target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self.fields[name.lower()] = value

    def on_message_complete(self) -> None:
        self.complete = True


def rows(rounds: int, tell: Callable[[str], None]) -> list[Row]:
    reader = HeadReader(Limits())
    assert isinstance(reader.read(BYTES), Head)
    ratios = []
    for number in range(rounds):
        theirs = _seconds(_httptools)
        ours = _seconds(lambda: reader.read(BYTES))
        ratios.append(theirs / ours)
        tell(f"parsing: round {number + 1} of {rounds}, {ours * 1e6:.2f} µs, httptools {theirs * 1e6:.2f} µs")
    got = median(ratios)
    return [
        Row(
            what="reading a request head strictly, against httptools collecting the same",
            measured=f"{got:.2f}× as fast",
            wanted="≥ 0.7×",
            holds=got >= 0.7,
        )
    ]


def _httptools() -> None:
    collected = Collected()
    parser = httptools.HttpRequestParser(collected)
    parser.feed_data(BYTES)
    parser.get_method(), parser.should_keep_alive()
    assert collected.complete


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    for _ in range(COUNT):
        work()
    return (time.perf_counter() - started) / COUNT
