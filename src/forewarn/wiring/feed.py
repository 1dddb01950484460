"""Who is told of every commit: the metadata service, and those who watch."""

from forewarn import imds
from forewarn.domain.scopes import Scope, ScopeKind
from forewarn.engine.hub import Hub
from forewarn.engine.ports import News
from forewarn.wire.compute.scalesets import group_guid
from forewarn.wire.instance import ScopeFacts


class Feed:
    def __init__(self, fleet: imds.Fleet, hub: Hub) -> None:
        self._fleet = fleet
        self._hub = hub

    def publish(self, news: News) -> None:
        self._fleet.publish(
            documents=news.documents,
            machines=news.machines,
            gone=news.gone,
            facts={scope.id: _facts(scope) for scope in news.scopes},
            dissolved=news.dissolved,
        )
        self._hub.publish(news)


def _facts(scope: Scope) -> ScopeFacts:
    return ScopeFacts(
        kind=scope.kind,
        name=scope.id.rpartition("/")[2],
        scale_set=(scope.scale_set or "").rpartition("/")[2],
        placement_group_id=group_guid(scope.id) if scope.kind is ScopeKind.PLACEMENT_GROUP else "",
        flexible=scope.flexible,
    )
