"""Which roles are given to whom: kept in the store, known in memory."""

from collections.abc import Iterable, Sequence, Set

from forewarn.access.audit import Audit
from forewarn.access.notes import ListNote
from forewarn.domain.access import Assignment, Right, allows, check_scope, gives_same
from forewarn.domain.errors import Conflict, NotFound
from forewarn.domain.events import Actor
from forewarn.domain.history import Entry, What
from forewarn.engine.ports import Transaction

NOTE = ListNote("access/assignments", Assignment)
MOST = 2000
FOREWARN = Actor.system("forewarn")


class Assignments:
    def __init__(self, audit: Audit, fixed: Iterable[Assignment] = (), kept: Iterable[Assignment] = ()) -> None:
        """`fixed`: those that nobody can take away."""
        self._audit = audit
        self._fixed = tuple(fixed)
        self._take(tuple(kept))

    def list(self) -> Sequence[Assignment]:
        return self._all

    def allows(self, principal: str, right: Right, at: str) -> bool:
        return allows(self._all, principal, right, at)

    async def put(self, assignment: Assignment, by: Actor = FOREWARN, *, new: bool = False) -> None:
        """Make it, or change the one with its id. When this returns, it holds and is durable.

        `new`: Conflict if there is one with its id, or one that gives the same.
        """
        check_scope(assignment.scope)
        self._not_fixed(assignment.id)

        def work(tx: Transaction) -> tuple[tuple[Assignment, ...], list[Entry]]:
            kept = NOTE.read(tx)
            if new and any(
                given.id == assignment.id or gives_same(given, assignment) for given in (*self._fixed, *kept)
            ):
                raise Conflict("The role assignment already exists.")
            others = [given for given in kept if given.id != assignment.id]
            if len(others) >= MOST:
                raise Conflict(f"There are {MOST:,} role assignments, and there may be no more: delete one first.")
            before = next((_told(given) for given in kept if given.id == assignment.id), "")
            told = self._audit.entry(by, What.GRANTED, assignment.principal, before=before, after=_told(assignment))
            return NOTE.write(tx, (*others, assignment)), [told]

        await self._audit.run(work, self._take)

    async def delete(self, assignment_id: str, by: Actor = FOREWARN) -> Assignment:
        """The one that is no more."""
        self._not_fixed(assignment_id)

        def work(tx: Transaction) -> tuple[tuple[tuple[Assignment, ...], Assignment], list[Entry]]:
            known = NOTE.read(tx)
            gone = next((given for given in known if given.id == assignment_id), None)
            if gone is None:
                raise NotFound(f"There is no role assignment {assignment_id[:200]}.")
            kept = NOTE.write(tx, tuple(given for given in known if given is not gone))
            return (kept, gone), [self._revoked(gone, by)]

        _, gone = await self._audit.run(work, lambda done: self._take(done[0]))
        return gone

    async def forget(self, principals: Set[str], by: Actor = FOREWARN) -> None:
        """Take away all that these were given."""

        def work(tx: Transaction) -> tuple[tuple[Assignment, ...], list[Entry]]:
            known = NOTE.read(tx)
            gone = [self._revoked(given, by) for given in known if given.principal in principals]
            return NOTE.write(tx, tuple(given for given in known if given.principal not in principals)), gone

        await self._audit.run(work, self._take)

    def _revoked(self, given: Assignment, by: Actor) -> Entry:
        return self._audit.entry(by, What.REVOKED, given.principal, before=_told(given))

    def _not_fixed(self, assignment_id: str) -> None:
        if any(given.id == assignment_id for given in self._fixed):
            raise Conflict(
                "The local login's role is fixed: whoever can read the data directory has all rights anyway."
            )

    def _take(self, kept: tuple[Assignment, ...]) -> None:
        self._all = (*self._fixed, *kept)


async def load_assignments(audit: Audit, fixed: Iterable[Assignment]) -> Assignments:
    return Assignments(audit, fixed, await audit.store.read(NOTE.read))


def _told(given: Assignment) -> str:
    return f"{given.role.value} on {given.scope}"
