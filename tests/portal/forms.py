"""Forms as a browser without scripts would send them: what is on the page, changed where a person typed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class HtmlForm:
    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)

    def filled(self, typed: Mapping[str, str], press: str = "") -> dict[str, str]:
        """With what was typed; `press` is the value of the button."""
        assert typed.keys() <= self.fields.keys(), typed.keys() - self.fields.keys()
        pressed = [(name, value) for name, value in self.buttons if value == press]
        assert pressed or not press, f"there is no button {press}: {self.buttons}"
        return {**self.fields, **typed, **dict(pressed[:1])}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[HtmlForm] = []
        self._form: HtmlForm | None = None
        self._select = ""
        self._area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        name, value = told.get("name", ""), told.get("value", "")
        if tag == "form":
            self._form = HtmlForm(told["action"], told.get("method", "get"))
            self.forms.append(self._form)
        if self._form is None:
            return
        if tag == "input" and name and (told.get("type") not in ("radio", "checkbox") or "checked" in told):
            self._form.fields[name] = value
        elif tag == "input" and told.get("type") == "radio":
            self._form.fields.setdefault(name, "")
        elif tag == "button":
            self._form.buttons.append((name, value))
        elif tag == "select":
            self._select = name
            self._form.fields[name] = ""
        elif tag == "option" and self._select and ("selected" in told or not self._form.fields[self._select]):
            self._form.fields[self._select] = value
        elif tag == "textarea":
            self._area = name
            self._form.fields[name] = ""

    def handle_data(self, data: str) -> None:
        if self._form is not None and self._area:
            self._form.fields[self._area] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._select = ""
        elif tag == "textarea" and self._form is not None:
            self._form.fields[self._area] = self._form.fields[self._area].removeprefix("\n")
            self._area = ""


def forms_in(html: str) -> list[HtmlForm]:
    reader = _Reader()
    reader.feed(html)
    return reader.forms


def form_to(html: str, action: str) -> HtmlForm:
    found = [form for form in forms_in(html) if form.action == action]
    assert found, f"there is no form to {action}"
    return found[0]
