"""What a store promises of resources and jobs, and of scopes that come to an end."""

from datetime import timedelta
from operator import methodcaller
from typing import Any

from msgspec.structs import replace

from forewarn.domain.draft import Revision
from forewarn.domain.events import OperationState, Phase
from forewarn.domain.resources import GROUP, VIRTUAL_MACHINE
from forewarn.engine.ports import JOBS_KEPT, Store
from forewarn.testing.builders import NOON, a_job, a_machine, a_resource, a_scope, an_entry, an_event, an_operation
from forewarn.testing.store_checks.tools import DOWN, MINUTE, add, change, moved, save, the_scope


async def a_resource_comes_back_as_it_was_saved(store: Store) -> None:
    resource = a_resource(
        "VM",
        location="Zoë",
        body={"tags": {"a": ""}, "properties": {"list": [1, 2.5, None, True, {"deep": "x"}]}},
        version=3,
        model=2,
        counter=9,
        leaving=True,
        created_at=NOON + timedelta(microseconds=1),
        scope="s",
        machine="vm",
    )
    await save(store, resources=(resource,))
    assert await store.read(lambda r: r.resource(resource.key)) == resource
    assert await store.read(lambda r: r.resource(resource.id)) is None, "it is found by its key"
    changed = replace(resource, version=4, leaving=False, scope="t")
    await save(store, resources=(changed,))
    assert await store.read(lambda r: r.resource(resource.key)) == changed
    found = await store.read(lambda r: (r.resources_of_machine("s", "vm"), r.resources_of_machine("t", "vm")))
    assert [list(each) for each in found] == [[], [changed]]


async def resources_are_listed_by_key_group_and_type_page_by_page(store: Store) -> None:
    first, second = a_resource("g1", GROUP, group=""), a_resource("g2", GROUP, group="")
    inside = [a_resource(name, group=first.key) for name in ("c", "A", "b")]
    other = a_resource("net", "Microsoft.Network/virtualNetworks", group=first.key)
    far = a_resource("d", group=second.key)
    await save(store, resources=(*inside, other, far, first, second))
    rows: list[tuple[dict[str, Any], list[str]]] = [
        ({"group": first.key}, ["A", "b", "c", "net"]),
        ({"group": first.key, "kind": VIRTUAL_MACHINE.upper()}, ["A", "b", "c"]),
        ({"kind": VIRTUAL_MACHINE}, ["A", "b", "c", "d"]),
        ({"kind": VIRTUAL_MACHINE, "after": inside[2].key, "limit": 1}, ["c"]),
        ({"group": first.key, "kind": VIRTUAL_MACHINE, "after": inside[1].key, "limit": 1}, ["b"]),
        ({"group": first.key, "limit": 2}, ["A", "b"]),
        ({"kind": "none"}, []),
        ({"after": far.key, "limit": 1}, ["net"]),
    ]
    every = await store.read(lambda r: r.list_resources())
    assert [resource.key for resource in every] == sorted(r.key for r in (*inside, other, far, first, second))
    for asked, expected in rows:
        found = await store.read(methodcaller("list_resources", **asked))
        assert [resource.name for resource in found] == expected, asked


async def what_stands_for_a_machine_is_found_and_nothing_else(store: Store) -> None:
    vm = a_resource("vm", scope="s", machine="vm")
    await save(store, resources=(vm, a_resource("set", scope="s"), a_resource("other", scope="s", machine="vm2")))
    assert list(await store.read(lambda r: r.resources_of_machine("s", "vm"))) == [vm]
    assert list(await store.read(lambda r: r.resources_of_machine("t", "vm"))) == []


async def a_dropped_resource_is_gone_even_if_it_changed_in_the_same_breath(store: Store) -> None:
    a, b = a_resource("a", scope="s", machine="vm"), a_resource("b")
    await save(store, resources=(a, b))
    await save(store, resources=(replace(a, version=2),), dropped=(a.key, "never-was"))
    assert list(await store.read(lambda r: r.list_resources())) == [b]
    assert list(await store.read(lambda r: r.resources_of_machine("s", "vm"))) == []


async def a_job_comes_back_until_it_is_a_month_old(store: Store) -> None:
    old = a_job("OLD", started_at=NOON - JOBS_KEPT - timedelta(microseconds=1))
    kept, failed = a_job("KEPT", started_at=NOON - JOBS_KEPT), a_job("F", code="No", message="no", operations=())
    await save(store, jobs=(old, kept))
    assert await store.read(lambda r: (r.job("OLD"), r.job("KEPT"), r.job("none"))) == (old, kept, None)
    await save(store, jobs=(failed,))
    assert await store.read(lambda r: (r.job("OLD"), r.job("KEPT"), r.job("F"))) == (None, kept, failed)


async def a_dissolved_scope_is_gone_and_what_happened_there_stays(store: Store) -> None:
    scope = a_scope("s", events=(an_event("E", operation="o"),), operations=(an_operation("o", event="E"),))
    await add(store, scope, due=NOON)
    await save(store, machines=(a_machine("vm", "s"),), entries=(an_entry("E", "s"),))
    before = await the_scope(store, "s")
    ended = replace(before.events[0], phase=Phase.CANCELED)
    over = replace(before.operations[0], state=OperationState.CANCELED)
    after = replace(moved(before), events=(ended,), operations=(over,))
    await save(
        store,
        revisions=(Revision(before=before, after=after, due=NOON),),
        gone=(("s", "vm"),),
        dissolved=("s", "never-was"),
    )
    assert await store.read(lambda r: (r.scope("s"), list(r.list_scopes()), r.next_due())) == (None, [], None)
    assert list(await store.run(lambda tx: tx.lock("s"))) == []
    assert await store.read(lambda r: (r.event("E"), r.operation("o"))) == (ended, over)
    assert await store.read(lambda r: (list(r.list_events()), list(r.list_operations()))) == ([], [])
    assert len(await store.read(lambda r: r.history(scope="s"))) == 1


async def a_scope_made_anew_has_nothing_of_its_former_life(store: Store) -> None:
    first = a_scope("s", enrolled_at=NOON, incarnation=9)
    await add(store, first)
    await save(store, machines=(a_machine("vm", "s", **DOWN),))
    await store.run(lambda tx: tx.lock("s"))
    await save(store, gone=(("s", "vm"),), dissolved=("s",))
    anew = a_scope("s", epoch=2)
    await add(store, anew)
    assert await the_scope(store, "s") == anew
    assert await store.run(lambda tx: tx.lock("s")) == [anew]


async def the_placement_groups_of_a_scale_set_are_found_by_its_name(store: Store) -> None:
    groups = [a_scope(name, scale_set="set", owner="o", declared=False, flexible=True) for name in ("b", "a")]
    await add(store, *groups, a_scope("set"), a_scope("c", scale_set="other"))
    await save(store, machines=(a_machine("vm", "a", **DOWN),))
    found = await store.read(lambda r: r.scopes_of_scale_set("set"))
    assert list(found) == [replace(groups[1], any_running=False), groups[0]]
    assert list(await store.read(lambda r: r.scopes_of_scale_set("none"))) == []
    await change(store, groups[0], replace(groups[0], update_domains=7, fault_domains=1), due=NOON + MINUTE)
    (_, changed) = await store.read(lambda r: r.scopes_of_scale_set("set"))
    assert (changed.update_domains, changed.fault_domains) == (7, 1)
    await save(store, dissolved=("b",))
    assert [scope.id for scope in await store.read(lambda r: r.scopes_of_scale_set("set"))] == ["a"]
