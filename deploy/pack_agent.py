"""Makes `dist/forewarn-agent.pyz`: the agent and its client in one file that any Python 3.11 runs, without packages.

python deploy/pack_agent.py [FILE]
"""

import shutil
import sys
import tempfile
import zipapp
from pathlib import Path

ROOT = Path(__file__).parents[1]
PARTS = ("__init__.py", "agent", "client")
START = """import sys

from forewarn.agent.main import main

sys.exit(main(name="forewarn-agent"))
"""


def build(target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "forewarn"
        package.mkdir()
        for part in PARTS:
            source = ROOT / "src" / "forewarn" / part
            if source.is_dir():
                shutil.copytree(source, package / part, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, package / part)
        (Path(folder) / "__main__.py").write_text(START)
        zipapp.create_archive(folder, target, interpreter="/usr/bin/env python3", compressed=True)
    target.chmod(0o755)


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist" / "forewarn-agent.pyz")
