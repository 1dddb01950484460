"""Emptying a node: each pod is evicted, as soon as its disruption budget allows, and waited for until it is gone."""

from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from urllib.parse import urlencode

from forewarn.agent.errors import StepFailed
from forewarn.agent.steps.kube_api import Api, Reply, patiently
from forewarn.agent.steps.kube_pods import Pod, objection, read_pod
from forewarn.agent.turns import Turn

PAGE = 25
"""Pods per answer: few enough to keep the agent small."""
LOOKS = (0.1, 2.0)
"""Seconds between two looks at the node while nothing changes: first, and at most."""
RETRIES = (1.0, 5.0)
"""Seconds until a pod that was held back is tried again, if the server does not say: first, and at most."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """The server would not evict it now."""

    why: str
    wait: float
    due: float


@dataclass(kw_only=True, slots=True)
class Drain:
    api: Api
    turn: Turn
    node: str
    selector: str
    grace: int | None
    force: bool
    delete_emptydir: bool
    _held: dict[str, Held] = field(default_factory=dict)

    def run(self) -> None:
        """What was bound to the node just before the cordon and only shows up now goes too.

        But a pod that comes although the node is cordoned would come again and again: it is left.
        """
        there = self._to_go(self._pods())
        first = {pod.uid for pod in there}
        self.turn.say(f"{len(there)} pods have to go from node {self.node}")
        pause, most = LOOKS
        while there:
            for pod in there:
                if not pod.is_going and self._is_due(pod):
                    self._evict(pod)
            patiently(self.turn, pause, self._told(there))
            before = len(there)
            there = self._to_go([pod for pod in self._pods() if pod.uid in first or not pod.tolerates_cordon])
            pause = LOOKS[0] if len(there) < before else min(1.5 * pause, most)

    def _to_go(self, pods: list[Pod]) -> list[Pod]:
        going = [pod for pod in pods if not pod.stays]
        objections = [objection(pod, force=self.force, delete_emptydir=self.delete_emptydir) for pod in going]
        if any(objections):
            raise StepFailed(f"Not every pod may be evicted: {_some([text for text in objections if text])}.")
        return going

    def _pods(self) -> list[Pod]:
        query = {"fieldSelector": f"spec.nodeName={self.node}", "limit": str(PAGE)}
        query |= {"labelSelector": self.selector} if self.selector else {}
        pods: list[Pod] = []
        page: dict[str, str] = {}
        while True:
            path = f"/api/v1/pods?{urlencode(query | page)}"
            reply = self.api.call(self.turn, "GET", path, right="list pods")
            if reply.status == 410:  # the server has forgotten what this was the next page of
                pods, page = [], {}
                continue
            answer = reply.expect(200)
            pods += [read_pod(item) for item in answer["items"]]
            rest = answer["metadata"].get("continue")
            if not rest:
                return pods
            page = {"continue": rest}

    def _is_due(self, pod: Pod) -> bool:
        held = self._held.get(pod.uid)
        return held is None or monotonic() >= held.due

    def _evict(self, pod: Pod) -> None:
        options: dict[str, Any] = {"preconditions": {"uid": pod.uid}}  # not its namesake that runs elsewhere by now
        options |= {"gracePeriodSeconds": self.grace} if self.grace is not None else {}
        eviction = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"namespace": pod.namespace, "name": pod.name},
            "deleteOptions": options,
        }
        right = "create pods/eviction"
        reply = self.api.call(self.turn, "POST", pod.eviction_path, eviction, right=right, mine=(429, 500))
        if reply.status == 500 and "PodDisruptionBudget" in reply.message:
            raise StepFailed(f"{pod} cannot be evicted: {reply.message}. Leave it one.")
        if reply.status in (403, 429, 500):
            self._hold(pod, reply)
        else:
            reply.expect(200, 201, 404, 409)  # what has gone, or is another by now, the next look tells

    def _hold(self, pod: Pod, reply: Reply) -> None:
        why = ", ".join(text for text in reply.causes.values() if text) or reply.message
        known = self._held.get(pod.uid)
        if known is None or known.why != why:
            self.turn.say(f"{pod} is held back: {why}")
        wait = min(2 * known.wait, RETRIES[1]) if known else RETRIES[0]
        due = monotonic() + (wait if reply.retry_after is None else reply.retry_after)
        self._held[pod.uid] = Held(why=why, wait=wait, due=due)

    def _told(self, pods: list[Pod]) -> str:
        return f"still there: {_some([self._state(pod) for pod in pods])}"

    def _state(self, pod: Pod) -> str:
        if pod.is_going:
            return f"{pod} (ending)"
        held = self._held.get(pod.uid)
        return f"{pod} ({held.why})" if held else str(pod)


def _some(texts: list[str]) -> str:
    more = [f"and {len(texts) - 5} more"] if len(texts) > 5 else []
    return "; ".join([*texts[:5], *more])
