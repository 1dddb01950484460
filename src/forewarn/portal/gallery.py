"""Every component in every state, on one page, for those who change them. It is there in development only.

TODO: the lanes of the timeline and the sentences on what an event waits for are missing here; their views can be made
by hand as the others are (tests/portal/test_timeline_view.py and test_waiting.py do it).
"""

from starlette.responses import Response

from forewarn.domain.errors import NotFound
from forewarn.portal.desk import Visit
from forewarn.portal.pages import page
from forewarn.portal.routing import Row, Rows
from forewarn.portal.views.gallery import gallery_view


async def see_gallery(visit: Visit) -> Response:
    if not visit.desk.development:
        raise NotFound("The gallery is there only in development: forewarn up --development.")
    return page(visit, "gallery.html", gallery=gallery_view(visit.now))


ROWS: Rows = (Row(path="/_gallery", see=see_gallery),)
