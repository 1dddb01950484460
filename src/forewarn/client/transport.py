"""The one seam to the network: a request goes in, an answer comes out.

No proxy is used and no redirect followed, whatever the environment says: the metadata service is next to the machine,
and what comes from elsewhere must not be believed. Every request may be sent twice without harm, so one that fails on a
connection kept from before is sent again on a new one.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse, IncompleteRead
from threading import Lock
from typing import Protocol

from forewarn.client.alarm import Alarm
from forewarn.client.endpoints import read_endpoint
from forewarn.client.errors import Unreachable, Unreadable
from forewarn.client.line import Line

LARGEST = 1024 * 1024
_MOST_IDLE = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    endpoint: str
    target: str
    """Path and query."""
    method: str = "GET"
    fields: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    connect: float = 5.0
    """Seconds for the connection."""
    timeout: float = 15.0
    """Seconds from there to the end of the answer."""
    alarm: Alarm | None = None
    """When it rings, the answer is no longer waited for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    status: int
    fields: Mapping[str, str] = field(default_factory=dict)
    """The header, with names in lower case."""
    body: bytes = b""


class Transport(Protocol):
    def send(self, request: Request) -> Answer:
        """Whatever the status. Raises Unreachable or Unreadable; Interrupted when the request's alarm rings.

        May be called by several threads at once."""

    def close(self) -> None: ...


class HttpTransport:
    def __init__(self) -> None:
        self._idle: list[tuple[str, Line]] = []
        self._lock = Lock()

    def send(self, request: Request) -> Answer:
        kept = self._kept(request.endpoint)
        if kept is not None:
            with suppress(ConnectionError, HTTPException):
                return self._exchange(kept, request)
        try:
            return self._exchange(_dial(request), request)
        except (OSError, HTTPException) as error:
            raise Unreachable(f"{request.endpoint} did not answer as HTTP has it: {_words(error)}.") from error

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for _, line in idle:
            line.hang_up()

    def _kept(self, endpoint: str) -> Line | None:
        with self._lock:
            found = next((pair for pair in reversed(self._idle) if pair[0] == endpoint), None)
            if found is None:
                return None
            self._idle.remove(found)
        if found[1].is_quiet():
            return found[1]
        found[1].hang_up()
        return None

    def _keep(self, endpoint: str, line: Line) -> None:
        with self._lock:
            room = len(self._idle) < _MOST_IDLE
            if room:
                self._idle.append((endpoint, line))
        if not room:
            line.hang_up()

    def _exchange(self, line: Line, request: Request) -> Answer:
        fields = {"User-Agent": "forewarn", **request.fields, "Metadata": "true"}
        stays = False
        try:
            response = line.ask(
                request.method, request.target, fields, request.body, timeout=request.timeout, alarm=request.alarm
            )
            answer = _read(response, request.endpoint)
            stays = not response.will_close
            return answer
        except TimeoutError:
            raise Unreachable(f"{request.endpoint} did not answer within {request.timeout:g} seconds.") from None
        finally:
            if stays:
                self._keep(request.endpoint, line)
            else:
                line.hang_up()


def _dial(request: Request) -> Line:
    endpoint = read_endpoint(request.endpoint)
    try:
        return Line(endpoint.dial(request.connect), endpoint.host, endpoint.port)
    except OSError as error:
        raise Unreachable(f"{request.endpoint} cannot be reached: {_words(error)}.") from error


def _read(response: HTTPResponse, endpoint: str) -> Answer:
    body = response.read(LARGEST + 1)
    if len(body) > LARGEST:
        raise Unreadable(f"{endpoint} answered with more than {LARGEST} bytes, which is no metadata.")
    if response.length:
        raise IncompleteRead(body, response.length)
    fields = {name.lower(): value for name, value in response.getheaders()}
    return Answer(status=response.status, fields=fields, body=body)


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
