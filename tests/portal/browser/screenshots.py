"""The pictures of the documentation: `python -m tests.portal.browser.screenshots` draws docs/images anew.

They are of the portal as it is, with the sample fleet and a little of everything going on.
"""

import struct
import sys
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Cookie

from tests.e2e.running import Up, up
from tests.portal.browser.chromium import NARROW, WIDE, chromium
from tests.portal.browser.machines import approve, poll

IMAGES = Path(__file__).parents[3] / "docs" / "images"
SIGNATURE = b"\x89PNG\r\n\x1a\n"
EVENT = "a[href^='/portal/events/']"


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    name: str
    place: str
    follow: str = ""  # the link on that page to what is shown
    press: str = ""  # the button on that page
    size: tuple[int, int] = WIDE
    dark: bool = False


PICTURES = (
    Picture(name="fleet", place="/"),
    Picture(name="timeline", place="/timeline"),
    Picture(name="timeline-dark", place="/timeline", dark=True),
    Picture(name="event", place="/events?search=web", follow=f"tbody {EVENT}", size=(1280, 900)),
    Picture(name="create-scale-set", place="/scale-sets/create", press="button[name=go][value=management]"),
    Picture(name="campaign", place="/campaigns", follow="tbody a", size=(1280, 640)),
    Picture(name="fleet-telephone", place="/", size=NARROW),
)


def main() -> int:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, up(Path(folder, "data"), "--clock", "manual") as forewarn:
        _bring_to_life(forewarn)
        with chromium() as browser:
            cookies = _logged_in(browser, forewarn)
            for picture in PICTURES:
                file = IMAGES / f"{picture.name}.png"
                file.write_bytes(packed(_taken(browser, forewarn, cookies, picture)))
                print(f"{file.name}: {file.stat().st_size // 1000} KB")
    return 0


def _bring_to_life(forewarn: Up) -> None:
    """An afternoon: a campaign has passed its first update domain, some approved, some wait."""
    for machine in ("db-0", "web_0", "solo"):
        poll(forewarn.machines[machine])
    _do(forewarn, "campaign", "start", "Reboot", "db", "--pause", "5m")
    _do(forewarn, "clock", "advance", "4m")
    approve(forewarn.machines["db-0"], *(event["EventId"] for event in poll(forewarn.machines["db-0"])))
    _do(forewarn, "schedule", "Freeze", "FrontEnd_IN_0")
    _do(forewarn, "clock", "advance", "7m")
    _do(forewarn, "restart", "solo")
    _do(forewarn, "delete", "web_1")
    _do(forewarn, "delete", "web_2")
    _do(forewarn, "clock", "advance", "3m")
    mine = [event["EventId"] for event in poll(forewarn.machines["web_0"]) if event["Resources"] == ["web_1"]]
    approve(forewarn.machines["web_0"], *mine)
    _do(forewarn, "schedule", "Redeploy", "spot", "--at-once")


def _do(forewarn: Up, *words: str) -> None:
    done = forewarn.cli(*words)
    assert done.returncode == 0, done.stderr


def _logged_in(browser: Browser, forewarn: Up) -> list[Cookie]:
    context = browser.new_context()
    context.new_page().goto(forewarn.portal)
    cookies = context.cookies()
    context.close()
    return cookies


def _taken(browser: Browser, forewarn: Up, cookies: list[Cookie], picture: Picture) -> bytes:
    context = browser.new_context(
        viewport={"width": picture.size[0], "height": picture.size[1]},
        color_scheme="dark" if picture.dark else "light",
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
    )
    context.add_cookies([{"name": one["name"], "value": one["value"], "url": forewarn.control} for one in cookies])
    page = context.new_page()
    page.goto(f"{forewarn.control}/portal{picture.place}")
    for selector in (picture.follow, picture.press):
        if selector:
            page.locator(selector).first.click()
            page.wait_for_load_state("load")
    page.wait_for_selector("body[data-connection=open]")
    taken = page.screenshot()
    context.close()
    return taken


def packed(png: bytes) -> bytes:
    """The same picture in fewer bytes: the browser packs in haste."""
    chunks = list(_chunks(png))
    pixels = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    kept = [(kind, body) for kind, body in chunks if kind in (b"IHDR", b"PLTE", b"tRNS")]
    return SIGNATURE + b"".join(map(_chunk, [*kept, (b"IDAT", zlib.compress(pixels, 9)), (b"IEND", b"")]))


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGNATURE)
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += 12 + length


def _chunk(chunk: tuple[bytes, bytes]) -> bytes:
    kind, body = chunk
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


if __name__ == "__main__":
    sys.exit(main())
