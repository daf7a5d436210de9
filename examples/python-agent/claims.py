"""Letters of customers: a model sorts each and drafts a reply, between them a tool looks up the policy."""

from __future__ import annotations

import json
import os
import urllib.request
from typing import Any, Dict, Optional, TypedDict

from assay import Context, agent

BASE_URL = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
MODEL = os.environ.get("OPENAI_MODEL", "gpt-5-mini")
POLICIES: Dict[str, str] = {"card_arrival": "Cards arrive within ten working days.", "exchange_rate": "Rates are those of the day."}


class Page(TypedDict):
    text: str


class Claim(TypedDict):
    category: Optional[str]
    reply: str


CATEGORY = {
    "type": "object",
    "required": ["category"],
    "properties": {"category": {"enum": ["card_arrival", "lost_or_stolen_card", "exchange_rate", "refund", "other"]}},
}


def ask(request: Dict[str, Any]) -> Any:
    """Asks the model, with the standard library alone; any client that is installed will do."""
    headers = {"content-type": "application/json", "authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', 'none')}"}
    posted = urllib.request.Request(f"{BASE_URL}/chat/completions", json.dumps(request).encode(), headers)
    with urllib.request.urlopen(posted, timeout=120) as answer:
        return json.load(answer)


def chat(content: str, **more: Any) -> Dict[str, Any]:
    return {"model": MODEL, "messages": [{"role": "user", "content": content}], **more}


def text_of(answer: Any) -> str:
    return str(answer["choices"][0]["message"]["content"] or "")


@agent(name="Claims", retries=2, timeout_seconds=120, output=Claim)
def claims(ctx: Context, page: Page) -> Claim:
    schema = {"type": "json_schema", "json_schema": {"name": "category", "schema": CATEGORY}}
    answer = ctx.llm("classify", chat(page["text"], response_format=schema), ask)
    try:
        category: Optional[str] = json.loads(text_of(answer))["category"]
    except (ValueError, KeyError):
        return {"category": None, "reply": ""}  # refused or cut: Assay reads that from the recorded answer
    policy = ctx.tool("policy", {"category": category}, lambda given: POLICIES.get(given["category"] or "", "We will look into it."))
    reply = ctx.llm("reply", chat(f"Draft a reply of two sentences, by this policy: {policy}\n\n{page['text']}"), ask)
    return {"category": category, "reply": text_of(reply)}
