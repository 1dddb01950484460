"""What a request asks for, decided without any I/O: an answer, a document to read, or something for the backend."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from forewarn import __version__
from forewarn.imds.doors import Door
from forewarn.imds.fleet import Fleet
from forewarn.imds.http import Head
from forewarn.imds.limits import Limits
from forewarn.imds.slots import FORMS, Form, Guest
from forewarn.imds.target import Target, read_target
from forewarn.wire import answers, identity, readiness
from forewarn.wire.answers import Answer
from forewarn.wire.approvals import event_ids
from forewarn.wire.errors import Malformed
from forewarn.wire.identity import TokenRequest
from forewarn.wire.instance import instance_document, lookup
from forewarn.wire.versions import INSTANCE_VERSIONS, EventVersion, event_version, versions_document

_EVENTS = "/metadata/scheduledevents"
_INSTANCE = "/metadata/instance"
_events_by_path = re.compile(r"/metadata/([^/]++)/scheduledevents", re.IGNORECASE)
_host = re.compile(rb"(\[[0-9a-f:.]++\]|[a-z0-9_.-]++)(?::[0-9]{1,5})?")
_NAMED = ".localhost"
_exactly_true = re.compile(rb"(?:^|\n)(?i:metadata):[ \t]*+true[ \t]*+\r\n")
_seconds = re.compile(r"[0-9]{1,6}")

_BAD_TARGET = answers.bad_request("The path or query was not understood", close=True)
_BAD_HOST = answers.bad_request("The Host header does not name this service", close=True)
_BAD_WAIT = answers.bad_request("wait must be a whole number of seconds")
_NO_EVENT = answers.bad_request("Say which event: ?event=ID")
_TWO_VERSIONS = answers.bad_request("The api-version is given twice")
_EVENTS_VERBS = answers.method_not_allowed("GET", "POST")
_GET_ONLY = answers.method_not_allowed("GET")
_VERSIONS = answers.ok(versions_document())


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """What an operator may choose about who is answered."""

    host_names: frozenset[str] = frozenset()  # that clients may use, beside addresses and localhost
    refused_fields: frozenset[str] = frozenset({"x-forwarded-for", "forwarded", "via"})
    exact_metadata_value: bool = False  # refuse `Metadata: True`, as some of Azure's hosts do


@dataclass(slots=True)
class Read:
    """The document of the guest's scope is asked for."""

    guest: Guest
    form: Form
    tags: frozenset[bytes] | None  # documents the client has already
    wait: int  # seconds it wants to wait for another one


@dataclass(frozen=True, slots=True)
class Approve:
    guest: Guest
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Issue:
    """A token of the guest's own identity is asked for."""

    guest: Guest
    request: TokenRequest


@dataclass(frozen=True, slots=True)
class Stand:
    """Who is ready for an event is asked for, by somebody who may have to say something of itself first."""

    guest: Guest
    event: str
    ready: bool | None  # None: it says nothing


Decision = Answer | Read | Approve | Issue | Stand


class Service:
    def __init__(self, fleet: Fleet, limits: Limits, rules: Rules, monotonic: Callable[[], float]) -> None:
        self._fleet = fleet
        self._limits = limits
        self._exact = rules.exact_metadata_value
        self._refused = frozenset(name.lower().encode() for name in rules.refused_fields)
        self._hosts = frozenset(name.lower() for name in rules.host_names) | {"169.254.169.254", "localhost"}
        self._monotonic = monotonic
        self._about = readiness.about(__version__, limits.wait)

    def decide(self, head: Head, body: bytes, door: Door) -> Decision:
        if head.method == b"HEAD":
            return answers.HEAD_REFUSED
        target = read_target(head.target)
        if target is None:
            return _BAD_TARGET
        host = head.fields.get(b"host", b"")
        name = "" if host in door.hosts else self._name(host, door)
        if name is None or (target.authority is not None and self._name(target.authority.lower(), door) is None):
            return _BAD_HOST
        guest = door.identity.who(self._fleet, door.peer, name)
        if guest is None:
            return answers.UNKNOWN_CALLER
        if self._limits.rate is not None and not guest.requests.take(self._limits.rate, self._monotonic()):
            return answers.TOO_MANY_REQUESTS
        return self._route(head, body, target, guest)

    def caller(self, head: Head, door: Door) -> Guest | None:
        """Who asks, for who looks on; None for what is refused by its target or its host."""
        target = read_target(head.target)
        name = self._name(head.fields.get(b"host", b""), door)
        if target is None or name is None:
            return None
        if target.authority is not None and self._name(target.authority.lower(), door) is None:
            return None
        return door.identity.who(self._fleet, door.peer, name)

    def _name(self, host: bytes, door: Door) -> str | None:
        """The NAME of `NAME.localhost`, "" for the other names of this service, None for what is none of them.

        The last is the defence against a page in a browser that was told another address for its own name.
        """
        match = _host.fullmatch(host)
        if match is None:
            return None
        name = match[1].decode()
        if name.endswith(_NAMED):
            return name.removesuffix(_NAMED)
        return "" if name.strip("[]") in (door.peer.local, *self._hosts) else None

    def _route(self, head: Head, body: bytes, target: Target, guest: Guest) -> Decision:
        path, version = target.path.removesuffix("/"), target.query.get("api-version")
        if path == _EVENTS or path.lower() == _EVENTS:
            return self._events(head, body, target, guest, version or "")
        by_path = _events_by_path.fullmatch(path)
        if by_path is not None:
            return self._events(head, body, target, guest, by_path[1]) if version is None else _TWO_VERSIONS
        if path != "/metadata" and not path.startswith("/metadata/"):
            return self._beside(path, head, body, target, guest)
        if head.method != b"GET":
            return _GET_ONLY
        if path.lower() == identity.PATH:
            return self._token(head, target, guest)
        return self._refuse_headers(head) or self._instance(path, target, guest)

    def _events(self, head: Head, body: bytes, target: Target, guest: Guest, asked: str) -> Decision:
        version, method = event_version(asked), head.method
        if method != b"GET" and method != b"POST":
            return _EVENTS_VERBS
        bare = method == b"POST" and version is not None and not version.post_needs_header
        refused = self._refuse_headers(head, needs_metadata=not bare)
        if refused is not None:
            return refused
        if version is None:
            return answers.EVENT_VERSION_REFUSED
        return self._read(head, target, guest, version) if method == b"GET" else self._approve(body, guest)

    def _refuse_headers(self, head: Head, *, needs_metadata: bool = True) -> Answer | None:
        if not self._refused.isdisjoint(head.fields):
            return answers.FORWARDED
        if not needs_metadata:
            return None
        said = head.fields.get(b"metadata") == b"true"
        if said and (not self._exact or _exactly_true.search(head.block)):
            return None
        return answers.MISSING_HEADER

    def _read(self, head: Head, target: Target, guest: Guest, version: EventVersion) -> Decision:
        form = FORMS[version.name, head.modern, head.keep_alive]
        condition = head.fields.get(b"if-none-match")
        if condition is None:
            return Read(guest, form, None, 0)
        wait = target.query.get("wait", "0")
        if not _seconds.fullmatch(wait):
            return _BAD_WAIT
        return Read(guest, form, read_tags(condition), min(int(wait), self._limits.wait))

    def _approve(self, body: bytes, guest: Guest) -> Decision:
        try:
            return Approve(guest, event_ids(body))
        except Malformed as error:
            return answers.malformed_approval(str(error))

    def _token(self, head: Head, target: Target, guest: Guest) -> Decision:
        refused = self._refuse_headers(head)
        if refused is not None:
            return identity.MISSING_HEADER if refused is answers.MISSING_HEADER else refused
        request = identity.read_request(target.query)
        if isinstance(request, Answer):
            return request
        if not guest.may_ask_for_a_token(self._limits.tokens, self._monotonic()):
            return answers.TOO_MANY_REQUESTS
        return Issue(guest, request)

    def _beside(self, path: str, head: Head, body: bytes, target: Target, guest: Guest) -> Decision:
        """What is ours alone, and off the way of everything that Azure's clients ask."""
        if path == readiness.ABOUT:
            return _GET_ONLY if head.method != b"GET" else self._refuse_headers(head) or self._about
        if path != readiness.READY:
            return answers.OUTSIDE_METADATA
        if head.method not in (b"GET", b"POST"):
            return _EVENTS_VERBS
        return self._refuse_headers(head) or self._stand(head, body, target, guest)

    def _stand(self, head: Head, body: bytes, target: Target, guest: Guest) -> Decision:
        try:
            said = readiness.read_said(body) if head.method == b"POST" else None
        except Malformed as error:
            return readiness.malformed(str(error))
        event = said.event_id if said is not None else target.query.get("event", "").upper()
        if not event:
            return _NO_EVENT
        if not guest.may_ask_who_is_ready(self._limits.readiness, self._monotonic()):
            return answers.TOO_MANY_REQUESTS
        return Stand(guest, event, None if said is None else said.ready)

    def _instance(self, path: str, target: Target, guest: Guest) -> Answer:
        if path == "/metadata/versions":
            return _VERSIONS
        known = path in ("/metadata", _INSTANCE) or path.startswith(_INSTANCE + "/")
        if not known:
            return answers.NOT_FOUND
        version = target.query.get("api-version")
        if version not in INSTANCE_VERSIONS:
            return answers.INSTANCE_VERSION_REFUSED
        if path == "/metadata":
            return answers.NOT_FOUND
        document = instance_document(guest.machine, guest.slot.facts, version)
        steps = path.removeprefix(_INSTANCE).split("/")[1:]
        return lookup(document, steps, target.query.get("format", "json").lower() == "text")


def read_tags(condition: bytes) -> frozenset[bytes]:
    """The entity tags of an If-None-Match, bare: `"2"`, `W/"2"` and `2` are the same document here."""
    tags = (tag.strip(b" \t").removeprefix(b"w/") for tag in condition.split(b","))
    return frozenset(tag.removeprefix(b'"').removesuffix(b'"') for tag in tags)
