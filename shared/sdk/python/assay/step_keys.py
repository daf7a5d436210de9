"""Gives the steps of an attempt their keys. Guarantee: no two steps of an attempt have the same, and the same calls in the same order
have the same in every attempt."""

from __future__ import annotations

import threading
from typing import Dict

from .limits import STEP_KEY_CHARACTERS
from .mask import own_mask


class StepKeys:
    """The keys of one attempt.

    >>> keys = StepKeys()
    >>> keys.next("ask"), keys.next("ask"), keys.refused("ask"), keys.refused("ask")
    ('ask', 'ask#2', 'ask~1', 'ask~2')
    """

    def __init__(self) -> None:
        self._counts: Dict[str, int] = {}
        self._lock = threading.Lock()

    def next(self, name: str) -> str:
        """The name itself, as it is recorded, or for a repeated call the name with the first free number."""
        if not isinstance(name, str) or name == "":
            raise TypeError("a step needs a name")
        masked = own_mask().text(name)
        with self._lock:
            count = self._counts.get(masked, 0) + 1
            key = masked if count == 1 else f"{masked}#{count}"
            while count > 1 and key in self._counts:
                count += 1
                key = f"{masked}#{count}"
            if len(key) > STEP_KEY_CHARACTERS:
                raise TypeError(f"a step's key may have {STEP_KEY_CHARACTERS} characters; {key[:40]}… is longer")
            self._counts[masked] = count
            if count > 1:
                self._counts[key] = 1
        return key

    def refused(self, key: str) -> str:
        """For an answer of this step that is not accepted: later attempts find only accepted ones again."""
        with self._lock:
            count = 1
            while True:
                refused = f"{key[: STEP_KEY_CHARACTERS - len(str(count)) - 1]}~{count}"
                if refused not in self._counts:
                    self._counts[refused] = 1
                    return refused
                count += 1
