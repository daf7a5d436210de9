"""One run, as a program holds it. Guarantee: what it says was true when it was last read; waiting ends with the run."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Dict, Optional

from . import operations as op
from .errors import AssayError
from .money import Amount, cents_of
from .progress import Show, shown
from .results import Results
from .transport import Transport

FIRST_LOOK_S = 0.25
LONGEST_LOOK_S = 5.0
"""How long a wait lets pass between two looks: at first short, for runs of a few items."""


class Run:
    """A run of a batch.

    Attributes:
        id: Names it everywhere: ``assay watch ID``.
        data: The whole rollup as the server sent it, with the fields of ``GET /v2/runs/{runId}``.
        duplicate: Whether the idempotency key had started this run before; nothing was submitted this time.

    >>> def nightly(assay):
    ...     run = assay.submit("claims", "pages.jsonl", item_id="id", budget="5.00", wait=True)
    ...     print(run.status, run.outcome, run.cost_usd)
    ...     return [row for row in run.results(only="not_ok")]
    """

    def __init__(self, transport: Transport, data: Dict[str, Any], duplicate: bool = False) -> None:
        self._transport = transport
        self.data = data
        self.duplicate = duplicate

    @property
    def id(self) -> str:
        return str(self.data["id"])

    @property
    def status(self) -> str:
        """Whether it ran: ``queued``, ``running``, ``completed``, ``partial``, ``failed``, ``cancelled`` …"""
        return str(self.data["status"])

    @property
    def outcome(self) -> Optional[str]:
        """Whether it worked: the worst of its items, ``ok``, ``degraded`` or ``failed``; None while none has ended."""
        found: Optional[str] = self.data["worst_outcome_status"]
        return found

    @property
    def has_ended(self) -> bool:
        return self.data["finished_at"] is not None

    @property
    def cost_usd(self) -> float:
        """Dollars; a lower bound while ``data["unpriced_item_count"]`` is not 0."""
        return float(self.data["cost_usd"])

    @property
    def total_items(self) -> int:
        return int(self.data["total_items"])

    def refresh(self) -> "Run":
        """Reads it again."""
        self.data = self._transport.ask(*op.GET_RUN(self.id))
        return self

    def wait(self, timeout_s: Optional[float] = None, progress: Optional[bool] = None) -> "Run":
        """Returns when it has ended, however it ended.

        Args:
            timeout_s: Seconds to wait at most. The run goes on after them.
            progress: A line that says how far it is, in a terminal or a notebook. False shows none.

        Raises:
            AssayError: ``timed_out``.
            KeyboardInterrupt: After Ctrl-C, with a line on standard error that says how to come back.
        """
        until = None if timeout_s is None else time.monotonic() + timeout_s
        try:
            _look_until_ended(self, shown(progress), until, time.sleep)
        except KeyboardInterrupt:
            print(f"\n{self.way_back()}", file=sys.stderr)
            raise
        return self

    def results(self, only: str = "all", fields: Optional[str] = None) -> Results:
        """Each item once, with its newest verdict, replays included.

        Args:
            only: ``all``, ``ok`` or ``not_ok``.
            fields: Names with commas between, such as ``item_id,output.label``; all but the input without it.
        """
        return Results(self._transport, self.id, only, fields)

    def recover(self, budget: Optional[Amount] = None) -> Dict[str, Any]:
        """Runs again, in the background, what did not work and waits for a decision. Returns the recovery.

        What was answered well before is taken over, and not paid again.
        """
        from .money import cents_of

        order: Dict[str, Any] = {"filter": {"run_id": self.id, "kind": "dlq"}}
        if budget is not None:
            order["budget_cents"] = cents_of(budget)
        found: Dict[str, Any] = self._transport.ask(*op.CREATE_RECOVERY(), body=order)
        return found

    def cancel(self, abort: bool = False) -> "Run":
        """Nothing more of it begins. What is in flight finishes, or with ``abort`` is ended."""
        order = {"in_flight": "abort" if abort else "finish"}
        self._transport.ask(*op.CANCEL_RUN(self.id), body=order)
        return self.refresh()

    def way_back(self) -> str:
        """Says that the run goes on, and how to come back to it."""
        return (
            f"the run {self.id} goes on without this program.\n"
            f'  wait again:  Assay().run("{self.id}").wait()   or: assay watch {self.id}\n'
            f'  end it:      Assay().run("{self.id}").cancel()'
        )

    def __repr__(self) -> str:
        return f"Run({self.id!r}, status={self.status!r}, outcome={self.outcome!r})"


def _look_until_ended(run: Run, show: Optional[Show], until: Optional[float], sleep: Callable[[float], None]) -> None:
    pause = FIRST_LOOK_S
    while True:
        run.refresh()
        if show is not None:
            show(run.data)
        if run.has_ended:
            return
        left = LONGEST_LOOK_S if until is None else until - time.monotonic()
        if left <= 0:
            waits = run.data.get("waits_for")
            why = f", and waits for {waits['host']}: {waits['reason']}" if waits else ""
            raise AssayError("timed_out", f"the run {run.id} is {run.status} after the time to wait{why}", run.way_back())
        sleep(min(pause, left))
        pause = min(LONGEST_LOOK_S, pause * 1.5)
