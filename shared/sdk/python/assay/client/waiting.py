"""Waits for what a server does. Guarantee: a wait ends when nothing moves by itself any more, at its time, or with Ctrl-C; a server that
is away for a while does not end it, and where it ends early, what it waited for goes on, and it says how to come back."""

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
LONGEST_ABSENCE_S = 15 * 60.0
"""How long a server may not answer before a wait without a time gives up: an upgrade with its migrations takes minutes."""


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
        AssayError: ``timed_out``, or what kept the server from answering, both with the way back.
        KeyboardInterrupt: After it printed the way back.
    """
    try:
        for pause in _looks(awaited, line, timeout_s, progress):
            time.sleep(pause)
    except KeyboardInterrupt:
        print(f"\n{awaited.way_back()}", file=sys.stderr)
        raise


async def await_for(awaited: Awaited, line: Line, timeout_s: Optional[float], progress: Optional[bool]) -> None:
    """The same for ``async`` code.

    Raises:
        AssayError: As :func:`wait_for`.
        asyncio.CancelledError: After it printed the way back.
    """
    looks = _looks(awaited, line, timeout_s, progress)
    try:
        while (pause := await asyncio.to_thread(next, looks, None)) is not None:
            await asyncio.sleep(pause)
    except asyncio.CancelledError:  # so ends Ctrl-C in asyncio.run
        print(f"\n{awaited.way_back()}", file=sys.stderr)
        raise


def _looks(awaited: Awaited, line: Line, timeout_s: Optional[float], progress: Optional[bool]) -> Iterator[float]:
    """Looks, until it is over; yields how long to wait for the next look."""
    show = shown(progress, line, awaited.is_over)
    pause, answered = FIRST_LOOK_S, time.monotonic()
    until = None if timeout_s is None else answered + timeout_s
    away: Optional[AssayError] = None
    while True:
        try:
            awaited.refresh()
            away, answered = None, time.monotonic()
        except AssayError as error:
            if not error.may_pass:
                raise
            if away is None:
                print(f"\n{error.message}; it is asked again", file=sys.stderr)
            away = error
        if away is None and show is not None:
            show(awaited.data)
        if away is None and awaited.is_over():
            return
        now = time.monotonic()
        if until is not None and now >= until:
            raise _timed_out(awaited, away)
        if until is None and away is not None and now >= answered + LONGEST_ABSENCE_S:
            raise away.hinted(awaited.way_back())
        yield pause if until is None else min(pause, until - now)
        pause = min(LONGEST_LOOK_S, pause * 1.5)


def _timed_out(awaited: Awaited, away: Optional[AssayError]) -> AssayError:
    unread = "" if away is None else f" as it was last read; {away.message}"
    return AssayError("timed_out", f"after the time to wait, {awaited.standing()}{unread}", awaited.way_back())
