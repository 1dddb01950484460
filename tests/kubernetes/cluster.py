"""A real kube-apiserver on its own etcd, as processes on loopback, for as long as the block lasts.

There is no scheduler, controller or kubelet: nothing happens but what is asked for. What they would do, a test does in
their place (`tests.kubernetes.playing`), through the same API.
"""

import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.kubernetes import certificates
from tests.kubernetes.api import Api
from tests.kubernetes.installing import Programs, programs
from tests.waiting import until

"""Seconds of real time for anything that has to become true."""

ETCD = "etcd:1"
"""A socket in the folder takes no port. etcd wants its name to look like an address."""

ADMIN = "token-of-the-admin"
RBAC = "/apis/rbac.authorization.k8s.io/v1"


@dataclass(frozen=True, kw_only=True, slots=True)
class Cluster:
    url: str
    ca_file: Path
    admin_token: str
    admin_certificate: Path
    """With its key in the same file."""

    @property
    def admin(self) -> Api:
        return self.speaking_as(self.admin_token)

    def speaking_as(self, token: str) -> Api:
        return Api(url=self.url, ca_file=self.ca_file, token=token)

    def service_account(self, namespace: str, name: str, cluster_role: str) -> str:
        """The token of a new service account that may do what the ClusterRole says, everywhere, and nothing else."""
        accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
        self.admin.create(accounts, {"metadata": {"name": name}})
        subject = {"kind": "ServiceAccount", "namespace": namespace, "name": name}
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": cluster_role}
        binding = {"metadata": {"name": f"{namespace}-{name}"}, "subjects": [subject], "roleRef": role}
        self.admin.create(f"{RBAC}/clusterrolebindings", binding)
        self._wait_for_grant(f"system:serviceaccount:{namespace}:{name}", cluster_role)
        requested = self.admin.create(f"{accounts}/{name}/token", {"spec": {"expirationSeconds": 3600}})
        return str(requested["status"]["token"])

    def _wait_for_grant(self, user: str, cluster_role: str) -> None:
        """The server's authorizer sees a new binding some milliseconds after it is stored."""
        rule = self.admin.get(f"{RBAC}/clusterroles/{cluster_role}")["rules"][0]
        resource, _, subresource = rule["resources"][0].partition("/")
        attributes = {"verb": rule["verbs"][0], "group": rule["apiGroups"][0], "resource": resource}
        attributes |= {"subresource": subresource, "name": (rule.get("resourceNames") or [""])[0]}
        review = {"spec": {"user": user, "resourceAttributes": attributes}}
        reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
        until(
            lambda: bool(self.admin.create(reviews, review)["status"]["allowed"]), f"{user} is granted {cluster_role}"
        )


def needed_programs() -> Programs:
    """A laptop without them skips the test; in CI that is a failure."""
    found = programs()
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("kube-apiserver is not built: run these tests with `make test-kubernetes`.")
        pytest.skip("needs a kube-apiserver: run `make test-kubernetes`")
    return found


@contextmanager
def running(folder: Path) -> Iterator[Cluster]:
    """Ready when the block begins; every process has ended when it is over. The logs are in the folder."""
    found = needed_programs()
    with ExitStack() as stack:
        port = stack.enter_context(_reserved_port())
        etcd = stack.enter_context(_process(folder, found.etcd, *_etcd_options()))
        _wait_for(etcd, (folder / ETCD).exists, folder / "etcd.log")
        server = stack.enter_context(_process(folder, found.apiserver, *_apiserver_options(folder, port)))
        certificate = folder / "certificates" / "apiserver.crt"  # made by the server; holds its authority's too
        cluster = Cluster(
            url=f"https://127.0.0.1:{port}",
            ca_file=certificate,
            admin_token=ADMIN,
            admin_certificate=folder / "admin.pem",
        )
        _wait_for(server, lambda: _is_ready(cluster), folder / "kube-apiserver.log")
        yield cluster


@contextmanager
def _reserved_port() -> Iterator[int]:
    """Kept bound, though never listened on: the server shares the port, nobody else can be given it."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


@contextmanager
def _process(folder: Path, program: Path, *options: str) -> Iterator["subprocess.Popen[bytes]"]:
    with (folder / f"{program.name}.log").open("wb") as log:
        process = subprocess.Popen(
            [program, *options], cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            yield process
        finally:
            process.kill()  # nothing of theirs is kept, so there is nothing to put in order
            process.wait()


def _etcd_options() -> list[str]:
    """Nothing outlives the test, so nothing need reach the disk."""
    clients, peers = f"unix://{ETCD}", "unix://peers:1"
    return [
        "--data-dir=etcd", "--unsafe-no-fsync",
        f"--listen-client-urls={clients}", f"--advertise-client-urls={clients}",
        f"--listen-peer-urls={peers}", f"--initial-advertise-peer-urls={peers}", f"--initial-cluster=default={peers}",
    ]  # fmt: skip


def _apiserver_options(folder: Path, port: int) -> list[str]:
    (folder / "tokens.csv").write_text(f'{ADMIN},admin,admin,"system:masters"\n')
    key = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    (folder / "accounts.key").write_bytes(key)
    (folder / "admin.pem").write_bytes(certificates.client("admin", "system:masters"))
    return [
        f"--etcd-servers=unix://{ETCD}",
        "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", f"--secure-port={port}", "--permit-port-sharing",
        "--cert-dir=certificates",
        "--endpoint-reconciler-type=none",  # nobody looks for the server in the cluster, and loopback is refused there
        "--authorization-mode=RBAC", "--token-auth-file=tokens.csv",
        "--client-ca-file=admin.pem",  # it vouches for itself
        "--service-account-issuer=https://kubernetes.default.svc",
        "--service-account-key-file=accounts.key", "--service-account-signing-key-file=accounts.key",
        "--disable-admission-plugins=ServiceAccount",  # it wants the account `default`, which a controller would make
    ]  # fmt: skip


def _wait_for(process: "subprocess.Popen[bytes]", ready: Callable[[], bool], log: Path) -> None:
    try:
        until(lambda: process.poll() is not None or ready(), "the program is ready")
        assert process.poll() is None, f"the program ended with {process.poll()}"
    except AssertionError as failure:
        failure.add_note(f"{log}:\n{log.read_text()[-4000:]}")
        raise


def _is_ready(cluster: Cluster) -> bool:
    try:
        return cluster.admin.call("GET", "/readyz").status == 200
    except OSError:
        return False  # no certificate yet, or not the whole of it, or nobody listens yet
