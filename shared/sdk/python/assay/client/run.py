"""One run, as a program holds it. Guarantee: what it says was true when it was last read; waiting ends with the run."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Literal, Optional, Union, overload

from . import operations as op
from .items import causes_of, item_of
from .money import Amount
from .progress import line_of
from .recovery import Plan, Recovery, order_of, plan, start
from .results import Results
from .transport import Transport
from .waiting import wait_for


class Run:
    """A run of a batch.

    Attributes:
        id: Names it everywhere: ``assay watch ID``.
        data: The whole rollup as the server sent it, with the fields of ``GET /v2/runs/{runId}``.
        duplicate: Whether the idempotency key had started this run before; nothing was submitted this time.

    >>> run = Assay().submit("claims", [{"id": 1, "text": "theft"}, {"id": 2, "text": "flood"}], item_id="id", budget="5.00", wait=True)
    >>> run.status, run.outcome, run.total_items, round(run.cost_usd, 5)
    ('partial', 'degraded', 2, 0.00054)
    >>> [(row["item_id"], row["outcome_reason"]) for row in run.results(only="not_ok")]
    [('2', 'schema_mismatch')]
    """

    def __init__(self, transport: Transport, data: Dict[str, Any], duplicate: bool = False) -> None:
        self._transport = transport
        self.data = data
        self.duplicate = duplicate
        self.note: Optional[str] = None

    @classmethod
    def started(cls, transport: Transport, answer: Dict[str, Any]) -> "Run":
        """The run of a submission's answer."""
        data = transport.ask(*op.GET_RUN(str(answer["run_id"])))
        return cls(transport, data, bool(answer.get("duplicate", False)))

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
        """Returns when it has ended, however it ended, or when only paused items are left of it, as ``assay watch`` does.

        Args:
            timeout_s: Seconds to wait at most. The run goes on after them.
            progress: A line that says how far it is, in a terminal or a notebook. False shows none.

        Raises:
            AssayError: ``timed_out``.
            KeyboardInterrupt: After Ctrl-C, with a line on standard error that says how to come back.
        """
        wait_for(self, line_of, timeout_s, progress)
        return self

    def results(self, only: str = "all", fields: Optional[str] = None) -> Results:
        """Each item once, with its newest verdict, replays included.

        Args:
            only: ``all``, ``ok`` or ``not_ok``.
            fields: Names with commas between, such as ``item_id,output.label``; all but the input without it.
        """
        return Results(self._transport, self.id, only, fields)

    def causes(self) -> Iterator[Dict[str, Any]]:
        """Why items did not work, similar ones as one, the most frequent first, with the keys of ``assay causes --run ID --json``:
        ``id``, ``title``, ``reason``, ``step``, ``count`` items, ``waiting`` of them for a decision, ``cost_usd``, ``record_id`` of an
        example …

        >>> run = Assay().submit("claims", [{"id": n, "text": "flood"} for n in range(3)], item_id="id", wait=True)
        >>> [(cause["count"], cause["reason"]) for cause in run.causes()]
        [(3, 'schema_mismatch')]
        """
        return causes_of(self._transport, self.id, None)

    def item(self, id: str) -> Dict[str, Any]:
        """One item with its trace, with the keys of ``assay item --json``: ``status``, ``outcome_status``, ``outcome_reason``,
        ``input_snapshot``, ``output``, ``cost_usd`` …, and ``steps``, each with ``key``, ``type``, ``input``, ``output``, ``cost_usd``.

        Args:
            id: Your own id of it, or its record's.

        Raises:
            AssayError: ``not_found``; ``ambiguous_item`` where the batch has the id more than once.

        >>> run = Assay().submit("claims", [{"id": "page-7", "text": "theft"}], item_id="id", wait=True)
        >>> item = run.item("page-7")
        >>> item["outcome_status"], item["output"], [(step["key"], step["cost_usd"]) for step in item["steps"]]
        ('ok', {'label': 'theft'}, [('classify', 0.00027)])
        """
        return item_of(self._transport, id, self.id)

    @overload
    def recover(self, *, dry_run: Literal[True], action: str = ..., reason: Optional[str] = ..., cause: Optional[str] = ..., partition_key: Optional[str] = ..., all: bool = ..., first: Optional[int] = ..., budget: Optional[Amount] = ..., reuse: Optional[str] = ..., from_step: Optional[str] = ..., deployment: Optional[str] = ..., name: Optional[str] = ...) -> Plan: ...  # fmt: skip

    @overload
    def recover(self, *, dry_run: Literal[False] = ..., action: str = ..., reason: Optional[str] = ..., cause: Optional[str] = ..., partition_key: Optional[str] = ..., all: bool = ..., first: Optional[int] = ..., budget: Optional[Amount] = ..., reuse: Optional[str] = ..., from_step: Optional[str] = ..., deployment: Optional[str] = ..., name: Optional[str] = ..., wait: bool = ..., progress: Optional[bool] = ...) -> Recovery: ...  # fmt: skip

    def recover(
        self,
        *,
        dry_run: bool = False,
        action: str = "replay",
        reason: Optional[str] = None,
        cause: Optional[str] = None,
        partition_key: Optional[str] = None,
        all: bool = False,
        first: Optional[int] = None,
        budget: Optional[Amount] = None,
        reuse: Optional[str] = None,
        from_step: Optional[str] = None,
        deployment: Optional[str] = None,
        name: Optional[str] = None,
        wait: bool = False,
        progress: Optional[bool] = None,
    ) -> Union[Plan, Recovery]:
        """Runs again, in the background, what did not work and waits for a decision. What was answered well before is taken over, and
        not paid again. With another ``action``, decides about these items instead.

        Args:
            dry_run: Change nothing, and return a :class:`Plan`: how many items, what they cost at most, which steps are reused.
            action: ``replay``; ``resume``, which lets held items go on; ``dismiss``, ``acknowledge``, or ``wrong`` for the verdict.
            reason: Only items with this reason, such as ``refusal``.
            cause: Only items with this cause, an ``id`` of :meth:`causes`.
            partition_key: Only items of this partition.
            all: All of the run that did not end well, also what was cancelled. Goes with ``partition_key`` alone.
            first: So many go first, and the rest only if they do better than before.
            budget: What it may cost, in dollars: ``"2.00"``.
            reuse: ``auto``, ``all``, or ``none`` to run every step again, as after a change of the code or the prompt.
            from_step: This step and those after it run again, instead of ``reuse``.
            deployment: ``current`` or ``original``.
            name: For people.
            wait: Return when it has ended.
            progress: Whether a line says how far it is.

        Raises:
            ApiError: ``nothing_to_recover``, such as after a call before; ``invalid_request``, with what there is.

        >>> run = Assay().submit("claims", [{"id": n, "text": "flood"} for n in range(3)], item_id="id", wait=True)
        >>> run.recover(dry_run=True).items
        3
        >>> run.recover(first=1, wait=True).status  # the first does no better, so the others stay
        'stopped'
        >>> run.recover(action="dismiss", wait=True).data["decided"]
        2
        """
        order = order_of(
            self.id, all=all, budget=budget, reason=reason, cause=cause, partition_key=partition_key,
            action=None if action == "replay" else action, first=first, reuse=reuse, from_step=from_step, deployment=deployment, name=name,
        )  # fmt: skip
        return plan(self._transport, order) if dry_run else start(self._transport, order, wait, progress)

    def cancel(self, abort: bool = False) -> "Run":
        """Nothing more of it begins. What is in flight finishes, or with ``abort`` is ended.

        Raises:
            ApiError: ``run_already_ended``.

        >>> run = Assay().submit("claims", [{"id": 1, "text": "theft"}], item_id="id", wait=True)
        >>> run.cancel()
        Traceback (most recent call last):
        assay.client.errors.ApiError: run_already_ended: …
        """
        order = {"in_flight": "abort" if abort else "finish"}
        self._transport.ask(*op.CANCEL_RUN(self.id), body=order)
        return self.refresh()

    def is_over(self) -> bool:
        """Whether nothing of it moves: it has ended, or the items that are left of it are paused."""
        open_items = self.data.get("queued", 0) + self.data.get("running", 0)
        is_paused = self.status != "materializing" and self.data["paused"] > 0 and open_items == 0
        return self.has_ended or is_paused

    def standing(self) -> str:
        """What it is now, in a few words."""
        waits = self.data.get("waits_for")
        why = f", and waits for {waits['host']}: {waits['reason']}" if waits else ""
        return f"the run {self.id} is {self.status}{why}"

    def way_back(self) -> str:
        """Says that the run goes on, and how to come back to it."""
        lines = [
            f"the run {self.id} goes on without this program.",
            *([f"  {self.note}"] if self.note else []),
            f'  wait again:  Assay().run("{self.id}").wait()   or: assay watch {self.id}',
            f'  end it:      Assay().run("{self.id}").cancel()',
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        held = f", paused={self.data['paused']}" if self.data.get("paused") else ""
        return f"Run({self.id!r}, status={self.status!r}, outcome={self.outcome!r}{held})"
