"""The composition root: the one package that names concrete classes, reads the wall clock and mints ids.

`running` gives a whole Forewarn inside one event loop; a second one in the same process just works.
"""

from forewarn.wiring.assembly import Forewarn, running
from forewarn.wiring.minting import new_id, new_secret, wall
from forewarn.wiring.options import Options
from forewarn.wiring.process import serve, settle_memory

__all__ = ["Forewarn", "Options", "new_id", "new_secret", "running", "serve", "settle_memory", "wall"]
