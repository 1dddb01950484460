"""Which Forewarn runs where: `forewarn up` leaves a note, by which other commands find its login and its addresses.

The notes are in `$XDG_STATE_HOME/forewarn`, one per control port. One whose Forewarn was killed may be left behind: a
note is a hint, and who answers at the address is what counts.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from forewarn.access.files import make_private
from forewarn.disk import write_private


class Instance(msgspec.Struct, frozen=True, kw_only=True):
    control: str
    arm: str | None  # HTTPS
    data: str  # an absolute path
    pid: int

    @property
    def port(self) -> int:
        return int(self.control.rpartition(":")[2])


def state_directory() -> Path:
    """As the XDG base directory specification has it: what is not an absolute path does not count."""
    given = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".local" / "state") / "forewarn"


def note(instance: Instance) -> None:
    make_private(state_directory())
    write_private(_path(instance.port), msgspec.json.format(msgspec.json.encode(instance)) + b"\n")


def forget(instance: Instance) -> None:
    """Unless another one has taken the port over."""
    if instance_at(instance.port) == instance:
        _path(instance.port).unlink(missing_ok=True)


def instance_at(port: int) -> Instance | None:
    return _read(_path(port))


def instances() -> Iterator[Instance]:
    for path in sorted(state_directory().glob("*.json")):
        instance = _read(path)
        if instance is not None:
            yield instance


def _path(port: int) -> Path:
    return state_directory() / f"{port}.json"


def _read(path: Path) -> Instance | None:
    with suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(path.read_bytes(), type=Instance)
    return None
