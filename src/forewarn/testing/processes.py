"""A real client as a process: started, listened to, and ended with all it has started."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress

KEPT = 64 * 1024
"""So many bytes of what it said last are told."""


class ClientProcess:
    """OSError if it cannot be started."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], *, polite: float) -> None:
        """`environment`: beside our own. `polite`: seconds in which it may end by itself when it is asked to."""
        self._polite = polite
        self._said: str | None = None  # None: it may go on
        self._output = tempfile.TemporaryFile(prefix="forewarn-client-")  # noqa: SIM115  it ends with the process
        try:
            self._process = subprocess.Popen(  # noqa: S603  whoever wants a client tried says which
                command,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._output,
                start_new_session=True,
            )
        except OSError:
            self._output.close()
            raise

    @property
    def status(self) -> int | None:
        """None: it runs."""
        return self._process.poll()

    @property
    def said(self) -> str:
        """Read without moving the place at which it goes on writing, which is ours, too."""
        if self._said is not None:
            return self._said
        file = self._output.fileno()
        return os.pread(file, KEPT, max(0, os.fstat(file).st_size - KEPT)).decode(errors="replace").strip()

    def end(self) -> None:
        self._signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(self._polite)
        self._signal(signal.SIGKILL)
        self._process.wait()
        self._said = self.said
        self._output.close()

    def _signal(self, number: signal.Signals) -> None:
        """To all that it has started, too."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)
