"""Recoveries for ``async`` code. Guarantee: as in the client for it, no call blocks the event loop."""

from __future__ import annotations

import asyncio
from typing import Any, Dict, List, Optional

from .money import Amount
from .progress import recovery_line
from .recovery import Plan, Recovery
from .waiting import await_for


class AsyncRecovery:
    """A recovery, as :class:`Recovery`, with methods to await.

    >>> async def again(assay):
    ...     run = await assay.submit("claims", [{"id": 1, "text": "flood"}], item_id="id", wait=True)
    ...     recovery = await run.recover(wait=True)
    ...     return recovery.status
    >>> asyncio.run(again(AsyncAssay()))
    'completed'
    """

    def __init__(self, recovery: Recovery) -> None:
        self.recovery = recovery

    @property
    def id(self) -> str:
        return self.recovery.id

    @property
    def status(self) -> str:
        return self.recovery.status

    @property
    def data(self) -> Dict[str, Any]:
        return self.recovery.data

    @property
    def has_ended(self) -> bool:
        return self.recovery.has_ended

    @property
    def cost_usd(self) -> float:
        return self.recovery.cost_usd

    @property
    def warnings(self) -> List[str]:
        return self.recovery.warnings

    async def refresh(self) -> "AsyncRecovery":
        await asyncio.to_thread(self.recovery.refresh)
        return self

    async def wait(self, timeout_s: Optional[float] = None, progress: Optional[bool] = None) -> "AsyncRecovery":
        """As :meth:`Recovery.wait`, with the same errors."""
        await await_for(self.recovery, recovery_line, timeout_s, progress)
        return self

    async def abort(self) -> "AsyncRecovery":
        await asyncio.to_thread(self.recovery.abort)
        return self

    def __repr__(self) -> str:
        return f"Async{self.recovery!r}"


class AsyncPlan:
    """A plan of a recovery, as :class:`Plan`.

    >>> async def planned(assay):
    ...     run = await assay.submit("claims", [{"id": 1, "text": "flood"}], item_id="id", wait=True)
    ...     plan = await run.recover(dry_run=True, reason="schema_mismatch")
    ...     return plan.items, (await plan.go_on(wait=True)).status
    >>> asyncio.run(planned(AsyncAssay()))
    (1, 'completed')
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    @property
    def data(self) -> Dict[str, Any]:
        return self.plan.data

    @property
    def items(self) -> int:
        return self.plan.items

    @property
    def max_cost_usd(self) -> Optional[float]:
        return self.plan.max_cost_usd

    @property
    def asked_again_steps(self) -> int:
        return self.plan.asked_again_steps

    @property
    def reused_steps(self) -> int:
        return self.plan.reused_steps

    @property
    def warnings(self) -> List[str]:
        return self.plan.warnings

    async def go_on(
        self, *, first: Optional[int] = None, budget: Optional[Amount] = None, wait: bool = False, progress: Optional[bool] = None
    ) -> AsyncRecovery:
        """As :meth:`Plan.go_on`."""
        recovery = AsyncRecovery(await asyncio.to_thread(lambda: self.plan.go_on(first=first, budget=budget)))
        return await recovery.wait(progress=progress) if wait else recovery

    def __repr__(self) -> str:
        return f"Async{self.plan!r}"
