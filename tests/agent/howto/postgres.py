"""Two real PostgreSQL servers, one the standby of the other, in a directory of their own."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.agent.balancing import address

BIN = max(Path("/usr/lib/postgresql").glob("*/bin"), default=Path("/usr/bin"), key=lambda path: path.parent.name)
PATH = f"{BIN}:/usr/sbin:/usr/bin:/sbin:/bin"
needs_postgres = pytest.mark.skipif(
    shutil.which("initdb", path=PATH) is None and not os.environ.get("CI"), reason="PostgreSQL is not installed"
)
AS_POSTGRES = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
"""It does not run as root."""
USER = "postgres" if AS_POSTGRES else pwd.getpwuid(os.getuid()).pw_name


def run(*words: str) -> str:
    environment = {**os.environ, "PATH": PATH}
    done = subprocess.run(
        [*AS_POSTGRES, *words], cwd="/", env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout.strip()


@dataclass(frozen=True, kw_only=True)
class Server:
    data: Path
    host: str
    port: str

    @property
    def where(self) -> str:
        return f"host={self.host} port={self.port} dbname=postgres user={USER}"

    def ask(self, query: str) -> str:
        return run("psql", "-XAtq", "-d", self.where, "-c", query)

    def is_primary(self) -> bool:
        return self.ask("select pg_is_in_recovery()") == "f"

    def configure(self, peer: "Server") -> None:
        lines = [f"port = {self.port}", f"listen_addresses = '{self.host}'", "unix_socket_directories = ''"]
        lines += ["fsync = off", "wal_retrieve_retry_interval = 100ms", f"primary_conninfo = '{peer.where}'"]
        run("sh", "-c", f"printf '%s\\n' \"$@\" >> {self.data}/postgresql.conf", "sh", *lines)

    def start(self) -> None:
        run("pg_ctl", "start", "-w", "-D", str(self.data), "-l", f"{self.data}/log")

    def stop(self) -> None:
        subprocess.run(
            [*AS_POSTGRES, f"{BIN}/pg_ctl", "stop", "-m", "immediate", "-D", str(self.data)],
            capture_output=True,
            timeout=60,
            check=False,
        )


def a_server(data: Path) -> Server:
    host, _, port = address().rpartition(":")
    return Server(data=data, host=host, port=port)


@contextmanager
def a_pair() -> Iterator[tuple[Server, Server]]:
    """The primary, and the standby that follows it."""
    folder = Path(tempfile.mkdtemp())
    if AS_POSTGRES:
        shutil.chown(folder, "postgres")
    first, second = (a_server(folder / name) for name in ("db-0", "db-1"))
    try:
        run("initdb", "--no-sync", "--auth", "trust", "-D", str(first.data))
        first.configure(second)
        first.start()
        run("pg_basebackup", "--no-sync", "-c", "fast", "-D", str(second.data), "-d", first.where)
        second.configure(first)
        run("touch", f"{second.data}/standby.signal")
        second.start()
        yield first, second
    finally:
        first.stop()
        second.stop()
        shutil.rmtree(folder)
