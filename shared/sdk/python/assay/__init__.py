"""Agents for Assay in Python: functions or classes that run over items, whose steps are recorded, graded and priced.

>>> from assay import Context, agent
>>> @agent(name="Claims", retries=2)
... def claims(ctx: Context, page: dict) -> dict:
...     customer = ctx.tool("lookup", {"id": page["customer"]}, lambda given: {"name": "Ada", **given})
...     return {"name": customer["name"]}
"""

import sys

if sys.version_info < (3, 9):
    _PROBLEM = (
        "assay needs Python 3.9 or newer, and this is %d.%d: make an environment with a newer one, python3.11 -m venv .venv"
        % sys.version_info[:2]
    )
    raise SystemExit(_PROBLEM) if sys.argv[:1] == ["-m"] else ImportError(_PROBLEM)

from .agent import agent, declaration_of
from .automation import Occurrence, Source, items, schedule, trigger
from .client import ApiError, Assay, AssayError, AsyncAssay, AsyncPilot, AsyncPlan, AsyncRecovery, AsyncRun, Diff, InvalidRows
from .client import Pilot, Plan, Recovery, Results, Run
from .context import AsyncContext, Context, ItemIdentity, ModelAnswer
from .errors import DecoratorTargetError, DecoratorValidationError, Interrupt, ItemError, UnkeptError
from .generator import ItemsContext
from .kept import Kept

__version__ = "0.1.0"

__all__ = [
    "ApiError",
    "Assay",
    "AssayError",
    "AsyncAssay",
    "AsyncContext",
    "AsyncPilot",
    "AsyncPlan",
    "AsyncRecovery",
    "AsyncRun",
    "Context",
    "DecoratorTargetError",
    "DecoratorValidationError",
    "Diff",
    "Interrupt",
    "InvalidRows",
    "ItemError",
    "ItemIdentity",
    "ItemsContext",
    "Kept",
    "ModelAnswer",
    "Occurrence",
    "Pilot",
    "Plan",
    "Recovery",
    "Results",
    "Run",
    "Source",
    "UnkeptError",
    "agent",
    "declaration_of",
    "items",
    "schedule",
    "trigger",
]
