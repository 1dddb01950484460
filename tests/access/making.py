"""An Access for tests: a known login, one signing key for the whole run, a standing clock."""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from itertools import count

from forewarn.access.assignments import Assignments
from forewarn.access.audit import Audit
from forewarn.access.clients import Clients
from forewarn.access.files import RESOURCE, Local
from forewarn.access.keys import KeyRing, SigningKey, new_key
from forewarn.access.service import Access
from forewarn.domain.access import Assignment, Role
from forewarn.engine.ports import Store
from forewarn.testing.builders import NOON

TENANT = "11111111-1111-4111-8111-111111111111"
SUBSCRIPTION = "22222222-2222-4222-8222-222222222222"
SECRET = "a-secret-of-the-tests"  # the local login's
LOCAL = Local(tenant=TENANT, subscription=SUBSCRIPTION, client_id="local", client_secret=SECRET)


@cache
def a_key() -> SigningKey:
    """Making one takes a while."""
    return new_key(NOON)


def an_access(store: Store, wall: Callable[[], datetime] = lambda: NOON) -> Access:
    scope = f"/subscriptions/{SUBSCRIPTION}"
    audit = Audit(store, wall)
    secrets = count(1)
    fixed = Assignment(id="local", principal="local", role=Role.CONTRIBUTOR, scope=scope)
    return Access(
        local=LOCAL,
        keys=KeyRing([a_key()]),
        clients=Clients(LOCAL, audit),
        assignments=Assignments(audit, [fixed]),
        audit=audit,
        wall=wall,
        new_secret=lambda: f"secret-{next(secrets)}",
    )


def bearer(access: Access, principal: str = "local", audience: str = RESOURCE) -> dict[str, str]:
    """The header that says that this principal asks."""
    grant = access.issue(principal, name=principal, audience=audience)
    return {"Authorization": f"Bearer {grant.token}"}
