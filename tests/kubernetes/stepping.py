"""The agent's step as a test plays it: on one stage, with turns in which something happens at the right moment."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forewarn.agent.steps.kube_cordon import MARK
from forewarn.agent.steps.kubernetes import Node
from forewarn.agent.turns import Fact
from tests.agent.turn import ATurn
from tests.kubernetes.cluster import Cluster
from tests.kubernetes.playing import Stage


class Crash(BaseException):
    """The agent is gone at this very moment."""


@dataclass(kw_only=True)
class WatchedTurn(ATurn):
    """Things happen, once each, when the step says a text with these words, or keeps a fact ("keep")."""

    when: dict[str, Callable[[], object]] = field(default_factory=dict)

    def say(self, text: str) -> None:
        super().say(text)
        for words in [words for words in self.when if words in text]:
            self.when.pop(words)()

    def keep(self, **facts: Fact) -> None:
        super().keep(**facts)
        self.when.pop("keep", lambda: None)()


@dataclass(frozen=True, kw_only=True)
class Play:
    """The step for one stage, and turns for it that share what they keep, as the journal's do."""

    cluster: Cluster
    stage: Stage
    token_file: Path
    kept: dict[str, Fact] = field(default_factory=dict)

    def step(self, **options: Any) -> Node:
        return Node(
            **{
                "node": self.stage.node,
                "server": self.cluster.url,
                "ca_file": self.cluster.ca_file,
                "token_file": self.token_file,
                **options,
            }
        )

    def turn(self, limit: float = 20.0, **when: Callable[[], object]) -> WatchedTurn:
        return WatchedTurn(
            spool=self.token_file.parent,
            limit=limit,
            kept=self.kept,
            when={words.replace("_", " "): what for words, what in when.items()},
        )

    def node(self) -> Any:
        return self.stage.api.get(self.stage.node_path)

    @property
    def is_cordoned(self) -> bool:
        return self.node()["spec"].get("unschedulable", False) is True

    @property
    def mark(self) -> str | None:
        mark: str | None = self.node()["metadata"].get("annotations", {}).get(MARK)
        return mark

    @property
    def pods(self) -> list[str]:
        return sorted(pod["metadata"]["name"] for pod in self.stage.pods())

    def cordon(self, on: bool = True) -> None:
        """By hand."""
        self.stage.api.merge(self.stage.node_path, {"spec": {"unschedulable": on or None}})

    def label(self) -> None:
        self.stage.api.merge(self.stage.node_path, {"metadata": {"labels": {"somebody": "else"}}})


def managed(kind: str = "ReplicaSet") -> dict[str, Any]:
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": "owner", "uid": "some-uid", "controller": True}
    return {"ownerReferences": [owner]}
