"""What a visitor chose for this browser: the language, and light or dark. Kept in cookies, which hold nothing else."""

from starlette.requests import Request
from starlette.responses import Response

from forewarn.portal.places import ROOT
from forewarn.portal.texts import LANGUAGES, chosen

LANGUAGE, THEME = "forewarn-language", "forewarn-theme"
THEMES = ("auto", "light", "dark")
A_YEAR = 365 * 24 * 3600


def language_of(request: Request) -> str:
    return chosen(request.cookies.get(LANGUAGE, ""), request.headers.get("accept-language", ""))


def theme_of(request: Request) -> str:
    wanted = request.cookies.get(THEME, "")
    return wanted if wanted in THEMES else THEMES[0]


def choose(answer: Response, *, language: str, theme: str) -> Response:
    """What is none of the choices is left as it was."""
    for name, value, known in ((LANGUAGE, language, LANGUAGES), (THEME, theme, THEMES)):
        if value in known:
            answer.set_cookie(name, value, max_age=A_YEAR, path=ROOT, httponly=True, samesite="lax")
    return answer
