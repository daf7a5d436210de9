"""Makes the items of a run. Guarantee: a generator makes no more values than its reader takes; its answer ends with one last line,
which gives the number of items or the error."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, Dict, Iterator, Optional

from .errors import ItemError, message_of
from .item_lines import shorten
from .kept import dumps, written
from .limits import GENERATOR_PIECE, ITEM_INPUT_BYTES
from .payload import is_longer

if TYPE_CHECKING:
    from .agent import Registration


class ItemsContext:
    """The first argument of a generator of items.

    >>> ItemsContext().signal.is_set()
    False
    """

    def __init__(self) -> None:
        self.signal = threading.Event()
        """Set when nobody reads the items any more."""


def item_pieces(agent: "Registration", name: str, occurrence: Dict[str, Any], ctx: ItemsContext) -> Iterator[str]:
    """The lines of a generator's items, several in a piece; whoever reads them asks for the next."""
    count = 0
    piece = ""
    values: Optional[Iterator[Any]] = None
    try:
        values = _values(agent.generator(name)(ctx, occurrence))
        for value in values:
            count += 1
            text = written(value, f"item {count}", keeps_getters=False)
            if is_longer(text, ITEM_INPUT_BYTES):
                raise ItemError(f"item {count} is longer than {ITEM_INPUT_BYTES} bytes")
            piece += f'{{"type":"item","input":{text}}}\n'
            if len(piece) >= GENERATOR_PIECE:
                yield piece
                piece = ""
        yield f'{piece}{{"type":"end","items":{count}}}\n'
    except GeneratorExit:
        ctx.signal.set()
        raise
    except BaseException as error:
        code = error.code if isinstance(error, ItemError) and error.code else "agent_error"
        yield f'{piece}{{"type":"error","error":{dumps({"code": code, "message": shorten(message_of(error))})}}}\n'
    finally:
        close = getattr(values, "close", None)
        if close is not None:
            close()


def _values(values: Any) -> Iterator[Any]:
    """The values of a generator; those of an async one by an event loop of its own."""
    if not hasattr(values, "__anext__"):
        yield from values
        return
    loop = asyncio.new_event_loop()
    try:
        while True:
            try:
                yield loop.run_until_complete(values.__anext__())
            except StopAsyncIteration:
                return
    finally:
        loop.run_until_complete(values.aclose())
        loop.close()
