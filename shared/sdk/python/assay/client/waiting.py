"""Waits for what a server does. Guarantee: a wait ends when nothing moves by itself any more, at its time, or with Ctrl-C; in each
case what it waited for goes on, and it says how to come back."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any, Dict, Iterator, Optional, Protocol

from .errors import AssayError
from .progress import Line, shown

FIRST_LOOK_S = 0.25
LONGEST_LOOK_S = 5.0
"""How long a wait lets pass between two looks: at first short, for runs of a few items."""


class Awaited(Protocol):
    """A run, or a recovery."""

    data: Dict[str, Any]

    def refresh(self) -> Any: ...

    def is_over(self) -> bool:
        """Whether nothing of it moves by itself: it has ended, or what is left of it waits for a person."""
        ...

    def standing(self) -> str:
        """What it is now, in a few words."""
        ...

    def way_back(self) -> str:
        """How to come back to it."""
        ...


def wait_for(awaited: Awaited, line: Line, timeout_s: Optional[float], progress: Optional[bool]) -> None:
    """Returns when it is over.

    Raises:
        AssayError: ``timed_out``, with the way back.
        KeyboardInterrupt: After it printed the way back.
    """
    until = None if timeout_s is None else time.monotonic() + timeout_s
    try:
        for pause in _looks(awaited, line, progress):
            left = LONGEST_LOOK_S if until is None else until - time.monotonic()
            if left <= 0:
                raise AssayError("timed_out", f"after the time to wait, {awaited.standing()}", awaited.way_back())
            time.sleep(min(pause, left))
    except KeyboardInterrupt:
        print(f"\n{awaited.way_back()}", file=sys.stderr)
        raise


async def await_for(awaited: Awaited, line: Line, timeout_s: Optional[float], progress: Optional[bool]) -> None:
    """The same for ``async`` code.

    Raises:
        asyncio.TimeoutError: After ``timeout_s``.
        asyncio.CancelledError: After it printed the way back.
    """

    async def ended() -> None:
        looks = _looks(awaited, line, progress)
        while (pause := await asyncio.to_thread(next, looks, None)) is not None:
            await asyncio.sleep(pause)

    try:
        await asyncio.wait_for(ended(), timeout_s)
    except asyncio.CancelledError:  # so ends Ctrl-C in asyncio.run
        print(f"\n{awaited.way_back()}", file=sys.stderr)
        raise


def _looks(awaited: Awaited, line: Line, progress: Optional[bool]) -> Iterator[float]:
    """Looks, until it is over; yields how long to wait for the next look."""
    show = shown(progress, line, awaited.is_over)
    pause = FIRST_LOOK_S
    while True:
        awaited.refresh()
        if show is not None:
            show(awaited.data)
        if awaited.is_over():
            return
        yield pause
        pause = min(LONGEST_LOOK_S, pause * 1.5)
