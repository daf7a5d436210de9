"""The answer to one request of items. Guarantee: every item gets one final line by its deadline, and the answer is never silent for
longer than a heartbeat's interval, whatever the agent's code does: it is written by a thread of its own."""

from __future__ import annotations

import collections
import json
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Protocol

from .kept import dumps
from .limits import HEARTBEAT_MS

HEARTBEAT = '{"type":"heartbeat"}\n'
LATER = '{"type":"later"}\n'
GATHER_S = 0.0005  # lines that come within so long leave together
RAW = "\0raw"  # the bytes of an item's line, beside what they say
LOOK_S = 1.0  # how often it is looked whether the caller is still there


class Offered:
    """An item of a request, and what it has reported."""

    __slots__ = ("exchange", "line", "deadline", "yield_at", "over", "steps", "number", "place")

    def __init__(self, exchange: "Exchange", line: Dict[str, Any], now: float) -> None:
        self.exchange = exchange
        self.line = line
        self.deadline = now + line["timeout_ms"] / 1000
        self.yield_at = now + line["yield_ms"] / 1000
        self.over = False
        self.steps: List[str] = []
        self.number = 0  # by which the backend knows it
        self.place: Any = None

    def timed(self) -> Dict[str, Any]:
        """Its line, with the time that is left now."""
        now = time.monotonic()
        left = {"timeout_ms": (self.deadline - now) * 1000, "yield_ms": (self.yield_at - now) * 1000}
        return {**self.line, **{name: max(round(ms), 0) for name, ms in left.items()}}

    def again(self) -> Dict[str, Any]:
        """The same for another start, with the steps that it has reported."""
        done = [json.loads(line)["step"] for line in self.steps]
        recorded = [{"key": step["key"], "output": step.get("output")} for step in done if "error" not in step and "reused" not in step]
        line = self.timed()
        line.pop(RAW, None)
        return {**line, "recorded": [*(line.get("recorded") or ()), *recorded]}

    def error(self, code: str, message: str) -> str:
        about = {"seq": self.line["seq"], "attempt": self.line["attempt"]}
        return dumps({"type": "error", **about, "error": {"code": code, "message": message}})


class Backend(Protocol):
    """Where items run: in this process, or in others."""

    def start(self, exchange: "Exchange") -> None:
        """Starts all items of a request."""

    def cancel(self, item: Offered) -> None:
        """Nobody awaits the item any more."""


class Exchange:
    """The lines about the items of one request, on their way to whoever asked."""

    def __init__(
        self, lines: List[Dict[str, Any]], headers: Mapping[str, str], backend: Backend, is_all_later: bool = False
    ) -> None:
        self.run_id = headers.get("assay-run", "")
        self.upstream_key = headers.get("assay-upstream-key")
        self.closed = headers.get("assay-upstreams")
        self.address = headers.get("assay-answer-url")
        self._backend = backend
        now = time.monotonic()
        self.is_all_later = is_all_later and self.address is not None and bool(lines)
        self._leave_at = self._time_to_leave(lines, now)
        self.items = [Offered(self, line, now) for line in lines]
        self._open = len(lines)
        self._text: "collections.deque[str]" = collections.deque()
        self._changed = threading.Condition()

    def about(self) -> bytes:
        """What a worker process has to know of the request, beside its items."""
        return dumps({"run": self.run_id, "key": self.upstream_key, "closed": self.closed}).encode()

    def _time_to_leave(self, lines: List[Dict[str, Any]], now: float) -> float:
        """When to answer later, if an item may outlast the consumer; then no item has to yield."""
        yield_ms = min((line["yield_ms"] for line in lines), default=0)
        if self.address is None or (not self.is_all_later and all(line["timeout_ms"] <= yield_ms for line in lines)):
            return float("inf")
        for line in lines:
            line["yield_ms"] = line["timeout_ms"]
        return now + yield_ms / 1000

    def write(self, item: Offered, line: str, is_final: bool) -> None:
        """A line about an item. Lines about one that is over are dropped."""
        with self._changed:
            self._write(item, line, is_final)
            self._changed.notify()

    def write_all(self, lines: "List[tuple[Offered, str, bool]]") -> None:
        """Several lines at once."""
        with self._changed:
            for item, line, is_final in lines:
                self._write(item, line, is_final)
            self._changed.notify()

    def _write(self, item: Offered, line: str, is_final: bool) -> None:
        if item.over:
            return
        self._text.append(line)
        if is_final:
            item.over = True
            item.steps = []
            self._open -= 1
        else:
            item.steps.append(line)

    def chunks(self, is_gone: Callable[[], bool] = lambda: False) -> Iterator[bytes]:
        """The answer in pieces, each to be sent at once. Closing it abandons the items."""
        self._backend.start(self)
        ends_later = False
        try:
            beat_at = time.monotonic() + HEARTBEAT_MS / 1000
            while True:
                text = self.take(min(beat_at, self._leave_at, time.monotonic() + LOOK_S))
                now = time.monotonic()
                if text is None:
                    return
                if text == "" and now >= beat_at:
                    text = HEARTBEAT
                if now >= self._leave_at and self._open > 0:
                    ends_later = True
                    text += LATER
                if text:
                    beat_at = now + HEARTBEAT_MS / 1000
                    yield text.encode("utf-8", "replace")
                elif is_gone():
                    return
                if ends_later:
                    return
        finally:
            if ends_later:
                self.answer_later()
            else:
                self.abandon(set())

    def answer_later(self) -> None:
        """What is open is sent to the address of the request, by a thread of its own."""
        from .later_answer import LaterAnswer

        assert self.address is not None
        until = max(item.deadline for item in self.items)
        LaterAnswer(self.address, until, self).start()

    def take(self, until: float) -> Optional[str]:
        """The lines that were written since; an empty text if it is that late, None if no more will come."""
        with self._changed:
            while not self._text and self._open > 0:
                now = time.monotonic()
                nearest = min((item.deadline for item in self.items if not item.over), default=until)
                if nearest <= now:
                    self._expire(now)
                elif until <= now:
                    return ""
                else:
                    self._changed.wait(min(nearest, until) - now)
            is_more = self._open > 0
        if is_more:
            time.sleep(GATHER_S)
        with self._changed:
            lines = list(self._text)
            self._text.clear()
            is_over = self._open == 0
        if not lines:
            return None if is_over else ""
        return "\n".join(lines) + "\n"

    def _expire(self, now: float) -> None:
        for item in self.items:
            if not item.over and item.deadline <= now:
                message = f"the attempt took longer than {item.line['timeout_ms']} ms"
                self._write(item, item.error("step_timeout", message), True)
                self._backend.cancel(item)

    def abandon(self, awaited: "set[int]") -> None:
        """Of the open items only these, by their `seq`, are still awaited."""
        with self._changed:
            dropped = [item for item in self.items if not item.over and item.line["seq"] not in awaited]
            for item in dropped:
                item.over = True
                self._open -= 1
            self._changed.notify()
        for item in dropped:
            self._backend.cancel(item)
