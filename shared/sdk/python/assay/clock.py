"""Runs functions after some time, all in one thread. Guarantee: none of them keeps a process from ending."""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from typing import Callable, List, Optional, Tuple

_waiting: List[Tuple[float, int, Callable[[], None]]] = []
_numbers = itertools.count()
_changed = threading.Condition()
_thread: Optional[threading.Thread] = None


def later(seconds: float, fn: Callable[[], None]) -> None:
    """Calls a function after so long. It must be short, and must not raise."""
    global _thread
    with _changed:
        heapq.heappush(_waiting, (time.monotonic() + seconds, next(_numbers), fn))
        if _thread is None or not _thread.is_alive():  # it stays behind where a process forks
            _thread = threading.Thread(target=_run, name="assay-clock", daemon=True)
            _thread.start()
        _changed.notify()


def _run() -> None:
    while True:
        with _changed:
            now = time.monotonic()
            if not _waiting or _waiting[0][0] > now:
                _changed.wait(_waiting[0][0] - now if _waiting else None)
                continue
            fn = heapq.heappop(_waiting)[2]
        fn()
