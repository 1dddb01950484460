"""Campaigns in the portal: begun after a look at what would happen, followed, steered; and not by everybody."""

import re
from itertools import product

import pytest

from forewarn.domain.access import Role
from forewarn.domain.campaigns import Campaign, CampaignState
from forewarn.domain.events import Event
from forewarn.portal.texts import LANGUAGES, texts_of
from forewarn.portal.views.campaigns import STEERED, Standing
from forewarn.portal.views.rolling import Pace, StepState
from forewarn.testing.builders import NOON, SOMEBODY, a_campaign
from forewarn.wire.fleetfile import parse
from tests.access.asking import Answer
from tests.portal.forms import form_to
from tests.portal.sets import Portal

CAMPAIGNS = "/portal/campaigns"
NEW = f"{CAMPAIGNS}/new"
ONE = f"{CAMPAIGNS}/C0FFEE"
FLEET = """
[machine.solo]
[availability_set.db]
machines = 3
update_domains = 3
[scale_set.web]
instances = 102
"""


@pytest.fixture
def portal() -> Portal:
    portal = Portal()
    portal.run(portal.engine.load_fleet(parse(FLEET, "t.toml").fleet, "first"))
    portal.admit("reader", Role.READER)
    return portal


def send(portal: Portal, **form: str) -> Answer:
    """The form for a new campaign; a field of a set begins with `scope_`."""
    fields = {name.replace("scope_", "scope:"): value for name, value in form.items()}
    return portal.visit("POST", NEW, {"csrf": portal.csrf(), "type": "Reboot", "where": "some", **fields})


def campaigns(portal: Portal) -> list[Campaign]:
    return list(portal.run(portal.store.read(lambda reader: reader.list_campaigns())))


def live(portal: Portal) -> list[Event]:
    return list(portal.run(portal.store.read(lambda reader: reader.list_events())))


def begun(portal: Portal) -> None:
    """A campaign over db, in its first update domain."""
    portal.run(portal.engine.begin_campaign(a_campaign("C0FFEE", scopes=("db",), requested_at=NOON)))
    portal.advance(seconds=0)


def pressed(portal: Portal, verb: str, *, who: str = "local", csrf: str | None = None) -> Answer:
    form = {"csrf": portal.csrf(who) if csrf is None else csrf}
    return portal.visit("POST", f"{ONE}/{verb}", form, who=who)


def test_there_is_none_at_first_and_a_way_to_begin_one(portal: Portal) -> None:
    page = portal.look(CAMPAIGNS)
    assert "There has been no campaign yet." in page
    assert f'href="{NEW}"' in page


def test_a_preview_says_what_will_happen_and_does_none_of_it(portal: Portal) -> None:
    answer = send(portal, scope_web="on", scope_db="on", do="preview")
    page = re.sub(r"\s+", " ", answer.body.decode())
    assert answer.status == 200
    assert "3 scopes with 105 machines; 2 to 5 update domains each." in page
    assert "db, update domain 0: one machine gets Reboot." in page
    assert 'NotBefore <time datetime="2030-01-01T12:15:00Z">' in page
    assert "In 3 scopes no machine asks for its events" in page
    assert campaigns(portal) == []


def test_what_was_previewed_is_what_happens(portal: Portal) -> None:
    review = send(portal, scope_db="on", notice="20m", pause="10m", description="Patches", do="preview")
    answer = portal.visit("POST", NEW, form_to(review.body.decode(), NEW).filled({}, "begin"))
    (campaign,) = campaigns(portal)
    assert (answer.status, answer.headers["location"]) == (303, f"{CAMPAIGNS}/{campaign.id}")
    assert campaign.requested_by.name == "local"
    portal.advance(seconds=0)
    (event,) = live(portal)
    assert (event.resources, event.description) == (("db-0",), "Patches")
    assert 'datetime="2030-01-01T12:20:00Z"' in review.body.decode()
    assert f"{event.not_before:%H:%M}" == "12:20"


def test_a_preview_can_be_changed_and_nothing_is_lost(portal: Portal) -> None:
    review = send(portal, scope_db="on", scope_web="on", notice="20m", do="preview")
    form = portal.visit("POST", NEW, form_to(review.body.decode(), NEW).filled({}, "change"))
    fields = form_to(form.body.decode(), NEW).fields
    assert (fields["notice"], fields["type"], fields["where"]) == ("20m", "Reboot", "some")
    assert {"scope:db", "scope:web"} <= fields.keys()
    assert "scope:solo" not in fields


def test_everywhere_is_every_scope(portal: Portal) -> None:
    send(portal, where="all", type="Freeze", do="begin")
    (campaign,) = campaigns(portal)
    assert set(campaign.scopes) == {"solo", "db", "web:0", "web:1"}


def test_scopes_can_be_named_where_there_are_too_many_to_tick_off(portal: Portal) -> None:
    many = "\n".join(f"[machine.vm{number}]" for number in range(101))
    portal.run(portal.engine.load_fleet(parse(many, "t.toml").fleet, "second"))
    assert '<textarea id="names"' in portal.look(NEW)
    send(portal, names="vm3\r\n vm5, vm3", do="begin")
    assert campaigns(portal)[0].scopes == ("vm3", "vm5")


@pytest.mark.parametrize(
    ("form", "field", "told"),
    [
        pytest.param({}, "scopes", "Choose at least one scope", id="nowhere"),
        pytest.param({"scope_db": "on", "notice": "1m"}, "notice", "at least 15m", id="notice"),
        pytest.param({"scope_db": "on", "pause": "400d"}, "pause", "The recovery pause is between", id="pause"),
        pytest.param({"scope_db": "on", "type": "Terminate"}, "type", "Choose what", id="type"),
    ],
)
def test_a_wrong_form_is_shown_again_with_what_was_filled_in(
    portal: Portal, form: dict[str, str], field: str, told: str
) -> None:
    answer = send(portal, description="kept", do="preview", **form)
    page = answer.body.decode()
    assert answer.status == 400
    assert re.search(rf'id="{field}-error">[^<]*{told}', page)
    assert 'value="kept"' in page
    assert campaigns(portal) == []


def test_a_scope_that_another_campaign_has_taken_meanwhile_is_refused(portal: Portal) -> None:
    begun(portal)
    for step in ("preview", "begin"):
        answer = send(portal, scope_db="on", do=step)
        assert answer.status == 400
        assert "is still under way in db" in answer.body.decode()
    assert "a campaign is under way" in portal.look(NEW)
    assert len(campaigns(portal)) == 1


def test_the_list_and_the_page_tell_how_far_it_is(portal: Portal) -> None:
    begun(portal)
    assert f'href="{ONE}"' in portal.look(CAMPAIGNS)
    page = portal.look(ONE)
    assert re.findall(r'<li class="(notice|done|waits)"', page) == ["notice", "waits", "waits"]
    assert "Update domain 0 has been told of a Reboot" in page
    portal.advance(minutes=15)
    page = portal.look(f"{ONE}/progress")
    assert "<html" not in page
    assert re.findall(r'<li class="(notice|done|waits)"', page) == ["done", "waits", "waits"]
    assert "update domain 1 follows in" in page
    assert "1 of 3 update domains done" in page
    portal.advance(hours=3)
    assert "completed" in portal.look(f"{CAMPAIGNS}/table")


def test_it_is_paused_and_resumed(portal: Portal) -> None:
    begun(portal)
    assert pressed(portal, "pause").status == 303
    assert campaigns(portal)[0].state is CampaignState.PAUSED
    page = portal.look(ONE)
    assert f'action="{ONE}/resume"' in page
    assert f'action="{ONE}/pause"' not in page
    assert pressed(portal, "resume").status == 303
    assert campaigns(portal)[0].state is CampaignState.RUNNING


def test_cancelling_says_first_what_it_would_do(portal: Portal) -> None:
    begun(portal)
    page = portal.look(f"{ONE}/cancel")
    assert "Announced events that are called off: 1" in page
    assert "Reboot of db-0 (db)" in page
    assert "Update domains that are never reached: 2" in page
    assert campaigns(portal)[0].state is CampaignState.RUNNING, "to look changes nothing"
    assert pressed(portal, "cancel").status == 303
    assert live(portal) == []
    assert "cancelled" in portal.look(ONE)
    assert "there is nothing left to cancel" in portal.look(f"{ONE}/cancel")
    assert pressed(portal, "resume").status == 409


def test_a_reader_sees_campaigns_and_no_buttons_and_the_server_refuses_them(portal: Portal) -> None:
    begun(portal)
    for place in (CAMPAIGNS, ONE):
        page = portal.look(place, who="reader")
        assert "C0FFEE" in page
        assert '<form method="post" action="/portal/campaigns' not in page
        assert NEW not in page
        assert f"{ONE}/cancel" not in page
    for verb in ("pause", "resume", "cancel"):
        assert pressed(portal, verb, who="reader").status == 403
    assert portal.visit("GET", NEW, who="reader").status == 403
    assert portal.visit("GET", f"{ONE}/cancel", who="reader").status == 403
    form = {"csrf": portal.csrf("reader"), "type": "Reboot", "where": "all", "do": "begin"}
    assert portal.visit("POST", NEW, form, who="reader").status == 403
    assert [campaign.state for campaign in campaigns(portal)] == [CampaignState.RUNNING]


@pytest.mark.parametrize(
    ("place", "csrf"),
    [
        pytest.param(place, csrf, id=f"{place.rpartition('/')[2]}-{'wrong' if csrf else 'missing'}")
        for place, csrf in product((NEW, f"{ONE}/pause", f"{ONE}/resume", f"{ONE}/cancel"), ("", "f" * 64))
    ],
)
def test_a_form_from_elsewhere_is_refused(portal: Portal, place: str, csrf: str) -> None:
    begun(portal)
    form = {"type": "Reboot", "where": "all", "do": "begin", **({"csrf": csrf} if csrf else {})}
    assert portal.visit("POST", place, form).status == 403
    assert [campaign.state for campaign in campaigns(portal)] == [CampaignState.RUNNING]


@pytest.mark.parametrize("place", [ONE, f"{ONE}/progress", f"{ONE}/cancel"])
def test_a_campaign_that_is_not_there_is_not_found(portal: Portal, place: str) -> None:
    answer = portal.visit("GET", place)
    assert answer.status == 404
    assert "There is no campaign C0FFEE" in answer.body.decode()


def test_what_somebody_describes_is_never_markup(portal: Portal) -> None:
    campaign = a_campaign("C0FFEE", scopes=("db",), description='<b>"', requested_by=SOMEBODY)
    portal.run(portal.engine.begin_campaign(campaign))
    for place in (CAMPAIGNS, ONE):
        assert "<b>" not in portal.look(place)


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_is_a_word_for_every_state(language: str) -> None:
    words = texts_of(language)
    for state in StepState:
        assert words(f"rolling.states.{state.value}")
    for pace in Pace:
        assert words(f"rolling.paces.{pace.value}")
        assert pace.tone
    for standing in Standing:
        assert words(f"campaigns.standings.{standing.value}")
        assert standing.tone
    for verb in {verb for verbs in STEERED.values() for verb in verbs}:
        assert words(f"campaigns.verbs.{verb}")


def test_the_pages_speak_french(portal: Portal) -> None:
    portal.language = "fr"
    begun(portal)
    assert "Lancer une campagne" in portal.look(CAMPAIGNS)
    assert "Suspendre" in portal.look(ONE)
    assert "Ce qui va se passer" in send(portal, scope_solo="on", do="preview").body.decode()
    assert "Annuler la campagne ?" in portal.look(f"{ONE}/cancel")
