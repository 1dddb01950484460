"""What the log looks like: for a terminal, for journald, or one JSON object a line."""

import json
import logging
import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

NAME = "forewarn.agent"
PRIORITIES = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}
"""syslog's, which journald reads before each line."""


def set_up(form: str, environment: Mapping[str, str] = os.environ) -> logging.Logger:
    """`form` is `text` or `json`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(InJson() if form == "json" else ForJournald() if under_journald(environment) else ForPeople())
    log = logging.getLogger(NAME)
    log.handlers[:] = [handler]
    log.propagate = False
    log.setLevel(logging.INFO)
    return log


def under_journald(environment: Mapping[str, str]) -> bool:
    """Whether stderr is the very stream that journald reads."""
    device, _, inode = environment.get("JOURNAL_STREAM", "").partition(":")
    try:
        status = os.fstat(sys.stderr.fileno())
    except (OSError, ValueError):
        return False
    return (device, inode) == (str(status.st_dev), str(status.st_ino))


class _Text(logging.Formatter):
    def words(self, record: logging.LogRecord) -> str:
        """Steps do not say which event they are about: it is added."""
        event = getattr(record, "event", "")
        said = f"{record.getMessage()} [{event[:8]}]" if event else record.getMessage()
        return f"{said}\n{self.formatException(record.exc_info)}" if record.exc_info else said


class ForPeople(_Text):
    def format(self, record: logging.LogRecord) -> str:
        return f"{_moment(record):%Y-%m-%d %H:%M:%S}Z {record.levelname.lower():7} {self.words(record)}"


class ForJournald(_Text):
    """journald has the time itself; of several lines each has its priority."""

    def format(self, record: logging.LogRecord) -> str:
        priority = PRIORITIES.get(record.levelno, 6)
        return "\n".join(f"<{priority}>{line}" for line in self.words(record).splitlines() or [""])


class InJson(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": _moment(record).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        if event := getattr(record, "event", ""):
            line["event"] = event
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def _moment(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)
