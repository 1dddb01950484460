"""C# clients, compiled and run by Mono."""

import subprocess
from pathlib import Path

NEWTONSOFT = Path("/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll")
WEBCLIENT = Path(__file__).with_name("webclient.cs")


def compiled(source: Path, directory: Path) -> list[str]:
    """The command that runs it."""
    program = directory / f"{source.stem}.exe"
    subprocess.run(["mcs", "-warn:0", f"-r:{NEWTONSOFT}", f"-out:{program}", source], check=True)
    return ["env", f"MONO_PATH={NEWTONSOFT.parent}", "mono", str(program)]
