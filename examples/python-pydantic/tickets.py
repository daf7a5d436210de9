"""Sorts tickets. What goes in and what comes out are models of pydantic: Assay checks both, and the provider gets the same schema."""

from __future__ import annotations

import os
from functools import cache
from typing import Any, Dict, Literal

from openai import OpenAI  # pyright: ignore[reportMissingImports]
from pydantic import BaseModel, Field, ValidationError  # pyright: ignore[reportMissingImports]

from assay import Context, agent

MODEL = os.environ.get("OPENAI_MODEL", "gpt-5-mini")


class Ticket(BaseModel):
    ticket_id: str
    text: str = Field(min_length=1)


class Sorting(BaseModel):
    queue: Literal["cards", "payments", "account", "other"]
    urgent: bool
    confidence: float = Field(ge=0, le=1)


@cache
def client() -> OpenAI:
    return OpenAI(max_retries=0)  # Assay tries again, and pays for no step twice


@agent(name="Tickets", retries=2, timeout_seconds=120)
def tickets(ctx: Context, ticket: Ticket) -> Sorting:
    schema = {"type": "json_schema", "json_schema": {"name": "sorting", "schema": Sorting.model_json_schema()}}
    messages = [{"role": "system", "content": "Sort the ticket of a bank's customer."}, {"role": "user", "content": ticket.text}]
    request: Dict[str, Any] = {"model": MODEL, "messages": messages, "response_format": schema}
    answer = ctx.llm("sort", request, lambda given: client().chat.completions.create(**given))
    try:
        sorting = Sorting.model_validate_json(answer.choices[0].message.content or "")
    except ValidationError:
        # Refused, empty or cut off: the verdict says so, read from the recorded answer.
        return Sorting(queue="other", urgent=False, confidence=0)
    if sorting.confidence < 0.5:
        ctx.degrade(f"not sure: {sorting.confidence}")
    return sorting
