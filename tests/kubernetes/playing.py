"""What the parts of a cluster that are not here would do, done through the API in their place.

The scheduler binds pods, the kubelet says that they run and ends them, the disruption controller counts what a budget
allows. The answers to all of it are the real server's.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.kubernetes.api import Answer, Api


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """One node and one namespace, which no other test uses."""

    api: Api
    node: str
    namespace: str

    @property
    def node_path(self) -> str:
        return f"/api/v1/nodes/{self.node}"

    @property
    def pods_path(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods"

    @property
    def budgets_path(self) -> str:
        return f"/apis/policy/v1/namespaces/{self.namespace}/poddisruptionbudgets"

    # The scheduler and the kubelet: pods come

    def pod(self, name: str, *, ready: bool = True, spec: Mapping[str, Any] | None = None, **metadata: Any) -> Any:
        """A pod that runs on the node, with a label `app` of its own name unless other `labels` are given.

        A pod that is only pending would be evicted whatever its budget says: the server asks a budget for running ones.
        """
        named = {"labels": {"app": name}, **metadata, "name": name}
        whole = {"nodeName": self.node, "containers": [{"name": "main", "image": "none"}], **(spec or {})}
        self.api.create(self.pods_path, {"metadata": named, "spec": whole})
        condition = {"type": "Ready", "status": "True" if ready else "False"}
        return self.api.merge(
            f"{self.pods_path}/{name}/status", {"status": {"phase": "Running", "conditions": [condition]}}
        )

    # Whoever drains

    def evict(self, name: str, api: Api | None = None) -> Answer:
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
        return (api or self.api).call("POST", f"{self.pods_path}/{name}/eviction", eviction)

    # The disruption controller

    def budget(self, name: str, labels: dict[str, str], *, allowed: int) -> None:
        """A PodDisruptionBudget for the pods with these labels, counted up: so many may go now."""
        spec = {"minAvailable": 1, "selector": {"matchLabels": labels}}
        self.api.create(self.budgets_path, {"metadata": {"name": name}, "spec": spec})
        self.allow(name, allowed)

    def allow(self, name: str, allowed: int) -> None:
        """So many of the budget's pods may go now, as the controller finds when others have become ready."""
        generation = self.api.get(f"{self.budgets_path}/{name}")["metadata"]["generation"]
        counted = {"currentHealthy": 1 + allowed, "desiredHealthy": 1, "expectedPods": 1 + allowed}
        status = {**counted, "disruptionsAllowed": allowed, "observedGeneration": generation, "disruptedPods": None}
        self.api.merge(f"{self.budgets_path}/{name}/status", {"status": status})

    # The kubelet: pods go

    def pods(self) -> list[Any]:
        """Those on the node, of every namespace."""
        return list(self.api.get(f"/api/v1/pods?fieldSelector=spec.nodeName={self.node}")["items"])

    def end_pods(self) -> list[str]:
        """End every pod that was told to go, as the kubelet does once its containers have stopped; their names."""
        going = [pod["metadata"] for pod in self.pods() if "deletionTimestamp" in pod["metadata"]]
        at_once = {"gracePeriodSeconds": 0}
        for pod in going:
            path = f"/api/v1/namespaces/{pod['namespace']}/pods/{pod['name']}"
            self.api.call("DELETE", path, {**at_once, "preconditions": {"uid": pod["uid"]}}).expect(200, 404, 409)
        return [pod["name"] for pod in going]

    @contextmanager
    def kubelet(self) -> Iterator[None]:
        """Within the block, a pod that is told to go is gone a moment later. Without it, it stays until `end_pods`."""
        over = threading.Event()

        def play() -> None:
            while not over.wait(0.05):
                self.end_pods()

        thread = threading.Thread(target=play, name=f"kubelet of {self.node}")
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def stage(api: Api, name: str) -> Stage:
    labels = {"kubernetes.io/hostname": name}  # of an object that is made empty, the server would not track the owners
    api.create("/api/v1/nodes", {"metadata": {"name": name, "labels": labels}})
    api.create("/api/v1/namespaces", {"metadata": {"name": name}})
    return Stage(api=api, node=name, namespace=name)
