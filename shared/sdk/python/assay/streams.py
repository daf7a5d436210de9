"""Reads a streamed answer to its end. Guarantee: an agent gets the same value that a later attempt finds recorded, and none of the
model's text is missing."""

from __future__ import annotations

import collections.abc
import inspect
import json
from typing import Any, Dict, List, Optional

from .kept import written

# With which the streams of Anthropic's and OpenAI's clients return the whole answer.
FINALS = ("get_final_completion", "get_final_message", "get_final_response")
# Fields whose text arrives in parts.
BITS = frozenset("text content delta thinking partial_json arguments reasoning reasoning_content response".split())
# Fields that may differ between two parts of one text; the later value is kept.
PASSING = frozenset("created_at createTime obfuscation sequence_number logprobs usageMetadata".split())


def read_whole(answer: Any) -> Any:
    """The answer of a model's call; for a stream the whole answer if its client makes one, else the list of pieces."""
    if _is_plain(answer):
        return answer
    if _is_manager(answer, "__enter__"):
        with answer as stream:
            return read_whole(stream)
    final = _final(answer)
    if final is not None:
        return final()
    beside = answer.get("stream") if isinstance(answer, dict) else None
    if _is_stream(beside, "__iter__"):  # Bedrock's client puts the stream into its answer
        return {**answer, "stream": read_whole(beside)}
    if not _is_stream(answer, "__iter__"):
        return answer
    pieces: List[Any] = []
    for piece in answer:
        _add(pieces, piece)
    return pieces


async def read_async(answer: Any) -> Any:
    """The same for what an async client returns."""
    if _is_plain(answer):
        return answer
    if _is_manager(answer, "__aenter__"):
        async with answer as stream:
            return await read_async(stream)
    final = _final(answer)
    if final is not None:
        whole = final()
        return await whole if inspect.isawaitable(whole) else whole
    if not _is_stream(answer, "__aiter__"):
        return read_whole(answer)
    pieces: List[Any] = []
    async for piece in answer:
        _add(pieces, piece)
    return pieces


def _is_plain(answer: Any) -> bool:
    return answer is None or isinstance(answer, (str, int, float, list, tuple, bytes)) or hasattr(type(answer), "model_fields")


def _is_manager(answer: Any, enter: str) -> bool:
    """What makes a stream when it is entered, as `client.messages.stream(…)`."""
    return hasattr(type(answer), enter) and type(answer).__name__.endswith("StreamManager")


def _final(answer: Any) -> Optional[Any]:
    return next((getattr(answer, name) for name in FINALS if callable(getattr(type(answer), name, None))), None)


def _is_stream(answer: Any, method: str) -> bool:
    if isinstance(answer, (dict, str, bytes, list, tuple, collections.abc.Set)) or answer is None:
        return False
    is_iterator = inspect.isgenerator(answer) or inspect.isasyncgen(answer) or hasattr(answer, "__next__") or hasattr(answer, "__anext__")
    return hasattr(type(answer), method) and (is_iterator or "Stream" in type(answer).__name__)


def _add(pieces: List[Any], piece: Any) -> None:
    """Adds a piece, joined to the one before if both are parts of one text: a stream has one piece for each word."""
    copy = json.loads(written(piece, "a piece of the stream", keeps_getters=False))
    joined = _joined(pieces[-1], copy, "") if pieces else APART
    if joined is APART:
        pieces.append(copy)
    else:
        pieces[-1] = joined


APART = object()


def _joined(one: Any, other: Any, name: str) -> Any:
    if name in PASSING or (type(one) is type(other) and one == other):
        return one + other if isinstance(one, str) and name in BITS and one else other
    if isinstance(one, str) and isinstance(other, str):
        return one + other if name in BITS else APART
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        parts = [_joined(first, second, name) for first, second in zip(one, other)]
        return APART if any(part is APART for part in parts) else parts
    if not (isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys()):
        return APART
    made: Dict[str, Any] = {}
    for key in other:
        made[key] = _joined(one[key], other[key], key)
        if made[key] is APART:
            return APART
    return made
