"""The floor of what a Python service can do: Starlette on uvicorn sends bytes that are ready, over the same TLS."""

import argparse
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--body", type=Path, required=True)
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--key", required=True)
    arguments = parser.parse_args()
    body = arguments.body.read_bytes()

    async def answer(request: Request) -> Response:
        return Response(body, media_type="application/json")

    uvicorn.run(
        Starlette(routes=[Route("/", answer)]),
        port=arguments.port,
        log_level="error",
        access_log=False,
        ssl_certfile=arguments.certificate,
        ssl_keyfile=arguments.key,
    )


if __name__ == "__main__":
    main()
