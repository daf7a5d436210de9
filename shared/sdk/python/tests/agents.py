"""The agents that tests serve in processes of their own; each item says what its agent is to do."""

from __future__ import annotations

import ctypes
import os
import re
import threading
import time
from typing import Any

from assay import AsyncContext, Context, ItemsContext, Occurrence, agent, items


@items
def many(ctx: ItemsContext, occurrence: Occurrence) -> Any:
    for n in range(3000):
        yield {"n": n}


@agent(name="Works", items=[many])
def works(ctx: Context, item: Any) -> Any:
    do = item.get("do") if isinstance(item, dict) else None
    ctx.step("before", lambda: os.getpid())
    if do == "abort":
        time.sleep(0.2)
        os.abort()
    if do == "exit":
        time.sleep(0.2)
        os._exit(7)
    if do == "crash":
        time.sleep(0.2)
        ctypes.string_at(0)
    if do == "kill":
        time.sleep(0.2)
        os.kill(os.getpid(), 9)
    if do == "fork":
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        os.kill(os.getpid(), 9)
    if do == "memory":
        return len(bytearray(4 << 30))
    if do == "sleep":
        ctx.signal.wait(float(item["seconds"]))
        ctx.step("after", lambda: 2)
    if do == "ignore":
        time.sleep(60)
    if do == "busy":
        until = time.monotonic() + float(item["seconds"])
        while time.monotonic() < until:
            pass
    if do == "frozen":  # a computation in C that keeps all other Python of its process from running
        re.match(r"(a+)+$", "a" * 31 + "b")
    return {"pid": ctx.step("pid", lambda: 1), "thread": threading.current_thread().name != "MainThread"}


@agent(name="Works too")
async def works_async(ctx: AsyncContext, item: Any) -> Any:
    return await ctx.step("one", lambda: 1)


@agent(name="Does nothing")
def nothing(ctx: Context, item: Any) -> Any:
    return item
