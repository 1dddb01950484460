"""One port for all faces of the control plane: the native one, the portal, and the one that speaks as Azure does."""

from starlette.types import ASGIApp, Receive, Scope, Send

NATIVE = ("/forewarn", "/healthz", "/readyz", "/metrics")


PORTAL = "/portal"


def joined(native: ASGIApp, portal: ASGIApp, arm: ASGIApp) -> ASGIApp:
    places = [*((place, native) for place in NATIVE), (PORTAL, portal)]

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope.get("path", "")
        face = next((face for place, face in places if path == place or path.startswith(f"{place}/")), arm)
        await face(scope, receive, send)

    return app
