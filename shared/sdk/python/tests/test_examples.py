"""The example of the checkout, as it is served and as a function of OpenFaaS."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import re
import shutil
import sys
import tempfile
import unittest
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Dict
from unittest.mock import patch

from assay import AssayError
from assay.testing import run_item

from .provider import Provider
from .served import Served, lines_of, offer
from .test_client_transport import ACCEPTED, ENDED, Answer, said, server
from .test_client_waiting import RECOVERY

CHECKOUT = Path(os.environ.get("ASSAY_CHECKOUT") or Path(__file__).resolve().parent.parent).parents[2]
EXAMPLES = CHECKOUT / "examples"
EXAMPLE = EXAMPLES / "python-agent"


@unittest.skipUnless(EXAMPLE.is_dir(), "the examples are in the checkout, and not beside this copy")
class Example(unittest.TestCase):
    def setUp(self) -> None:
        self.provider = Provider()
        self.addCleanup(self.provider.__exit__)

    def test_it_runs_as_it_is_served(self) -> None:
        env = {"OPENAI_BASE_URL": f"{self.provider.url}/v1"}
        with Served("", "--workers", "1", env=env, agents=EXAMPLE / "claims.py") as served:
            lines = served.ask({"text": "Where is my card?"}, {"text": 5})
            last = {line["seq"]: line for line in lines if line["type"] in ("result", "error")}
            self.assertEqual(last[0]["output"], {"category": None, "reply": ""})  # this provider answers no JSON
            self.assertEqual(last[1]["error"]["message"], "input.text: must be a string, not an integer")
            about: Any = json.loads(served.request("GET").read())
            self.assertEqual(about["declaration"]["output_schema"]["required"], ["category", "reply"])

    def test_the_same_as_a_function_of_openfaas(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        function = Path(folder.name) / "function"  # as the template calls the handler's folder
        shutil.copytree(EXAMPLE / "openfaas" / "claims", function)
        shutil.copy(EXAMPLE / "claims.py", function)
        sys.path.insert(0, folder.name)
        self.addCleanup(sys.path.remove, folder.name)
        os.environ["OPENAI_BASE_URL"] = f"{self.provider.url}/v1"
        self.addCleanup(os.environ.pop, "OPENAI_BASE_URL")
        handle = importlib.import_module("function.handler").handle
        event = SimpleNamespace(method="POST", path="/", headers={"Assay-Run": "run"}, body=offer({"text": "?"}, {"text": "!"}))
        answer = handle(event, None)
        self.assertEqual((answer["statusCode"], answer["headers"]), (200, {"content-type": "application/x-ndjson"}))
        self.assertEqual(len([line for line in lines_of(answer["body"].encode()) if line["type"] == "result"]), 2)
        self.assertEqual(handle(SimpleNamespace(method="PUT", path="/", headers={}, body=b""), None)["statusCode"], 400)


def answer(content: Any, finish_reason: str = "stop") -> Dict[str, Any]:
    """What OpenAI's client returns, as it is recorded."""
    text = content if isinstance(content, str) else json.dumps(content)
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish_reason}
    return {"model": "gpt-5-mini", "choices": [choice], "usage": {"prompt_tokens": 90, "completion_tokens": 9, "total_tokens": 99}}


def message(text: str) -> Dict[str, Any]:
    """An AIMessage of langchain-openai 1.6, as it is recorded."""
    return {
        "content": text, "type": "ai", "tool_calls": [], "invalid_tool_calls": [], "id": "lc_1",
        "response_metadata": {"model_name": "gpt-5-mini", "model_provider": "openai", "finish_reason": "stop"},
        "usage_metadata": {"input_tokens": 90, "output_tokens": 9, "total_tokens": 99},
    }  # fmt: skip


@unittest.skipUnless(EXAMPLE.is_dir(), "the examples are in the checkout, and not beside this copy")
class Agents(unittest.TestCase):
    """The other agents, an item each, with the verdicts of a server."""

    def agent(self, folder: str, name: str) -> Any:
        sys.path.insert(0, str(EXAMPLES / folder))
        self.addCleanup(sys.path.remove, str(EXAMPLES / folder))
        return getattr(importlib.import_module(name), name)

    def needs(self, *packages: str) -> None:
        for package in packages:
            if find_spec(package) is None:
                self.skipTest(f"{package} is not installed in this environment")

    def test_the_classification_with_pydantic(self) -> None:
        self.needs("openai", "pydantic")
        tickets = self.agent("python-pydantic", "tickets")
        ticket = {"ticket_id": "7", "text": "Where is my card?"}
        sorting = {"queue": "cards", "urgent": False, "confidence": 0.9}
        found = run_item(tickets, ticket, {"sort": answer(sorting)})
        self.assertEqual((found.outcome, found.output), ("ok", sorting))
        for given, reason in (
            (answer({**sorting, "confidence": 0.1}), "agent_degraded"),
            (answer("I'm sorry, but I can't help with that request."), "refusal"),
            (answer('{"queue": "ca', "length"), "truncated"),
        ):
            self.assertEqual(run_item(tickets, ticket, {"sort": given}).reason, reason)
        self.assertEqual(run_item(tickets, {"ticket_id": "7", "text": ""}).error["code"], "invalid_input")  # type: ignore[index]

    def test_the_agent_of_the_readme(self) -> None:
        self.needs("openai", "pydantic")
        readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
        source = next(one for one in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "# classify.py" in one)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        (Path(folder.name) / "classify.py").write_text(source, encoding="utf-8")
        with patch.dict(os.environ, {"OPENAI_API_KEY": "none"}):
            classify = self.agent(folder.name, "classify")
        question = {"id": "1", "text": "Where is my parcel?"}
        found = run_item(classify, question, {"classify": answer({"label": "delivery"})})
        self.assertEqual((found.outcome, found.output), ("ok", {"label": "delivery"}))
        for given, reason in ((answer("", "stop"), "empty_output"), (answer('{"label": "deli', "length"), "truncated")):
            self.assertEqual(run_item(classify, question, {"classify": given}).reason, reason)

    def test_the_agent_with_langchain_by_its_recorded_message(self) -> None:
        letters = self.agent("python-langchain", "letters")
        given = {"topic": message("card delivery"), "reply": message("It is on its way.")}
        found = run_item(letters, {"text": "Where is my card?"}, given)
        self.assertEqual((found.outcome, found.output), ("ok", {"topic": "card delivery", "reply": "It is on its way."}))
        self.assertEqual([step["input_tokens"] for step in found.steps], [90, 90])
        self.assertFalse(found.unpriced)

    def test_the_agent_with_the_real_langchain(self) -> None:
        self.needs("langchain_openai", "langchain_protocol")
        with Provider() as provider, patch.dict(os.environ, {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": "none"}):
            ask = sys.modules[self.agent("python-langchain", "letters").__module__].ask  # type: ignore[attr-defined]
            self.assertEqual(ask({"system": "Sort.", "user": "?"}).content, "refund")

    def test_the_pages_of_the_insurer(self) -> None:
        pages = self.agent("python-insurer", "pages")
        page = {"page_id": "1", "customer": "north", "text": "My roof leaks."}
        given = {"kind": answer({"kind": "claim"}), "facts": answer("A roof leaks.")}
        found = run_item(pages, page, given)
        self.assertEqual((found.outcome, found.output), ("ok", {"kind": "claim", "customer": "Ada Northcote", "summary": "A roof leaks."}))
        self.assertEqual([step["key"] for step in found.steps], ["kind", "customer", "facts"])
        self.assertEqual(run_item(pages, page, {"kind": answer("{", "length")}).reason, "truncated")
        unknown = run_item(pages, {**page, "customer": "nobody"}, given)
        self.assertEqual((unknown.status, unknown.attempts), ("failed", 1))


@unittest.skipUnless(EXAMPLE.is_dir(), "the examples are in the checkout, and not beside this copy")
class Nightly(unittest.TestCase):
    """The insurer's program, against a server that gives recorded answers."""

    RUN = {**ENDED, "replay_of": None, "started_at": "2026-03-02T00:00:00Z", "agent_id": "a1", "cost_usd": 0.02}
    SENT = (Answer(body=[{"slug": "pages", "id": "a1"}]), Answer(body={"budget_gap": None}), Answer(202, ACCEPTED), *[Answer(body=RUN)] * 3)
    CAUSES = Answer(body={"rows": [{"count": 1, "title": "kind: refusal"}], "next_cursor": None})

    def plan(self, items: int) -> Answer:
        return Answer(body={"eligible": items, "max_cost_usd": 0.01, "rules": [], "warnings": [], "filter": {"run_id": "01a2"}})

    def main(self, *answers: Any, wait_s: float = 9) -> "tuple[str, int]":
        """What it prints over two pages, and how many recoveries it orders."""
        sys.path.insert(0, str(EXAMPLES / "python-insurer"))
        self.addCleanup(sys.path.remove, str(EXAMPLES / "python-insurer"))
        nightly = importlib.import_module("nightly")
        out = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, server([*self.SENT, *answers]) as (assay, got):
            pages = Path(folder) / "pages.jsonl"
            pages.write_text('{"page_id": "1"}\n{"page_id": "2"}\n', encoding="utf-8")
            env = {"ASSAY_BASE_URL": assay.base_url, "ASSAY_API_KEY": "pk_x"}
            with patch.dict(os.environ, env), patch.object(nightly, "WAIT_S", wait_s), contextlib.redirect_stdout(out):
                try:
                    nightly.main(str(pages), "5.00")
                except AssayError as error:
                    print(error)
        return out.getvalue(), sum(one["path"] == "/v1/recoveries" and b"dry_run" not in one["body"] for one in got)

    def test_a_pilot_that_had_all_pages_is_recovered_and_counted_once(self) -> None:
        ended = {**RECOVERY, "status": "completed", "finished_at": "2026-03-02T00:00:00Z", "replayed": 1}
        text, orders = self.main(self.CAUSES, self.plan(1), Answer(202, ended), Answer(body=ended), Answer(raw=b'{"item_id":"2"}\n'))
        self.assertIn("1 of 1 work now\nrun 01a2: 1 of 2 pages for a person", text)
        self.assertEqual((orders, text.count("kind: refusal")), (1, 1))

    def test_nothing_is_ordered_where_nothing_is_left(self) -> None:
        text, orders = self.main(self.CAUSES, self.plan(0), Answer(raw=b""))
        self.assertIn("run 01a2: 0 of 2 pages", text)
        self.assertEqual(orders, 0)

    def test_a_refusal_is_not_taken_for_nothing_to_do(self) -> None:
        text, _ = self.main(self.CAUSES, Answer(401, said("unauthenticated")))
        self.assertIn("unauthenticated", text)
        self.assertNotIn("pages for a person", text)

    def test_a_recovery_that_does_not_end_is_not_waited_for_without_end(self) -> None:
        text, _ = self.main(self.CAUSES, self.plan(1), Answer(202, RECOVERY), Answer(body=RECOVERY), wait_s=0)
        self.assertIn("timed_out: after the time to wait, the recovery 01b3 is running", text)
        self.assertIn("assay recoveries 01b3 --watch", text)


if __name__ == "__main__":
    unittest.main()
