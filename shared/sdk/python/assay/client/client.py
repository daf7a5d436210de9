"""A client of one Assay server: submit rows, wait, read results. Guarantee: everything is in bounded memory, and a call
that fails says what to do next."""

from __future__ import annotations

import os
from typing import Any, Iterator, Optional, Sequence

from . import operations as op
from .errors import AssayError
from .money import Amount, cents_of
from .rows import Rows
from .run import Run
from .submit import submit
from .transport import Transport

LOCAL_URL = "http://127.0.0.1:8090"
PAGE_RUNS = 100


class Assay:
    """One server, with the key of one project.

    Args:
        base_url: Where it is; else ``ASSAY_BASE_URL``, else this machine's port 8090.
        api_key: A key of the project, ``pk_…``; else ``ASSAY_API_KEY``.

    Raises:
        AssayError: ``invalid_setting`` without a key, or with a URL that is none.

    >>> assay = Assay("http://127.0.0.1:8090", "pk_example")
    >>> assay.base_url
    'http://127.0.0.1:8090'
    """

    def __init__(self, base_url: Optional[str] = None, api_key: Optional[str] = None) -> None:
        url = base_url or os.environ.get("ASSAY_BASE_URL") or LOCAL_URL
        if not url.startswith(("http://", "https://")):
            raise AssayError("invalid_setting", f"base_url is {url!r}", f"write it as in {LOCAL_URL}")
        key = api_key or os.environ.get("ASSAY_API_KEY")
        if not key:
            raise AssayError("invalid_setting", "api_key is missing", "pass it, or set ASSAY_API_KEY; assay keys makes one")
        self._transport = Transport(url, key.strip())

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
            wait: Return when the run has ended. Ctrl-C leaves it running.
            progress: Whether a line says how far it is; by default in a terminal or a notebook.

        Raises:
            InvalidRows: With the number of the row; nothing was submitted.
            ApiError: With the server's code: ``not_found``, ``invalid_line``, ``unpriced_model``, ``too_many_open_runs`` …
            AssayError: ``budget_not_enforced``; ``unreachable``, with the key that makes it safe to submit again.
        """
        settings = {
            "agent": agent,
            "name": name,
            "budget_cents": None if budget is None else cents_of(budget),
            "concurrency": concurrency,
            "pilot_items": pilot_items,
            "timeout_seconds": timeout_seconds,
            "patience_seconds": patience_seconds,
            "callback_url": callback_url,
            "tags": ",".join(tags) or None,
            "allow_unpriced": True if allow_unpriced else None,
            "idempotency_key": idempotency_key,
        }
        answer, _ = submit(
            self._transport,
            rows,
            settings,
            item_id=item_id,
            partition_key=partition_key,
            by_content=by_content,
        )
        run = self.run(answer["run_id"])
        run.duplicate = bool(answer.get("duplicate", False))
        return run.wait(progress=progress) if wait else run

    def run(self, id: str) -> Run:
        """A run by its id.

        Raises:
            ApiError: ``not_found``.
        """
        return Run(self._transport, self._transport.ask(*op.GET_RUN(id)))

    def runs(self, agent: Optional[str] = None, tag: Optional[str] = None, state: Optional[str] = None) -> Iterator[Run]:
        """All runs, newest first, page by page as they are used.

        Args:
            state: ``open``, ``ended`` or ``held``.
        """
        query: dict[str, Any] = {"agent": agent, "tag": tag, "state": state, "limit": PAGE_RUNS}
        while True:
            page, query["cursor"] = self._transport.page(*op.LIST_RUNS(), query=query)
            yield from (Run(self._transport, data) for data in page)
            if query["cursor"] is None:
                return
