"""What the context of an item does: steps, recordings, refused answers, holds, errors, secrets."""

from __future__ import annotations

import asyncio
import json
import os
import time
import unittest
from typing import Any, Dict, List

from assay import AsyncContext, Context, ItemError, agent
from assay import mask

from .support import again, run_item

ANSWER = {"choices": [{"message": {"content": "refund"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}


def types(lines: List[Dict[str, Any]]) -> List[str]:
    return [line["type"] for line in lines]


def keys(lines: List[Dict[str, Any]]) -> List[str]:
    return [line["step"]["key"] for line in lines if line["type"] == "step"]


class Steps(unittest.TestCase):
    def test_a_repeated_name_has_a_number_also_beside_a_name_that_looks_like_one(self) -> None:
        @agent(name="A")
        def one(ctx: Context, item: Any) -> None:
            for name in ("ask", "ask", "ask#2", "ask"):
                ctx.step(name, lambda: name)

        lines = run_item(one)
        self.assertEqual(len(set(keys(lines))), 4)
        self.assertEqual(keys(lines), keys(run_item(one)))

    def test_a_recorded_step_does_not_run(self) -> None:
        ran: List[str] = []

        @agent(name="A")
        def one(ctx: Context, item: Any) -> Any:
            return [ctx.step("a", lambda: ran.append("a") or {"n": (1, 2.0)}), ctx.step("b", lambda: ran.append("b"))]

        first = run_item(one)
        second = run_item(one, recorded=again(first))
        self.assertEqual(ran, ["a", "b"])
        self.assertEqual(second, [{**first[-1]}])
        self.assertEqual(first[-1]["output"], [{"n": [1, 2.0]}, None])

    def test_a_cut_recording_runs_again_and_keeps_an_outline(self) -> None:
        @agent(name="A")
        def one(ctx: Context, item: Any) -> int:
            return len(ctx.tool("long", {}, lambda _: {"text": "x" * 300_000, "usage": {"tokens": 7}})["text"])

        first = run_item(one)
        output = first[0]["step"]["output"]
        self.assertEqual((output["cut"], output["bytes"] > 300_000, len(output["head"])), (True, True, 2048))
        self.assertEqual(output["outline"]["usage"], {"tokens": 7})
        self.assertEqual(keys(run_item(one, recorded=again(first))), ["long"])

    def test_a_step_of_a_replay_is_reused_for_the_same_input_in_any_order_of_keys(self) -> None:
        @agent(name="A")
        def one(ctx: Context, item: Any) -> Any:
            return ctx.tool("look", {"a": 1, "b": item}, lambda given: "ran")

        offer = [{"key": "look", "input": {"b": 2, "a": 1}, "output": "recorded"}]
        lines = run_item(one, 2, recorded_for_input=offer)
        self.assertEqual((lines[0]["step"]["reused"], lines[1]["output"]), (True, "recorded"))
        self.assertNotIn("input", lines[0]["step"])
        self.assertEqual(run_item(one, 3, recorded_for_input=offer)[-1]["output"], "ran")
        self.assertEqual(run_item(one, True, recorded_for_input=[{**offer[0], "input": {"a": 1, "b": 1}}])[-1]["output"], "ran")

    def test_the_input_is_written_before_the_call_may_change_it(self) -> None:
        @agent(name="A")
        def one(ctx: Context, item: Any) -> Any:
            return ctx.tool("add", ["first"], lambda given: given.append("second"))

        self.assertEqual(run_item(one)[0]["step"]["input"], ["first"])

    def test_a_refused_answer_is_asked_again_and_kept_under_a_key_of_its_own(self) -> None:
        answers = iter(["maybe", "refund"])

        @agent(name="A")
        def one(ctx: Context, item: Any) -> Any:
            return ctx.llm("classify", {}, lambda _: next(answers), accept=lambda answer: answer == "refund" or f"no category: {answer}")

        lines = run_item(one)
        self.assertEqual(keys(lines), ["classify~1", "classify"])
        self.assertEqual(lines[0]["step"]["error"], {"code": "answer_refused", "message": "no category: maybe"})
        self.assertEqual(lines[0]["step"]["output"], "maybe")
        self.assertEqual(lines[-1]["output"], "refund")

    def test_an_answer_that_is_refused_too_often_ends_the_item(self) -> None:
        @agent(name="A")
        def one(ctx: Context, item: Any) -> Any:
            def accept(answer: Any) -> bool:
                raise ValueError(f"not {answer}")

            return ctx.llm("classify", {}, lambda _: "maybe", accept=accept, asks=2)

        lines = run_item(one)
        self.assertEqual(keys(lines), ["classify~1", "classify~2", "classify~3"])
        self.assertEqual(lines[-1]["error"]["code"], "answer_refused")
        self.assertIn("not maybe", lines[-1]["error"]["message"])

    def test_the_agents_own_reading_of_an_answer(self) -> None:
        @agent(name="A")
        def one(ctx: Context, item: Any) -> Any:
            ctx.llm("in house", {}, lambda _: {"says": "hi"}, read=lambda answer: {"text": answer["says"], "usage": {"input_tokens": 3}})
            ctx.llm("unread", {}, lambda _: {}, read=lambda answer: {"text": answer["says"]})

        lines = run_item(one)
        self.assertEqual(lines[0]["step"]["answer"], {"text": "hi", "usage": {"input_tokens": 3}})
        self.assertIn("KeyError", lines[1]["step"]["answer"]["unread"])

    def test_more_steps_than_declared_end_the_item_whatever_the_agent_catches(self) -> None:
        @agent(name="A", max_steps=2)
        def one(ctx: Context, item: Any) -> str:
            for n in range(9):
                try:
                    ctx.step("a", lambda: n)
                except Exception:
                    pass
            return "done"

        lines = run_item(one)
        self.assertEqual((len(keys(lines)), lines[-1]["error"]["code"]), (2, "step_limit_exceeded"))

    def test_an_async_agent_runs_its_steps_at_the_same_time(self) -> None:
        @agent(name="A")
        async def one(ctx: AsyncContext, item: Any) -> Any:
            async def slow(n: int) -> int:
                await asyncio.sleep(0.05)
                return n

            return await asyncio.gather(*(ctx.tool("slow", n, slow) for n in range(9)), ctx.step("plain", lambda: 9))

        began = time.monotonic()
        self.assertEqual(run_item(one)[-1]["output"], list(range(10)))
        self.assertLess(time.monotonic() - began, 9 * 0.05)

    def test_a_sync_agent_that_is_given_a_coroutine_is_told_what_to_write(self) -> None:
        async def ask(_: Any) -> str:
            return "?"

        @agent(name="A")
        def one(ctx: Context, item: Any) -> Any:
            return ctx.llm("ask", {}, ask)

        error = run_item(one)[-1]["error"]
        self.assertIn("write `async def` for the agent", error["message"])

    def test_a_class_has_an_instance_for_each_item(self) -> None:
        @agent(name="A")
        class One:
            def __init__(self) -> None:
                self.seen: List[Any] = []

            def run(self, ctx: Context, item: Any) -> Any:
                self.seen.append(item)
                return self.seen

        self.assertEqual([run_item(One, n)[-1]["output"] for n in range(2)], [[0], [1]])


class Endings(unittest.TestCase):
    def test_degraded_with_all_its_reasons(self) -> None:
        @agent(name="A")
        def one(ctx: Context, item: Any) -> str:
            ctx.degrade("short")
            ctx.degrade(ValueError("odd"))
            return "a"

        self.assertEqual(run_item(one)[-1], {"type": "result", "seq": 7, "attempt": 1, "degraded": "short; ValueError: odd", "output": "a"})

    def test_a_hold_leaves_with_its_step_and_lets_pass_when_it_was_resumed(self) -> None:
        @agent(name="A")
        def one(ctx: Context, item: Any) -> str:
            ctx.hold("a second pair of eyes")
            return "passed"

        lines = run_item(one)
        self.assertEqual(types(lines), ["step", "hold"])
        self.assertEqual((keys(lines), lines[1]["reason"]), (["hold"], "a second pair of eyes"))
        self.assertEqual(run_item(one, recorded=again(lines))[-1]["output"], "passed")

    def test_an_item_that_is_to_stop_yields_at_its_next_step(self) -> None:
        @agent(name="A")
        def one(ctx: Context, item: Any) -> Any:
            return ctx.step("a", lambda: 1)

        self.assertEqual(types(run_item(one, yield_ms=0)), ["yield"])

    def test_codes_of_errors(self) -> None:
        def fails(ctx: Context, item: Any) -> Any:
            if item == "llm":
                ctx.llm("a", {}, lambda _: 1 / 0)
            if item == "tool":
                ctx.tool("a", {}, lambda _: 1 / 0)
            if item == "step":
                ctx.step("a", lambda: 1 / 0)
            if item == "wrapped":
                try:
                    ctx.tool("a", {}, lambda _: 1 / 0)
                except ZeroDivisionError as error:
                    raise RuntimeError("no luck") from error
            if item == "own":
                raise ItemError("gone", code="order_deleted", retryable=False)
            raise SystemExit(3)

        one = agent(name="A")(fails)
        for item, code, message in (
            ("llm", "llm_call_error", "ZeroDivisionError: division by zero"),
            ("tool", "tool_call_error", "ZeroDivisionError: division by zero"),
            ("step", "step_error", "ZeroDivisionError: division by zero"),
            ("wrapped", "tool_call_error", "RuntimeError: no luck: ZeroDivisionError: division by zero"),
            ("own", "order_deleted", "gone"),
            ("exit", "agent_error", "SystemExit: 3"),
        ):
            error = run_item(one, item)[-1]["error"]
            self.assertEqual((error["code"], error["message"]), (code, message))
        self.assertIs(run_item(one, "own")[-1]["error"]["retryable"], False)

    def test_errors_that_cannot_be_read(self) -> None:
        class Hostile(Exception):
            def __str__(self) -> str:
                raise ValueError("no")

        @agent(name="A")
        def one(ctx: Context, item: Any) -> None:
            raise Hostile()

        self.assertEqual(run_item(one)[-1]["error"]["message"], "the error could not be read")

    def test_nothing_is_left_of_the_budget(self) -> None:
        @agent(name="A")
        def one(ctx: Context, item: Any) -> Any:
            return ctx.budget_left

        self.assertEqual(run_item(one, budget_micro=0)[-1]["error"]["code"], "budget_exceeded")
        self.assertEqual(run_item(one, budget_micro=5)[-1]["output"], 5)

    def test_an_output_that_is_too_long_or_has_no_form(self) -> None:
        @agent(name="A")
        def one(ctx: Context, item: Any) -> Any:
            return {"long": "é" * 600_000, "set": {1}, "deep": None}[item]

        self.assertEqual(run_item(one, "long")[-1]["error"]["code"], "output_too_large")
        self.assertEqual(
            run_item(one, "set")[-1]["error"]["message"],
            "UnkeptError: the output cannot be written as JSON: it is a set; return a list, sorted(values)",
        )

    def test_every_text_is_a_line_of_its_own(self) -> None:
        @agent(name="A")
        def one(ctx: Context, item: Any) -> Any:
            return ctx.step("a\nb\u2028", lambda: "x\r\ny\u2028\ud83d")

        lines = run_item(one)
        self.assertEqual(lines[0]["step"]["key"], "a\nb\u2028")
        self.assertEqual(lines[1]["output"], "x\r\ny\u2028\ud83d")


class Secrets(unittest.TestCase):
    def setUp(self) -> None:
        os.environ.update(CRM_KEY='a"b/c-secret-of-mine', CRM_PIN_TOKEN="123456789012", SHORT_KEY="short")
        mask._own = None

        def restore() -> None:
            for name in ("CRM_KEY", "CRM_PIN_TOKEN", "SHORT_KEY"):
                del os.environ[name]
            mask._own = None

        self.addCleanup(restore)

    def test_no_line_has_a_secret_and_every_attempt_gets_the_same(self) -> None:
        secret = os.environ["CRM_KEY"]

        @agent(name="A")
        def one(ctx: Context, item: Any) -> Any:
            answer = ctx.tool(f"call {secret}", {"key": secret}, lambda _: {"said": f"with {secret}", "pin": 123456789012, secret: 1})
            ctx.degrade(secret)
            if item == "raise":
                raise ValueError(json.dumps(secret))
            return [answer, secret, "short"]

        first = run_item(one)
        second = run_item(one, recorded=again(first))
        self.assertEqual(first[-1], second[-1])
        for line in [*first, *run_item(one, "raise")]:
            text = json.dumps(line)
            self.assertNotIn("secret-of-mine", text)
            self.assertNotIn("123456789012", text)
        self.assertEqual(first[-1]["output"][0], {"said": "with [secret CRM_KEY]", "pin": "[secret CRM_PIN_TOKEN]", "[secret CRM_KEY]": 1})
        self.assertEqual(first[-1]["output"][2], "short")


if __name__ == "__main__":
    unittest.main()
