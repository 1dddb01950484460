"""The gallery shows every component in every state: whatever a part's template asks is answered there, both ways."""

from collections.abc import MutableMapping
from functools import partial
from typing import Any

import pytest
from jinja2 import Environment, FileSystemLoader, Template, nodes

from forewarn.domain.events import EventType, Phase
from forewarn.domain.machines import Power
from forewarn.portal.gallery import apart
from forewarn.portal.pages import templates, told
from forewarn.portal.texts import texts_of
from forewarn.portal.views.gallery import gallery_view
from forewarn.portal.views.waiting import Wait
from forewarn.testing.builders import NOON

Way = tuple[str, int, str, bool]
"""A template, a line, what is asked there, and the answer."""
FRAMES = {"layout.html", "bare.html", "gallery_parts.html"}
"""Neither pages nor parts of any."""
KINDS: dict[type[nodes.Node], tuple[str, tuple[bool, ...]]] = {
    nodes.If: ("test", (True, False)),
    nodes.CondExpr: ("test", (True, False)),
    nodes.For: ("iter", (True,)),
}
"""Where a template may go more than one way: what decides, and the answers there must have been."""


class Watching(FileSystemLoader):
    """Loads templates that tell which ways they go."""

    def __init__(self, folders: list[str]) -> None:
        super().__init__(folders)
        self.parts: set[str] = set()
        self.shown: set[str] = set()
        self.ways: set[Way] = set()
        self.taken: set[Way] = set()

    def load(self, environment: Environment, name: str, globals: MutableMapping[str, Any] | None = None) -> Template:
        source, filename, _ = self.get_source(environment, name)
        tree = environment.parse(source, name, filename)
        if name not in FRAMES and tree.find(nodes.Extends) is None:
            self.parts.add(name)
            self._watch(tree, name)
        tree.set_environment(environment)
        code = environment.compile(tree, name, filename)
        return environment.template_class.from_code(environment, code, environment.make_globals(globals))

    def _watch(self, tree: nodes.Template, name: str) -> None:
        for number, node in enumerate(list(tree.find_all(tuple(KINDS)))):
            field, answers = KINDS[type(node)]
            place = (name, node.lineno, f"{type(node).__name__} {number}")
            self.ways |= {(*place, answer) for answer in answers}
            setattr(node, field, _told(place, getattr(node, field)))
        for macro in list(tree.find_all(nodes.Macro)):
            place = (name, macro.lineno, f"Macro {macro.name}")
            self.ways.add((*place, True))
            macro.body.insert(0, nodes.ExprStmt(_told(place, nodes.Const(True))).set_lineno(macro.lineno))

    def tell(self, name: str, line: int, what: str, answer: object) -> object:
        self.taken.add((name, line, what, bool(answer)))
        return answer


def _told(place: tuple[str, int, str], asked: nodes.Expr) -> nodes.Expr:
    words: list[nodes.Expr] = [nodes.Const(word) for word in place]
    told = nodes.Call(nodes.Name("tell", "load"), [*words, asked], [], None, None)
    told.set_lineno(place[1])
    return told


@pytest.fixture(scope="module")
def watched() -> Watching:
    """The gallery has been rendered, and every template there is has been looked at."""
    loader = templates().loader
    assert isinstance(loader, FileSystemLoader)
    watching = Watching([str(path) for path in loader.searchpath])
    environment = templates().overlay(loader=watching, cache_size=400)
    environment.globals = {**environment.globals, "tell": watching.tell}
    frame = {
        "may_look": True,
        "may_act": True,
        "may_approve": True,
        "development": True,
        "csrf": "",
        "here": "/portal/",
    }
    who = {"who": "alice", "version": "1", "theme": "auto", "path": "/portal/_gallery", "now": NOON, "clock_rate": None}
    gallery = environment.get_template("gallery.html")
    gallery.render(
        t=texts_of("en"), gallery=gallery_view(NOON), apart=apart, told=partial(told, texts_of("en")), **frame, **who
    )
    watching.shown = set(watching.parts)
    for name in environment.list_templates():
        environment.get_template(name)
    return watching


def test_every_part_is_there_in_every_state(watched: Watching) -> None:
    assert watched.shown == watched.parts
    missing = "\n".join(map(str, sorted(watched.ways - watched.taken)))
    assert not missing, f"the gallery never goes here:\n{missing}"


def test_it_has_a_machine_in_each_state_and_with_each_kind_of_event() -> None:
    rows = [row for view in gallery_view(NOON).fleet.pages for group in view.groups for row in group.rows]
    assert {row.power for row in rows} == set(Power)
    told = {(row.pending.type, row.pending.phase) for row in rows if row.pending}
    assert told == {(kind, phase) for kind in EventType for phase in Phase if phase.is_live}


def test_it_has_an_event_that_waits_for_each_thing_there_is_to_wait_for() -> None:
    assert {one.wait for one in gallery_view(NOON).events.waits} == set(Wait)
