"""The client for ``async`` code. Guarantee: no call blocks the event loop; a wait that is cancelled leaves what it waited for running."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, Iterator, List, Literal, Optional, TypeVar, Union, overload

from .async_recovery import AsyncPlan, AsyncRecovery
from .client import Assay
from .diff import Diff
from .pilot import Pilot
from .progress import line_of
from .rows import Rows
from .run import Run
from .settings import BatchSettings, RecoverySettings, SubmitSettings
from .waiting import await_for

if TYPE_CHECKING:  # of Python 3.11; checkers of types have it for every version
    from typing_extensions import Unpack

CHUNK = 500
"""Rows that a thread reads at a time."""

T = TypeVar("T")


class AsyncRun:
    """A run, as :class:`Run`, with methods to await.

    >>> async def nightly(assay):
    ...     run = await assay.submit("claims", [{"id": 1, "text": "flood"}], item_id="id", wait=True)
    ...     return [(row["item_id"], row["outcome_reason"]) async for row in run.results(only="not_ok")]
    >>> asyncio.run(nightly(AsyncAssay()))
    [('1', 'schema_mismatch')]
    """

    def __init__(self, run: Run) -> None:
        self.run = run

    @property
    def id(self) -> str:
        return self.run.id

    @property
    def status(self) -> str:
        return self.run.status

    @property
    def outcome(self) -> Optional[str]:
        return self.run.outcome

    @property
    def data(self) -> Dict[str, Any]:
        return self.run.data

    @property
    def duplicate(self) -> bool:
        return self.run.duplicate

    @property
    def has_ended(self) -> bool:
        return self.run.has_ended

    @property
    def cost_usd(self) -> float:
        return self.run.cost_usd

    @property
    def total_items(self) -> int:
        return self.run.total_items

    async def refresh(self) -> "AsyncRun":
        await asyncio.to_thread(self.run.refresh)
        return self

    async def wait(self, timeout_s: Optional[float] = None, progress: Optional[bool] = None) -> "AsyncRun":
        """As :meth:`Run.wait`, with the same errors."""
        await await_for(self.run, line_of, timeout_s, progress)
        return self

    def results(self, only: str = "all", fields: Optional[str] = None) -> AsyncIterator[Dict[str, Any]]:
        """As :meth:`Run.results`."""
        return _in_threads(iter(self.run.results(only, fields)))

    def causes(self) -> AsyncIterator[Dict[str, Any]]:
        """As :meth:`Run.causes`."""
        return _in_threads(self.run.causes())

    async def item(self, id: str) -> Dict[str, Any]:
        """As :meth:`Run.item`."""
        return await asyncio.to_thread(self.run.item, id)

    @overload
    async def recover(self, *, dry_run: Literal[True], **settings: Unpack[RecoverySettings]) -> AsyncPlan: ...

    @overload
    async def recover(
        self, *, dry_run: Literal[False] = ..., wait: bool = ..., progress: Optional[bool] = ..., **settings: Unpack[RecoverySettings]
    ) -> AsyncRecovery: ...

    async def recover(
        self, *, dry_run: bool = False, wait: bool = False, progress: Optional[bool] = None, **settings: Unpack[RecoverySettings]
    ) -> Union[AsyncPlan, AsyncRecovery]:
        """As :meth:`Run.recover`, with the same settings."""
        if dry_run:
            return AsyncPlan(await asyncio.to_thread(lambda: self.run.recover(dry_run=True, **settings)))
        recovery = AsyncRecovery(await asyncio.to_thread(lambda: self.run.recover(dry_run=False, **settings)))
        return await recovery.wait(progress=progress) if wait else recovery

    async def cancel(self, abort: bool = False) -> "AsyncRun":
        await asyncio.to_thread(self.run.cancel, abort)
        return self

    def __repr__(self) -> str:
        return f"Async{self.run!r}"


class AsyncPilot:
    """A pilot, as :class:`Pilot`.

    >>> async def piloted(assay):
    ...     pilot = await assay.pilot("claims", [{"id": n, "text": "theft"} for n in range(6)], items=2, item_id="id")
    ...     run = await pilot.go_on(wait=True)
    ...     return pilot.outlook["rows"], run.status
    >>> asyncio.run(piloted(AsyncAssay()))
    (4, 'completed')
    """

    def __init__(self, pilot: Pilot) -> None:
        self.pilot = pilot

    @property
    def run(self) -> AsyncRun:
        return AsyncRun(self.pilot.run)

    @property
    def outlook(self) -> Dict[str, Any]:
        return self.pilot.outlook

    async def go_on(self, *, wait: bool = False, anyway: bool = False, progress: Optional[bool] = None) -> AsyncRun:
        """As :meth:`Pilot.go_on`."""
        run = AsyncRun(await asyncio.to_thread(lambda: self.pilot.go_on(anyway=anyway)))
        return await run.wait(progress=progress) if wait else run

    def __repr__(self) -> str:
        return f"Async{self.pilot!r}"


class AsyncAssay:
    """A client, as :class:`Assay`, with methods to await. Rows are read in a thread.

    >>> AsyncAssay("http://127.0.0.1:8090", "pk_example").base_url
    'http://127.0.0.1:8090'
    """

    def __init__(self, base_url: Optional[str] = None, api_key: Optional[str] = None) -> None:
        self._assay = Assay(base_url, api_key)

    @property
    def base_url(self) -> str:
        return self._assay.base_url

    async def submit(
        self, agent: str, rows: Rows, *, wait: bool = False, progress: Optional[bool] = None, **settings: Unpack[SubmitSettings]
    ) -> AsyncRun:
        """As :meth:`Assay.submit`, with the same settings."""
        run = AsyncRun(await asyncio.to_thread(lambda: self._assay.submit(agent, rows, **settings)))
        return await run.wait(progress=progress) if wait else run

    async def pilot(
        self, agent: str, rows: Rows, *, items: int, progress: Optional[bool] = None, **settings: Unpack[BatchSettings]
    ) -> AsyncPilot:
        """As :meth:`Assay.pilot`, with the same settings."""
        sent = await asyncio.to_thread(lambda: self._assay._send_pilot(agent, rows, items, **settings))
        await await_for(sent.run, line_of, None, progress)
        return AsyncPilot(await asyncio.to_thread(sent.ended))

    async def run(self, id: str) -> AsyncRun:
        """As :meth:`Assay.run`."""
        return AsyncRun(await asyncio.to_thread(self._assay.run, id))

    async def runs(
        self, agent: Optional[str] = None, tag: Optional[str] = None, state: Optional[str] = None
    ) -> AsyncIterator[AsyncRun]:
        """As :meth:`Assay.runs`."""
        async for run in _in_threads(self._assay.runs(agent, tag, state)):
            yield AsyncRun(run)

    async def item(self, id: str) -> Dict[str, Any]:
        """As :meth:`Assay.item`."""
        return await asyncio.to_thread(self._assay.item, id)

    def causes(self, agent: Optional[str] = None) -> AsyncIterator[Dict[str, Any]]:
        """As :meth:`Assay.causes`."""
        return _in_threads(self._assay.causes(agent))

    async def diff(self, first: Union[AsyncRun, str], second: Union[AsyncRun, str]) -> Diff:
        """As :meth:`Assay.diff`."""
        both = [one.run if isinstance(one, AsyncRun) else one for one in (first, second)]
        return await asyncio.to_thread(self._assay.diff, *both)

    async def recovery(self, id: str) -> AsyncRecovery:
        """As :meth:`Assay.recovery`."""
        return AsyncRecovery(await asyncio.to_thread(self._assay.recovery, id))

    async def recoveries(self) -> AsyncIterator[AsyncRecovery]:
        """As :meth:`Assay.recoveries`."""
        async for recovery in _in_threads(self._assay.recoveries()):
            yield AsyncRecovery(recovery)


async def _in_threads(rows: Iterator[T]) -> AsyncIterator[T]:
    while chunk := await asyncio.to_thread(_some, rows):
        for row in chunk:
            yield row


def _some(rows: Iterator[T]) -> List[T]:
    return list(islice(rows, CHUNK))
