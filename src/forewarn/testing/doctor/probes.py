"""How a client shows that it has prepared its machine."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from forewarn.testing.reach import Place

OWN = "{directory}"
CONNECT = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 1)"


class Scene(Protocol):
    """Where a client runs."""

    @property
    def directory(self) -> Path:
        """This client's own."""
        ...

    @property
    def alive(self) -> bool: ...

    @property
    def place(self) -> Place: ...


class Probe(Protocol):
    @property
    def shared(self) -> bool:
        """Whether two clients at once could not be told apart by it."""
        ...

    def prepared(self, scene: Scene) -> bool: ...

    def forget(self, scene: Scene) -> None:
        """What an event before this one has left behind, if that can be taken away."""
        ...

    def __str__(self) -> str:
        """What is looked at."""
        ...


@dataclass(frozen=True, slots=True)
class FileThere:
    file: str

    @property
    def shared(self) -> bool:
        return OWN not in self.file

    def prepared(self, scene: Scene) -> bool:
        return _file(self.file, scene).exists()

    def forget(self, scene: Scene) -> None:
        _file(self.file, scene).unlink(missing_ok=True)

    def __str__(self) -> str:
        return f"the file {self.file} is there"


@dataclass(frozen=True, slots=True)
class FileGone:
    file: str

    @property
    def shared(self) -> bool:
        return OWN not in self.file

    def prepared(self, scene: Scene) -> bool:
        return not _file(self.file, scene).exists()

    def forget(self, scene: Scene) -> None: ...

    def __str__(self) -> str:
        return f"the file {self.file} is gone"


@dataclass(frozen=True, slots=True)
class PortClosed:
    port: int
    shared: bool = True

    def prepared(self, scene: Scene) -> bool:
        return not _succeeds([sys.executable, "-ISc", CONNECT, str(self.port)], scene)

    def forget(self, scene: Scene) -> None: ...

    def __str__(self) -> str:
        return f"nobody listens on port {self.port}"


@dataclass(frozen=True, slots=True)
class Command:
    command: str

    @property
    def shared(self) -> bool:
        return OWN not in self.command

    def prepared(self, scene: Scene) -> bool:
        return _succeeds(["/bin/sh", "-c", self.command.replace(OWN, str(scene.directory))], scene)

    def forget(self, scene: Scene) -> None: ...

    def __str__(self) -> str:
        return f"`{self.command}` says so"


@dataclass(frozen=True, slots=True)
class Ended:
    shared: bool = False

    def prepared(self, scene: Scene) -> bool:
        return not scene.alive

    def forget(self, scene: Scene) -> None: ...

    def __str__(self) -> str:
        return "it has ended"


def _file(file: str, scene: Scene) -> Path:
    return Path(file.replace(OWN, str(scene.directory)))


def _succeeds(command: list[str], scene: Scene) -> bool:
    """Run where the client runs: a port there is another one than here."""
    done = subprocess.run(  # noqa: S603  whoever runs the doctor has given it
        scene.place.command(command),
        env={**os.environ, **scene.place.environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return done.returncode == 0
