"""`python -m forewarn.agent`."""

import sys

from forewarn.agent.main import main

sys.exit(main(name="python -m forewarn.agent"))
