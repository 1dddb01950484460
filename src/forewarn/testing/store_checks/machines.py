"""What a store promises of machines."""

from datetime import timedelta

from msgspec.structs import replace

from forewarn.domain.machines import EvictionPolicy, Machine, Power, Priority, Profile
from forewarn.engine.ports import Store
from forewarn.testing.builders import a_machine, a_scope
from forewarn.testing.store_checks.tools import DOWN, add, change, save, the_scope


async def a_machine_comes_back_as_it_was_saved(store: Store) -> None:
    machine = Machine(
        scope="s",
        name="vm_0",
        computer_name="vm000000",
        address="127.0.0.2",
        update_domain=3,
        fault_domain=1,
        host="h",
        zone="2",
        priority=Priority.SPOT,
        eviction_policy=EvictionPolicy.DELETE,
        power=Power.DEALLOCATED,
        terminate_notice=timedelta(minutes=7, microseconds=5),
        profile=Profile(vm_id="x", tags={"owner": "Zoë", "": "empty"}),
    )
    await save(store, machines=(machine,))
    assert await store.read(lambda r: r.machines("s")) == [machine]
    changed = replace(machine, power=Power.RUNNING)
    await save(store, machines=(changed,))
    assert await store.read(lambda r: r.machines("s")) == [changed]


async def machines_are_found_by_scope_and_by_name(store: Store) -> None:
    b, a, other = a_machine("b", "s"), a_machine("a", "s"), a_machine("a", "t")
    await save(store, machines=(b, a, other))
    assert await store.read(lambda r: r.machines("s")) == [a, b]
    assert await store.read(lambda r: r.machines("s", ["b", "none", "b"])) == [b]
    assert list(await store.read(lambda r: r.machines("s", []))) == []
    assert await store.read(lambda r: r.machines_named("a")) == [a, other]
    assert list(await store.read(lambda r: r.machines_named("none"))) == []


async def some_machines_are_first_those_that_run(store: Store) -> None:
    machines = (a_machine("a", "s", **DOWN), a_machine("b", "s"), a_machine("c", "s", **DOWN), a_machine("a", "t"))
    await save(store, machines=machines)
    assert [m.name for m in await store.read(lambda r: r.some_machines("s", 1))] == ["b"]
    found = await store.read(lambda r: r.some_machines("s", 9))
    assert {machine.name for machine in found} == {"a", "b", "c"}
    assert list(await store.read(lambda r: r.some_machines("none", 9))) == []


async def machines_are_listed_by_scope_and_name_page_by_page(store: Store) -> None:
    machines = [a_machine(name, scope) for scope in ("s", "t") for name in ("a", "b", "c")]
    await save(store, machines=tuple(reversed(machines)))
    assert await store.read(lambda r: r.list_machines(limit=4)) == machines[:4]
    assert await store.read(lambda r: r.list_machines(after=("t", "a"), limit=4)) == machines[4:]
    assert list(await store.read(lambda r: r.list_machines(after=("t", "c")))) == []


async def a_machine_that_is_gone_is_gone_even_if_it_changed_in_the_same_breath(store: Store) -> None:
    await save(store, machines=(a_machine("a", "s"), a_machine("b", "s")))
    await save(store, machines=(a_machine("a", "s", **DOWN),), gone=(("s", "a"), ("s", "never-was")))
    assert [machine.name for machine in await store.read(lambda r: r.machines("s"))] == ["b"]


async def a_scope_knows_whether_any_of_its_machines_runs(store: Store) -> None:
    async def runs() -> bool:
        (locked,) = await store.run(lambda tx: tx.lock("s"))
        (listed,) = await store.read(lambda r: r.list_scopes())
        assert locked == listed == await the_scope(store, "s")
        return locked.any_running

    await add(store, a_scope("s", any_running=False))
    assert await runs(), "a scope without machines counts as running"
    await save(store, machines=(a_machine("a", "s", **DOWN), a_machine("x", "other")))
    assert not await runs()
    await save(store, machines=(a_machine("b", "s"),))
    assert await runs()
    scope = await the_scope(store, "s")
    await change(store, scope, replace(scope, any_running=False))
    assert await runs(), "it is for the machines to tell"
    await save(store, gone=(("s", "b"),))
    assert not await runs()
