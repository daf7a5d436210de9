"""A client of one Assay server: submit rows, wait, read results. Guarantee: everything is in bounded memory, and a call
that fails says what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, Optional, Sequence, Union

from . import operations as op
from .access import access_of
from .diff import Diff, diff
from .items import causes_of, item_of
from .money import Amount
from .pilot import Pilot, SentPilot, send_pilot
from .recovery import Recovery, recoveries
from .rows import Rows
from .run import Run
from .settings import BatchSettings
from .submit import lines_of, refuse_open_budget, settings_of, with_key
from .transport import Transport

if TYPE_CHECKING:  # of Python 3.11; checkers of types have it for every version
    from typing_extensions import Unpack

PAGE_RUNS = 100


class Assay:
    """One server, with the key of one project.

    Args:
        base_url: Where it is; else ``ASSAY_BASE_URL``, else the stack of ``ASSAY_DATA_DIR``, else this machine's port 8090.
        api_key: A key of the project, ``pk_…``; else ``ASSAY_API_KEY``, else that of the stack of ``ASSAY_DATA_DIR``.

    Raises:
        AssayError: ``invalid_setting`` without a key, or with a URL that is none.

    >>> assay = Assay("http://127.0.0.1:8090", "pk_example")
    >>> assay.base_url
    'http://127.0.0.1:8090'
    """

    def __init__(self, base_url: Optional[str] = None, api_key: Optional[str] = None) -> None:
        self._transport = Transport(*access_of(base_url, api_key))

    @property
    def base_url(self) -> str:
        return self._transport.base_url

    def submit(
        self,
        agent: str,
        rows: Rows,
        *,
        item_id: Optional[str] = None,
        partition_key: Optional[str] = None,
        budget: Optional[Amount] = None,
        name: Optional[str] = None,
        tags: Sequence[str] = (),
        concurrency: Optional[int] = None,
        pilot_items: Optional[int] = None,
        timeout_seconds: Optional[int] = None,
        patience_seconds: Optional[int] = None,
        callback_url: Optional[str] = None,
        allow_unpriced: bool = False,
        idempotency_key: Optional[str] = None,
        by_content: bool = False,
        wait: bool = False,
        progress: Optional[bool] = None,
    ) -> Run:
        """Runs an agent over rows. All of them are accepted, or none.

        Args:
            agent: The agent's slug, such as ``claims``.
            rows: An iterable of dicts, a DataFrame of pandas or polars, or the path of a file. Each row is an item's input.
            item_id: The field that identifies a row; it stays in the input.
            partition_key: The field that says whose a row is, such as a tenant.
            budget: What the run may spend, in dollars: ``"5.00"``, ``5``. Refused where nothing would count against it.
            allow_unpriced: Go on with calls that a budget does not count.
            pilot_items: So many go first, and the rest only if one of them is ok; else the run ends, with ``pilot_failed``.
            by_content: The same rows and settings start one run in 24 hours. Without it, two calls start two.
            idempotency_key: The same, by a key of your own, such as ``"nightly-2026-03-02"``.
            wait: Return when the run has ended, or when only paused items are left of it. Ctrl-C leaves it running.
            progress: Whether a line says how far it is; by default in a terminal or a notebook.

        Raises:
            InvalidRows: With the number of the row; nothing was submitted.
            ApiError: With the server's code: ``not_found``, ``invalid_line``, ``unpriced_model``, ``too_many_open_runs`` …
            AssayError: ``budget_not_enforced``; ``unreachable``, with the key that makes it safe to submit again.

        >>> run = Assay().submit("claims", [{"id": 1, "text": "theft"}], item_id="id", idempotency_key="nightly", wait=True)
        >>> Assay().submit("claims", [{"id": 1, "text": "theft"}], item_id="id", idempotency_key="nightly").duplicate
        True
        """
        settings = settings_of(
            agent, budget=budget, tags=tags, allow_unpriced=allow_unpriced, idempotency_key=idempotency_key, by_content=by_content,
            name=name, concurrency=concurrency, pilot_items=pilot_items, timeout_seconds=timeout_seconds,
            patience_seconds=patience_seconds, callback_url=callback_url,
        )  # fmt: skip
        refuse_open_budget(self._transport, settings)
        with lines_of(rows, item_id, partition_key) as lines:
            run = Run.started(self._transport, lines.send(self._transport, with_key(settings, lines, by_content)))
        return run.wait(progress=progress) if wait else run

    def pilot(
        self,
        agent: str,
        rows: Rows,
        *,
        items: int,
        item_id: Optional[str] = None,
        partition_key: Optional[str] = None,
        budget: Optional[Amount] = None,
        name: Optional[str] = None,
        tags: Sequence[str] = (),
        concurrency: Optional[int] = None,
        timeout_seconds: Optional[int] = None,
        patience_seconds: Optional[int] = None,
        callback_url: Optional[str] = None,
        allow_unpriced: bool = False,
        idempotency_key: Optional[str] = None,
        by_content: bool = False,
        progress: Optional[bool] = None,
    ) -> Pilot:
        """Runs some rows as a run of their own, waits for them, and says what the others cost and how long they take. Nothing more is
        submitted until :meth:`Pilot.go_on`. The rows are spread over all, since batches are often sorted; they are those that
        ``assay submit --pilot`` takes.

        Args:
            items: How many rows go first.
            budget: Of pilot and rest together, in dollars.
            idempotency_key: A program that was killed comes back with the same key and rows, and nothing is submitted twice.
            callback_url: Of the rest.

        The other settings are those of :meth:`submit`, of both runs.

        Raises:
            InvalidRows, ApiError, AssayError: As :meth:`submit`.
            KeyboardInterrupt: After Ctrl-C, with lines on standard error that say how to come back.

        >>> pilot = Assay().pilot("claims", [{"id": n, "text": "water"} for n in range(10)], items=2, item_id="id")
        >>> f"{pilot.outlook['rows']} more rows, about ${pilot.outlook['cost_usd']:.4f}"
        '8 more rows, about $0.0022'
        """
        sent = self._send_pilot(
            agent, rows, items, item_id=item_id, partition_key=partition_key, budget=budget, name=name, tags=tags,
            concurrency=concurrency, timeout_seconds=timeout_seconds, patience_seconds=patience_seconds, callback_url=callback_url,
            allow_unpriced=allow_unpriced, idempotency_key=idempotency_key, by_content=by_content,
        )  # fmt: skip
        sent.run.wait(progress=progress)
        return sent.ended()

    def _send_pilot(self, agent: str, rows: Rows, items: int, **given: Unpack[BatchSettings]) -> SentPilot:
        """Submits a pilot without waiting for it."""
        by_content = given.get("by_content", False)
        settings = settings_of(
            agent, budget=given.get("budget"), tags=given.get("tags", ()), allow_unpriced=given.get("allow_unpriced", False),
            idempotency_key=given.get("idempotency_key"), by_content=by_content, name=given.get("name"),
            concurrency=given.get("concurrency"), timeout_seconds=given.get("timeout_seconds"),
            patience_seconds=given.get("patience_seconds"), callback_url=given.get("callback_url"),
        )  # fmt: skip
        refuse_open_budget(self._transport, settings)
        lines = lines_of(rows, given.get("item_id"), given.get("partition_key"))
        return send_pilot(self._transport, lines, with_key(settings, lines, by_content), items)

    def run(self, id: str) -> Run:
        """A run by its id.

        Raises:
            ApiError: ``not_found``.

        >>> Assay().run("01a22212-b4d9-7a6d-bfcb-d60500000000")
        Traceback (most recent call last):
        assay.client.errors.ApiError: not_found: …
        """
        return Run(self._transport, self._transport.ask(*op.GET_RUN(id)))

    def runs(self, agent: Optional[str] = None, tag: Optional[str] = None, state: Optional[str] = None) -> Iterator[Run]:
        """Yields all runs, newest first, page by page as they are used: the newest is ``next(assay.runs())``.

        Args:
            state: ``open``, ``ended`` or ``held``.

        >>> [run.status for run in Assay().runs("claims", state="ended")]
        [...]
        """
        query: dict[str, Any] = {"agent": agent, "tag": tag, "state": state, "limit": PAGE_RUNS}
        while True:
            page, query["cursor"] = self._transport.page(*op.LIST_RUNS(), query=query)
            yield from (Run(self._transport, data) for data in page)
            if query["cursor"] is None:
                return

    def item(self, id: str) -> Dict[str, Any]:
        """One item with its trace, as :meth:`Run.item`, of the newest run that has it.

        Args:
            id: Your own id of it, or its record's, such as ``record_id`` of a cause.

        Raises:
            AssayError: ``not_found``.

        >>> run = Assay().submit("claims", [{"id": "page-8", "text": "theft"}], item_id="id", wait=True)
        >>> Assay().item("page-8")["run_id"] == run.id
        True
        """
        return item_of(self._transport, id, None)

    def causes(self, agent: Optional[str] = None) -> Iterator[Dict[str, Any]]:
        """Why items of all runs did not work, as :meth:`Run.causes`.

        >>> causes = list(Assay().causes("claims"))
        """
        return causes_of(self._transport, None, agent)

    def diff(self, first: Union[Run, str], second: Union[Run, str]) -> Diff:
        """Compares two runs over the same items.

        Args:
            first: A run, or its id; usually the earlier one.
            second: The other one.

        Raises:
            ApiError: ``not_found``.
            AssayError: ``invalid_setting`` for runs of more than 100,000 items.
        """
        both = [one.refresh() if isinstance(one, Run) else self.run(one) for one in (first, second)]
        return diff(self._transport, *both)

    def recovery(self, id: str) -> Recovery:
        """A recovery by its id.

        Raises:
            ApiError: ``not_found``.
        """
        return Recovery(self._transport, self._transport.ask(*op.GET_RECOVERY(id)))

    def recoveries(self) -> Iterator[Recovery]:
        """Yields all recoveries, newest first, page by page as they are used.

        >>> [recovery.status for recovery in Assay().recoveries()]
        [...]
        """
        return recoveries(self._transport)
