"""A web server to stand behind a load balancer: `web.py ADDRESS PORT NAME`. It answers its name to every GET.

/0.3 is answered after 0.3 seconds; /held once somebody has asked for /release.
"""

import asyncio
import contextlib
import sys
from functools import partial


async def answer(path: str, released: asyncio.Event) -> None:
    if path == "/held":
        await released.wait()
    elif path == "/release":
        released.set()
    else:
        await asyncio.sleep(float(path.lstrip("/") or 0))


async def serve(name: str, released: asyncio.Event, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            await answer(head.split()[1], released)
            body = name.encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
            await writer.drain()
            if "connection: close" in head.lower():
                break
    writer.close()


async def main(address: str, port: str, name: str) -> None:
    server = await asyncio.start_server(partial(serve, name, asyncio.Event()), address, int(port))
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
