"""Runs the items of an agent in worker processes. Guarantee: an item whose code ends a process ends alone, with an error that says
how; all others that were at work there start again, with what they recorded, and end as if nothing had happened."""

from __future__ import annotations

import collections
import itertools
import json
import queue
import sys
import threading
import time
from typing import Any, Deque, Dict, Iterator, List, Optional

from . import frames as wire
from .exchange import RAW, Exchange, Offered
from .frames import frame, frames
from .generator import ItemsContext
from .kept import dumps
from .local import paced
from .process import Process
from .worker import ITEM_HEAD, NOT_LOADED

LOOK_S = 1.0
STUCK_S = 5.0  # code whose item is over may take so long to end, before its process is replaced
UNRESPONSIVE_S = 5.0  # of processor time, so that a busy machine does not matter
PARTS = 4  # into which suspects are parted
START_S = 60.0
RESTART_S = (0.2, 30.0)


class NotStarted(Exception):
    """No worker could load the agent."""


class Pool:
    """The worker processes of one agent."""

    def __init__(self, spec: str, workers: int, threads: int) -> None:
        self._spec = spec
        self._size = workers
        self._threads = threads
        self._numbers = itertools.count(1)
        self._lock = threading.RLock()
        self._workers: List[Process] = []
        self._apart: List[Process] = []
        self._groups: Deque[List[Offered]] = collections.deque()
        self._declaration: Dict[str, Any] = {}
        self._is_draining = False
        self._pause_s = RESTART_S[0]

    def open(self) -> "Pool":
        """Starts the workers, and returns when one is ready."""
        started = [self._spawn() for _ in range(self._size)]
        for process in started:
            if self._ready(process):
                with self._lock:
                    self._workers.append(process)
        if not self._workers:
            raise NotStarted("no worker process could load the agent")
        for _ in range(self._size - len(self._workers)):
            threading.Thread(target=self._replace, name="assay-replace", daemon=True).start()
        threading.Thread(target=self._look, name="assay-look", daemon=True).start()
        return self

    @property
    def declaration(self) -> Dict[str, Any]:
        return self._declaration

    @property
    def is_ready(self) -> bool:
        return any(not process.is_retired for process in self._workers)

    def start(self, exchange: Exchange) -> None:
        self._give(exchange.items, {item.number: item.line[RAW] for item in self._numbered(exchange.items)})

    def _numbered(self, items: List[Offered]) -> List[Offered]:
        for item in items:
            item.number = next(self._numbers)
        return items

    def _give(self, items: List[Offered], texts: Dict[int, bytes], to: Optional[Process] = None) -> None:
        """Gives items to the workers that have the fewest."""
        written: Dict[int, "tuple[Optional[Exchange], List[bytes]]"] = {}
        now = time.monotonic()
        with self._lock:
            free = [to] if to is not None else [one for one in self._workers if not one.is_retired] or self._workers
            if not free:
                for item in items:
                    item.exchange.write(item, item.error("agent_crashed", "no worker process is there: its agent cannot be loaded"), True)
                return
            loads = [len(one.items) for one in free]
            for item in items:
                at = loads.index(min(loads))
                process = free[at]
                loads[at] += 1
                process.items[item.number] = item
                item.place = process
                request, out = written.get(at, (None, []))
                if request is not item.exchange:
                    out.append(frame(wire.REQUEST, 0, item.exchange.about()))
                    written[at] = (item.exchange, out)
                head = ITEM_HEAD.pack(max((item.yield_at - now) * 1000, 0))
                out.append(frame(wire.ITEM, item.number, head + texts[item.number]))
        for at, (_, out) in written.items():
            free[at].out.put(b"".join(out))

    def cancel(self, item: Offered) -> None:
        process: Optional[Process] = item.place
        if process is None:
            return
        with self._lock:
            if process.items.pop(item.number, None) is None:
                return
            process.zombies[item.number] = time.monotonic()
            is_left = process.is_apart and not process.items
        if is_left:
            return process.kill()
        process.send(wire.CANCEL, item.number)

    def generate(self, name: str, occurrence: Dict[str, Any]) -> Iterator[bytes]:
        ctx = ItemsContext()
        return paced(self._pieces(name, occurrence), ctx.signal.set)

    def _pieces(self, name: str, occurrence: Dict[str, Any]) -> Iterator[str]:
        made: "queue.SimpleQueue[Optional[str]]" = queue.SimpleQueue()
        number = next(self._numbers)
        with self._lock:
            process = min((one for one in self._workers if not one.is_retired), key=lambda one: len(one.items))
            process.generators[number] = made
        process.send(wire.GENERATE, number, dumps({"name": name, "occurrence": occurrence}).encode())
        try:
            while True:
                process.send(wire.MORE, number)
                piece = made.get()
                if piece is None:
                    return
                yield piece
        finally:
            process.generators.pop(number, None)
            process.send(wire.STOP, number)

    def drain(self) -> None:
        """The server is to end: items go on elsewhere from their next step."""
        self._is_draining = True
        for process in [*self._workers, *self._apart]:
            process.send(wire.DRAIN)

    def close(self) -> None:
        """Ends the workers."""
        self._is_draining = True
        with self._lock:
            processes = [*self._workers, *self._apart]
        for process in processes:
            process.kill()

    def _spawn(self, is_apart: bool = False) -> Process:
        process = Process(self._spec, self._threads, is_apart)
        process.generators[0] = queue.SimpleQueue()  # says when it is ready, or has died
        threading.Thread(target=self._read, args=(process,), name="assay-read", daemon=True).start()
        return process

    def _ready(self, process: Process) -> bool:
        try:
            is_ready: Optional[str] = process.generators[0].get(timeout=START_S)
        except queue.Empty:
            process.kill()
            return False
        if is_ready is not None and process.declaration is not None:
            self._declaration = process.declaration
        return is_ready is not None

    def _read(self, process: Process) -> None:
        for arrived in frames(process.connection):
            by_exchange: Dict[Exchange, List["tuple[Offered, str, bool]"]] = {}
            for kind, number, data in arrived:
                if kind == wire.LINE or kind == wire.FINAL:
                    is_final = kind == wire.FINAL
                    item = process.items.pop(number, None) if is_final else process.items.get(number)
                    if item is not None:
                        by_exchange.setdefault(item.exchange, []).append((item, data.decode(), is_final))
                else:
                    self._take(process, kind, number, data)
            for exchange, lines in by_exchange.items():
                exchange.write_all(lines)
            if process.is_begun and not process.items and (process.is_apart or process.is_retired):
                self._next_apart(process)
        self._died(process)

    def _take(self, process: Process, kind: bytes, number: int, data: bytes) -> None:
        if kind == wire.HELLO:
            process.declaration = json.loads(data)
            process.generators[0].put("ready")
        elif kind == wire.ENDED:
            process.zombies.pop(number, None)
        elif kind == wire.PONG:
            process.pong_at, process.pong_cpu = time.monotonic(), process.cpu_s()
        elif number in process.generators:
            process.generators[number].put(data.decode() if kind == wire.PIECE else None)

    def _died(self, process: Process) -> None:
        death = process.death()
        with self._lock:
            was_worker = process in self._workers
            for processes in (self._workers, self._apart):
                if process in processes:
                    processes.remove(process)
            left = [item for item in process.items.values() if not item.over]
            process.items.clear()
        for made in process.generators.values():
            made.put(None)
        if self._is_draining:
            return
        suspects = [item for item in death.suspects if item in left]
        innocents = [item for item in left if item not in suspects]
        if suspects and death.is_certain:
            guilty = suspects.pop()
            guilty.exchange.write(guilty, guilty.error(death.code, f"the item ended alone: {death.words}"), True)
        if left:
            print(f"assay: of {len(left)} items: {death.words}", file=sys.stderr, flush=True)
        if suspects:
            self._part(suspects)
        if was_worker and not process.is_retired:
            threading.Thread(target=self._replace, name="assay-replace", daemon=True).start()
        if innocents:
            threading.Thread(target=self._again, args=(innocents,), name="assay-again", daemon=True).start()
        self._start_apart()

    def _replace(self) -> None:
        """Starts a worker in place of one that died; where the agent no longer loads, it tries again after longer and longer waits."""
        while not self._is_draining:
            process = self._spawn()
            if self._ready(process):
                with self._lock:
                    self._workers.append(process)
                self._pause_s = RESTART_S[0]
                return
            if process.popen.poll() != NOT_LOADED:
                print("assay: a worker process died before it was ready", file=sys.stderr, flush=True)
            time.sleep(self._pause_s)
            self._pause_s = min(self._pause_s * 2, RESTART_S[1])

    def _again(self, items: List[Offered], to: Optional[Process] = None) -> None:
        """Starts items once more, when a worker is there."""
        while to is None and not self.is_ready and not self._is_draining:
            time.sleep(RESTART_S[0] / 4)
        going_on = [item for item in items if not item.over]
        texts = {item.number: dumps(item.again()).encode("utf-8", "replace") for item in self._numbered(going_on)}
        self._give(going_on, texts, to)

    def _part(self, suspects: List[Offered]) -> None:
        parts = min(PARTS, len(suspects))
        with self._lock:
            self._groups.extend(suspects[at::parts] for at in range(parts))

    def _start_apart(self) -> None:
        """Gives each group of suspects a process that no other item is in."""
        with self._lock:
            count = min(len(self._groups), max(self._size, 2) - len(self._apart))
            started = [self._spawn(is_apart=True) for _ in range(max(count, 0))]
            self._apart.extend(started)
        for process in started:
            threading.Thread(target=self._begin_apart, args=(process,), name="assay-apart", daemon=True).start()

    def _begin_apart(self, process: Process) -> None:
        if self._ready(process):
            process.is_begun = True
            self._next_apart(process)

    def _next_apart(self, process: Process) -> None:
        """A process without items takes the next group, or ends. Under the lock, since it may die meanwhile."""
        with self._lock:
            if process.items or (process.is_apart and process not in self._apart):
                return
            while process.is_apart and self._groups:
                going_on = [item for item in self._groups.popleft() if not item.over]
                if going_on:
                    return self._again(going_on, process)
        process.close() if process.is_apart else process.kill()

    def _look(self) -> None:
        """Replaces processes in which code does not end, and kills those that let nothing else run."""
        while not self._is_draining:
            time.sleep(LOOK_S)
            now = time.monotonic()
            for process in [*self._workers, *self._apart]:
                is_stuck = any(now - since > STUCK_S for since in list(process.zombies.values()))
                if is_stuck and not process.is_apart and not process.is_retired and sum(one.is_retired for one in self._workers) < self._size:
                    process.is_retired = process.is_begun = True
                    threading.Thread(target=self._replace, name="assay-replace", daemon=True).start()
                if process.is_retired and not process.items:
                    process.kill()
                is_alone = process.is_apart and len(process.items) == 1  # it keeps nobody waiting, until its own time is up
                is_silent = now - process.pong_at > UNRESPONSIVE_S
                if is_silent and not is_alone and (is_stuck or process.cpu_s() - process.pong_cpu > UNRESPONSIVE_S):
                    process.is_unresponsive = True
                    process.kill()
                process.send(wire.PING)
