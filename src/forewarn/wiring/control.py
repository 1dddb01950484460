"""The control plane: the native face, the portal and the ARM-shaped one, on one port for http and one for HTTPS."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from forewarn.access.certificates import ServerTls
from forewarn.access.files import access_directory
from forewarn.arm import asking as arm
from forewarn.arm.app import create_arm
from forewarn.control import desk as control
from forewarn.control.app import create_app
from forewarn.control.faces import joined
from forewarn.control.guard import Guard
from forewarn.control.server import serving
from forewarn.domain.errors import Unavailable
from forewarn.engine.estate import Estate
from forewarn.portal.app import create_portal
from forewarn.wire.authorities import authority
from forewarn.wiring.core import Core
from forewarn.wiring.minting import new_id, wall
from forewarn.wiring.portal import portal_desk

log = logging.getLogger(__name__)
TEND_ACCESS_EVERY = 3600.0
"""Seconds of real time between two looks at the age of keys and certificates."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Places:
    control: str  # the URL over plain http
    arm: str | None  # that of HTTPS, if it is wanted


async def server_tls(core: Core) -> ServerTls | None:
    """None: nothing is served over HTTPS."""
    if core.options.arm is None:
        return None
    return await asyncio.to_thread(ServerTls, access_directory(core.data), core.options.certified, wall())


@asynccontextmanager
async def serving_control(core: Core, desk: control.Desk, tls: ServerTls | None) -> AsyncIterator[Places]:
    """Both faces on both ports."""
    options, https = core.options, list[int]()
    resources = create_arm(_arm_desk(core), https_port=lambda: next(iter(https), None))
    portal = create_portal(portal_desk(desk, resources, development=options.development))
    app = joined(
        create_app(desk, options.hosts),
        Guard(portal, options.hosts, desk.served),
        Guard(resources, options.hosts, desk.served),
    )
    async with AsyncExitStack() as stack:
        if options.arm is not None and tls is not None:
            host, port = options.arm
            secure = serving(app, host, port, wildcard=options.any_address, tls=tls.context, option="--arm")
            https.append(await stack.enter_async_context(secure))
        host, port = options.control
        port = await stack.enter_async_context(serving(app, host, port, wildcard=options.any_address))
        core.own_ports.update((port, *https))
        yield Places(
            control=f"http://{authority(host, port)}",
            arm=_arm_url(options.arm[0], https[0]) if options.arm else None,
        )


async def tend(core: Core, tls: ServerTls | None) -> None:
    """Keys are rotated, and the server's certificate renewed, without a restart."""
    while True:
        try:
            await core.access.tend(core.options.rotate_keys_after)
            if tls is not None:
                await asyncio.to_thread(tls.tend, wall())
        except (OSError, Unavailable):
            log.warning("keys and certificates could not be looked after; what is there holds", exc_info=True)
        await asyncio.sleep(TEND_ACCESS_EVERY)


def _arm_desk(core: Core) -> arm.Desk:
    return arm.Desk(
        engine=core.engine,
        estate=Estate(core.engine),
        clock=core.clock,
        access=core.access,
        new_id=new_id,
        wall=wall,
        webhooks=core.webhooks,
    )


def _arm_url(host: str, port: int) -> str:
    """By name where that is enough: more proxies and tools make an exception for localhost than for its address."""
    return f"https://localhost:{port}" if host == "127.0.0.1" else f"https://{authority(host, port)}"
