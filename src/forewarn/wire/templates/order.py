"""In which order the resources of a template are deployed: after what they depend on, else as they are written."""

import heapq
from collections.abc import Mapping, Sequence

from forewarn.wire.arm_ids import ArmId, BadId, parse_id
from forewarn.wire.templates.errors import Failure


class Directory:
    """Finds the resource a dependsOn means: by id, by `Namespace/type/name`, or by name alone."""

    def __init__(self, group: ArmId, resources: Sequence[ArmId]) -> None:
        self._group = group
        self._by_key: dict[str, ArmId] = {}
        self._by_name: dict[str, list[ArmId]] = {}
        for resource in resources:
            self._by_key[resource.key] = resource
            for name in {resource.full_name.lower(), resource.name.lower()}:
                self._by_name.setdefault(name, []).append(resource)

    def find(self, text: str) -> ArmId | None:
        """None if there is none, or more than one of that name."""
        try:
            return self._by_key.get(parse_id(text if text.startswith("/") else self._absolute(text)).key)
        except BadId:
            named = self._by_name.get(text.lower(), [])
            return named[0] if len(named) == 1 else None

    def _absolute(self, text: str) -> str:
        return f"{self._group.text}/providers/{text}"


def in_order(dependencies: Mapping[ArmId, Sequence[ArmId]]) -> list[ArmId]:
    """Each after those it depends on, and a child after its parent; otherwise in the order given."""
    resources = list(dependencies)
    place = {resource.key: index for index, resource in enumerate(resources)}
    before = [_before(resource, dependencies[resource], place) for resource in resources]
    after: list[list[int]] = [[] for _ in resources]
    for index, earlier in enumerate(before):
        for one in earlier:
            after[one].append(index)
    waiting = [len(earlier) for earlier in before]
    ready = [index for index, count in enumerate(waiting) if not count]
    done: list[int] = []
    while ready:
        done.append(heapq.heappop(ready))
        for index in after[done[-1]]:
            waiting[index] -= 1
            if not waiting[index]:
                heapq.heappush(ready, index)
    if len(done) < len(resources):
        circle = resources[_on_a_circle(before, waiting)]
        raise Failure("Circular dependency detected on resource: '{}'.", circle.text)
    return [resources[index] for index in done]


def _before(resource: ArmId, dependencies: Sequence[ArmId], place: Mapping[str, int]) -> set[int]:
    found = {place[dependency.key] for dependency in dependencies}
    parent = resource.parent
    if parent is not None and parent.key in place:
        found.add(place[parent.key])
    return found


def _on_a_circle(before: Sequence[set[int]], waiting: Sequence[int]) -> int:
    """Whoever goes back from something that still waits to what it waits for comes round sooner or later."""
    seen: set[int] = set()
    index = next(index for index, count in enumerate(waiting) if count)
    while index not in seen:
        seen.add(index)
        index = min(one for one in before[index] if waiting[one])
    return index
