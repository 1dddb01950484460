"""Asks the control plane, with the standard library's HTTP."""

import http.client
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from forewarn.access.files import Local, token_in, token_request
from forewarn.wire.authorities import is_loopback

CONTROL = "127.0.0.1:8255"
DEFAULT_SERVER = f"http://{CONTROL}"
ANSWER_TIME = 600.0  # playing a month of fleet time takes a while
SILENCE = 60.0  # a stream that is alive says something every 15 s
COME_BACK = 30
"""Times, a second apart, that a broken stream is taken up again."""

API = "/forewarn/v1"
PAGE = 1000


class Unreachable(Exception):
    """Nobody answers, or somebody else does."""


class Refusal(Exception):
    """The control plane says no; the text is its own."""


class Client:
    def __init__(self, server: str, local: Local | None = None) -> None:
        """`local`: who asks. Raises ValueError where `server` is no such address."""
        parts = urlsplit(server)
        if parts.scheme != "http" or not parts.hostname or parts.path not in ("", "/"):
            raise ValueError(f"{server!r} is not an address such as {DEFAULT_SERVER}")
        self.server = server.rstrip("/")
        self._host, self._port = parts.hostname, parts.port or 80
        self._local = local if is_loopback(self._host) else None  # its secret is not for the open network
        self._bearer: dict[str, str] = {}

    def get(self, path: str, **query: object) -> Any:
        given = {key: "true" if value is True else str(value) for key, value in _given(query).items()}
        return self._ask("GET", f"{API}{path}?{urlencode(given)}" if given else API + path)

    def post(self, path: str, body: Mapping[str, object] | None = None, key: str | None = None) -> Any:
        sent = json.dumps(_given(body or {})).encode()
        return self._ask("POST", API + path, sent, {"Idempotency-Key": key} if key else {})

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
            connection.request(method, path, body, {**self._logged_in(), **told, **(headers or {})})
            response = connection.getresponse()
            return self._understood(response.status, response.read())
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(self._nobody(error)) from None
        finally:
            connection.close()

    def _stream(self, after: int) -> Iterator[Any]:
        """The entries, and None for every other sign of life."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=SILENCE)
        try:
            connection.request("GET", f"{API}/watch", headers={**self._logged_in(), "Last-Event-ID": str(after)})
            response = connection.getresponse()
            if response.status != 200:
                self._understood(response.status, response.read())
            while line := response.readline():
                yield json.loads(line[len(b"data: ") :]) if line.startswith(b"data: ") else None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Unreachable(self._nobody(error)) from None
        finally:
            connection.close()

    def _logged_in(self) -> dict[str, str]:
        """The header that says who asks; the token for it is fetched once."""
        if self._local is not None and not self._bearer:
            asked = token_request(self._local)
            connection = http.client.HTTPConnection(self._host, self._port, timeout=ANSWER_TIME)
            with closing(connection):
                connection.request("POST", asked.path, asked.body, asked.headers)
                answer = connection.getresponse().read()
            with suppress(ValueError):  # then the call itself is refused, and says why
                self._bearer = {"Authorization": f"Bearer {token_in(answer)}"}
        return self._bearer

    def _understood(self, status: int, body: bytes) -> Any:
        try:
            value = json.loads(body)
            if status < 400:
                return value
            message = str(value["error"]["message"])
        except (ValueError, TypeError, KeyError):
            raise Unreachable(
                f"{self.server} is not Forewarn's control plane: it answered {status} with something else. "
                "Give its address with --server, or in FOREWARN_SERVER."
            ) from None
        raise Refusal(message)

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
