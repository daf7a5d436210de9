"""Agents, schedules, triggers and generators as they are declared, and what is refused where it is written."""

from __future__ import annotations

import json
import unittest
from typing import Any, Callable, Dict, List

from assay import (
    Context,
    DecoratorTargetError,
    DecoratorValidationError,
    ItemsContext,
    Occurrence,
    agent,
    declaration_of,
    items,
    schedule,
    trigger,
)
from assay.agent import registration_of
from assay.generator import item_pieces


def plain(ctx: Context, item: Any) -> None: ...


class Options(unittest.TestCase):
    def test_all_options_are_declared_by_the_names_of_the_protocol(self) -> None:
        made = agent(
            name="Claims", description="letters", item_budget_cents=0.5, on_budget="pause", refusals="off", checks=["cut_json"], language="de",
            max_steps=9, concurrency=8, timeout_seconds=60, step_seconds=30, retries=2, max_consecutive_failures=5, patience_seconds=600,
            first_byte_seconds=30, limits=[{"host": "api.openai.com", "requests": "500/min", "in_flight": 4}], wait=False,
            network=["api.openai.com", "$OTHER", "127.0.0.1:80"], models=["gpt-5-mini"], schedule_input={"a": (1,)},
        )(lambda ctx, item: None)
        declared = declaration_of(made)
        self.assertEqual(declared["limits"], [{"host": "api.openai.com", "requests": "500/min", "in_flight": 4}])
        self.assertEqual((declared["wait"], declared["item_budget_cents"], declared["schedule_input"]), (False, 0.5, {"a": [1]}))
        self.assertEqual(len(declared), 20)

    def test_a_wrong_option_is_named(self) -> None:
        for given, words in (
            ({"name": ""}, "@agent name: must be a text of 1 to 64 characters"),
            ({"retries": 11}, "@agent retries: must be a whole number from 0 to 10"),
            ({"retries": True}, "@agent retries: must be a whole number from 0 to 10"),
            ({"on_budget": "stop"}, "@agent on_budget: must be one of fail, pause"),
            ({"network": ["https://api.openai.com"]}, '@agent network: "https://api.openai.com" is not a host'),
            ({"checks": ["nice"]}, "@agent checks: must be a list of template_leak"),
            ({"limits": [{"host": "a", "requests": "500"}]}, "@agent limits: [0].requests must be a number and a unit"),
            ({"limits": [{"host": "a", "in_flight": 1}, {"host": "a", "in_flight": 2}]}, "@agent limits: [1].host names a a second time"),
            ({"schedule_input": {1, 2}}, "@agent schedule_input: it cannot be written as JSON: it is a set"),
            ({"output": set}, "@agent output: set has no JSON Schema"),
        ):
            with self.assertRaises(DecoratorValidationError) as raised:
                agent(**{"name": "A", **given})(lambda ctx, item: None)  # type: ignore[arg-type]
            self.assertTrue(str(raised.exception).startswith(words), str(raised.exception))

    def test_what_is_no_agent(self) -> None:
        def yields(ctx: Context, item: Any) -> Any:
            yield 1

        class NoRun:
            pass

        def lone(item: Any) -> None: ...

        for target, words in ((yields, "yields yields"), (lone, "takes 1 arguments"), (3, "not on a int")):
            with self.assertRaisesRegex(DecoratorTargetError, words):
                agent(name="A")(target)  # type: ignore[type-var]
        with self.assertRaisesRegex(DecoratorTargetError, "stands on lonely twice"):

            @agent(name="A")
            @agent(name="B")
            def lonely(ctx: Context, item: Any) -> None: ...

        with self.assertRaisesRegex(DecoratorTargetError, "plain is not an agent"):
            declaration_of(plain)
        with self.assertRaisesRegex(DecoratorValidationError, "class NoRun needs a method"):
            agent(name="A")(NoRun)


class Automation(unittest.TestCase):
    def test_schedules_in_the_order_of_the_source(self) -> None:
        @schedule("0  2 * * *")
        @schedule("30 7 * * MON-FRI", timezone="Europe/Berlin", results={"url": "https://example.com/in", "format": "csv"})
        @agent(name="A")
        def one(ctx: Context, item: Any) -> None: ...

        self.assertEqual([one["cron"] for one in declaration_of(one)["schedules"]], ["0 2 * * *", "30 7 * * MON-FRI"])

    def test_crons_and_zones_that_are_refused(self) -> None:
        for cron, words in (
            ("", "has 0 fields"),
            ("* * * *", "has 4 fields"),
            ("0 0 0 * * *", "has six fields"),
            ("60 * * * *", "the minute"),
            ("*/60 * * * *", "step of the minute"),
            ("5/10 * * * *", "write 5-59/10"),
            ("0 0 L * *", "the day of the month"),
            ("0 0 * * FRI-MON", "runs backwards"),
            ("0 0 30 2 *", "never comes"),
            ("TZ=UTC 0 0 * * *", "begins with a zone"),
            ("@weekly", 'write "0 0 * * 0"'),
            ("0 0 ? * *", "the day of the month"),
        ):
            with self.assertRaises(DecoratorValidationError) as raised:
                schedule(cron)
            self.assertIn(words, str(raised.exception))
        for good in ("*/15 0-6,22 1,15 JAN-MAR 7", "0 0 30 2 1", "59 23 31 12 *"):
            schedule(good)
        for zone in ("Local", "+02:00", "UTC+2", "Berlin", "Europe/Nowhere"):
            with self.assertRaises(DecoratorValidationError):
                schedule("0 0 * * *", timezone=zone)

    def test_triggers(self) -> None:
        @trigger("orders", secret_env="ORDERS_SECRET", items=True, item_id="id")
        @agent(name="A")
        def one(ctx: Context, item: Any) -> None: ...

        self.assertEqual(declaration_of(one)["triggers"], [{"name": "orders", "secret_env": "ORDERS_SECRET", "items": True, "item_id": "id"}])
        calls: List[Callable[[], Any]] = [
            lambda: trigger("or ders"),
            lambda: trigger("orders", secret_env="orders"),
            lambda: trigger("orders", item_id="id"),
            lambda: trigger("orders", items=True, source={"generator": "x"}),
        ]
        for call in calls:
            self.assertRaises(DecoratorValidationError, call)

    def test_what_stands_twice_or_out_of_order(self) -> None:
        with self.assertRaisesRegex(DecoratorValidationError, "stands on the agent twice"):
            schedule("0 0 * * *")(schedule("0  0 * * *")(agent(name="A")(lambda ctx, item: None)))
        for decorator in (schedule("0 0 * * *"), trigger("a")):
            with self.assertRaisesRegex(DecoratorTargetError, "write @agent right above"):
                agent(name="A")(decorator(plain))

    def test_a_schedule_whose_input_the_agent_refuses(self) -> None:
        with self.assertRaisesRegex(DecoratorValidationError, "brings no schedule_input, so None, which the input schema refuses: input: must be a string"):
            schedule("0 0 * * *")(agent(name="A", input={"type": "string"})(lambda ctx, item: None))

    def test_sources(self) -> None:
        @items
        def tickets(ctx: ItemsContext, occurrence: Occurrence) -> Any:
            yield 1

        made = agent(name="A", items=[tickets])
        good = {"url": "https://example.com/a", "format": "csv", "headers": {"authorization": "Bearer $TOKEN"}, "item_id": "id"}
        for source in ({"generator": "tickets"}, good):
            declared = declaration_of(schedule("0 0 * * *", source=source)(made(lambda ctx, item: None)))  # type: ignore[arg-type]
            self.assertEqual(declared["schedules"][0]["source"], source)
        for bad in ({}, {"generator": "x"}, {**good, "format": "xls"}, {**good, "headers": {"authorization": "Bearer abc"}}, {"generator": "tickets", "format": "csv"}, {**good, "body": 1}):
            with self.assertRaises(DecoratorValidationError):
                schedule("0 0 * * *", source=bad)(made(lambda ctx, item: None))  # type: ignore[arg-type]


class Generators(unittest.TestCase):
    def lines(self, target: Any, name: str) -> List[Dict[str, Any]]:
        occurrence = {"date": "2026-03-29", "timezone": "UTC", "scheduled_for": "2026-03-29T00:30:00.000Z"}
        text = "".join(item_pieces(registration_of(target), name, occurrence, ItemsContext()))
        return [json.loads(line) for line in text.splitlines()]

    def test_methods_and_async_functions(self) -> None:
        @items
        async def rows(ctx: ItemsContext, occurrence: Occurrence) -> Any:
            for n in range(3):
                yield {"day": occurrence["date"], "n": n}

        @agent(name="A", items=[rows])
        class One:
            @items
            def tickets(self, ctx: ItemsContext, occurrence: Occurrence) -> Any:
                yield from range(2)

            def run(self, ctx: Context, item: Any) -> None: ...

        self.assertEqual(declaration_of(One)["generators"], ["tickets", "rows"])
        self.assertEqual(self.lines(One, "rows")[-1], {"type": "end", "items": 3})
        self.assertEqual(self.lines(One, "tickets"), [{"type": "item", "input": 0}, {"type": "item", "input": 1}, {"type": "end", "items": 2}])

        @agent(name="B", items=[rows])
        async def two(ctx: Any, item: Any) -> None: ...

        self.assertEqual(self.lines(two, "rows")[-1], {"type": "end", "items": 3})

    def test_one_that_raises_or_yields_what_is_no_item(self) -> None:
        @items
        def broken(ctx: ItemsContext, occurrence: Occurrence) -> Any:
            yield 1
            raise ValueError("no export today")

        @items
        def odd(ctx: ItemsContext, occurrence: Occurrence) -> Any:
            yield {1, 2}

        one = agent(name="A", items=[broken, odd])(lambda ctx, item: None)
        self.assertEqual(self.lines(one, "broken")[-1]["error"], {"code": "agent_error", "message": "ValueError: no export today"})
        self.assertIn("item 1 cannot be written as JSON: it is a set", self.lines(one, "odd")[-1]["error"]["message"])
        with self.assertRaises(DecoratorTargetError):
            items(plain)
        with self.assertRaisesRegex(DecoratorValidationError, "put @items above it"):
            agent(name="A", items=[plain])(lambda ctx, item: None)


if __name__ == "__main__":
    unittest.main()
