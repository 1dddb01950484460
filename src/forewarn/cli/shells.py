"""The same variables and commands, in the words of different shells."""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Shell:
    quote: Callable[[str], str]
    assign: str  # with {name} and {value}
    chain: Callable[[Sequence[str]], str]  # commands, each of which runs only if the one before went well

    def exports(self, variables: Mapping[str, str]) -> list[str]:
        return [self.assign.format(name=name, value=self.quote(value)) for name, value in variables.items()]

    def command(self, *words: str) -> str:
        return " ".join(self.quote(word) if re.search(r"[^A-Za-z0-9_./:=@-]", word) else word for word in words)


def quote_fish(text: str) -> str:
    """Between single quotes, fish looks at nothing but backslashes and single quotes."""
    return "'" + re.sub(r"([\\'])", r"\\\1", text) + "'"


def quote_powershell(text: str) -> str:
    """A quote in quotes is doubled, and the typographic ones are quotes to PowerShell too."""
    return (
        "'"
        + re.sub("(['\N{LEFT SINGLE QUOTATION MARK}-\N{SINGLE HIGH-REVERSED-9 QUOTATION MARK}])", r"\1\1", text)
        + "'"
    )


def _and(commands: Sequence[str]) -> str:
    return " &&\n".join(commands)


def _if_well(commands: Sequence[str]) -> str:
    """The PowerShell that comes with Windows has no &&."""
    return "; if ($?) {\n".join(commands) + " }" * (len(commands) - 1)


SHELLS = {
    "sh": Shell(quote=shlex.quote, assign="export {name}={value}", chain=_and),
    "fish": Shell(quote=quote_fish, assign="set -gx {name} {value}", chain=_and),
    "powershell": Shell(quote=quote_powershell, assign="$env:{name} = {value}", chain=_if_well),
}
