"""Every bound of the metadata service, in one place. The defaults are those of the specification."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    # One request, in bytes unless it says otherwise.
    request_line: int = 2 * 1024
    head: int = 8 * 1024  # request line and header fields together
    fields: int = 64
    body: int = 64 * 1024
    chunks: int = 256  # pieces of a chunked body

    # One connection, in seconds of real time; all are looked at once per `sweep`.
    head_time: float = 5.0
    body_time: float = 5.0
    idle_time: float = 75.0  # between two requests
    drain_time: float = 10.0  # for a client to take what was written to it
    linger_time: float = 2.0  # for a client to read why it was refused, before its connection is closed
    sweep: float = 1.0
    burst: int = 64  # pipelined requests answered in a row before other connections get their turn

    # All of them.
    connections: int = 20_000
    connections_per_machine: int = 512
    rate: float | None = None  # requests per second and machine; Azure allows 5
    tokens: float = 20.0  # that a machine may ask for in a second, as in Azure: each costs a signature
    readiness: float = 20.0  # questions and words about it, by a machine in a second: each costs a look at the store
    wait: int = 300  # seconds a request may be parked, at most
    waits: int = 20_000  # requests parked at once

    # The memo. No request per machine turns it off.
    memo_requests: int = 8  # remembered per machine
    memo_bytes: int = 512  # a longer request is not remembered
    memo_total: int = 50_000  # remembered at once
    memo_doors: int = 10_000  # machines without a connection whose requests are still remembered
