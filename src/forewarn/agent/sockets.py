"""The unix socket over which people ask the agent. It may lie deeper than the 107 bytes that such a path may have."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "agent.sock"


@contextmanager
def short_path(directory: Path) -> Iterator[str]:
    """A way to the same place that is short, for as long as the context lasts."""
    handle = os.open(directory, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{handle}/{NAME}"
    finally:
        os.close(handle)


def bind(directory: Path) -> socket.socket:
    """Whoever holds the directory's lock may: a socket that is there already has been left behind."""
    (directory / NAME).unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with short_path(directory) as path:
        before = os.umask(0o177)
        try:
            listener.bind(path)
        finally:
            os.umask(before)
    return listener


def connect(directory: Path, timeout: float) -> socket.socket:
    """Raises OSError if nobody listens there."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout)
        with short_path(directory) as path:
            connection.connect(path)
    except OSError:
        connection.close()
        raise
    return connection
