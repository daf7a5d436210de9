"""Drives a step, which is a generator of the calls that it needs: in the thread of a function, or in an event loop. Guarantee: what
happens around a call is written once for both."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Generator, Optional, Tuple

from . import calls
from .calls import CallScope
from .streams import read_async, read_whole

# A function, what it gets, whose calls it makes, and whether it is a model's.
Call = Tuple[Callable[[Any], Any], Any, Optional[CallScope], bool]
Perform = Generator[Call, Any, Any]


def drive(perform: Perform) -> Any:
    """Runs a step in this thread."""
    try:
        fn, given, scope, is_model = next(perform)
        while True:
            try:
                with calls.within(scope):
                    value = _awaited(fn(given))
                    value = read_whole(value) if is_model else value
            except BaseException as error:
                fn, given, scope, is_model = perform.throw(error)
            else:
                fn, given, scope, is_model = perform.send(value)
    except StopIteration as end:
        return end.value


def _awaited(value: Any) -> Any:
    if not inspect.isawaitable(value):
        return value
    if inspect.iscoroutine(value):
        value.close()
    raise TypeError("the function returned an awaitable: write `async def` for the agent, and await its steps")


async def drive_async(perform: Perform) -> Any:
    """Runs a step in this event loop."""
    try:
        fn, given, scope, is_model = next(perform)
        while True:
            try:
                with calls.within(scope):
                    value = fn(given)
                    value = await value if inspect.isawaitable(value) else value
                    value = await read_async(value) if is_model else value
            except BaseException as error:
                fn, given, scope, is_model = perform.throw(error)
            else:
                fn, given, scope, is_model = perform.send(value)
    except StopIteration as end:
        return end.value
