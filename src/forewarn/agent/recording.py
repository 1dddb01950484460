"""What the metadata service said, kept for a later look or a replay: one line of JSON per answer that is not as before.

Secrets do not get in: of instance metadata, everything under a name in `SECRET` is left out (keys, user data and custom
data, tags, since people put passwords there, what a disk is encrypted with), and the line tells which were; what is not
JSON there is left out whole. Of what else a machine may ask (tokens of its identity, for example) nothing is kept.
Recording never fails the agent: what cannot be written is missed.
"""

import json
import logging
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from forewarn.agent.counting import kind_of
from forewarn.client import Answer, ClientError, Interrupted, Request, Transport

SECRET = frozenset(
    name.lower()
    for name in ("publicKeys", "userData", "customData", "tags", "tagsList", "adminUsername", "encryptionSettings")
)
KEPT_FIELDS = ("date", "etag", "content-type", "retry-after")
LARGEST_FILE = 8 * 1024 * 1024
FILES = 4
"""The one being written, and those before it."""
FILE = "seen.jsonl"


@dataclass(kw_only=True, slots=True)
class _Kind:
    """What was last seen of one kind."""

    line: dict[str, Any]
    times: int = 1
    until: str = ""


@dataclass(slots=True)
class Recorder:
    transport: Transport
    directory: Path
    wall: Callable[[], datetime]
    log: logging.Logger
    largest: int = LARGEST_FILE
    _seen: dict[str, _Kind] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _trouble: bool = False

    def send(self, request: Request) -> Answer:
        kind = kind_of(request)
        try:
            answer = self.transport.send(request)
        except Interrupted:
            raise
        except ClientError as error:
            self._keep(kind, request, {"error": str(error)})
            raise
        if answer.status != 304:
            self._keep(kind, request, _told(kind, answer))
        else:
            self._same(kind)
        return answer

    def close(self) -> None:
        """The counts of what was last seen are written, since nothing comes that would tell them."""
        with self._lock:
            for kind, seen in self._seen.items():
                self._write({"at": self._now(), "kind": kind, "end": True, "before": _before(seen)})
            self._seen.clear()
        self.transport.close()

    def _keep(self, kind: str, request: Request, told: Mapping[str, Any]) -> None:
        if kind == "other":
            return
        with self._lock:
            before = self._seen.get(kind)
            line = {"kind": kind, **_asked(request), **told}
            if before is not None and _essence(before.line) == _essence(line):
                self._count(before)
                return
            counts = {} if before is None else {"before": _before(before)}
            dated = {"at": self._now(), **line}
            self._write({**dated, **counts})
            self._seen[kind] = _Kind(line=dated)

    def _same(self, kind: str) -> None:
        with self._lock:
            if kind in self._seen:
                self._count(self._seen[kind])

    def _count(self, seen: _Kind) -> None:
        seen.times += 1
        seen.until = self._now()

    def _write(self, line: Mapping[str, Any]) -> None:
        try:
            self._make_room()
            self._append(line)
            self._trouble = False
        except OSError as error:
            if not self._trouble:
                self.log.warning("what is seen cannot be recorded in %s: %s", self.directory, error)
            self._trouble = True

    def _append(self, line: Mapping[str, Any]) -> None:
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        with open(os.open(self.directory / FILE, flags, 0o600), "a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _make_room(self) -> None:
        """A new file begins with what was seen last, so that each can be played alone."""
        file = self.directory / FILE
        if not file.exists() or file.stat().st_size < self.largest:
            return
        for number in range(FILES - 1, 0, -1):
            older = self.directory / (FILE if number == 1 else f"seen.{number - 1}.jsonl")
            if older.exists():
                older.replace(self.directory / f"seen.{number}.jsonl")
        for seen in self._seen.values():
            self._append({**seen.line, "again": True})

    def _now(self) -> str:
        return self.wall().isoformat(timespec="milliseconds")


def _asked(request: Request) -> dict[str, Any]:
    if request.method == "GET":
        return {}
    return {"asked": (request.body or b"").decode(errors="replace")}


def _told(kind: str, answer: Answer) -> dict[str, Any]:
    fields = {name: answer.fields[name] for name in KEPT_FIELDS if name in answer.fields}
    return {"status": answer.status, "fields": fields, **_body(kind, answer.body)}


def _body(kind: str, body: bytes) -> dict[str, Any]:
    if kind != "instance":
        return {"body": body.decode(errors="replace")}
    removed: list[str] = []
    try:
        kept = _without_secrets(json.loads(body), "", removed)
    except (ValueError, RecursionError):
        return {"body": "", "removed": ["all: it is not JSON"]}
    return {"body": json.dumps(kept), "removed": removed}


def _without_secrets(value: Any, path: str, removed: list[str]) -> Any:
    if isinstance(value, list):
        return [_without_secrets(item, path, removed) for item in value]
    if not isinstance(value, dict):
        return value
    removed += sorted(f"{path}{name}" for name in value if name.lower() in SECRET)
    return {
        name: _without_secrets(item, f"{path}{name}.", removed)
        for name, item in value.items()
        if name.lower() not in SECRET
    }


def _essence(line: Mapping[str, Any]) -> dict[str, Any]:
    """All but when it was: two answers that differ in nothing else are one."""
    fields = {name: value for name, value in line.get("fields", {}).items() if name != "date"}
    return {**{key: value for key, value in line.items() if key != "at"}, "fields": fields}


def _before(seen: _Kind) -> dict[str, Any]:
    return {"times": seen.times, "until": seen.until or seen.line["at"]}
