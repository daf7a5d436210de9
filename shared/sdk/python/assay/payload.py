"""Payloads as a trace keeps them. Guarantee: one that is longer than a step keeps is cut and marked, with an outline from which an
answer is still read."""

from __future__ import annotations

import json
from typing import Any, Optional

from .kept import dumps, written
from .limits import (
    CUT_HEAD_BYTES,
    OUTLINE_DEPTH,
    OUTLINE_ENTRIES,
    OUTLINE_TEXT_CHARACTERS,
    OUTLINE_VALUES,
    STEP_PAYLOAD_BYTES,
)
from .mask import own_mask


def is_longer(text: str, limit: int) -> bool:
    """Whether a text takes more than so many bytes; most texts are decided without encoding them."""
    return len(text) * 4 > limit and (len(text) > limit or len(text.encode("utf-8", "replace")) > limit)


def payload(value: Any, what: str) -> str:
    """A step's input or output as JSON text, without the agent's own secrets, and cut if it is too long."""
    return cut(own_mask().json(written(value, what, keeps_getters=False)))


def cut(text: str) -> str:
    """JSON text, or the marker that stands for one that is too long.

    >>> cut('"short"')
    '"short"'
    >>> json.loads(cut('"' + "x" * 300_000 + '"'))["bytes"]
    300002
    """
    if not is_longer(text, STEP_PAYLOAD_BYTES):
        return text
    head = text[:CUT_HEAD_BYTES].encode("utf-8", "replace")[:CUT_HEAD_BYTES].decode("utf-8", "ignore")
    size = len(text.encode("utf-8", "replace"))
    return dumps({"cut": True, "bytes": size, "head": head, "outline": Outline().of(json.loads(text))})


def is_cut(recorded: Any) -> bool:
    """Whether a recording is such a marker; if so, its step runs again."""
    if not isinstance(recorded, dict):
        return False
    size: Optional[Any] = recorded.get("bytes")
    return recorded.get("cut") is True and isinstance(size, int) and isinstance(recorded.get("head"), str)


class Outline:
    """A copy with only the beginning of long texts, and the beginning and the end of long lists: those of a stream hold its
    tokens and how it ended."""

    def __init__(self) -> None:
        self._left = OUTLINE_VALUES

    def of(self, value: Any, depth: int = 0) -> Any:
        if isinstance(value, str):
            return value[:OUTLINE_TEXT_CHARACTERS]
        if not isinstance(value, (dict, list)):
            return value
        if depth > OUTLINE_DEPTH:
            return None
        if isinstance(value, dict):
            return {name: self.of(one, depth + 1) for name, one in value.items() if self._takes()}
        ends = value if len(value) <= OUTLINE_ENTRIES else value[: OUTLINE_ENTRIES - 4] + value[-4:]
        return [self.of(one, depth + 1) for one in ends if self._takes()]

    def _takes(self) -> bool:
        self._left -= 1
        return self._left >= 0
