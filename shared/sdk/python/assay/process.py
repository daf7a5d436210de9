"""One worker process, as the server sees it. Guarantee: what it was at when it died is known, and of which thread it died if the
interpreter could still say so."""

from __future__ import annotations

import mmap
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, List, NamedTuple, Optional

from .exchange import Offered
from .frames import Outbox, frame
from .worker import PLACE, PLACES, PLACES_BYTES

CRASH_READ = 64 * 1024
STACK_LINES = 3
TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class Death(NamedTuple):
    """What a worker died of, and the items that it may have died of; `is_certain` if it was the only one of them."""

    code: str
    words: str
    suspects: List[Offered]
    is_certain: bool


class Process:
    """A worker process and its items, by the numbers that it knows them by."""

    def __init__(self, spec: str, threads: int, is_apart: bool = False) -> None:
        self.is_apart = is_apart
        self.is_retired = False
        self.is_unresponsive = False
        self.is_begun = False
        self.declaration: Optional[Dict[str, Any]] = None
        self.items: Dict[int, Offered] = {}
        self.zombies: Dict[int, float] = {}
        self.generators: Dict[int, Any] = {}
        self.pong_at = time.monotonic()
        self.pong_cpu = 0.0
        ours, theirs = socket.socketpair()
        places, self._crashes = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        places.truncate(PLACES_BYTES)
        self._places = mmap.mmap(places.fileno(), PLACES_BYTES)
        passed = (theirs.fileno(), places.fileno(), self._crashes.fileno())
        command = [sys.executable, "-m", "assay.worker", spec, *map(str, passed), str(threads)]
        self.popen = subprocess.Popen(command, pass_fds=passed, env=_environment())
        theirs.close()
        places.close()
        self.connection = ours
        self.out = Outbox(ours)

    def send(self, kind: bytes, number: int = 0, data: bytes = b"") -> None:
        self.out.put(frame(kind, number, data))

    def kill(self) -> None:
        """Ends the process at once. Whoever reads from it sees that it has died."""
        if self.popen.poll() is None:
            self.popen.kill()

    def cpu_s(self) -> float:
        """Processor time that it has used; 0 where that is not known."""
        try:
            with open(f"/proc/{self.popen.pid}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / TICK
        except (OSError, IndexError, ValueError):
            return 0.0

    def death(self) -> Death:
        """After it has died. If its interpreter named the thread, only the items of that one are suspects."""
        status = self.popen.wait()
        self.connection.close()
        with self._crashes as file:
            file.seek(0)
            report = file.read(CRASH_READ).decode("utf-8", "replace")
        at = [PLACE.unpack_from(self._places, place * PLACE.size) for place in range(PLACES)]
        self._places.close()
        current = re.search(r"^Current thread (0x[0-9a-f]+)", report, re.MULTILINE)
        named = [number for thread, number in at if number and current and thread == int(current.group(1), 16)]
        numbers = named or [number for _, number in at if number]
        # Code of items that are over may be what it died of too.
        suspects = [self.items[number] for number in numbers if number in self.items and not self.items[number].over]
        code = "agent_unresponsive" if self.is_unresponsive else "agent_crashed"
        return Death(code, _words(status, report, self.is_unresponsive), suspects, len(numbers) == 1)

    def close(self) -> None:
        """Lets it end by itself: it does when its connection ends."""
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def _environment() -> Dict[str, str]:
    """The package itself is found as it was found here."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    paths = [folder, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def _words(status: int, report: str, is_unresponsive: bool) -> str:
    """What became of the process, with the lines of code that it was at."""
    if is_unresponsive:
        return "its process computed without letting anything else run, and was killed"
    if status >= 0:
        return f"its process exited with code {status}"
    name = signal.Signals(-status).name if -status in set(signal.Signals) else str(-status)
    if -status == signal.SIGKILL:
        return f"its process was killed ({name}), as by the system for its memory"
    stack = re.search(r"^(?:Current thread|Stack).*\n((?:  File .*\n){1,%d})" % STACK_LINES, report, re.MULTILINE)
    where = "; ".join(re.sub(r"\s+", " ", line).strip() for line in stack.group(1).splitlines()) if stack else ""
    return f"its process died of {name}{f' at {where}' if where else ''}"
