"""The test kit: an item without a server, with the verdict of the `assay` command."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict
from unittest.mock import patch

from assay import Context, agent
from assay.testing import COMMAND, MissingAnswer, Recorded, run_item

SCHEMA = {"type": "object", "properties": {"label": {"enum": ["theft", "water"]}}, "required": ["label"]}
calls = []


@agent(name="Claims", retries=1, output=SCHEMA)
def claims(ctx: Context, page: Dict[str, Any]) -> Dict[str, Any]:
    answer = ctx.llm("classify", {"model": "gpt-5-mini", "text": page.get("text")}, ask)
    if page.get("hold"):
        ctx.hold("a person looks at it")
    ctx.tool("lookup", {"id": 7}, lambda given: {"name": "Ada"})
    return {"label": answer.choices[0].message.content}


def ask(request: Dict[str, Any]) -> Dict[str, Any]:
    calls.append(request)
    return completion("water")


def completion(text: str, finish_reason: str = "stop") -> Dict[str, Any]:
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}
    return {"model": "gpt-5-mini", "choices": [{"message": message, "finish_reason": finish_reason}], "usage": usage}


@unittest.skipUnless(os.environ.get(COMMAND) or shutil.which("assay"), "the assay command is not on the PATH here")
class RunItem(unittest.TestCase):
    def test_an_answer_takes_the_place_of_a_model(self) -> None:
        result = run_item(claims, {"text": "…"}, {"classify": completion("theft")})
        self.assertEqual((result.status, result.outcome, result.output), ("completed", "ok", {"label": "theft"}))
        self.assertEqual((result.cost_usd, result.unpriced, result.attempts), (0.00027, False, 1))
        self.assertEqual([step["key"] for step in result.steps], ["classify", "lookup"])

    def test_an_answer_that_is_none_is_degraded_as_on_a_server(self) -> None:
        for answer, reason in [(completion("fire"), "schema_mismatch"), (completion("theft", "length"), "truncated")]:
            with self.subTest(reason):
                result = run_item(claims, {}, {"classify": answer})
                self.assertEqual((result.status, result.outcome, result.reason), ("completed", "degraded", reason))

    def test_an_error_is_tried_again_with_the_next_answer(self) -> None:
        result = run_item(claims, {}, {"classify": [RuntimeError("overloaded"), completion("theft")]})
        self.assertEqual((result.outcome, result.attempts), ("ok", 2))

    def test_a_tool_has_an_answer_too_and_a_function_gets_what_is_sent(self) -> None:
        result = run_item(claims, {"text": "theft"}, {"classify": lambda request: completion(request["text"]), "lookup": {"name": "Bob"}})
        self.assertEqual((result.output, result.steps[1]["output"]), ({"label": "theft"}, {"name": "Bob"}))

    def test_a_hold_waits_for_a_person_unless_it_is_resumed(self) -> None:
        answers = {"classify": completion("theft")}
        held = run_item(claims, {"hold": True}, answers)
        self.assertEqual((held.status, held.outcome, held.message), ("paused", None, "a person looks at it"))
        self.assertEqual(run_item(claims, {"hold": True}, answers, resume=True).outcome, "ok")

    def test_a_model_without_an_answer_fails_the_test(self) -> None:
        with self.assertRaisesRegex(MissingAnswer, "classify"):
            run_item(claims, {})
        with self.assertRaisesRegex(MissingAnswer, "more often"):
            run_item(claims, {}, {"classify": [RuntimeError("overloaded")]})
        self.assertEqual(calls, [])

    def test_answers_are_recorded_once_and_repeated(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "answers.json"
            with self.assertRaisesRegex(MissingAnswer, "ASSAY_RECORD=1"):
                run_item(claims, {"text": "a"}, Recorded(path))
            with patch.dict(os.environ, {"ASSAY_RECORD": "1"}):
                self.assertEqual(run_item(claims, {"text": "a"}, Recorded(path)).output, {"label": "water"})
            self.assertEqual(len(json.loads(path.read_text("utf-8"))), 1)
            self.assertEqual(run_item(claims, {"text": "a"}, Recorded(path)).output, {"label": "water"})
            self.assertEqual(len(calls), 1)
            calls.clear()


class WithoutTheCommand(unittest.TestCase):
    def test_it_is_named(self) -> None:
        with patch.dict(os.environ, {"PATH": "", COMMAND: ""}), self.assertRaisesRegex(RuntimeError, COMMAND):
            run_item(claims, {}, {"classify": completion("theft")})
