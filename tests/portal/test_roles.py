"""Who may do what in the portal: every place that takes a form is asked, also those that are added later."""

import pytest

from forewarn.domain.access import Right, Role
from tests.control.rig import Rig
from tests.portal.visiting import entered, routes

ONE_S_OWN = {"/portal/settings", "/portal/logout"}
"""What is taken here changes nothing of the fleet: it is for everybody who is logged in."""

MAY = {
    Right.WRITE: {Role.CONTRIBUTOR},
    Right.ACKNOWLEDGE: {Role.CONTRIBUTOR, Role.SCHEDULED_EVENT_CONTRIBUTOR},
}


def right_for(path: str) -> Right:
    """Letting an event start is a right of its own; all else that is taken needs the right to write."""
    return Right.ACKNOWLEDGE if path.endswith("/approve") else Right.WRITE


@pytest.mark.parametrize("role", Role, ids=lambda role: role.value)
def test_each_form_needs_its_right_before_anything_else_about_it_matters(rig: Rig, role: Role) -> None:
    visitor = entered(rig, "anna", role)
    paths = set(routes(rig, "POST"))
    assert paths >= ONE_S_OWN
    for path in paths - ONE_S_OWN:
        refused = visitor.post(path).status == 403
        assert refused is (role not in MAY[right_for(path)]), path


@pytest.mark.parametrize("role", Role, ids=lambda role: role.value)
def test_everybody_with_a_role_looks_at_every_page_that_is_no_form(rig: Rig, role: Role) -> None:
    visitor = entered(rig, "anna", role)
    for path in set(routes(rig, "GET")) - set(routes(rig, "POST")):
        assert visitor.ask("HEAD", path).status != 403, path


@pytest.mark.parametrize("role", [Role.READER, Role.SCHEDULED_EVENT_CONTRIBUTOR], ids=lambda role: role.value)
def test_who_may_not_write_is_offered_no_form_that_does(rig: Rig, role: Role) -> None:
    visitor = entered(rig, "anna", role)
    for path in routes(rig, "GET"):
        if path != "/portal/stream":
            page = visitor.get(path).text
            offered = {part.partition('"')[0] for part in page.split('method="post" action="')[1:]}
            assert {one for one in offered - ONE_S_OWN if not one.endswith("/approve")} == set(), path


def test_a_refusal_is_on_record(rig: Rig) -> None:
    entered(rig, "anna", Role.READER).post("/portal/clock", advance="1m")
    rig.run(rig.access.refusals.write())
    entries = rig.get("/forewarn/v1/history?what=refused")["items"]
    assert [entry["who"]["name"] for entry in entries] == ["anna"]
