"""Whoever reads the portal in another language is refused in it; and where it has no words, the page says so."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

import pytest
from starlette.requests import Request

import forewarn
from forewarn.domain import errors
from forewarn.domain.errors import Conflict, ForewarnError, NotFound
from forewarn.portal.pages import told
from forewarn.portal.places import came_from
from forewarn.portal.ports import Answer
from forewarn.portal.texts import DEFAULT, LANGUAGES, texts_of
from tests.arm.compute import SET, a_set
from tests.portal.fleets import SCOPE, FleetPortal, deed_of
from tests.portal.sets import WEB, a_portal

SOURCE = Path(forewarn.__file__).parent
KINDS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, ForewarnError)}
OTHERS = [language for language in LANGUAGES if language != DEFAULT]
REACHED = (*(SOURCE.joinpath(part) for part in ("domain", "engine", "portal")), SOURCE / "access" / "service.py")
ELSEWHERE = {
    ("domain/access.py", "check_scope"),  # roles are given by ARM and by the command line
    ("domain/approving.py", "say_ready"),  # what a machine says of itself
    ("domain/consent.py", "policy_of"),  # approval policies are set by the command line
    ("domain/faults.py", "check"),  # faults are for those who try clients, over the API
    ("domain/rates.py", "read_rate"),  # --clock
    ("domain/rates.py", "rate_of"),
    ("engine/consenting.py", "_known_to"),  # what a machine says of itself
    ("engine/leaving.py", "begin"),  # availability sets
    ("engine/player.py", "clock_state"),  # when a fleet is started
    ("engine/seating.py", "_joined"),  # a virtual machine that joins a set
    ("access/service.py", "rotate_keys"),
    ("portal/ports.py", "refusal"),  # it has ARM's word as its key
}
"""Refusals that no form of the portal can provoke."""


@dataclass(frozen=True, kw_only=True)
class Site:
    """Where somebody says no."""

    file: str
    function: str
    line: int
    keys: tuple[str, ...]
    places: frozenset[str]
    """What the text names."""
    facts: frozenset[str]
    """What is given to fill in."""


def sites() -> Iterator[Site]:
    for root in REACHED:
        for path in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
            yield from _sites(ast.parse(path.read_text(encoding="utf-8")), str(path.relative_to(SOURCE)))


def _sites(tree: ast.Module, file: str) -> Iterator[Site]:
    homes = {
        id(inner): outer.name
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(outer)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KINDS:
            given = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
            key = given.pop("key", None)
            yield Site(
                file=file,
                function=homes.get(id(node), ""),
                line=node.lineno,
                keys=tuple(_strings(key)) if key is not None else (),
                places=frozenset(_places("".join(_strings(node.args[0])))) if node.args else frozenset(),
                facts=frozenset(given),
            )


def _strings(node: ast.expr) -> Iterator[str]:
    """The literal parts; of a choice, both."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _places(text: str) -> Iterator[str]:
    return (name for _, name, _, _ in Formatter().parse(text) if name)


KEYED = [site for site in sites() if (site.file, site.function) not in ELSEWHERE]


def test_every_refusal_that_a_form_can_provoke_has_a_key() -> None:
    assert [(site.file, site.line) for site in KEYED if not site.keys] == []
    assert {(site.file, site.function) for site in sites()} >= ELSEWHERE, "what is named there is still there"


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_has_words_for_each_of_them_and_for_nothing_else(language: str) -> None:
    words = texts_of(language).refusals
    known = {key for site in KEYED for key in site.keys}
    assert {key for key in words if not key.startswith("arm_")} == known
    for site in KEYED:
        assert site.places <= site.facts, (site.file, site.line)
        for key in site.keys:
            assert set(_places(words[key])) <= site.facts, key


def test_an_error_without_words_is_told_in_english_and_marked_so() -> None:
    error = Conflict("The <store> is {closed}.")
    assert told(texts_of("en"), error) == "The &lt;store&gt; is {closed}."
    framed = told(texts_of("fr"), error)
    assert framed == 'Le serveur a refusé, en anglais : <span lang="en">The &lt;store&gt; is {closed}.</span>'


def test_what_somebody_would_type_is_shown_as_such_and_nothing_else_is_markup() -> None:
    error = NotFound("There is no <x>. `forewarn fleet` lists <those>.")
    assert told(texts_of("en"), error) == "There is no &lt;x&gt;. <code>forewarn fleet</code> lists &lt;those&gt;."


def test_the_control_plane_s_own_words_are_known_by_arm_s_word_for_them() -> None:
    def refused(code: str) -> str:
        answer = Answer(status=409, body={"error": {"code": code, "message": "It is {so}."}})
        assert answer.refusal is not None
        return told(texts_of("fr"), answer.refusal)

    assert refused("InvalidTagCount") == "Une ressource porte au plus 50 étiquettes."
    assert refused("Another") == 'Le serveur a refusé, en anglais : <span lang="en">It is {so}.</span>'


@pytest.mark.parametrize(
    ("path", "form", "says"),
    [
        pytest.param("/portal/clock", {"advance": "x"}, "L&#39;horloge avance de 1m, 15m", id="the portal itself"),
        pytest.param(
            deed_of("restart", SCOPE, "x"), {}, "Il n&#39;y a pas de machine x dans rg/web:0.", id="a machine"
        ),
        pytest.param(deed_of("evict", SCOPE, "web_1"), {}, "Seule l&#39;éviction d&#39;une machine Spot", id="domain"),
        pytest.param("/portal/events/X/approve", {}, "Il n&#39;y a pas d&#39;événement X.", id="an event"),
    ],
)
def test_a_french_visitor_is_refused_in_french(path: str, form: dict[str, str], says: str) -> None:
    portal = FleetPortal()
    portal.language = "fr"
    answer = portal.post(path, **form)
    assert answer.status >= 400
    assert says in answer.body.decode()
    assert 'lang="en"' not in answer.body.decode().partition("<main")[2]


def test_a_french_reader_is_refused_in_french() -> None:
    portal = FleetPortal()
    portal.language = "fr"
    assert "n&#39;a pas le droit" in portal.post(deed_of("restart", SCOPE, "web_1"), who="reader").body.decode()


def test_what_the_control_plane_refuses_is_told_in_french() -> None:
    portal = a_portal()
    portal.made(SET, a_set(1))
    portal.language = "fr"
    answer = portal.visit("POST", f"{WEB}/scale", {"csrf": portal.csrf(), "capacity": "5000"})
    assert "Le nombre d&#39;instances (sku.capacity) va de 0 à" in answer.body.decode()


@pytest.mark.parametrize(
    ("referer", "back"),
    [
        pytest.param(
            "http://localhost:8443/portal/scale-sets/rg/web?page=2", "/portal/scale-sets/rg/web?page=2", id="ours"
        ),
        pytest.param("http://elsewhere/portal/events", "/portal/", id="another site's"),
        pytest.param("http://localhost:8443/portal/login?word=x", "/portal/", id="the way in"),
        pytest.param("", "/portal/", id="nobody's"),
    ],
)
def test_from_a_refusal_one_goes_back_to_where_one_came_from(referer: str, back: str) -> None:
    headers = [(b"host", b"localhost:8443"), (b"referer", referer.encode())]
    scope = {"type": "http", "scheme": "http", "path": "/portal/x", "query_string": b"", "headers": headers}
    assert came_from(Request(scope)) == back
