"""Runs an agent in the server's own process: for gunicorn, uvicorn and other servers that have processes of their own. Guarantee:
heartbeats come from threads that the agent's code cannot stop; what ends this process ends all its items, which Assay offers again."""

from __future__ import annotations

import itertools
import os
import queue
import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, Optional

from .agent import declaration_of
from .exchange import HEARTBEAT, Exchange, Offered
from .executor import Executor
from .generator import ItemsContext, item_pieces
from .item_run import ItemRun
from .limits import HEARTBEAT_MS
from .upstreams import upstreams_of

if TYPE_CHECKING:
    from .agent import Registration


class Local:
    """An agent in this process."""

    def __init__(self, agent: "Registration") -> None:
        self._agent = agent
        self._numbers = itertools.count(1)
        self._runs: Dict[int, ItemRun] = {}
        self._executor: Optional[Executor] = None
        self._pid = 0
        self._lock = threading.Lock()

    def _here(self) -> Executor:
        """That of this process: a server may fork after it has loaded the application, and threads stay behind."""
        with self._lock:
            if self._executor is None or self._pid != os.getpid():
                self._pid, self._executor = os.getpid(), Executor(self._agent)
                self._executor.on_end(self._ended)
            return self._executor

    def _ended(self, number: int, run: ItemRun) -> None:
        self._runs.pop(number, None)

    @property
    def declaration(self) -> Dict[str, Any]:
        return declaration_of(self._agent.target)

    @property
    def is_ready(self) -> bool:
        return True

    def start(self, exchange: Exchange) -> None:
        executor = self._here()
        upstreams = upstreams_of(exchange.upstream_key, exchange.closed)
        for item in exchange.items:
            item.number = next(self._numbers)
            run = executor.start(item.number, item.timed(), exchange.run_id, _writing(exchange, item), upstreams)
            self._runs[item.number] = run
            if item.over:
                self._runs.pop(item.number, None)

    def cancel(self, item: Offered) -> None:
        run = self._runs.pop(item.number, None)
        if run is not None:
            run.abandon()

    def generate(self, name: str, occurrence: Dict[str, Any]) -> Iterator[bytes]:
        ctx = ItemsContext()
        return paced(item_pieces(self._agent, name, occurrence, ctx), ctx.signal.set)


def _writing(exchange: Exchange, item: Offered) -> Callable[[str, bool], None]:
    return lambda line, is_final: exchange.write(item, line, is_final)


def paced(pieces: Iterator[str], stop: Callable[[], Any]) -> Iterator[bytes]:
    """The pieces of a generator that runs in a thread of its own, with heartbeats while it makes none; the next piece is made when
    the one before was taken."""
    wanted: "queue.SimpleQueue[bool]" = queue.SimpleQueue()
    made: "queue.SimpleQueue[Optional[str]]" = queue.SimpleQueue()

    def make() -> None:
        while wanted.get():
            made.put(next(pieces, None))
        getattr(pieces, "close", lambda: None)()

    threading.Thread(target=make, name="assay-items", daemon=True).start()
    try:
        while True:
            wanted.put(True)
            piece = _next(made)
            while piece == HEARTBEAT:
                yield piece.encode()
                piece = _next(made)
            if piece is None:
                return
            yield piece.encode("utf-8", "replace")
    finally:
        stop()
        wanted.put(False)


def _next(made: "queue.SimpleQueue[Optional[str]]") -> Optional[str]:
    try:
        return made.get(timeout=HEARTBEAT_MS / 1000)
    except queue.Empty:
        return HEARTBEAT
