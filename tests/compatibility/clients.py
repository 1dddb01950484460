"""The clients, one by one: what each is, where it is from, and the command line that starts it unmodified."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.compatibility import configuring, jobq_worker
from tests.compatibility.installing import (
    AGENTS,
    AZURITE,
    DASK,
    JOBQ,
    OLD_AGENTS,
    PACEMAKER,
    TERMINATION_HANDLER,
    Package,
)
from tests.compatibility.launching import script


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where one run of a client happens."""

    directory: Path  # empty, and the run's own


@dataclass(frozen=True, kw_only=True, slots=True)
class Client:
    name: str
    package: str
    version: str
    licence: str
    source: str  # the registry
    packages: tuple[Package, ...]
    needs: tuple[str, ...]  # of the machine
    about: str
    started: str  # how, and what of its surroundings is ours
    command: Callable[[Place], Sequence[str]]
    interval: float  # seconds between two questions, when nothing is wrong
    reacts_to: tuple[str, ...]  # the types of events it acts on
    approves: bool
    settling: float = 30.0  # seconds from its start until it asks, at most
    work: Callable[[Place], Path] | None = None
    """A file that is there for as long as the client has work on this machine; when it is gone, it has prepared."""


def _cluster(agent: str, agents: Package) -> Callable[[Place], Sequence[str]]:
    layers = ("--package", agents.place, "--package", PACEMAKER.place)
    return lambda place: script("tests.compatibility.cluster", agent, "--directory", place.directory, *layers)


NETWORK = ("Linux", "root", "169.254.169.254 in a network namespace")
CLUSTER = (*NETWORK, "Debian 12 (amd64)", "overlayfs")
CLUSTER_STARTED = (
    "A real cluster of two nodes, Debian's Corosync 3.1.7 and Pacemaker 2.1.5, set up as the agent's page says, without "
    "the page's delay of 90 s at the start. The first node runs the agent, and a Dummy resource that can move to the second."
)

CLIENTS = (
    Client(
        name="azure-events-az 4.16.0",
        package="resource-agents",
        version=AGENTS.version,
        licence="GPL-2.0-or-later",
        source="Debian 13",
        packages=(AGENTS, PACEMAKER),
        needs=CLUSTER,
        about="Pacemaker's resource agent: moves everything off a node before a Reboot or Redeploy, then approves.",
        started=CLUSTER_STARTED,
        command=_cluster("azure-events-az", AGENTS),
        interval=10,
        reacts_to=("Reboot", "Redeploy"),
        approves=True,
        settling=90,
        work=lambda place: place.directory / "work" / configuring.WORK,
    ),
    Client(
        name="azure-events-az 4.12.0",
        package="resource-agents",
        version=OLD_AGENTS.version,
        licence="GPL-2.0-or-later",
        source="Debian 12",
        packages=(OLD_AGENTS, PACEMAKER),
        needs=CLUSTER,
        about="The same agent as Debian 12 has it.",
        started=CLUSTER_STARTED,
        command=_cluster("azure-events-az", OLD_AGENTS),
        interval=10,
        reacts_to=("Reboot", "Redeploy"),
        approves=True,
        settling=90,
        work=lambda place: place.directory / "work" / configuring.WORK,
    ),
    Client(
        name="azure-events",
        package="resource-agents",
        version=AGENTS.version,
        licence="GPL-2.0-or-later",
        source="Debian 13",
        packages=(AGENTS, PACEMAKER),
        needs=CLUSTER,
        about="Its elder brother, for availability sets: a node puts itself on standby, and another node approves.",
        started=CLUSTER_STARTED,
        command=_cluster("azure-events", AGENTS),
        interval=10,
        reacts_to=("Reboot", "Redeploy"),
        approves=True,
        settling=90,
        work=lambda place: place.directory / "work" / configuring.WORK,
    ),
    Client(
        name="dask-cloudprovider",
        package="dask-cloudprovider",
        version=DASK.version,
        licence="BSD-3-Clause",
        source="PyPI",
        packages=(DASK,),
        needs=NETWORK,
        about="A plugin for dask's workers on Spot machines: closes the worker when its machine goes.",
        started="A real scheduler and worker, by dask's own commands; the plugin is registered with its defaults.",
        command=lambda _: script("tests.compatibility.dask_worker", DASK.place),
        interval=1,
        reacts_to=("Preempt", "Terminate"),
        approves=False,
    ),
    Client(
        name="ai4s-jobq",
        package="ai4s-jobq",
        version=JOBQ.version,
        licence="MIT",
        source="PyPI",
        packages=(JOBQ, AZURITE),
        needs=(*NETWORK, "Node.js 20"),
        about="A job queue on Azure Storage: its worker stops the running job, and puts it back, before a Preempt.",
        started="Its own `worker` command, with a long job. The queue is in Azurite, Microsoft's stand-in for Azure Storage.",
        command=lambda place: script("tests.compatibility.jobq_worker", JOBQ.place, AZURITE.place, place.directory),
        interval=1,
        reacts_to=("Preempt",),
        approves=False,
        work=lambda place: place.directory / jobq_worker.WORK,
    ),
    Client(
        name="termination-handler",
        package="termination-handler",
        version=TERMINATION_HANDLER.version,
        licence="MIT",
        source="PyPI",
        packages=(TERMINATION_HANDLER,),
        needs=NETWORK,
        about="Drains a Kubernetes or Nomad node, or tells Slack, before a Preempt.",
        started="Its own command, with its Nomad handler and no Nomad: its log says when it would drain.",
        command=lambda _: [str(TERMINATION_HANDLER.place / "bin" / "termination-handler"), "--nomad"],
        interval=5,
        reacts_to=("Preempt",),
        approves=False,
    ),
)
