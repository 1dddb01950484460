"""GET of a two-event document: Forewarn beside nginx's `return 200` of the same bytes and Flask's own server.

One server process on one core, wrk on the other, interleaved rounds; requests per second of the server's CPU time.
"""

import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.measuring import LOAD_CORE, Row, children, cpu_seconds, free_port, median, pinned, running

PATH = "/metadata/scheduledevents?api-version=2020-07-01"
REQUEST = f"GET {PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nMetadata: true\r\n\r\n"
SECONDS = 3
CONNECTIONS = 32

Server = tuple[int, int]
"""Process id and port."""


def rows(rounds: int, tell: Callable[[str], None]) -> list[Row]:
    with ExitStack() as stack:
        memo = stack.enter_context(_forewarn("on"))
        plain = stack.enter_context(_forewarn("off"))
        nginx = stack.enter_context(_nginx(_answer(memo[1])))
        flask = stack.enter_context(_flask(memo[1]))
        kept: dict[str, list[float]] = {"memo": [], "plain": [], "flask": []}
        closed: list[float] = []
        for number in range(rounds):
            peer = _rate(nginx)
            kept["memo"].append(_rate(memo) / peer)
            kept["plain"].append(_rate(plain) / peer)
            kept["flask"].append(_rate(memo) / _rate(flask, connections=4))
            closed.append(_rate(memo, close=True) / _rate(nginx, close=True))
            tell(f"http: round {number + 1} of {rounds}, {kept['memo'][-1]:.2f}× nginx")
    figures = [
        ("GET, keep-alive, against nginx `return 200`", median(kept["memo"]), 1.0),
        ("the same with the memo off", median(kept["plain"]), 0.6),
        ("the same without keep-alive, memo on", median(closed), 0.5),
        ("GET, keep-alive, against Flask's own server", median(kept["flask"]), 25.0),
    ]
    return [Row(what=w, measured=f"{got:.2f}×", wanted=f"≥ {want:g}×", holds=got >= want) for w, got, want in figures]


def _rate(server: Server, *, close: bool = False, connections: int = CONNECTIONS) -> float:
    """Requests answered per CPU-second of the server."""
    pid, port = server
    before = cpu_seconds(pid)
    command = ["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}", "-H", "Metadata: true", "-H", "Host: 127.0.0.1"]
    command += ["-H", "Connection: close"] if close else []
    done = subprocess.run(
        pinned(LOAD_CORE, [*command, f"http://127.0.0.1:{port}{PATH}"]), capture_output=True, text=True, check=True
    )
    found = re.search(r"(\d+) requests in", done.stdout)
    if found is None or "Non-2xx" in done.stdout:
        raise SystemExit(f"wrk had trouble:\n{done.stdout}")
    return int(found[1]) / (cpu_seconds(pid) - before)


@contextmanager
def _forewarn(memo: str) -> Iterator[Server]:
    port = free_port()
    command = [sys.executable, "-m", "bench.serving", "--port", str(port), "--memo", memo]
    with running(command, port) as pid:
        yield pid, port


def _answer(port: int) -> bytes:
    """The bytes Forewarn sends."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(REQUEST.encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += connection.recv(65536)
        head, _, body = answer.partition(b"\r\n\r\n")
        length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])  # type: ignore[index]
        while len(body) < length:
            body += connection.recv(65536)
    return body


@contextmanager
def _nginx(body: bytes) -> Iterator[Server]:
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        quoted = body.decode().replace("\\", "\\\\").replace("'", "\\'")
        config = Path(folder, "nginx.conf")
        config.write_text(f"""
            daemon off; worker_processes 1; pid {folder}/pid; error_log /dev/null;
            events {{ worker_connections 4096; }}
            http {{
              access_log off; keepalive_requests 1000000000;
              client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
              uwsgi_temp_path {folder}; scgi_temp_path {folder};
              server {{
                listen 127.0.0.1:{port};
                location / {{
                  default_type 'application/json; charset=utf-8';
                  add_header x-ms-request-id $request_id; add_header ETag '"2"';
                  return 200 '{quoted}';
                }}
              }}
            }}
        """)
        with running([program, "-p", folder, "-c", str(config)], port) as master:
            yield children(master)[0], port


@contextmanager
def _flask(forewarn: int) -> Iterator[Server]:
    port = free_port()
    command = [sys.executable, "-m", "bench.flask_peer", "--port", str(port), "--like", str(forewarn)]
    with running(command, port) as pid:
        yield pid, port
