"""The clients, one by one: what each is, where it is from, and the command line that starts it unmodified."""

from tests.compatibility import configuring, jobq_worker
from tests.compatibility.client import Client, Place
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

NETWORK = ("Linux", "root", "169.254.169.254 in a network namespace")


def _resource_agent(
    name: str, agents: Package, *, source: str, about: str, asks: str, approves: str, notes: tuple[str, ...]
) -> Client:
    agent = name.partition(" ")[0]
    layers = ("--package", agents.place, "--package", PACEMAKER.place)
    return Client(
        name=name,
        package="resource-agents",
        version=agents.version,
        licence="GPL",
        source=source,
        packages=(agents, PACEMAKER),
        needs=(*NETWORK, "overlayfs", "Debian 12, amd64"),
        about=about,
        started=(
            "In a real cluster of two nodes, Corosync 3.1.7 and Pacemaker 2.1.5 of Debian 12, set up as the agent's "
            "page says, without the delay at its start. The first node runs the agent and a Dummy resource, which can "
            "move to the second."
        ),
        asks=asks,
        interval=10,
        reacts_to=("Reboot", "Redeploy"),
        approves=approves,
        notes=notes,
        command=lambda place: script("tests.compatibility.cluster", agent, "--directory", place.directory, *layers),
        settling=90,
        at_once=5,
        work=lambda place: place.directory / "work" / configuring.WORK,
    )


AZURE_EVENTS_AZ = _resource_agent(
    "azure-events-az 4.16.0",
    AGENTS,
    source="Debian 13",
    about="Pacemaker's resource agent: moves everything off a node before a Reboot or Redeploy, then approves.",
    asks="GET /metadata/instance (2021-12-13), GET /metadata/scheduledevents (2020-07-01); POST with 2019-08-01",
    approves="when nothing runs any more on the nodes that the event names: in the second monitor action that sees it",
    notes=(
        "Does right: acts only on events that name its own VM, prepares first, and goes back online afterwards.",
        "An event that also names a VM outside the cluster makes each monitor action fail (`crm_resource … -N None`); "
        "it is not approved, and starts at its NotBefore.",
        "An event that names every node is not approved either: the last node available stays on hold, by design.",
        "A failed request is repeated after 20 s, up to three times, inside one monitor action.",
    ),
)
OLD_AZURE_EVENTS_AZ = _resource_agent(
    "azure-events-az 4.12.0",
    OLD_AGENTS,
    source="Debian 12",
    about="The same agent as Debian 12 has it.",
    asks="GET /metadata/instance and GET /metadata/scheduledevents, both 2019-08-01",
    approves="meant as in 4.16.0; with Debian 12's own Pacemaker it never does",
    notes=(
        "Moves everything off the node, then fails in every monitor action (`object of type 'bool' has no len()`): it "
        "looks for a headline that `crm_simulate` of Pacemaker 2.1 does not print when nothing is to be done. So "
        "nothing is approved, and the node waits, empty, for NotBefore.",
        "No timeout on its requests.",
    ),
)
AZURE_EVENTS = _resource_agent(
    "azure-events",
    AGENTS,
    source="Debian 13",
    about="Its elder brother, for availability sets: a node puts itself on standby, and another node approves.",
    asks="GET /metadata/instance and GET /metadata/scheduledevents, both 2019-08-01",
    approves="another node of the cluster does, when nothing runs any more on the nodes that the event names",
    notes=(
        "Alone it never approves, and no longer asks once it is on standby: standby stops the agent, too. With the "
        "agent on both nodes (`--agents 2`), the other VM approved after 14 s, and brought the node back afterwards.",
        "So a check that nobody approves another VM's event fails here by design.",
    ),
)
DASK_WORKER = Client(
    name="dask-cloudprovider",
    package="dask-cloudprovider",
    version=DASK.version,
    licence="BSD-3-Clause",
    source="PyPI",
    packages=(DASK,),
    needs=NETWORK,
    about="A plugin for dask's workers on Spot machines: closes the worker when its machine goes.",
    started="A real scheduler and a real worker, by dask's own commands; the plugin is registered with its defaults.",
    asks="GET /metadata/scheduledevents (2019-08-01)",
    interval=1,
    reacts_to=("Preempt", "Terminate"),
    approves="never",
    notes=(
        "Does not read Resources: a worker closed because of another VM's Preempt.",
        "Begins to close at NotBefore, by the machine's own clock, or when the event is Started: by default the notice "
        "passes unused.",
        "Remembers a NotBefore when its event is cancelled: the worker closed all the same.",
    ),
    command=lambda place: script("tests.compatibility.dask_worker", DASK.place, place.directory),
    settling=60,
    reaction=45,
    ends=True,
)
JOBQ_WORKER = Client(
    name="ai4s-jobq",
    package="ai4s-jobq",
    version=JOBQ.version,
    licence="MIT",
    source="PyPI",
    packages=(JOBQ, AZURITE),
    needs=(*NETWORK, "Node.js 20"),
    about="A job queue on Azure Storage: its worker stops the running job, and puts it back, before a Preempt.",
    started=(
        "Its own `worker` command, with one long job, and a variable of Azure Batch, without which it does not ask. "
        "The queue is in Azurite, Microsoft's stand-in for Azure Storage."
    ),
    asks="GET /metadata/scheduledevents (2020-07-01)",
    interval=1,
    reacts_to=("Preempt",),
    approves="never",
    notes=(
        "Does right: stops the job within two seconds of the announcement, and runs it again if that is cancelled.",
        "Does not read Resources: the job was stopped because of another VM's Preempt.",
        "One answer that is JSON without Events, such as a 500 with an error in it, ends its asking, silently and for "
        "good: the Preempt that followed was not noticed.",
        "An answer that is not JSON counts as no events: with its Preempt announced, it took the job up again.",
        "Terminate is not looked at.",
    ),
    command=lambda place: script("tests.compatibility.jobq_worker", JOBQ.place, AZURITE.place, place.directory),
    settling=60,
    work=lambda place: place.directory / jobq_worker.WORK,
)
TERMINATION = Client(
    name="termination-handler",
    package="termination-handler",
    version=TERMINATION_HANDLER.version,
    licence="MIT",
    source="PyPI",
    packages=(TERMINATION_HANDLER,),
    needs=NETWORK,
    about="Drains a Kubernetes or Nomad node, or tells Slack, before a Preempt.",
    started="Its own command, with its handler for Nomad, but without a Nomad: its log says when it drains.",
    asks="GET /scheduledevents (2019-01-01), without /metadata",
    interval=5,
    reacts_to=("Preempt",),
    approves="never",
    notes=(
        "Its path lacks /metadata: every answer is 404, which it takes for no events, and so it never acts.",
        "It finds out that it is on Azure by asking seven clouds' addresses at once.",
    ),
    command=lambda _: [str(TERMINATION_HANDLER.place / "bin" / "termination-handler"), "--nomad"],
)
CLIENTS = (AZURE_EVENTS_AZ, OLD_AZURE_EVENTS_AZ, AZURE_EVENTS, DASK_WORKER, JOBQ_WORKER, TERMINATION)

__all__ = ["CLIENTS", "Client", "Place"]
