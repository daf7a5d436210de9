"""Recoveries: many items that did not work, run again. Guarantee: a plan changes nothing, and a recovery made from it takes no item
that came later."""

from __future__ import annotations

import sys
from typing import Any, Dict, Iterator, List, Optional

from . import operations as op
from .errors import AssayError
from .money import Amount, cents_of
from .progress import recovery_line
from .transport import Transport
from .waiting import wait_for

PAGE_RECOVERIES = 100

_MAYBE = "the recovery may have begun: recoveries() has it first then; ordered again, no item is taken twice"


class Recovery:
    """A recovery that was started: it goes on without this program.

    Attributes:
        id: Names it everywhere: ``assay recoveries ID``.
        data: All of it as the server sent it, with the fields of ``GET /v1/recoveries/{recoveryId}``: ``eligible``, ``ended``, ``ok``,
            ``degraded``, ``failed``, ``unchanged`` items, ``stages``, ``run_ids``.

    >>> run = Assay().submit("claims", [{"id": n, "text": "flood"} for n in range(3)], item_id="id", wait=True)
    >>> recovery = run.recover(wait=True)
    >>> recovery.status, recovery.data["eligible"], recovery.data["ok"], recovery.data["degraded"]
    ('completed', 3, 0, 3)
    """

    def __init__(self, transport: Transport, data: Dict[str, Any]) -> None:
        self._transport = transport
        self.data = data

    @property
    def id(self) -> str:
        return str(self.data["id"])

    @property
    def status(self) -> str:
        """``creating``, ``pilot`` while the first ones run, ``running``, ``completed``, ``stopped`` where the first ones did no
        better than before, ``aborting``, ``aborted``."""
        return str(self.data["status"])

    @property
    def has_ended(self) -> bool:
        return self.data["finished_at"] is not None

    @property
    def cost_usd(self) -> float:
        """Dollars so far."""
        return float(self.data["cost_usd"])

    @property
    def warnings(self) -> List[str]:
        """What to know of it, in sentences: steps that another version of the code made, a recovery after which nothing works."""
        return [str(one["message"]) for one in self.data.get("warnings") or []]

    def refresh(self) -> "Recovery":
        """Reads it again."""
        self.data = self._transport.ask(*op.GET_RECOVERY(self.id))
        return self

    def wait(self, timeout_s: Optional[float] = None, progress: Optional[bool] = None) -> "Recovery":
        """Returns when it has ended, however it ended, or when only items are left of it that wait for a person.

        Args:
            timeout_s: Seconds to wait at most. It goes on after them.
            progress: A line that says how far it is, as of :meth:`Run.wait`.

        Raises:
            AssayError: ``timed_out``.
            KeyboardInterrupt: After Ctrl-C, with a line on standard error that says how to come back.
        """
        wait_for(self, recovery_line, timeout_s, progress)
        return self

    def abort(self) -> "Recovery":
        """Ends it: items at work finish, and those that did not run wait for a decision again.

        Raises:
            ApiError: ``recovery_already_ended``.
        """
        self.data = self._transport.ask(*op.ABORT_RECOVERY(self.id))
        return self

    def is_over(self) -> bool:
        """Whether nothing of it moves by itself: it has ended, or what is left of it is held."""
        held, at_work = self.data["paused"], self.data["replayed"] - self.data["ended"]
        is_held = held > 0 and held == at_work
        return self.has_ended or (is_held and (self.status == "pilot" or (self.status == "running" and self.data["left"] == 0)))

    def standing(self) -> str:
        """What it is now, in a few words."""
        return f"the recovery {self.id} is {self.status}"

    def way_back(self) -> str:
        """Says that it goes on, and how to come back to it."""
        return (
            f"the recovery {self.id} goes on without this program.\n"
            f'  wait again:  Assay().recovery("{self.id}").wait()   or: assay recoveries {self.id} --watch\n'
            f'  end it:      Assay().recovery("{self.id}").abort()'
        )

    def __repr__(self) -> str:
        ok = f"ok={self.data['ok']}" if self.data.get("action", "replay") == "replay" else f"decided={self.data['decided']}"
        return f"Recovery({self.id!r}, status={self.status!r}, {ok}, eligible={self.data['eligible']})"


class Plan:
    """What a recovery would do; nothing was changed.

    Attributes:
        data: All of it as the server sent it, with the fields of ``assay recover --dry-run --json``.

    >>> run = Assay().submit("claims", [{"id": 1, "text": "flood"}, {"id": 2, "text": "theft"}], item_id="id", wait=True)
    >>> plan = run.recover(dry_run=True, reason="schema_mismatch")
    >>> plan.items, plan.asked_again_steps, plan.reused_steps, plan.max_cost_usd, plan.warnings
    (1, 1, 0, 0.00027, [])
    >>> plan.go_on(budget="1.00", wait=True).status
    'completed'
    """

    def __init__(self, transport: Transport, data: Dict[str, Any], order: Dict[str, Any]) -> None:
        self._transport = transport
        self._order = order
        self.data = data

    @property
    def items(self) -> int:
        """Items that would be run again."""
        return int(self.data["eligible"])

    @property
    def max_cost_usd(self) -> Optional[float]:
        """About what they cost at most, in dollars; None where nothing has cost anything yet. A lower bound while
        ``data["unpriced_item_count"]`` is not 0."""
        found: Optional[float] = self.data["max_cost_usd"]
        return found

    @property
    def asked_again_steps(self) -> int:
        """Steps that run again, of the ``data["looked_at_items"]``."""
        return sum(rule["asked_again_steps"] for rule in self.data["rules"])

    @property
    def reused_steps(self) -> int:
        """Steps that are taken over and cost nothing, of the ``data["looked_at_items"]``."""
        return sum(rule["reused_steps"] for rule in self.data["rules"])

    @property
    def warnings(self) -> List[str]:
        """What to know before it starts, in sentences, such as steps that another version of the code made."""
        return [str(one["message"]) for one in self.data.get("warnings") or []]

    def go_on(
        self, *, first: Optional[int] = None, budget: Optional[Amount] = None, wait: bool = False, progress: Optional[bool] = None
    ) -> Recovery:
        """Starts it, over the items of the plan and no others; ``first`` and ``budget`` in place of what was planned with.

        Raises:
            ApiError: ``nothing_to_recover`` …
            AssayError: ``unreachable`` …, which says where to see whether it began.
        """
        more = {"first": first, "budget_cents": None if budget is None else cents_of(budget)}
        order = {**self._order, **{name: value for name, value in more.items() if value is not None}, "filter": self.data["filter"]}
        return start(self._transport, order, wait, progress)

    def __repr__(self) -> str:
        return f"Plan(items={self.items}, max_cost_usd={self.max_cost_usd}, reused_steps={self.reused_steps})"


def plan(transport: Transport, order: Dict[str, Any]) -> Plan:
    return Plan(transport, transport.ask(*op.CREATE_RECOVERY(), body={**order, "dry_run": True}, again=True), order)


def start(transport: Transport, order: Dict[str, Any], wait: bool, progress: Optional[bool]) -> Recovery:
    try:
        recovery = Recovery(transport, transport.ask(*op.CREATE_RECOVERY(), body=order))
    except KeyboardInterrupt:
        print(f"\n{_MAYBE}", file=sys.stderr)
        raise
    except AssayError as error:
        raise (error.hinted(_MAYBE) if error.may_be_done else error) from None
    return recovery.wait(progress=progress) if wait else recovery


def order_of(run_id: str, *, all: bool, budget: Optional[Amount], **given: Any) -> Dict[str, Any]:
    """The order of a recovery of a run's items, as the server reads it."""
    chosen = {"run_id": run_id, "status": "not_ok" if all else None}
    for name, key in (("reason", "reason"), ("cause", "cause_id"), ("partition_key", "partition_key")):
        chosen[key] = given.pop(name)
    order = {**given, "budget_cents": None if budget is None else cents_of(budget), "filter": _without_none(chosen)}
    return _without_none(order)


def _without_none(given: Dict[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def recoveries(transport: Transport) -> Iterator[Recovery]:
    """All of the project, newest first, page by page."""
    query: Dict[str, Any] = {"limit": PAGE_RECOVERIES, "cursor": None}
    while True:
        page, query["cursor"] = transport.page(*op.LIST_RECOVERIES(), query=query)
        yield from (Recovery(transport, data) for data in page)
        if query["cursor"] is None:
            return
