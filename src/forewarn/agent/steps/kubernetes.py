"""A node of a Kubernetes cluster: cordoned and drained before the event, uncordoned after it if the cordon is ours."""

import os
import socket
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from pathlib import Path
from urllib.parse import urlsplit

from forewarn.agent.steps.kube_api import Api, connect
from forewarn.agent.steps.kube_cordon import cordon, uncordon
from forewarn.agent.steps.kube_drain import Drain
from forewarn.agent.turns import Turn


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    node: str = ""
    """The node's name; if it does not say, the variable NODE_NAME, or else the host name in small letters."""
    server: str = ""
    """The API server, `https://HOST:PORT`; if it does not say, the one of the cluster in whose pod the agent runs."""
    ca_file: Path | None = None
    """The authority that vouches for the server; if it does not say, the pod's, or the system's if `server` is set."""
    token_file: Path | None = None
    """A file with a token, read anew for each request; if it does not say, the pod's, or none if `server` is set."""
    client_cert: Path | None = None
    """A client certificate, instead of a token."""
    client_key: Path | None = None
    """Its key, if that is not in the same file."""
    grace: timedelta | None = None
    """How long a pod may take to end, at least `1s`; if it does not say, as each pod says itself."""
    force: bool = False
    """Also evict pods without a controller, which will not come back."""
    delete_emptydir: bool = False
    """Also evict pods with an emptyDir, whose data is lost."""
    pod_selector: str = ""
    """Evict only pods whose labels fit, such as `app=web,tier!=cache`; all others are left alone."""

    def __post_init__(self) -> None:
        if self.server:
            self._check_server()
        if self.client_key is not None and self.client_cert is None:
            raise ValueError("'client_key' is of no use without 'client_cert'")
        if self.grace is not None and self.grace < timedelta(seconds=1):
            raise ValueError("'grace' is at least 1s: with less, the server forgets pods that still run")

    def _check_server(self) -> None:
        parts = urlsplit(self.server)
        if parts.scheme != "https" or not parts.hostname or parts.port == 0:
            raise ValueError("'server' is an address such as https://10.0.0.1:6443")
        if self.token_file is None and self.client_cert is None:
            raise ValueError("'server' needs to know who asks: set 'token_file' or 'client_cert'")

    def prepare(self, turn: Turn) -> None:
        api, name = self._api(), str(turn.kept.get("node") or self._name())
        cordon(api, turn, name)
        Drain(
            api=api,
            turn=turn,
            node=name,
            selector=self.pod_selector,
            grace=None if self.grace is None else ceil(self.grace.total_seconds()),
            force=self.force,
            delete_emptydir=self.delete_emptydir,
        ).run()
        turn.say(f"node {name} is drained")

    def restore(self, turn: Turn) -> None:
        name, mark = turn.kept.get("node"), turn.kept.get("cordoned")
        if name and mark:
            uncordon(self._api(), turn, str(name), str(mark))
        else:
            turn.say("the agent has not cordoned the node: it stays as it is")

    def told(self) -> tuple[str, str]:
        name = self.node or "this machine"
        return f"cordon {name} in Kubernetes and evict its pods", f"uncordon {name} if the agent had cordoned it"

    def _api(self) -> Api:
        return connect(
            server=self.server,
            ca_file=self.ca_file,
            token_file=self.token_file,
            client_cert=self.client_cert,
            client_key=self.client_key,
        )

    def _name(self) -> str:
        """As the kubelet names its node, if nobody tells it."""
        return self.node or os.environ.get("NODE_NAME") or socket.gethostname().strip().lower()
