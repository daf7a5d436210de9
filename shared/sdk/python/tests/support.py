"""Runs items in this process, as a server does, and reads what they report."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Dict, List, Optional

from assay.agent import registration_of
from assay.item_run import ItemRun
from assay.protocol import with_defaults
from assay.upstreams import Upstreams, upstreams_of

KEY = "00" * 32


def run_item(agent: Any, input: Any = None, upstreams: Optional[Upstreams] = None, **line: Any) -> List[Dict[str, Any]]:
    """The lines of one item, run to its end."""
    lines: List[Dict[str, Any]] = []
    registration = registration_of(agent)
    offered = with_defaults({"seq": 7, "attempt": 1, "input": input, **line})

    def write(text: str, is_final: bool) -> None:
        found = [json.loads(one) for one in text.split("\n")]
        assert is_final == (found[-1]["type"] != "step"), text
        lines.extend(found)

    run = ItemRun(registration, offered, "run", write, upstreams)
    if registration.is_async:
        asyncio.run(run.execute_async())
    else:
        run.execute()
    return lines


def project(closed: Optional[List[Dict[str, Any]]] = None) -> Upstreams:
    """What a process knows for a project, as a request's headers report it."""
    known = upstreams_of(KEY, json.dumps(closed or []))
    assert known is not None
    return known


def again(lines: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """What the next attempt is offered of these lines."""
    steps = [line["step"] for line in lines if line["type"] == "step" and "error" not in line["step"]]
    return [{"key": step["key"], "output": step.get("output")} for step in steps]
