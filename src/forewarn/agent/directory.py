"""The state directory: one agent at a time, readable by its owner only."""

import fcntl
import os
from pathlib import Path

from forewarn.agent.config import Settings
from forewarn.agent.errors import AgentError


def state_of(settings: Settings) -> Path:
    """A dry run has a place of its own: what it did not do is neither restored nor approved by the next real one."""
    return settings.state / "dry-run" if settings.dry_run else settings.state


class StateDirectory:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = -1

    def __enter__(self) -> Path:
        try:
            self._path.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock = os.open(self._path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise AgentError(f"Another agent is running on {self._path}: stop it, or choose another `state`.") from None
        except OSError as error:
            raise AgentError(f"{self._path} cannot be used: {error.strerror}. [agent] state chooses another.") from None
        return self._path

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)
