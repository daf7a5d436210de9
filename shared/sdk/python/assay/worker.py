"""A worker process, in which items of an agent run: `python -m assay.worker SPEC SOCKET PLACES CRASHES THREADS`. Guarantee: when it
dies, the server knows from shared memory which items it was at, and from the interpreter's own words which thread it died of; when
the server dies, it ends."""

from __future__ import annotations

import faulthandler
import json
import mmap
import os
import signal
import socket
import struct
import sys
import threading
from typing import Any, Callable, Dict, List, Optional

from . import frames as wire
from .agent import declaration_of
from .executor import Executor, Places
from .frames import Frame, Outbox, frame, frames
from .generator import ItemsContext, item_pieces
from .item_run import ItemRun, draining
from .loading import NotLoaded, load
from .protocol import with_defaults
from .upstreams import Upstreams, upstreams_of

PLACE = struct.Struct("=QI4x")  # the thread's name for the interpreter, and the item's number; no item if that is 0
PLACES = 2048
PLACES_BYTES = PLACES * PLACE.size
ITEM_HEAD = struct.Struct("!d")
NOT_LOADED = 3  # the exit code
MORE_KILLABLE = "500"  # a process that takes too much memory is a worker, rather than the server


class SharedPlaces(Places):
    """Which thread is at which item, where the server sees it."""

    def __init__(self, memory: mmap.mmap) -> None:
        self._memory = memory

    def enter(self, place: int, item: int) -> None:
        if place < PLACES:
            PLACE.pack_into(self._memory, place * PLACE.size, threading.get_ident(), item)

    def leave(self, place: int) -> None:
        if place < PLACES:
            PLACE.pack_into(self._memory, place * PLACE.size, 0, 0)


class Worker:
    """Reads the server's frames and runs what they ask for."""

    def __init__(self, executor: Executor, connection: socket.socket) -> None:
        self._executor = executor
        self._connection = connection
        self._out = Outbox(connection)
        self._request: "tuple[str, Optional[Upstreams]]" = ("", None)
        self._runs: Dict[int, ItemRun] = {}
        self._generators: Dict[int, "tuple[Any, ItemsContext]"] = {}
        executor.on_end(self._ended)

    def serve(self) -> None:
        hello = json.dumps(declaration_of(self._executor.agent.target)).encode()
        self._out.put(frame(wire.HELLO, 0, hello))
        for arrived in frames(self._connection):
            for one in arrived:
                self._take(one)

    def _take(self, one: Frame) -> None:
        kind, number, data = one
        if kind == wire.ITEM:
            self._start(number, data)
        elif kind == wire.REQUEST:
            about = json.loads(data)
            self._request = (about["run"], upstreams_of(about["key"], about["closed"]))
        elif kind == wire.CANCEL:
            run = self._runs.get(number)
            if run is not None:
                run.abandon()
        elif kind == wire.PING:
            self._out.put(frame(wire.PONG, number))
        elif kind == wire.DRAIN:
            draining.set()
        else:
            self._generator(kind, number, data)

    def _start(self, number: int, data: bytes) -> None:
        (yield_ms,) = ITEM_HEAD.unpack_from(data)
        run_id, upstreams = self._request  # that came before it
        line = with_defaults(json.loads(data[ITEM_HEAD.size :]))
        line["yield_ms"] = yield_ms
        run = self._executor.start(number, line, run_id, self._writing(number), upstreams)
        self._runs[number] = run
        if run.signal.is_set():
            self._runs.pop(number, None)

    def _writing(self, number: int) -> Callable[[str, bool], None]:
        def write(line: str, is_final: bool) -> None:
            self._out.put(frame(wire.FINAL if is_final else wire.LINE, number, line.encode("utf-8", "replace")))

        return write

    def _ended(self, number: int, run: ItemRun) -> None:
        self._runs.pop(number, None)
        self._out.put(frame(wire.ENDED, number)) if run.is_abandoned else None

    def _generator(self, kind: bytes, number: int, data: bytes) -> None:
        if kind == wire.GENERATE:
            asked = json.loads(data)
            made = ItemsContext()
            self._generators[number] = (item_pieces(self._executor.agent, asked["name"], asked["occurrence"], made), made)
        if number not in self._generators:
            return
        pieces, ctx = self._generators[number]
        if kind == wire.STOP:
            ctx.signal.set()
            del self._generators[number]
        elif kind == wire.MORE:
            threading.Thread(target=self._piece, args=(number, pieces), name="assay-items", daemon=True).start()

    def _piece(self, number: int, pieces: Any) -> None:
        piece = next(pieces, None)
        if piece is None:
            self._generators.pop(number, None)
        self._out.put(frame(wire.LAST if piece is None else wire.PIECE, number, (piece or "").encode("utf-8", "replace")))


def main(arguments: List[str]) -> int:
    """Runs a worker. Returns its exit code: 3 if the agent cannot be loaded."""
    spec, connection_fd, places_fd, crashes_fd, threads = arguments
    for one in (signal.SIGINT, signal.SIGTERM):  # the server says when to end
        signal.signal(one, signal.SIG_IGN)
    faulthandler.enable(file=int(crashes_fd), all_threads=True)
    _be_killed_first()
    connection = socket.socket(fileno=int(connection_fd))
    # A child of the agent's own, which may outlive this process, would keep the server from seeing that it died.
    os.register_at_fork(after_in_child=connection.close)
    try:
        agent = load(spec)
    except NotLoaded as error:
        print(f"assay: {error}", file=sys.stderr)
        return NOT_LOADED
    faulthandler.enable(file=int(crashes_fd), all_threads=True)  # a test runner, or the agent, may have taken it
    places = SharedPlaces(mmap.mmap(int(places_fd), PLACES_BYTES))
    Worker(Executor(agent, int(threads), places), connection).serve()
    sys.stdout.flush()
    os._exit(0)  # threads that are at items end with it


def _be_killed_first() -> None:
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write(MORE_KILLABLE)
    except OSError:
        pass  # no Linux


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
