"""The composition root: the one module that names concrete classes, reads the wall clock and mints ids.

`running` gives a whole Forewarn inside one event loop; a second one in the same process just works.
"""

import asyncio
import hashlib
import logging
import signal
import socket
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import msgspec
import uvicorn
import uvloop

from forewarn import __version__, imds
from forewarn.control.app import create_app
from forewarn.control.exposition import Family, single
from forewarn.control.hub import Hub
from forewarn.domain.errors import Conflict, Invalid, Unavailable
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope, ScopeKind
from forewarn.domain.settings import Settings
from forewarn.drivers.command import CommandDriver
from forewarn.drivers.simulated import SimulatedDriver
from forewarn.engine.clock import ClockState, FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.player import CLOCK_NOTE, Player
from forewarn.engine.ports import Driver, News, Store
from forewarn.engine.ticker import Ticker
from forewarn.engine.worker import Worker
from forewarn.imds.listeners import Listener, on_address, on_loopback, on_socket_file
from forewarn.store.memory import MemoryStore
from forewarn.store.sqlite import open_store
from forewarn.wire import fleetfile
from forewarn.wire.instance import ScopeFacts

log = logging.getLogger(__name__)

SAVE_MARKS_EVERY = 60.0
"""Seconds of real time between two batches of "who asked last"."""

DRIVER_NOTE = "driver"
