"""Answers letters with a model of LangChain: its messages are kept as steps, graded and priced, and a retry asks nothing twice."""

from __future__ import annotations

import os
from functools import cache
from typing import Any, Dict, TypedDict

from assay import Context, agent

MODEL = os.environ.get("OPENAI_MODEL", "gpt-5-mini")


class Letter(TypedDict):
    text: str


class Reply(TypedDict):
    topic: str
    reply: str


@cache
def model() -> Any:
    from langchain_openai import ChatOpenAI  # pyright: ignore[reportMissingImports]

    return ChatOpenAI(model=MODEL, max_retries=0)  # Assay tries again


def ask(request: Dict[str, str]) -> Any:
    """What a step is given is recorded, so it is the text and not an object of LangChain."""
    return model().invoke([("system", request["system"]), ("user", request["user"])])


@agent(name="Letters", retries=2, timeout_seconds=120)
def letters(ctx: Context, letter: Letter) -> Reply:
    topic = ctx.llm("topic", {"system": "Name the topic of this letter in two words.", "user": letter["text"]}, ask)
    system = f"Answer this letter about {topic.content} in two sentences."
    reply = ctx.llm("reply", {"system": system, "user": letter["text"]}, ask)
    return {"topic": topic.content, "reply": reply.content}
