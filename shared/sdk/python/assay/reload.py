"""An agent that is loaded again when one of its files changes, while somebody develops it. Guarantee: items that are at work end in the
processes that they began in; a version that cannot be loaded is reported, and the one before stays."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any, Dict, Iterator

from .exchange import Exchange, Offered
from .loading import split
from .pool import NotStarted, Pool

LOOK_S = 0.5
LAST_S = 300.0  # items of a version that was replaced may take so long
PASSED_OVER = frozenset(("node_modules", "__pycache__", ".git", ".venv", "venv", "site-packages"))
MOST_FILES = 2000


class Reloading:
    """Worker processes of the newest version that could be loaded."""

    def __init__(self, spec: str, workers: int, threads: int) -> None:
        self._made = (spec, workers, threads)
        path = split(spec)[0]
        self._folder = os.path.dirname(os.path.abspath(path)) if path.endswith(".py") else os.getcwd()
        self._pool = Pool(*self._made)

    def open(self) -> "Reloading":
        self._pool.open()
        threading.Thread(target=self._watch, name="assay-reload", daemon=True).start()
        return self

    @property
    def declaration(self) -> Dict[str, Any]:
        return self._pool.declaration

    @property
    def is_ready(self) -> bool:
        return self._pool.is_ready

    def start(self, exchange: Exchange) -> None:
        self._pool.start(exchange)

    def cancel(self, item: Offered) -> None:
        self._pool.cancel(item)

    def generate(self, name: str, occurrence: Dict[str, Any]) -> Iterator[bytes]:
        return self._pool.generate(name, occurrence)

    def drain(self) -> None:
        self._pool.drain()

    def close(self) -> None:
        self._pool.close()

    def _watch(self) -> None:
        known = self._times()
        while True:
            time.sleep(LOOK_S)
            now = self._times()
            if now == known:
                continue
            known = now
            pool = Pool(*self._made)
            try:
                pool.open()
            except NotStarted:
                print("assay: the version before is still served", file=sys.stderr, flush=True)
                continue
            before, self._pool = self._pool, pool
            print(f"assay: {pool.declaration['name']} was loaded again", file=sys.stderr, flush=True)
            threading.Timer(LAST_S, before.close).start()

    def _times(self) -> Dict[str, float]:
        times: Dict[str, float] = {}
        for folder, folders, files in os.walk(self._folder):
            folders[:] = [one for one in folders if one not in PASSED_OVER]
            for name in files:
                if name.endswith(".py") and len(times) < MOST_FILES:
                    try:
                        times[os.path.join(folder, name)] = os.stat(os.path.join(folder, name)).st_mtime
                    except OSError:
                        pass  # removed meanwhile
        return times
