"""The client for ``async`` code. Guarantee: no call blocks the event loop; a wait that is cancelled leaves the run running."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import Any, AsyncIterator, Dict, List, Optional

from .client import Assay
from .money import Amount
from .progress import shown
from .results import Results
from .rows import Rows
from .run import FIRST_LOOK_S, LONGEST_LOOK_S, Run

CHUNK = 500
"""Results that a thread reads at a time."""


class AsyncRun:
    """A run, as :class:`Run`, with methods to await.

    >>> async def nightly(assay):
    ...     run = await assay.submit("claims", "pages.jsonl", item_id="id", wait=True)
    ...     async for row in run.results(only="not_ok"):
    ...         print(row["item_id"])
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

    async def refresh(self) -> "AsyncRun":
        await asyncio.to_thread(self.run.refresh)
        return self

    async def wait(self, timeout_s: Optional[float] = None, progress: Optional[bool] = None) -> "AsyncRun":
        """Returns when it has ended. After ``timeout_s`` seconds raises ``asyncio.TimeoutError``; the run goes on."""
        await asyncio.wait_for(self._ended(progress), timeout_s)
        return self

    async def _ended(self, progress: Optional[bool]) -> None:
        show, pause = shown(progress), FIRST_LOOK_S
        while True:
            await self.refresh()
            if show is not None:
                show(self.data)
            if self.run.has_ended:
                return
            await asyncio.sleep(pause)
            pause = min(LONGEST_LOOK_S, pause * 1.5)

    async def results(self, only: str = "all", fields: Optional[str] = None) -> AsyncIterator[Dict[str, Any]]:
        rows = iter(Results(self.run._transport, self.id, only, fields))
        while chunk := await asyncio.to_thread(_some, rows):
            for row in chunk:
                yield row

    async def recover(self, budget: Optional[Amount] = None) -> Dict[str, Any]:
        return await asyncio.to_thread(self.run.recover, budget)

    async def cancel(self, abort: bool = False) -> "AsyncRun":
        await asyncio.to_thread(self.run.cancel, abort)
        return self

    def __repr__(self) -> str:
        return f"Async{self.run!r}"


def _some(rows: Any) -> List[Dict[str, Any]]:
    return list(islice(rows, CHUNK))


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
        self, agent: str, rows: Rows, *, wait: bool = False, progress: Optional[bool] = None, **settings: Any
    ) -> AsyncRun:
        """As :meth:`Assay.submit`, with the same settings."""
        run = AsyncRun(await asyncio.to_thread(lambda: self._assay.submit(agent, rows, **settings)))
        return await run.wait(progress=progress) if wait else run

    async def run(self, id: str) -> AsyncRun:
        return AsyncRun(await asyncio.to_thread(self._assay.run, id))

    async def runs(
        self, agent: Optional[str] = None, tag: Optional[str] = None, state: Optional[str] = None
    ) -> AsyncIterator[AsyncRun]:
        found = self._assay.runs(agent, tag, state)
        while (run := await asyncio.to_thread(next, found, None)) is not None:
            yield AsyncRun(run)
