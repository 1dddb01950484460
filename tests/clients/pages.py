"""The code samples of Azure's pages, taken from the pages, with their known typing errors corrected, nothing else."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Language(Enum):
    CURL = "curl"
    PYTHON = "Python"
    CSHARP = "C#"
    POWERSHELL = "PowerShell"
    AZURE_POWERSHELL = "Azure PowerShell"
    AZURE_CLI = "Azure CLI"
    REST = "REST call"  # a method, an address and a body, for no program in particular
    SHAPE = "JSON shape"  # what an answer or a body looks like, with gaps to fill


LABELS = {
    "python": Language.PYTHON,
    "csharp": Language.CSHARP,
    "powershell": Language.POWERSHELL,
    "azurepowershell-interactive": Language.AZURE_POWERSHELL,
    "azurecli-interactive": Language.AZURE_CLI,
    "json": Language.REST,
}
OPENINGS = {"curl ": Language.CURL, "PUT on ": Language.REST, "{": Language.SHAPE}
ONE_PROGRAM = {
    Language.CSHARP,
    Language.CURL,
    Language.AZURE_CLI,
    Language.REST,
}  # what a page has of it belongs together


USINGS = "".join(
    f"using {name};\n" for name in ("System", "System.Collections.Generic", "System.Net", "Newtonsoft.Json")
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Error:
    what: str
    language: Language
    wrong: str  # both are patterns of `re`
    right: str
    given: str = ""  # it is an error only where this stands, too


ERRORS = (
    Error(
        what="`eventype` for `eventtype`",
        language=Language.PYTHON,
        wrong=r"\beventype\b",
        right="eventtype",
        given="eventtype =",
    ),
    Error(what="no `using` lines", language=Language.CSHARP, wrong=r"\A(?!using )", right=USINGS),
    Error(
        what="`GetDocument` for `GetScheduledEvents`",
        language=Language.CSHARP,
        wrong=r"\bclient\.GetDocument\b",
        right="client.GetScheduledEvents",
        given="string GetScheduledEvents()",
    ),
    Error(
        what="the keyword `event` as a name",
        language=Language.CSHARP,
        wrong=r"(?<=CloudControlEvent )event\b|(?<=\()event(?=\.)",
        right="@event",
    ),
    Error(what="spaces after a line's `\\`", language=Language.AZURE_CLI, wrong=r"\\ +\n", right=r"\\\n"),
    Error(what="`<name>` to be filled in", language=Language.AZURE_CLI, wrong=r"<(\w+)>", right=r"\1"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    page: str
    language: Language
    text: str
    corrected: tuple[str, ...] = ()


def samples(page: Path) -> list[Sample]:
    texts: dict[Language, list[str]] = {}
    for label, text in _blocks(page.read_text("utf-8-sig")):
        texts.setdefault(_language(label, text), []).append(text)
    for language in ONE_PROGRAM & texts.keys():
        texts[language] = ["\n".join(texts[language])]
    return [
        _corrected(Sample(page=page.name[:3], language=language, text=text))
        for language, parts in texts.items()
        for text in parts
    ]


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """The label and text of what stands between fences, and of what is set in by four spaces outside of them."""
    pattern = r"^```(?P<label>[\w-]*)[ ]*\n(?P<fenced>.*?)^```[ ]*$|^(?P<indented>(?:[ ]{4}[^\n]*\n)+)"
    for block in re.finditer(pattern, text, re.MULTILINE | re.DOTALL):
        yield block["label"] or "", block["fenced"] or re.sub("^    ", "", block["indented"], flags=re.MULTILINE)


def _language(label: str, text: str) -> Language:
    if label.lower() in LABELS:
        return LABELS[label.lower()]
    for opening, language in OPENINGS.items():
        if text.startswith(opening):
            return language
    raise ValueError(f"nobody knows what this sample is: {text[:60]!r}")


def _corrected(sample: Sample) -> Sample:
    text, corrected = sample.text, []
    for error in ERRORS:
        if error.language is sample.language and error.given in sample.text and re.search(error.wrong, text):
            text = re.sub(error.wrong, error.right, text)
            corrected.append(error.what)
    return Sample(page=sample.page, language=sample.language, text=text, corrected=tuple(corrected))
