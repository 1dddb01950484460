"""JSON as people write templates, made into JSON: comments, bare keys, commas too many, strings over several lines.

`az deployment group create` sends a template file as it is, behind a key without quotes.
"""

import re

_TOKEN = re.compile(
    r"""
    (?P<string>  "(?:[^"\\]|\\.)*+(?:"|\Z) )
  | (?P<comment> //[^\r\n]* | /\*.*?(?:\*/|\Z) )
  | (?P<key>     [A-Za-z_$][\w$]*+(?=\s*+:) )
  | (?P<word>    [\w$.+-]++ )
  | (?P<comma>   ,(?=(?:\s|//[^\r\n]*+|/\*.*?\*/)*+[}\]]) )
    """,
    re.VERBOSE | re.DOTALL,
)
_CONTROL = re.compile(r"[\x00-\x1f]")


def plain(text: str) -> str:
    """Only what is not JSON is changed; what is neither stays wrong."""
    return _TOKEN.sub(_changed, text)


def _changed(token: re.Match[str]) -> str:
    match token.lastgroup:
        case "string":
            return _CONTROL.sub(lambda character: f"\\u{ord(character[0]):04x}", token[0])
        case "comment":
            return " "
        case "key":
            return f'"{token[0]}"'
        case "comma":
            return ""
        case _:
            return token[0]
