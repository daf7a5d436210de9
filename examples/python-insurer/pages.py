"""Pages of claim letters: a model says what a page is, the customer is looked up, a second call takes out the facts. Every night at two
Assay asks `letters` for the pages of the day before."""

from __future__ import annotations

import json
import os
import urllib.request
from typing import Any, Dict, Iterator, Literal, Optional, TypedDict

from assay import Context, ItemError, ItemsContext, Occurrence, agent, items, schedule

BASE_URL = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
MODEL = os.environ.get("OPENAI_MODEL", "gpt-5-mini")
CUSTOMERS = {"north": "Ada Northcote", "harbour": "Ben Harbour", "mill": "Cora Mill"}


class Page(TypedDict):
    page_id: str
    customer: str
    text: str


class Facts(TypedDict):
    kind: Literal["claim", "invoice", "question", "unread"]
    customer: str
    summary: str


KIND = {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["claim", "invoice", "question"]}}}


def ask(request: Dict[str, Any]) -> Any:
    """Asks the model, with the standard library alone; any client that is installed will do."""
    headers = {"content-type": "application/json", "authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', 'none')}"}
    posted = urllib.request.Request(f"{BASE_URL}/chat/completions", json.dumps(request).encode(), headers)
    with urllib.request.urlopen(posted, timeout=120) as answer:
        return json.load(answer)


def chat(content: str, **more: Any) -> Dict[str, Any]:
    return {"model": MODEL, "messages": [{"role": "user", "content": content}], **more}


def customer_of(given: Dict[str, str]) -> str:
    if given["customer"] not in CUSTOMERS:
        raise ItemError(f"no customer {given['customer']!r}", code="unknown_customer", retryable=False)
    return CUSTOMERS[given["customer"]]


def text_of(answer: Any) -> str:
    return str(answer["choices"][0]["message"]["content"] or "")


@items
def letters(ctx: ItemsContext, occurrence: Occurrence) -> Iterator[Page]:
    day = occurrence.get("date", "today")  # of the schedule's zone
    for number, customer in enumerate(CUSTOMERS, 1):  # from your archive
        yield {"page_id": f"{day}-{number}", "customer": customer, "text": f"My roof has leaked since {day}."}


@schedule("0 2 * * *", timezone="Europe/Zurich", source={"generator": "letters", "item_id": "page_id"})
@agent(name="Pages", retries=2, timeout_seconds=120, items=[letters])
def pages(ctx: Context, page: Page) -> Facts:
    schema = {"type": "json_schema", "json_schema": {"name": "kind", "schema": KIND}}
    answer = ctx.llm("kind", chat(page["text"], response_format=schema), ask)
    kind: Optional[Any] = None
    try:
        kind = json.loads(text_of(answer))["kind"]
    except (ValueError, KeyError, TypeError):
        pass
    customer = ctx.tool("customer", {"customer": page["customer"]}, customer_of)
    if kind is None:  # refused, empty or cut off: the verdict says so, read from the recorded answer
        return {"kind": "unread", "customer": customer, "summary": ""}
    facts = ctx.llm("facts", chat(f"Say in one sentence what this {kind} of {customer} is about:\n\n{page['text']}"), ask)
    return {"kind": kind, "customer": customer, "summary": text_of(facts)}
