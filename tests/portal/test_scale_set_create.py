"""Creating a scale set in the portal, step by step, with nothing but forms."""

from datetime import timedelta

import pytest

from forewarn.domain.access import Role
from tests.access.asking import Answer
from tests.arm.compute import SET, SETS, a_set
from tests.arm.rig import RG, S
from tests.portal.forms import form_to
from tests.portal.sets import CREATE, Portal, a_portal

HOSTILE = "<script>alert('x')</script>"
NAMES = ("basics", "spot", "networking", "scaling", "management", "health", "tags", "review")


class Walk:
    """A browser without scripts, on its way through the steps."""

    def __init__(self, portal: Portal) -> None:
        self._portal = portal
        self.html = portal.look(CREATE)

    @property
    def step(self) -> str:
        return form_to(self.html, CREATE).fields["step"]

    def go(self, press: str = "next", **typed: str) -> Answer:
        answer = self._portal.visit("POST", CREATE, form_to(self.html, CREATE).filled(typed, press))
        self.html = answer.body.decode()
        return answer


def ready(portal: Portal, **typed: str) -> Walk:
    """At the review, with a name and whatever else is typed on the first step."""
    walk = Walk(portal)
    walk.go("review", name="web", **typed)
    return walk


def test_the_steps_of_the_seed_make_a_set_that_announces_deletes() -> None:
    portal = a_portal()
    walk = Walk(portal)
    steps = [walk.step]
    typed = {
        "basics": {"name": "web", "size": "Standard_D4s_v5", "location": "westeurope"},
        "scaling": {"count": "3", "scale_in": "OldestVM"},
        "management": {"notify": "on", "delay": "10"},
        "health": {"repairs": "on", "grace": "30", "action": "Reimage"},
        "tags": {"tags": "team = web\n\nwhere=there"},
    }
    while walk.step != "review":
        answer = walk.go(**typed.get(walk.step, {}))
        assert answer.status == 200, walk.html
        steps.append(walk.step)
    assert tuple(steps) == NAMES
    assert "Validation passed" in walk.html
    assert f"PUT {SET}" in walk.html
    assert "&#34;notBeforeTimeout&#34;: &#34;PT10M&#34;" in walk.html
    answer = walk.go("create")
    assert (answer.status, answer.headers["location"]) == (303, "/portal/scale-sets/rg/web?done=created")
    made = portal.get(SET)
    assert (made["location"], made["tags"]) == ("westeurope", {"team": "web", "where": "there"})
    assert made["sku"] == {"name": "Standard_D4s_v5", "tier": "Standard", "capacity": 3}
    properties = made["properties"]
    assert properties["automaticRepairsPolicy"] == {
        "enabled": True,
        "gracePeriod": "PT30M",
        "repairAction": "Reimage",
    }
    assert properties["scaleInPolicy"] == {"rules": ["OldestVM"]}
    assert [machine.terminate_notice for machine in portal.members()] == [timedelta(minutes=10)] * 3
    subnet = f"{RG}/providers/Microsoft.Network/virtualNetworks/webVNET/subnets/webSubnet"
    assert portal.get(subnet)["name"] == "webSubnet"
    assert "The scale set was created." in portal.look(answer.headers["location"])


def test_a_group_that_is_new_is_made_first() -> None:
    portal = a_portal()
    walk = ready(portal, group_is="new", new_group="shop")
    walk.go("create")
    assert portal.get(f"{S}/resourceGroups/shop")["location"] == "eastus"
    assert portal.names(f"{S}/resourceGroups/shop/providers/Microsoft.Compute/virtualMachineScaleSets") == ["web"]


def test_without_any_group_a_new_one_is_offered() -> None:
    portal = Portal()
    assert form_to(portal.look(CREATE), CREATE).fields["group_is"] == "new"
    assert Walk(portal).go(name="web").status == 400


def test_a_flexible_set_of_spot_instances_is_made() -> None:
    portal = a_portal()
    walk = Walk(portal)
    walk.go(name="web", mode="Flexible")
    walk.go("review", spot="on", eviction="Delete")
    walk.go("create")
    properties = portal.get(SET)["properties"]
    assert properties["orchestrationMode"] == "Flexible"
    model = properties["virtualMachineProfile"]
    assert (model["priority"], model["evictionPolicy"]) == ("Spot", "Delete")
    assert len(portal.members()) == 2


def test_one_may_go_back_and_finds_what_was_typed() -> None:
    walk = Walk(a_portal())
    walk.go(name="web", admin="somebody")
    walk.go("networking", spot="on")
    walk.go("tags")
    walk.go("previous", tags="a=1\nb=2")
    assert walk.step == "health"
    walk.go("basics")
    fields = form_to(walk.html, CREATE).fields
    assert [fields[name] for name in ("name", "admin", "spot", "tags")] == ["web", "somebody", "on", "a=1\nb=2"]


@pytest.mark.parametrize(
    ("step", "typed", "field", "says"),
    [
        pytest.param("basics", {"name": ""}, "name", "A name has 1 to 80 letters", id="no-name"),
        pytest.param("basics", {"name": "a/b?c"}, "name", "A name has 1 to 80 letters", id="bad-name"),
        pytest.param("basics", {"name": "web", "group_is": "new"}, "new_group", "A resource group", id="no-group"),
        pytest.param(
            "basics", {"name": "web", "group_is": "new", "new_group": "RG"}, "new_group", "already", id="old-group"
        ),
        pytest.param("basics", {"name": "web", "group": "gone"}, "group", "Choose a resource", id="gone-group"),
        pytest.param("basics", {"name": "web", "admin": " "}, "admin", "This is needed.", id="no-admin"),
        pytest.param("basics", {"name": "web", "size": "huge"}, "size", "Choose one of those", id="no-size"),
        pytest.param("networking", {"network": "a/b"}, "network", "This cannot be a name", id="bad-network"),
        pytest.param("scaling", {"count": "x"}, "count", "from 0 to 1000", id="no-count"),
        pytest.param("scaling", {"count": "1001"}, "count", "from 0 to 1000", id="large-count"),
        pytest.param("management", {"notify": "on", "delay": "4"}, "delay", "from 5 to 15", id="short"),
        pytest.param("management", {"notify": "on", "delay": "16"}, "delay", "from 5 to 15", id="long"),
        pytest.param("management", {"notify": "on", "delay": "x"}, "delay", "from 5 to 15", id="no-delay"),
        pytest.param("health", {"repairs": "on", "grace": "9"}, "grace", "from 10 to 90", id="short-grace"),
        pytest.param("tags", {"tags": "ok=1\nwrong"}, "tags", "“wrong” is no tag", id="no-tag"),
    ],
)
def test_what_is_wrong_is_said_beside_the_field_and_again_on_the_review(
    step: str, typed: dict[str, str], field: str, says: str
) -> None:
    portal = a_portal()
    walk = Walk(portal)
    if step != "basics":
        walk.go(step, name="web")
    answer = walk.go(**typed)
    assert (answer.status, walk.step) == (400, step)
    error = walk.html.partition(f'<p id="{field}-error" class="error">')[2].partition("</p>")[0]
    assert says in error
    assert f"{field}-error" in walk.html.partition("aria-describedby=")[2]
    answer = walk.go("review", **typed)
    assert (answer.status, walk.step) == (400, "review")
    assert says in walk.html
    form = form_to(walk.html, CREATE)
    assert ("go", "create") not in form.buttons
    assert portal.visit("POST", CREATE, {**form.fields, "go": "create"}).status == 400
    assert portal.names(SETS) == []


def test_a_delay_does_not_matter_where_nobody_wants_it() -> None:
    walk = Walk(a_portal())
    walk.go("management", name="web")
    walk.go(notify="off", delay="x")
    assert walk.step == "health"


def test_spot_instances_cannot_have_notifications() -> None:
    walk = Walk(a_portal())
    walk.go("spot", name="web")
    walk.go("management", spot="on")
    walk.go(notify="on", delay="5")
    assert walk.step == "management"
    assert "Terminate notifications cannot be enabled on Spot or low-priority instances." in walk.html


def test_a_set_that_is_there_is_never_changed() -> None:
    portal = a_portal()
    walk = ready(portal)
    portal.made(SET, a_set(5))
    answer = walk.go("create")
    assert (answer.status, "There is a scale set web in rg already" in walk.html) == (400, True)
    assert portal.get(SET)["sku"]["capacity"] == 5


def test_a_network_that_is_there_is_used_as_it_is() -> None:
    portal = a_portal()
    network = f"{RG}/providers/Microsoft.Network/virtualNetworks/mine"
    portal.put(network, {"location": "eastus", "properties": {"subnets": [{"name": "first", "properties": {}}]}})
    walk = Walk(portal)
    walk.go("networking", name="web")
    walk.go("review", network="mine", subnet="first")
    assert f"PUT {network}" not in walk.html
    walk.go("create")
    assert [subnet["name"] for subnet in portal.get(network)["properties"]["subnets"]] == ["first"]


def test_a_refusal_is_shown_on_the_review_and_what_was_made_so_far_is_used() -> None:
    portal = a_portal()
    walk = Walk(portal)
    walk.go("tags", name="web", group_is="new", new_group="shop")
    walk.go("review", tags=f"{'n' * 513}=v")
    answer = walk.go("create")
    assert (answer.status, walk.step) == (400, "review")
    assert "The control plane refused it:" in walk.html
    assert "A tag&#39;s name has 1 to 512 characters" in walk.html
    walk.go("tags")
    walk.go("review", tags="")
    assert walk.go("create").status == 303
    assert portal.get(f"{S}/resourceGroups/shop")["name"] == "shop"


def test_a_reader_is_refused() -> None:
    portal = a_portal()
    portal.admit("reader", Role.READER)
    form = {**form_to(portal.look(CREATE), CREATE).fields, "name": "web", "go": "create"}
    assert portal.visit("GET", CREATE, who="reader").status == 403
    assert portal.visit("POST", CREATE, {**form, "csrf": portal.csrf("reader")}, who="reader").status == 403
    assert portal.names(SETS) == []


def test_a_form_of_another_site_is_refused() -> None:
    portal = a_portal()
    form = {**form_to(portal.look(CREATE), CREATE).fields, "name": "web", "go": "create", "csrf": "guessed"}
    assert portal.visit("POST", CREATE, form).status == 403
    assert portal.names(SETS) == []


def test_hostile_text_is_shown_as_text_on_every_step() -> None:
    portal = a_portal()
    form = {name: f'"{HOSTILE}' for name in form_to(portal.look(CREATE), CREATE).fields if name != "csrf"}
    for step in NAMES:
        html = portal.visit("POST", CREATE, {**form, "csrf": portal.csrf(), "go": step}).body.decode()
        assert "alert(" in html
        assert "<script>" not in html
        assert 'value=""<' not in html


def test_nonsense_leads_to_the_first_step() -> None:
    portal = a_portal()
    answer = portal.visit("POST", CREATE, {"csrf": portal.csrf(), "step": "nowhere", "go": "elsewhere"})
    assert form_to(answer.body.decode(), CREATE).fields["step"] == "basics"


def test_it_is_also_in_french() -> None:
    portal = a_portal()
    portal.language = "fr"
    walk = Walk(portal)
    walk.go("management", name="web")
    for words in ("Gestion", "Arrêt d&#39;instance", "Notification d&#39;arrêt d&#39;instance", "Vérifier + créer"):
        assert words in walk.html
