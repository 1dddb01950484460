"""The data directory: one process at a time, readable by its owner only."""

import fcntl
import os
from pathlib import Path

from forewarn.disk import sync
from forewarn.domain.errors import Unavailable


class DirectoryLock:
    """Held until released, or until the process ends in whatever way."""

    def __init__(self, directory: Path) -> None:
        self._file = os.open(directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._file, 32).decode(errors="replace").strip()
            os.close(self._file)
            raise Unavailable(
                f"Another forewarn (process {holder}) is using {directory}: stop it, or choose another directory."
            ) from None
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        os.close(self._file)


def keep_private(file: Path) -> None:
    """Make it, if need be, and keep others from reading it, whoever may look into its directory."""
    held = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        os.fchmod(held, 0o600)
    finally:
        os.close(held)


def prepare(directory: Path) -> None:
    """Make it, if need be, so that it is still there after a power cut."""
    missing = [path for path in (directory, *directory.parents) if not path.exists()]
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    check_owner(directory.stat().st_uid, os.geteuid(), directory)
    for path in missing:
        sync(path.parent)


def check_owner(owner: int, me: int, directory: Path) -> None:
    """Whose directory it is may put other keys and logins there. Root takes any: containers are given some."""
    if owner not in (0, me) and me != 0:
        raise Unavailable(f"{directory} belongs to another user (id {owner}): choose a directory of your own.")
