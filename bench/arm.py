"""GET of the instances of a scale set of 1,000, as a client of Azure's sees it: HTTPS, a token, every page.

Beside it a Starlette service that sends the same bytes, which it has ready.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bench.azure import SIZE, Client, Site, scale_set
from bench.measuring import LOAD_CORE, Row, cpu_seconds, free_port, median, on_core, running
from forewarn.access.files import access_directory, ca_file

ASKED = 20
"""Lists in a round."""
MOST = 0.050


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """Of one list, in seconds."""

    seen: float  # from the request to the last byte
    cpu: float  # of the server


def rows(rounds: int, tell: Callable[[str], None]) -> list[Row]:
    plain, expanded, floor = [], [], []
    with on_core(LOAD_CORE), scale_set() as (site, client), _peer(site, _pages(client, site.instances)) as (peer, pid):
        for number in range(rounds):
            plain.append(_cost(lambda: _pages(client, site.instances), site.pid))
            floor.append(_cost(lambda: [peer.send("GET", "/").body], pid))
            expanded.append(_cost(lambda: _pages(client, f"{site.instances}?$expand=instanceView"), site.pid))
            tell(f"arm: round {number + 1} of {rounds}, a list in {_told(plain[-1].seen)}")
    seen, ratio = median([cost.seen for cost in plain]), median([a.cpu / b.cpu for a, b in _pairs(plain, floor)])
    return [
        Row(
            what=f"GET of a scale set's {SIZE:,} instances over HTTPS, CPU {_told(median([c.cpu for c in plain]))}",
            measured=f"{_told(seen)}, {ratio:.1f}× the CPU of a Starlette that has the bytes ready",
            wanted=f"< {_told(MOST)}",
            holds=seen < MOST,
        ),
        Row(
            what="the same with `$expand=instanceView`",
            measured=_told(median([cost.seen for cost in expanded])),
            wanted="(to know)",
            holds=True,
        ),
    ]


def _pairs(ours: list[Cost], theirs: list[Cost]) -> Iterator[tuple[Cost, Cost]]:
    return zip(ours, theirs, strict=True)


def _cost(ask: Callable[[], object], pid: int) -> Cost:
    seen, before = [], cpu_seconds(pid)
    for _ in range(ASKED):
        started = time.perf_counter()
        ask()
        seen.append(time.perf_counter() - started)
    return Cost(seen=median(seen), cpu=(cpu_seconds(pid) - before) / ASKED)


def _pages(client: Client, path: str) -> list[bytes]:
    answer = client.ask("GET", path)
    pages = [answer.body]
    while b'"nextLink"' in answer.body[-1000:]:
        link = urlsplit(answer.json["nextLink"])
        answer = client.send("GET", f"{link.path}?{link.query}")
        pages.append(answer.body)
    return pages


@contextmanager
def _peer(site: Site, pages: list[bytes]) -> Iterator[tuple[Client, int]]:
    """Sends all of it at once, to its client's question."""
    port, access = free_port(), access_directory(site.data)
    with tempfile.NamedTemporaryFile() as body:
        Path(body.name).write_bytes(b"".join(pages))
        command = [sys.executable, "-m", "bench.starlette_peer", "--port", str(port), "--body", body.name]
        command += ["--certificate", str(access / "server.pem"), "--key", str(access / "server-key.pem")]
        with running(command, port) as pid:
            client = Client(port, ca_file(site.data))
            yield client, pid
            client.close()


def _told(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"
