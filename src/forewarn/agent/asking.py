"""Asking the agent that runs on this machine, over its socket."""

import json
import socket
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from forewarn.agent import sockets
from forewarn.agent.errors import AgentError, NotRunning

SECONDS = 10.0


class _OverSocket(HTTPConnection):
    def __init__(self, directory: Path) -> None:
        super().__init__("agent", timeout=SECONDS)
        self._directory = directory

    def connect(self) -> None:
        self.sock: socket.socket = sockets.connect(self._directory, SECONDS)


def ask(directory: Path, method: str, path: str, body: object = None) -> tuple[int, Any]:
    connection = _OverSocket(directory)
    try:
        connection.request(method, path, None if body is None else json.dumps(body).encode())
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    except PermissionError:
        raise AgentError(f"{directory} belongs to another user: ask as the one the agent runs as, with sudo.") from None
    except (FileNotFoundError, NotADirectoryError, ConnectionRefusedError):
        raise NotRunning(f"No agent runs on {directory}: start it, or say where it is with --state.") from None
    except (OSError, HTTPException, ValueError) as error:
        raise AgentError(f"The agent on {directory} does not answer: {error or type(error).__name__}.") from None
    finally:
        connection.close()
