"""Runs an agent over one item, without a server. Guarantee: what it returns is what the agent would report, read back from its lines;
how an answer is graded and priced is the server's to say."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from typing import Any, Dict, List, Optional, Sequence

from .agent import registration_of
from .item_run import ItemRun
from .service import with_defaults

STATUSES = {"result": "completed", "error": "failed", "hold": "paused", "yield": "queued"}


@dataclasses.dataclass
class ItemResult:
    """What became of an item. `recorded` is what its next attempt is offered.

    >>> ItemResult("completed", output=5).status
    'completed'
    """

    status: str
    output: Any = None
    degraded: Optional[str] = None
    schema_error: Optional[str] = None
    error: Optional[Dict[str, Any]] = None
    held: Optional[str] = None
    steps: List[Dict[str, Any]] = dataclasses.field(default_factory=list)

    @property
    def recorded(self) -> List[Dict[str, Any]]:
        """The steps that succeeded, as the next attempt gets them."""
        return [{"key": step["key"], "output": step.get("output")} for step in self.steps if "error" not in step]


def run_item(agent: Any, input: Any = None, *, item_id: str = "item", attempt: int = 1, recorded: Sequence[Dict[str, Any]] = ()) -> ItemResult:
    """Runs an agent over an item to its end, in this thread.

    >>> from assay import Context, agent
    >>> @agent(name="Sizes")
    ... def size(ctx: Context, text: str) -> int:
    ...     if text == "":
    ...         ctx.degrade("no text")
    ...     return ctx.tool("measure", text, len)
    >>> result = run_item(size, "hello")
    >>> result.status, result.output, [step["key"] for step in result.steps]
    ('completed', 5, ['measure'])
    >>> run_item(size, "").degraded, run_item(size, 7).error["code"]
    ('no text', 'invalid_input')
    """
    lines: List[Dict[str, Any]] = []
    line = {"seq": 0, "attempt": attempt, "item_id": item_id, "recorded": list(recorded), "input": json.loads(json.dumps(input))}

    def write(text: str, is_final: bool) -> None:
        lines.extend(json.loads(one) for one in text.split("\n"))

    registration = registration_of(agent)
    run = ItemRun(registration, with_defaults(line), "test", write, None)
    if registration.is_async:
        asyncio.run(run.execute_async())
    else:
        run.execute()
    last = lines[-1]
    fields = {"output": "output", "degraded": "degraded", "schema_error": "schema_error", "error": "error", "reason": "held"}
    said = {field: last[name] for name, field in fields.items() if name in last}
    return ItemResult(STATUSES[last["type"]], **said, steps=[one["step"] for one in lines if one["type"] == "step"])
