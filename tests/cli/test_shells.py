"""What is printed means the same to the shell that reads it, whatever is in it."""

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forewarn.cli.shells import SHELLS, quote_fish, quote_powershell

NASTY = [
    "plain",
    "",
    "two words",
    "it's",
    'say "so"',
    "$HOME `id` $(id)",
    "back\\slash\\",
    "tick\\'",
    "line\nline",
    "-p;&|<>*?[]{}!#~^%",
    "‘typographic’ ‚quotes‛",
    "ünïcode",
]
texts = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=30),
    st.text("'\"\\$` \n‘’‚‛;", max_size=12),
)
READERS = {
    "sh": (["sh", "-c"], 'printf %s "$VALUE"'),
    "fish": (["fish", "--no-config", "-c"], 'printf %s "$VALUE"'),
    "powershell": (["pwsh", "-NoProfile", "-Command"], "[Console]::Out.Write($env:VALUE)"),
}


def read_back(shell: str, value: str) -> str:
    """As the shell itself understood it."""
    (program, *options), show = READERS[shell]
    (line,) = SHELLS[shell].exports({"VALUE": value})
    done = subprocess.run([program, *options, f"{line}\n{show}"], capture_output=True, timeout=60, check=True)
    return done.stdout.decode()


@settings(max_examples=100, deadline=None)
@given(texts)
def test_sh_reads_back_what_was_meant(value: str) -> None:
    assert read_back("sh", value) == value


@pytest.mark.parametrize(
    ("shell", "program"), [pytest.param("fish", "fish", id="fish"), pytest.param("powershell", "pwsh", id="powershell")]
)
def test_the_others_do_too_where_they_are_installed(shell: str, program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    for value in NASTY:
        assert read_back(shell, value) == value


def unquote_fish(quoted: str) -> str:
    """By fish's manual: between single quotes, only \\\\ and \\' are escapes; any other backslash is itself."""
    assert (quoted[0], quoted[-1]) == ("'", "'")
    value, rest = "", quoted[1:-1]
    while rest:
        if rest[0] == "\\" and rest[1:2] in ("\\", "'") and rest[1:2]:
            value, rest = value + rest[1], rest[2:]
        else:
            assert rest[0] != "'", "the quotes end too early"
            value, rest = value + rest[0], rest[1:]
    return value


def unquote_powershell(quoted: str) -> str:
    """By PowerShell's grammar: a single-quote-character ends the string, unless another one follows it."""
    quotes = "'‘’‚‛"
    assert (quoted[0], quoted[-1]) == ("'", "'")
    value, rest = "", quoted[1:-1]
    while rest:
        if rest[0] in quotes:
            assert rest[1:2] in tuple(quotes), "the quotes end too early"
            value, rest = value + rest[0], rest[2:]
        else:
            value, rest = value + rest[0], rest[1:]
    return value


@given(texts)
def test_fish_would_read_back_what_was_meant(value: str) -> None:
    assert unquote_fish(quote_fish(value)) == value


@given(texts)
def test_powershell_would_read_back_what_was_meant(value: str) -> None:
    assert unquote_powershell(quote_powershell(value)) == value


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("sh", "export NAME='a b'"),
        ("fish", "set -gx NAME 'a b'"),
        ("powershell", "$env:NAME = 'a b'"),
    ],
)
def test_a_variable_in_the_words_of_each_shell(shell: str, line: str) -> None:
    assert SHELLS[shell].exports({"NAME": "a b"}) == [line]


def test_a_chain_stops_where_something_fails() -> None:
    sh = SHELLS["sh"]
    done = subprocess.run(
        ["sh", "-c", sh.chain([sh.command("echo", "one two"), "false", "echo three"])], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (1, "one two\n")
    assert SHELLS["powershell"].chain(["a", "b", "c"]) == "a; if ($?) {\nb; if ($?) {\nc } }"
