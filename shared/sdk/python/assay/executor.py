"""Runs items in this process: those of functions in threads, those of async functions in one event loop. Guarantee: an item that
waits keeps no other one from starting, until all threads wait; and starting many costs no more threads than they need."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Set

from .item_run import ItemRun, Write
from .upstreams import Upstreams

if TYPE_CHECKING:
    from .agent import Registration

THREADS = 256
FIRST_THREADS = 4
LOOK_S = 0.001


class Places:
    """Where it is noted which item a thread is at, for whoever looks after the process has died. Here nobody does."""

    def enter(self, place: int, item: int) -> None:
        """A thread begins an item."""

    def leave(self, place: int) -> None:
        """The thread has ended it."""


class Executor:
    """Runs the items of one agent."""

    def __init__(self, agent: "Registration", threads: int = THREADS, places: Optional[Places] = None) -> None:
        self.agent = agent
        self._places = places or Places()
        self._ended: Callable[[int, ItemRun], None] = lambda item, run: None
        self._most = threads
        self._runner: Any = _Tasks(self) if agent.is_async else _Threads(self)

    def on_end(self, ended: Callable[[int, ItemRun], None]) -> None:
        """Called when the code of an item has ended, whatever became of the item."""
        self._ended = ended

    def start(self, item: int, line: Dict[str, Any], run_id: str, write: Write, upstreams: Optional[Upstreams]) -> ItemRun:
        """Starts an item; `item` is the number by which the caller knows it."""
        run = ItemRun(self.agent, line, run_id, write, upstreams)
        self._runner.put(item, run)
        return run


class _Threads:
    """Threads for items that block. More are started while items wait and no thread takes one."""

    def __init__(self, executor: Executor) -> None:
        self._of = executor
        self._queue: "queue.SimpleQueue[tuple[int, ItemRun]]" = queue.SimpleQueue()
        self._count = 0
        self._idle = 0
        self._taken = 0
        self._lock = threading.Lock()
        self._waiting = threading.Event()
        threading.Thread(target=self._grow, name="assay-grow", daemon=True).start()

    def put(self, item: int, run: ItemRun) -> None:
        self._queue.put((item, run))
        if self._count < FIRST_THREADS and self._idle == 0:
            self._add()
        if self._idle == 0 and self._count < self._of._most and not self._waiting.is_set():
            self._waiting.set()

    def _grow(self) -> None:
        while True:
            self._waiting.wait()
            taken = self._taken
            time.sleep(LOOK_S)
            if self._queue.empty() or self._count >= self._of._most:
                self._waiting.clear()
                if not self._queue.empty() and self._count < self._of._most:
                    self._waiting.set()
            elif self._taken == taken:
                for _ in range(min(max(self._count, 1), self._of._most - self._count)):
                    if not self._add():
                        break

    def _add(self) -> bool:
        with self._lock:
            place = self._count
            self._count += 1
        try:
            threading.Thread(target=self._work, args=(place,), name=f"assay-{place}", daemon=True).start()
        except RuntimeError:  # the machine has no room for another one
            with self._lock:
                self._count -= 1
            return False
        return True

    def _work(self, place: int) -> None:
        places, ended = self._of._places, self._of
        while True:
            with self._lock:
                self._idle += 1
            item, run = self._queue.get()
            with self._lock:
                self._idle -= 1
                self._taken += 1
            places.enter(place, item)
            run.execute()
            places.leave(place)
            ended._ended(item, run)
            del run


class _Tasks:
    """One event loop, in a thread of its own."""

    def __init__(self, executor: Executor) -> None:
        self._of = executor
        self._loop = asyncio.new_event_loop()
        self._tasks: Set["asyncio.Task[None]"] = set()
        self._free: List[int] = list(range(executor._most * 4, -1, -1))
        self._new: List["tuple[int, ItemRun]"] = []
        self._lock = threading.Lock()
        threading.Thread(target=self._run, name="assay-loop", daemon=True).start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def put(self, item: int, run: ItemRun) -> None:
        with self._lock:
            self._new.append((item, run))
            is_first = len(self._new) == 1
        if is_first:
            self._loop.call_soon_threadsafe(self._begin)

    def _begin(self) -> None:
        with self._lock:
            new, self._new = self._new, []
        for item, run in new:
            task = self._loop.create_task(self._work(item, run))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            run.cancel = _cancelling(self._loop, task)

    async def _work(self, item: int, run: ItemRun) -> None:
        place = self._free.pop() if self._free else 0
        self._of._places.enter(place, item)
        try:
            await run.execute_async()
        finally:
            self._of._places.leave(place)
            if place:
                self._free.append(place)
            self._of._ended(item, run)


def _cancelling(loop: asyncio.AbstractEventLoop, task: "asyncio.Task[None]") -> Callable[[], Any]:
    return lambda: loop.call_soon_threadsafe(task.cancel)

