"""The pages of events: what they show, to whom, and what people decide there."""

import pytest

from forewarn.domain.consent import ApprovalPolicy, Rule
from forewarn.domain.events import Actor, Phase
from forewarn.testing.builders import a_campaign
from tests.portal.fleets import NASTY, SCOPE, FleetPortal, actions_in

EVENTS = "/portal/events"


@pytest.fixture
def portal() -> FleetPortal:
    return FleetPortal()


@pytest.fixture
def delete(portal: FleetPortal) -> str:
    """The page of a delete of web_1 that is announced."""
    return portal.do("delete", SCOPE, "web_1")


def id_of(page: str) -> str:
    return page.rpartition("/")[2]


def test_an_event_tells_what_it_waits_for_who_did_what_and_how_each_version_shows_it(
    portal: FleetPortal, delete: str
) -> None:
    html = portal.look(delete)
    assert "<h1>Terminate of web_1</h1>" in html
    assert f"Waits for approval by any machine of {SCOPE}, or " in html
    assert html.count('datetime="2030-01-01T12:10:00Z"') >= 2
    assert "Approved by you, it starts at once." in html
    assert "Scheduled Terminate of web_1</span></td>" in html, "the history's entry"
    assert html.count('id="document-') == 7
    assert "This api-version has no Terminate" in html


def test_the_parts_that_change_can_be_fetched_alone(portal: FleetPortal, delete: str) -> None:
    state, documents = portal.look(f"{delete}/state"), portal.look(f"{delete}/documents")
    assert "<html" not in state + documents
    assert "Waits for approval" in state
    assert "DocumentIncarnation" in documents


def test_an_approval_starts_it_and_the_page_says_so(portal: FleetPortal, delete: str) -> None:
    assert portal.sent(delete, f"{delete}/approve") == delete
    html = portal.look(delete)
    assert "Started; under way for" in html
    assert actions_in(html) == []
    portal.advance(seconds=1)
    html = portal.look(delete)
    assert "Over: it waits for nothing." in html
    assert "The event is over: the document no longer tells of it." in html
    assert [
        word for word in ("scheduled", "approved", "started", "completed") if f'<th scope="row">{word}</th>' in html
    ] == ["scheduled", "approved", "started", "completed"]


def test_an_approved_delete_waits_for_another_which_is_named(portal: FleetPortal, delete: str) -> None:
    other = portal.do("delete", SCOPE, "web_2")
    assert "it still waits for the scale set" in portal.look(delete)
    portal.sent(delete, f"{delete}/approve")
    html = portal.look(delete)
    assert f'Approved; waits for <a href="{other}">Terminate of web_2</a>' in html
    assert actions_in(html) == [], "one more approval would change nothing"
    assert f'href="{delete}/cancel"' in html


def test_calling_it_off_is_told_before_it_is_done(portal: FleetPortal, delete: str) -> None:
    other = portal.do("delete", SCOPE, "web_2")
    portal.sent(other, f"{other}/approve")
    html = portal.look(f"{delete}/cancel")
    assert "Cancel Terminate of web_1?" in html
    assert "start at once:" in html
    assert f'<a href="{other}">Terminate of web_2</a>' in html
    assert portal.event(id_of(delete)).phase is Phase.SCHEDULED, "a preview changes nothing"
    assert portal.sent(f"{delete}/cancel", f"{delete}/cancel", why="not today") == delete
    html = portal.look(delete)
    assert "Cancelled" in html
    assert "not today" in html
    assert portal.event(id_of(other)).phase is Phase.STARTED


def test_what_has_started_cannot_be_called_off(portal: FleetPortal, delete: str) -> None:
    portal.sent(delete, f"{delete}/approve")
    assert f'href="{delete}/cancel"' not in portal.look(delete)
    assert portal.visit("GET", f"{delete}/cancel").status == 409
    assert portal.post(f"{delete}/cancel").status == 409


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        pytest.param(ApprovalPolicy(rule=Rule.ALL_NAMED), "Waits until all have said yes: ", id="all-named"),
        pytest.param(ApprovalPolicy(rule=Rule.K_OF_N, count=2), "Waits until 1 more have said yes, of: ", id="k-of-n"),
        pytest.param(ApprovalPolicy(rule=Rule.HUMAN), "Waits for approval by a person, or ", id="human"),
    ],
)
def test_the_policy_of_the_scope_is_told_in_words(
    portal: FleetPortal, delete: str, policy: ApprovalPolicy, says: str
) -> None:
    portal.run(portal.engine.set_policy([SCOPE], policy, Actor.user("alice")))
    assert says in portal.look(delete)


def test_who_is_ready_and_who_no_longer_is_told(portal: FleetPortal, delete: str) -> None:
    for ready, says in ((True, ">ready</span>"), (False, "no longer ready")):
        portal.run(portal.engine.say_ready(SCOPE, id_of(delete), "web_1", ready))
        assert says in portal.look(delete)


def test_an_event_of_a_campaign_leads_to_it(portal: FleetPortal) -> None:
    campaign = a_campaign("C1", scopes=("solo",), requested_at=portal.clock.now())
    portal.run(portal.engine.begin_campaign(campaign))
    portal.run(portal.engine.tick("solo"))
    (event,) = portal.live()
    page = f"{EVENTS}/{event.id}"
    assert 'href="/portal/campaigns/C1"' in portal.look(page)
    assert "It is part of campaign C1" in portal.look(f"{page}/cancel")


# Who may


def test_a_reader_sees_no_buttons_and_is_refused(portal: FleetPortal, delete: str) -> None:
    html = portal.look(delete, who="reader")
    assert (actions_in(html), f'href="{delete}/cancel"' in html) == ([], False)
    for path in (f"{delete}/approve", f"{delete}/cancel"):
        assert portal.post(path, who="reader").status == 403
    assert portal.visit("GET", f"{delete}/cancel", who="reader").status == 403
    assert portal.event(id_of(delete)).approvals == ()


def test_who_may_only_let_events_start_sees_that_button_alone(portal: FleetPortal, delete: str) -> None:
    html = portal.look(delete, who="approver")
    assert (actions_in(html), f'href="{delete}/cancel"' in html) == ([f"{delete}/approve"], False)
    assert portal.post(f"{delete}/cancel", who="approver").status == 403
    assert portal.post(f"{delete}/approve", who="approver").status == 303


@pytest.mark.parametrize("action", ["approve", "cancel"])
def test_a_form_of_another_site_is_refused(portal: FleetPortal, delete: str, action: str) -> None:
    for form in ({}, {"csrf": ""}, {"csrf": portal.csrf("reader")}):
        assert portal.visit("POST", f"{delete}/{action}", form).status == 403
    event = portal.event(id_of(delete))
    assert (event.phase, event.approvals) == (Phase.SCHEDULED, ())


@pytest.mark.parametrize("path", ["/NOPE", "/NOPE/state", "/NOPE/documents", "/NOPE/cancel", "/%3Cb%3E"])
def test_an_unknown_event_is_not_found(portal: FleetPortal, path: str) -> None:
    answer = portal.visit("GET", EVENTS + path)
    assert (answer.status, b"There is no event" in answer.body, b"<b>" in answer.body) == (404, True, False)
    assert portal.post(f"{EVENTS}/NOPE/approve").status == 404


def test_nasty_names_are_shown_as_text(portal: FleetPortal) -> None:
    page = portal.do("restart", NASTY, NASTY)
    html = "".join(map(portal.look, (page, f"{page}/cancel", EVENTS, f"{EVENTS}?show=all", "/portal/")))
    assert "<b>" not in html
    assert "&lt;b&gt;&amp;" in html
    assert "&amp;lt;" not in html, "and nothing is escaped twice"


# The list


def test_the_list_tells_of_what_is_live_or_of_all_there_ever_was(portal: FleetPortal, delete: str) -> None:
    over = portal.do("delete", SCOPE, "web_2")
    portal.sent(f"{over}/cancel", f"{over}/cancel")
    live, everything = portal.look(EVENTS), portal.look(f"{EVENTS}?show=all")
    assert (delete in live, over in live) == (True, False)
    assert "1 events" in live
    assert everything.index(over) < everything.index(delete), "the newest first"
    assert "<html" not in portal.look(f"{EVENTS}/table?show=all")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        pytest.param("?type=Terminate", True, id="the type"),
        pytest.param("?type=Reboot", False, id="another type"),
        pytest.param("?search=WEB_1", True, id="the machine"),
        pytest.param("?search=web_7", False, id="another machine"),
        pytest.param("?show=all&search=web_1", True, id="among all"),
        pytest.param("?show=nonsense&type=%3Cb%3E&page=-1&before=x", True, id="nonsense is as if it was not there"),
    ],
)
def test_the_list_is_filtered(portal: FleetPortal, delete: str, query: str, found: bool) -> None:
    html = portal.look(EVENTS + query)
    assert (f'href="{delete}"' in html) is found
    assert "<b>" not in html


def test_an_empty_list_says_so(portal: FleetPortal) -> None:
    assert "Nothing is announced or under way." in portal.look(EVENTS)
    assert "No event fits." in portal.look(f"{EVENTS}?show=all")


def test_it_is_also_in_french(portal: FleetPortal, delete: str) -> None:
    portal.language = "fr"
    html = portal.look(delete)
    assert "<h1>Terminate de web_1</h1>" in html
    assert f"Attend l&#39;approbation d&#39;une machine quelconque de {SCOPE}" in html
    assert "Annuler Terminate de web_1 ?" in portal.look(f"{delete}/cancel")
