"""The context that an agent gets: its item, its steps, and the ways to end an item other than returning.

A step is recorded when it ends. When the item runs again, a step that succeeded returns its recorded output without running, so it
is not paid for twice. It is found by its key: its name, with `#2`, `#3` … for repeated calls, in the order of the calls. Let that
order depend only on the input and on earlier steps.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Awaitable, Callable, NamedTuple, Optional, TypedDict, TypeVar, Union

from .driving import drive, drive_async

if TYPE_CHECKING:
    from .item_run import ItemRun

Request = TypeVar("Request")
Result = TypeVar("Result")
Accept = Callable[[Any], Any]


class ItemIdentity(NamedTuple):
    """Identifies the item; the fields have the names of the item's record.

    >>> ItemIdentity("page-7", "tenant-1", 1, "run").item_id
    'page-7'
    """

    item_id: str
    partition_key: Optional[str]
    attempt: int
    run_id: str


class ModelAnswer(TypedDict, total=False):
    """A model's answer in Assay's terms, for `read` of `ctx.llm`.

    >>> answer: ModelAnswer = {"text": "refund", "finish": "stop", "usage": {"input_tokens": 12, "output_tokens": 1}}
    """

    text: str
    finish: str
    refusal: str
    tool_calls: bool
    model: str
    usage: "dict[str, Any]"


Read = Callable[[Any], ModelAnswer]


class _Base:
    """What both contexts have."""

    def __init__(self, run: "ItemRun") -> None:
        self._run = run

    @property
    def item(self) -> ItemIdentity:
        """Its id, its partition and its attempt, which counts from 1."""
        return self._run.item

    @property
    def budget_left(self) -> Optional[int]:
        """Money left for this item when the attempt began, in millionths of a dollar; None if it has no budget."""
        return self._run.budget_left

    @property
    def signal(self) -> threading.Event:
        """Set when the item's time is up or nobody awaits its result: `ctx.signal.wait(2)` is a sleep that ends then."""
        return self._run.signal

    @property
    def traceparent(self) -> Optional[str]:
        """The attempt's span in W3C format; None unless Assay exports traces."""
        return self._run.traceparent

    def degrade(self, reason: object) -> None:
        """Marks the item's result as not good enough and continues: the item completes, with the verdict `degraded`."""
        self._run.degrade(reason)


class Context(_Base):
    """The context of an agent that is a plain function.

    >>> from assay import agent
    >>> @agent(name="Claims")
    ... def claims(ctx: Context, page: "dict[str, str]") -> str:
    ...     facts = ctx.step("read", lambda: {"words": len(page["text"].split())})
    ...     if facts["words"] < 3:
    ...         ctx.degrade("hardly a text")
    ...     return page["text"]
    """

    def step(self, name: str, fn: Callable[[], Result]) -> Result:
        """Runs and records any piece of work whose result is JSON, or becomes it."""
        result: Result = drive(self._run.perform("step", name, None, lambda _: fn()))
        return result

    def tool(self, name: str, input: Request, fn: Callable[[Request], Result]) -> Result:
        """Runs and records a call of a tool: a search, a database, another service."""
        result: Result = drive(self._run.perform("tool_call", name, input, fn))
        return result

    def llm(
        self,
        name: str,
        request: Request,
        fn: Callable[[Request], Result],
        *,
        accept: Optional[Accept] = None,
        asks: Optional[int] = None,
        read: Optional[Read] = None,
        wait: Optional[bool] = None,
    ) -> Result:
        """Runs and records a call of a model. Return the client's answer unchanged; a stream is read to its end.

        `accept` returns True or why not, and raising is a reason too: a refused answer is graded and priced, and the model is asked
        again, `asks` times at most (1). `read` reads an answer of a provider that Assay does not know. `wait=False` hands a
        provider's refusal to the agent at once; by default the item waits in the queue until the provider serves again.
        """
        perform = self._run.perform("llm_call", name, request, fn, accept=accept, asks=asks, read=read, wait=wait)
        result: Result = drive(perform)
        return result

    def hold(self, reason: object) -> None:
        """Pauses the item until a person decides. When they resume it, the agent starts over, and this call returns."""
        self._run.hold(reason)


class AsyncContext(_Base):
    """The context of an agent that is an async function.

    >>> from assay import agent
    >>> @agent(name="Claims, async")
    ... async def claims(ctx: AsyncContext, page: "dict[str, str]") -> int:
    ...     return await ctx.tool("count", page["text"], lambda text: len(text.split()))
    """

    async def step(self, name: str, fn: "Callable[[], Union[Awaitable[Result], Result]]") -> Result:
        """Runs and records any piece of work whose result is JSON, or becomes it."""
        result: Result = await drive_async(self._run.perform("step", name, None, lambda _: fn()))
        return result

    async def tool(self, name: str, input: Request, fn: "Callable[[Request], Union[Awaitable[Result], Result]]") -> Result:
        """Runs and records a call of a tool: a search, a database, another service."""
        result: Result = await drive_async(self._run.perform("tool_call", name, input, fn))
        return result

    async def llm(
        self,
        name: str,
        request: Request,
        fn: "Callable[[Request], Union[Awaitable[Result], Result]]",
        *,
        accept: Optional[Accept] = None,
        asks: Optional[int] = None,
        read: Optional[Read] = None,
        wait: Optional[bool] = None,
    ) -> Result:
        """Runs and records a call of a model, as `Context.llm` does; `fn` and `accept` may be async."""
        perform = self._run.perform("llm_call", name, request, fn, accept=accept, asks=asks, read=read, wait=wait)
        result: Result = await drive_async(perform)
        return result

    async def hold(self, reason: object) -> None:
        """Pauses the item until a person decides. When they resume it, the agent starts over, and this call returns."""
        self._run.hold(reason)
