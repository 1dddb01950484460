"""Asks the control plane, with the standard library's HTTP."""

import http.client
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from forewarn.access.files import Local, token_in, token_request

CONTROL = "127.0.0.1:8255"
DEFAULT_SERVER = f"http://{CONTROL}"
ANSWER_TIME = 600.0  # playing a month of fleet time takes a while
SILENCE = 60.0  # a stream that is alive says something every 15 s
COME_BACK = 30
"""Times, a second apart, that a broken stream is taken up again."""

API = "/forewarn/v1"
PAGE = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Login:
    local: Local
    data: Path  # where it was found


class Unreachable(Exception):
    """Nobody answers, or somebody else does."""


class Refusal(Exception):
    """The control plane says no; the text is its own."""

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        self.status = status  # of its answer; 0 if there was none


class Client:
    def __init__(
        self, server: str, find_login: Callable[[], Login | None] = lambda: None, *, token: str | None = None
    ) -> None:
        """`find_login`: as whom to ask; called when it is needed. `token`: one that was asked for already.

        ValueError where `server` is no such address.
        """
        parts = urlsplit(server)
        if parts.scheme != "http" or not parts.hostname or parts.path not in ("", "/"):
            raise ValueError(f"{server!r} is not an address such as {DEFAULT_SERVER}")
        self.server = server.rstrip("/")
        self._host, self._port = parts.hostname, parts.port or 80
        self._find_login = find_login
        self._bearer = {"Authorization": f"Bearer {token}"} if token else {}

    def get(self, path: str, **query: object) -> Any:
        given = {key: "true" if value is True else str(value) for key, value in _given(query).items()}
        return self._ask("GET", f"{API}{path}?{urlencode(given)}" if given else API + path)

    def post(self, path: str, body: Mapping[str, object] | None = None, key: str | None = None) -> Any:
        sent = json.dumps(_given(body or {})).encode()
        return self._ask("POST", API + path, sent, {"Idempotency-Key": key} if key else {})

    def delete(self, path: str) -> Any:
        return self._ask("DELETE", API + path)

    def pages(
        self, path: str, query: Mapping[str, object] | None = None, *, limit: int = 0, start: object = None
    ) -> Iterator[Any]:
        """The items of a list after `start`, one after another; at most `limit` of them, or all."""
        after = start
        left = limit or float("inf")
        while left > 0:
            page = self.get(path, **(query or {}), after=after, limit=int(min(PAGE, left)))
            yield from page["items"]
            left -= len(page["items"])
            after = page["next"]
            if after is None:
                return

    def patch(self, path: str, body: Mapping[str, object]) -> Any:
        return self._ask("PATCH", f"{API}{path}", json.dumps(body).encode())

    def put(self, path: str, body: Mapping[str, object]) -> Any:
        return self._ask("PUT", f"{API}{path}", json.dumps(body).encode())

    def token(self) -> str:
        """For others to ask with; it holds a day."""
        self.get("/clock")  # so that there is one, and it counts
        return self._bearer["Authorization"].removeprefix("Bearer ")

    def last_entry(self) -> int:
        return int(self.get("/history", limit=1)["last"])

    def follow(self, after: int, say: Callable[[str], None]) -> Iterator[Any]:
        """Every history entry after this one, for ever; a broken stream is taken up where it was."""
        failures = 0
        while True:
            try:
                for entry in self._stream(after):
                    failures = 0
                    if entry is not None:
                        after = entry["seq"]
                        yield entry
            except Unreachable:
                if failures >= COME_BACK:
                    raise
            if failures == 0:
                say(f"The connection to {self.server} was lost; trying again for {COME_BACK} s.")
            failures += 1
            time.sleep(1)

    def _ask(self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Any:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=ANSWER_TIME)
        try:
            told = {"Content-Type": "application/json"} if body else {}
            response = self._send(connection, method, path, body, {**told, **(headers or {})})
            return self._understood(response.status, response.read())
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(self._nobody(error)) from None
        finally:
            connection.close()

    def _stream(self, after: int) -> Iterator[Any]:
        """The entries, and None for every other sign of life."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=SILENCE)
        try:
            response = self._send(connection, "GET", f"{API}/watch", None, {"Last-Event-ID": str(after)})
            if response.status != 200:
                self._understood(response.status, response.read())
            while line := response.readline():
                yield json.loads(line[len(b"data: ") :]) if line.startswith(b"data: ") else None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Unreachable(self._nobody(error)) from None
        finally:
            connection.close()

    def _send(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        body: bytes | None,
        headers: Mapping[str, str],
    ) -> http.client.HTTPResponse:
        if not self._bearer:
            self._log_in(connection)
        connection.request(method, path, body, {**self._bearer, **headers})
        response = connection.getresponse()
        if response.status != 401 or not self._bearer:
            return response
        response.read()  # the token has expired, in a command that runs for days
        self._log_in(connection)
        connection.request(method, path, body, {**self._bearer, **headers})
        return connection.getresponse()

    def _log_in(self, connection: http.client.HTTPConnection) -> None:
        """Without a login there is no token: whoever is asked will say so."""
        login = self._find_login()
        if login is None:
            return
        asked = token_request(login.local)
        connection.request("POST", asked.path, asked.body, asked.headers)
        response = connection.getresponse()
        answer = response.read()
        if response.status in (400, 401):
            raise Refusal(
                f"The login in {login.data} does not count at {self.server}, which must be running with another data "
                "directory: name that one with --data DIR, or in FOREWARN_DATA.",
                response.status,
            )
        try:
            self._bearer = {"Authorization": f"Bearer {token_in(answer)}"}
        except ValueError:
            raise self._stranger(response.status) from None

    def _understood(self, status: int, body: bytes) -> Any:
        try:
            value = json.loads(body)
            if status < 400:
                return value
            message = str(value["error"]["message"])
        except (ValueError, TypeError, KeyError):
            raise self._stranger(status) from None
        if status == 401 and not self._bearer:
            message = (
                f"{self.server} wants to know who asks, and no login for it was found. That is in the data directory "
                "with which it runs on this host: name it with --data DIR, or in FOREWARN_DATA."
            )
        raise Refusal(message, status)

    def _stranger(self, status: int) -> Unreachable:
        return Unreachable(
            f"{self.server} is not Forewarn's control plane: it answered {status} with something else. "
            "Give its address with --server, or in FOREWARN_SERVER."
        )

    def _nobody(self, error: Exception) -> str:
        return (
            f"Forewarn does not answer at {self.server} ({error}). Start it with `forewarn up`, "
            "or give its address with --server, or in FOREWARN_SERVER."
        )


def _given(values: Mapping[str, object]) -> dict[str, object]:
    """Without what was left open; the server has its own defaults."""
    return {name: value for name, value in values.items() if value is not None and value is not False}


def in_path(name: str) -> str:
    """A name as part of a path."""
    return quote(name, safe=":")
