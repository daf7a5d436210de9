"""What an upstream's latest calls say about it. Guarantee: one item alone closes no upstream that others are served by, and only a call
that was made after the first failure speaks for it."""

from __future__ import annotations

import collections
from typing import Deque, Dict, Optional, Set

MOST_ITEMS = 8
OF_INPUTS = ("refused", "quota")  # which an input can lead to as well as a credential
SUSPECTS = 1000
ENOUGH = 16  # so many failures without a success close, however many calls are still worked on
BEGINS = 256  # calls whose beginning is remembered
SERVER_ERROR = 500  # a server breaks for single inputs
QUIET_S = 10.0  # where nobody was served for so long, one refusal says as much as three

STATES = {"rate": "cooling", "away": "away", "overloaded": "away", "cut": "away", "quota": "quota", "refused": "refused"}
ITEMS = {"cooling": 2, "away": 3, "quota": 3, "refused": 3}  # that must have met it in a row


class Evidence:
    """Of one upstream; times are seconds of one clock.

    >>> evidence = Evidence()
    >>> for at in range(4): evidence.began(at)
    >>> evidence.succeeded(0, 4)
    >>> [evidence.failed(item, "rate", False, 429, 4, 5) for item in ("a", "a", "b")]
    [False, False, True]
    """

    def __init__(self) -> None:
        self.succeeded_at = float("-inf")
        self._failed: Dict[str, Set[str]] = {}
        self._suspects: Dict[str, None] = {}
        self._failures = 0
        self._first = float("inf")
        self._beside = 0
        self._begins: Deque[float] = collections.deque(maxlen=BEGINS)

    def began(self, now: float) -> None:
        """A call begins. While many that began with it are unanswered, a few quick refusals say little."""
        self._begins.append(now)
        if self._failures > 0:
            self._beside += 1

    def succeeded(self, began: float, now: float) -> None:
        self.succeeded_at = now
        if began < self._first <= now:
            return
        for state in OF_INPUTS:
            for item in self._failed.get(state, ()):
                self._suspects[item] = None
        while len(self._suspects) > SUSPECTS:
            del self._suspects[next(iter(self._suspects))]
        self._failed.clear()
        self._failures = 0
        self._first = float("inf")

    def failed(self, item: str, fault: str, has_moment: bool, status: Optional[int], began: float, now: float) -> bool:
        """Whether the upstream is closed by this: for all that is known nobody is served."""
        state = STATES.get(fault)
        if state is None or status == SERVER_ERROR or (state in OF_INPUTS and item in self._suspects):
            return False
        if self._failures == 0:
            self._beside = sum(begin >= began for begin in self._begins)
        self._first = min(self._first, now)
        self._failures += 1
        items = self._failed.setdefault(state, set())
        if len(items) < MOST_ITEMS:
            items.add(item)
        if fault == "rate" and has_moment:
            return True
        if state == "away" and fault != "cut" and now - self.succeeded_at > QUIET_S:
            return True
        is_most = self._failures * 2 >= self._beside or self._failures >= ENOUGH
        return len(items) >= ITEMS[state] and is_most
