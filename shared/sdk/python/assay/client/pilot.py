"""A pilot over some rows, before the rest. Guarantee: pilot and rest together are the rows, each once, and both budgets together are
the one that was given; the rest is sent only after :meth:`Pilot.go_on`."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Callable, Dict, Optional

from . import operations as op
from .errors import AssayError
from .money import usd_of
from .run import Run
from .submit import Lines
from .transport import Transport


class Pilot:
    """Some rows of a batch, run before the rest.

    Attributes:
        run: The pilot's own run, which has ended or waits for a person.
        outlook: What the rest costs and takes if it is like the pilot, with the keys of ``assay submit --pilot --json``: ``rows`` that
            are left, ``cost_usd`` in dollars, ``unpriced`` (then it is a lower bound), ``took_ms``, ``ok_share`` of 0 to 1,
            ``budget_cents`` that are left or None, ``affordable`` rows or None for all, ``estimate`` of the time or None.

    >>> pilot = Assay().pilot("claims", [{"id": n, "text": "theft"} for n in range(20)], items=5, item_id="id", budget="5.00")
    >>> pilot.run.total_items, pilot.outlook["rows"], pilot.outlook["ok_share"], round(pilot.outlook["cost_usd"], 5)
    (5, 15, 1.0, 0.00405)
    >>> run = pilot.go_on(wait=True)
    >>> run.status, run.total_items
    ('completed', 15)
    """

    def __init__(self, transport: Transport, run: Run, outlook: Dict[str, Any], lines: Optional[Lines], settings: Dict[str, Any]) -> None:
        self._transport = transport
        self._lines = lines
        self._settings = settings
        self.run = run
        self.outlook = outlook

    def go_on(self, *, wait: bool = False, anyway: bool = False, progress: Optional[bool] = None) -> Run:
        """Submits the rest as a run of its own, within what the pilot left of the budget; returns that run. Where the pilot had all
        rows, returns the pilot's.

        Args:
            wait: Return when it has ended.
            anyway: Also where no item of the pilot is ok.

        Raises:
            AssayError: ``pilot_failed`` where none is ok; ``budget_exceeded`` where the pilot used the budget up.
            ApiError: With the server's code.

        >>> Assay().pilot("claims", [{"id": 1, "text": "flood"}, {"id": 2, "text": "flood"}], items=1, item_id="id").go_on()
        Traceback (most recent call last):
        assay.client.errors.AssayError: pilot_failed: no item of the pilot … is ok, so the other 1 were not submitted …
        """
        if self._lines is None:
            return self.run.wait(progress=progress) if wait else self.run
        left = self.outlook["rows"]
        if self.outlook["budget_cents"] == 0:
            raise AssayError("budget_exceeded", f"the pilot used up the budget, so the other {left:,} were not submitted", "give it a larger one")
        if self.outlook["ok_share"] == 0 and not anyway:
            hint = f"look at run({self.run.id!r}).results(), or go_on(anyway=True)"
            raise AssayError("pilot_failed", f"no item of the pilot {self.run.id} is ok, so the other {left:,} were not submitted", hint)
        takes = spread_over(self._lines.count, self.run.total_items)
        settings = self._settings
        if self.outlook["budget_cents"] is not None:
            settings = {**settings, "budget_cents": self.outlook["budget_cents"]}
        with self._lines.part(lambda place: not takes(place)) as rest:
            run = Run.started(self._transport, rest.send(self._transport, settings))
        return run.wait(progress=progress) if wait else run

    def __repr__(self) -> str:
        return f"Pilot({self.run!r}, rows={self.outlook['rows']}, cost_usd={self.outlook['cost_usd']:.4f})"


@dataclass(frozen=True)
class SentPilot:
    """A pilot that was submitted; its run may be waited for."""

    transport: Transport
    run: Run
    lines: Lines
    settings: Dict[str, Any]
    has_all: bool

    def ended(self) -> Pilot:
        """Once the wait is over: what the rest would cost."""
        self.run.note = None
        left = 0 if self.has_all else self.lines.count - self.run.total_items
        outlook = outlook_of(self.run.data, left, self.settings["budget_cents"], time.time())
        estimate = _estimate(self.transport, self.run, left, self.settings)
        return Pilot(self.transport, self.run, {**outlook, "estimate": estimate}, None if self.has_all else self.lines, self.settings)


def send_pilot(transport: Transport, lines: Lines, settings: Dict[str, Any], items: int) -> SentPilot:
    """Submits it, and all rows where there are no more than ``items``."""
    if isinstance(items, bool) or not isinstance(items, int) or items < 1:
        raise AssayError("invalid_setting", f"items is {items!r}", "say how many rows go first, such as items=50")
    key = settings["idempotency_key"]
    has_all = lines.count <= items
    if has_all:
        run = Run.started(transport, lines.send(transport, settings))
    else:
        # Without the callback: who waits here sees the pilot end.
        name = f"{settings['name']}, pilot" if settings["name"] else "pilot"
        order = {**settings, "name": name, "callback_url": None, "idempotency_key": f"{key}-pilot"}
        with lines.part(spread_over(lines.count, items)) as part:
            run = Run.started(transport, part.send(transport, order))
    run.note = f"nothing but the pilot was submitted: pilot(…, idempotency_key={key!r}) with the same rows comes back to it"
    return SentPilot(transport, run, lines, settings, has_all)


def _estimate(transport: Transport, run: Run, rows: int, settings: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    if rows == 0:
        return None
    query = {"items": rows, "concurrency": settings["concurrency"]}
    try:
        found: Dict[str, Any] = transport.ask(*op.ESTIMATE_RUN(str(run.data["agent_id"])), query=query)["estimate"]
        return found
    except AssayError:
        return None  # no reason to stop


def spread_over(rows: int, wanted: int) -> Callable[[int], bool]:
    """Which places of the rows a pilot takes: one of each of ``wanted`` equal stretches, as the server and the command do.

    >>> takes = spread_over(10, 3)
    >>> [place for place in range(10) if takes(place)]
    [0, 3, 7]
    """
    chosen, state = set(), 0
    for stretch in range(wanted):
        start, end = stretch * rows // wanted, (stretch + 1) * rows // wanted
        chosen.add(start + int(state / 2**32 * (end - start)))
        state = (state * 1664525 + 1013904223) % 2**32  # the generator of Numerical Recipes: always the same rows
    return chosen.__contains__


def outlook_of(run: Dict[str, Any], rows: int, budget_cents: Optional[int], now: float) -> Dict[str, Any]:
    """What the rest costs and takes if it is like the pilot; ``now`` in seconds.

    >>> pilot = {"id": "01a2", "completed": 9, "failed": 1, "degraded_count": 1, "budget_exceeded_count": 0,
    ...          "cost_usd": 0.02, "unpriced_item_count": 0,
    ...          "started_at": "2026-03-02T00:00:00.000Z", "finished_at": "2026-03-02T00:00:05.000Z"}
    >>> found = outlook_of(pilot, 90, 500, 0)
    >>> found["took_ms"], found["ok_share"], found["budget_cents"], found["affordable"]
    (45000, 0.8, 498, None)
    """
    # Items that the budget or a stop kept from running tell nothing of the others.
    ran = max(1, run["completed"] + run["failed"] - run["budget_exceeded_count"])
    each = run["cost_usd"] / ran
    ended = now if run["finished_at"] is None else _seconds(run["finished_at"])
    took_ms = 0 if run["started_at"] is None else round((ended - _seconds(run["started_at"])) * 1000)
    # The pilot's cost is rounded up to a cent: both runs together must not exceed the budget.
    left = None if budget_cents is None else max(0, budget_cents - math.ceil(run["cost_usd"] * 100 - 1e-9))
    affordable = rows if left is None or each == 0 else math.floor(left / 100 / each)
    return {
        "run_id": run["id"],
        "rows": rows,
        "cost_usd": usd_of(each * rows),
        "unpriced": run["unpriced_item_count"] > 0,
        "took_ms": math.floor(took_ms / ran * rows + 0.5),
        "ok_share": (run["completed"] - run["degraded_count"]) / ran,
        "budget_cents": left,
        "affordable": affordable if affordable < rows else None,
    }


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp()  # before 3.11 it reads no Z
