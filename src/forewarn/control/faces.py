"""One port for both faces of the control plane: the native one, and the one that speaks as Azure does."""

from starlette.types import ASGIApp, Receive, Scope, Send

NATIVE = ("/forewarn", "/healthz", "/readyz", "/metrics")


def joined(native: ASGIApp, arm: ASGIApp) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope.get("path", "")
        is_native = any(path == place or path.startswith(f"{place}/") for place in NATIVE)
        await (native if is_native else arm)(scope, receive, send)

    return app
