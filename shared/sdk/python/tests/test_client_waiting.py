"""Waits that end early: with Ctrl-C, with their time, or since nothing moves any more; and pilots and recoveries on the way."""

import asyncio
import contextlib
import inspect
import io
import time
import unittest
from importlib import import_module
from unittest.mock import patch

from assay.client import (
    ApiError,
    Assay,
    AssayError,
    AsyncAssay,
    AsyncPilot,
    AsyncPlan,
    AsyncRecovery,
    AsyncRun,
    Pilot,
    Plan,
    Recovery,
    Run,
)
from assay.client.settings import BatchSettings, RecoverySettings, SubmitSettings
from assay.client.transport import TRIES

from .test_client_transport import ACCEPTED, DROP, ENDED, RUN, Answer, said, server

RECOVERY = {
    "id": "01b3", "status": "running", "finished_at": None, "eligible": 3, "replayed": 3, "ended": 1, "ok": 1, "paused": 0,
    "left": 0, "cost_usd": 0.01, "unpriced_item_count": 0,
}  # fmt: skip
PLAN = {"eligible": 3, "max_cost_usd": 0.2, "rules": [], "warnings": [], "filter": {"run_id": "01a2", "to": "2026-03-02T00:00:00Z"}}
ROWS = [{"id": n} for n in range(10)]
PILOT = {**ENDED, "started_at": "2026-03-02T00:00:00Z", "agent_id": "a1", "cost_usd": 0.02}
CTRL_C = patch("assay.client.waiting.time.sleep", side_effect=KeyboardInterrupt)


def printed(act):
    """What a call prints that Ctrl-C ends."""
    err = io.StringIO()
    with contextlib.redirect_stderr(err), CTRL_C:
        try:
            act()
        except KeyboardInterrupt:
            return err.getvalue()
    raise AssertionError("it was not interrupted")


class InterruptedTest(unittest.TestCase):
    def test_a_run_goes_on_and_says_how_to_come_back(self):
        with server([Answer(202, ACCEPTED), Answer(body=RUN), Answer(body=RUN)]) as (assay, _):
            text = printed(lambda: assay.submit("claims", ROWS, wait=True))
        self.assertIn("the run 01a2 goes on", text)
        self.assertIn('Assay().run("01a2").wait()', text)
        self.assertIn("assay watch 01a2", text)

    def test_a_pilot_says_that_nothing_else_was_submitted_and_which_key_comes_back(self):
        with server([Answer(202, ACCEPTED), Answer(body=RUN), Answer(body=RUN)]) as (assay, got):
            text = printed(lambda: assay.pilot("claims", ROWS, items=2, idempotency_key="night"))
        self.assertIn("the run 01a2 goes on", text)
        self.assertIn("nothing but the pilot was submitted", text)
        self.assertIn("idempotency_key='night'", text)
        self.assertEqual(len([one for one in got if one["method"] == "POST"]), 1)
        self.assertIn("idempotency_key=night-pilot", got[0]["path"])

    def test_a_recovery_goes_on_and_says_how_to_come_back(self):
        with server([Answer(body=RUN), Answer(202, RECOVERY), Answer(body=RECOVERY)]) as (assay, _):
            text = printed(lambda: assay.run("01a2").recover(wait=True))
        self.assertIn("the recovery 01b3 goes on", text)
        self.assertIn('Assay().recovery("01b3").wait()', text)
        self.assertIn("assay recoveries 01b3 --watch", text)

    def test_code_that_awaits_says_it_too(self):
        async def awaited(base_url):
            run = await AsyncAssay(base_url, "pk_x").run("01a2")
            waiting = asyncio.ensure_future(run.wait(progress=False))
            await asyncio.sleep(0.1)
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting

        err = io.StringIO()
        with server([Answer(body=RUN)] * 9) as (assay, _), contextlib.redirect_stderr(err):
            asyncio.run(awaited(assay.base_url))
        self.assertIn('Assay().run("01a2").wait()', err.getvalue())

    def test_an_awaited_pilot_ends_at_once_and_says_it_too(self):
        async def awaited(base_url):
            pilot = asyncio.ensure_future(AsyncAssay(base_url, "pk_x").pilot("claims", ROWS, items=2, idempotency_key="night"))
            await asyncio.sleep(0.3)
            pilot.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await pilot

        err, began = io.StringIO(), time.monotonic()
        with server([Answer(202, ACCEPTED), *[Answer(body=RUN)] * 9]) as (assay, _), contextlib.redirect_stderr(err):
            asyncio.run(awaited(assay.base_url))
        self.assertLess(time.monotonic() - began, 3)
        self.assertIn("idempotency_key='night'", err.getvalue())


@patch("assay.client.waiting.time.sleep")
@patch("assay.client.transport.time.sleep")
class AwayTest(unittest.TestCase):
    """A server that is away for longer than a request is tried, as while it is upgraded."""

    GATEWAY = Answer(502, raw=b"<html>bad gateway", assay=False)
    AWAY = [DROP, GATEWAY, Answer(503, said("dependency_unreachable"))]

    def test_a_wait_outlasts_it(self, *_):
        for away in self.AWAY:
            with self.subTest(away), contextlib.redirect_stderr(io.StringIO()) as err:
                with server([Answer(body=RUN), *[away] * TRIES, Answer(body=RUN), *[away] * TRIES, Answer(body=ENDED)]) as (assay, _):
                    self.assertEqual(assay.run("01a2").wait(progress=False).status, "completed")
                self.assertEqual(err.getvalue().count("it is asked again"), 2)

    def test_so_does_a_wait_for_a_recovery_and_one_that_is_awaited(self, *_):
        ended = {**RECOVERY, "status": "completed", "finished_at": "2026-03-02T00:00:00Z"}
        with contextlib.redirect_stderr(io.StringIO()):
            with server([Answer(body=RECOVERY), *[DROP] * TRIES, Answer(body=ended)]) as (assay, _):
                self.assertEqual(assay.recovery("01b3").wait(progress=False).status, "completed")

            async def awaited(base_url):
                return await (await AsyncAssay(base_url, "pk_x").run("01a2")).wait(progress=False)

            with server([Answer(body=RUN), *[DROP] * TRIES, Answer(body=ENDED)]) as (assay, _):
                self.assertEqual(asyncio.run(awaited(assay.base_url)).status, "completed")

    def test_a_cut_answer_is_read_again(self, *_):
        with contextlib.redirect_stderr(io.StringIO()):
            with server([Answer(body=RUN), Answer(raw=b'{"id": "01a2"', cut=True), Answer(body=ENDED)]) as (assay, _):
                self.assertEqual(assay.run("01a2").wait(progress=False).status, "completed")

    def test_it_ends_at_its_time_and_without_one_after_a_quarter_of_an_hour_both_with_the_way_back(self, *_):
        with contextlib.redirect_stderr(io.StringIO()):
            with server([Answer(body=RUN), *[DROP] * TRIES]) as (assay, _):
                with self.assertRaisesRegex(AssayError, r"timed_out.*last read; no answer from(.|\n)*Assay\(\).run"):
                    assay.run("01a2").wait(timeout_s=0, progress=False)
            with server([Answer(body=RUN), *[DROP] * TRIES]) as (assay, _), patch("assay.client.waiting.LONGEST_ABSENCE_S", 0):
                with self.assertRaisesRegex(AssayError, r"unreachable(.|\n)*is it running(.|\n)*Assay\(\).run") as caught:
                    assay.run("01a2").wait(progress=False)
        self.assertIn("assay watch 01a2", caught.exception.hint)

    def test_what_does_not_pass_ends_it_at_once(self, *_):
        for status, code in ((401, "unauthenticated"), (404, "not_found")):
            with server([Answer(body=RUN), Answer(status, said(code))]) as (assay, _), self.assertRaisesRegex(ApiError, code):
                assay.run("01a2").wait(progress=False)


class AwaitedTest(unittest.TestCase):
    """The client for ``async`` code has what the other has."""

    def test_every_property_and_method(self):
        inner = {"is_over", "standing", "way_back"}
        for one, awaited in ((Assay, AsyncAssay), (Run, AsyncRun), (Pilot, AsyncPilot), (Plan, AsyncPlan), (Recovery, AsyncRecovery)):
            public = {name for name in vars(one) if not name.startswith("_")} - inner - {"started"}
            self.assertEqual(public - set(dir(awaited)), set(), awaited)

    def test_every_setting_with_its_type(self):
        passed = {"self", "agent", "rows", "items", "wait", "progress", "dry_run"}
        for method, settings in ((Assay.submit, SubmitSettings), (Assay.pilot, BatchSettings), (Run.recover, RecoverySettings)):
            found = {name: one.annotation for name, one in inspect.signature(method).parameters.items() if name not in passed}
            typed = {name: kind.__forward_arg__ for name, kind in settings.__annotations__.items()}
            self.assertEqual(typed, found)

    def test_a_plan_and_the_time_of_a_wait(self):
        async def awaited(base_url):
            run = await AsyncAssay(base_url, "pk_x").run("01a2")
            plan = await run.recover(dry_run=True, reason="refusal")
            self.assertEqual((plan.items, plan.max_cost_usd, run.total_items, run.has_ended), (3, 0.2, 2, False))
            with self.assertRaisesRegex(AssayError, r"timed_out(.|\n)*Assay\(\).run"):
                await run.wait(timeout_s=0, progress=False)

        with server([Answer(body=RUN), Answer(body=PLAN), Answer(body=RUN)]) as (assay, got):
            asyncio.run(awaited(assay.base_url))
        self.assertIn(b'"dry_run": true', got[1]["body"])


class OverTest(unittest.TestCase):
    def test_a_run_with_held_items_says_how_many(self):
        self.assertEqual(repr(Run(None, {**RUN, "paused": 75})), "Run('01a2', status='running', outcome=None, paused=75)")

    def test_a_run_with_held_items_alone_is_not_waited_for(self):
        held = {**RUN, "queued": 0, "running": 0, "paused": 2}
        with server([Answer(body=RUN), Answer(body=held)]) as (assay, _):
            self.assertEqual(assay.run("01a2").wait(progress=False).data["paused"], 2)

    def test_a_recovery_with_held_items_alone_is_not_waited_for(self):
        held = {**RECOVERY, "ended": 2, "paused": 1}
        with server([Answer(body=RECOVERY), Answer(body=held)]) as (assay, _):
            self.assertEqual(assay.recovery("01b3").wait(progress=False).status, "running")


@patch("assay.client.transport.time.sleep")
class OrdersTest(unittest.TestCase):
    def test_a_pilot_and_its_rest_are_all_rows_once_within_one_budget(self, _):
        agent = [Answer(body=[{"slug": "claims", "id": "a1"}]), Answer(body={"budget_gap": None})]
        estimate = Answer(body={"estimate": {"message": "2 minutes"}})
        rest = [Answer(202, {**ACCEPTED, "run_id": "01a9"}), Answer(body={**RUN, "id": "01a9"})]
        with server([*agent, Answer(202, ACCEPTED), Answer(body=PILOT), Answer(body=PILOT), estimate, *rest]) as (assay, got):
            pilot = assay.pilot("claims", ROWS, items=2, item_id="id", budget="5.00", name="night", callback_url="https://a.example")
            self.assertEqual(pilot.outlook["estimate"], {"message": "2 minutes"})
            self.assertEqual(pilot.go_on().id, "01a9")
        first, second = [one for one in got if one["method"] == "POST"]
        lines = [one["body"].decode().splitlines() for one in (first, second)]
        self.assertEqual([len(one) for one in lines], [2, 8])
        self.assertEqual(len({*lines[0], *lines[1]}), 10)
        for part in ("budget_cents=500", "name=night%2C+pilot"):
            self.assertIn(part, first["path"])
        for part in ("budget_cents=498", "name=night&", "callback_url="):
            self.assertIn(part, second["path"])
        self.assertNotIn("callback_url", first["path"])

    def test_a_pilot_of_which_nothing_is_ok_goes_on_only_when_told_to(self, _):
        bad = {**PILOT, "degraded_count": 2}
        answers = [Answer(202, ACCEPTED), Answer(body=bad), Answer(body=bad), Answer(404, said("not_found"))]
        with server([*answers, Answer(202, ACCEPTED), Answer(body=RUN)]) as (assay, got):
            pilot = assay.pilot("claims", ROWS, items=2)
            self.assertIsNone(pilot.outlook["estimate"])
            with self.assertRaisesRegex(AssayError, "pilot_failed.*other 8 were not submitted.*anyway=True"):
                pilot.go_on()
            self.assertEqual(len([one for one in got if one["method"] == "POST"]), 1)
            self.assertEqual(pilot.go_on(anyway=True).status, "running")

    def test_a_pilot_that_has_all_rows_is_the_run(self, _):
        with server([Answer(202, ACCEPTED), Answer(body=PILOT), Answer(body=PILOT)]) as (assay, got):
            pilot = assay.pilot("claims", ROWS, items=10, idempotency_key="night")
            self.assertIs(pilot.go_on(), pilot.run)
        self.assertIn("idempotency_key=night", got[0]["path"])
        self.assertNotIn("pilot", got[0]["path"])

    def test_a_pilot_of_no_rows_is_refused_before_anything_is_sent(self, _):
        for items in (0, -1, True, 2.5, "5"):
            with self.subTest(items), server([]) as (assay, got), self.assertRaisesRegex(AssayError, "items is"):
                assay.pilot("claims", ROWS, items=items)
            self.assertEqual(got, [])

    def test_a_plan_is_asked_for_again_and_its_recovery_is_not(self, _):
        with server([Answer(body=RUN), DROP, Answer(body=PLAN), DROP]) as (assay, got):
            plan = assay.run("01a2").recover(dry_run=True, reason="refusal", first=2, reuse="none")
            with self.assertRaisesRegex(AssayError, r"unreachable.*may have begun: recoveries\(\)"):
                plan.go_on(budget="2.00")
        self.assertEqual(got[1]["body"], got[2]["body"])
        self.assertIn(b'"filter": {"run_id": "01a2", "reason": "refusal"}', got[1]["body"])
        for part in (b'"budget_cents": 200', b'"first": 2', b'"reuse": "none"', b'"to": "2026-03-02T00:00:00Z"'):
            self.assertIn(part, got[3]["body"])
        self.assertNotIn(b"dry_run", got[3]["body"])

    def test_a_decision_about_held_items_is_no_replay(self, _):
        resumed = {**RECOVERY, "action": "resume", "status": "completed", "decided": 3, "finished_at": "2026-03-02T00:00:00Z"}
        warned = {**PLAN, "action": "resume", "warnings": [{"message": "3 reused steps were made by code a3f, and code b7c runs"}]}
        with server([Answer(body=RUN), Answer(body=warned), Answer(202, resumed)]) as (assay, got):
            plan = assay.run("01a2").recover(dry_run=True, action="resume", reason="hold")
            self.assertEqual(plan.warnings, ["3 reused steps were made by code a3f, and code b7c runs"])
            recovery = plan.go_on()
        self.assertIn(b'"action": "resume"', got[1]["body"])
        self.assertIn(b'"action": "resume"', got[2]["body"])
        self.assertIn("decided=3, eligible=3", repr(recovery))
        self.assertEqual(import_module("assay.client.progress").recovery_line(resumed), "resume completed: 3 of 3 items")

    def test_an_order_says_that_it_may_have_begun_only_where_it_may(self, _):
        cut = Answer(202, raw=b'{"id": "01b3"', cut=True)
        gateway = Answer(504, raw=b"<html>timeout", assay=False)
        for answer in (DROP, cut, gateway, Answer(500, said("internal"))):
            with server([Answer(body=RUN), answer]) as (assay, _), self.assertRaisesRegex(AssayError, "may have begun"):
                assay.run("01a2").recover()
        for answers in ([Answer(409, said("nothing_to_recover"))], [Answer(429, said("rate_limited"))] * TRIES):
            with server([Answer(body=RUN), *answers]) as (assay, _), self.assertRaises(ApiError) as caught:
                assay.run("01a2").recover()
            self.assertNotIn("may have begun", str(caught.exception))
        with server([Answer(body=RUN)]) as (assay, _):
            run = assay.run("01a2")
        with self.assertRaises(AssayError) as away:  # nothing listens there any more
            run.recover()
        self.assertNotIn("may have begun", str(away.exception))
        with server([gateway] * TRIES) as (assay, _), self.assertRaisesRegex(AssayError, "not_assay.*submit again with idempotency_key"):
            assay.submit("claims", ROWS)

    def test_a_comparison_holds_no_inputs_and_takes_the_last_of_items_with_one_id(self, _):
        diff = import_module("assay.client.diff")  # its function has the name too
        held, kept = [], diff._kept

        def item(id, output):
            return {
                "id": f"r{output}", "item_id": id, "input": "x" * 100, "output": output, "status": "completed", "attempt": 1, "mended_by": None,
                "worst_outcome_status": "ok", "corrected_outcome_status": None, "cost_usd": 0.5, "code_version": None, "line": 1,
            }  # fmt: skip

        def recorded(one):
            held.append(kept(one))
            return held[-1]

        run = Answer(body={**ENDED, "replay_of": None})
        pages = [Answer(body=[item("a", 1), item("a", 2)]), Answer(body=[item("a", 3), item("b", 4)])]
        with server([run, run, *pages]) as (assay, _), patch.object(diff, "_kept", recorded):
            found = assay.diff("01a2", "01a2")
        self.assertEqual([row["output"] for row in found.changed], [[2, 3]])
        self.assertEqual((found.summary["in_both"], found.summary["only_second"]), (1, 1))
        self.assertEqual([one for one in held if "input" in one or "line" in one], [])
        self.assertEqual(len(held), 4)

    def test_an_item_that_a_batch_has_twice_is_named_by_its_records(self, _):
        with server([Answer(body=RUN), Answer(body=[{"id": "r1"}, {"id": "r2"}])]) as (assay, _):
            with self.assertRaisesRegex(AssayError, "ambiguous_item.*r1, r2"):
                assay.run("01a2").item("7")
        with server([Answer(body=[])]) as (assay, _), self.assertRaisesRegex(AssayError, "not_found: no run has an item '7'"):
            assay.item("7")
        record = "01a22212-b4d9-7a6d-bfcb-d60500000003"
        pages = [Answer(body={"steps": [{"key": "a"}], "next_cursor": "c2"}), Answer(body={"steps": [{"key": "b"}], "next_cursor": None})]
        with server([Answer(body={"id": record}), *pages]) as (assay, got):
            self.assertEqual([step["key"] for step in assay.item(record)["steps"]], ["a", "b"])
        self.assertEqual(got[0]["path"], f"/v1/durable/runs/{record}")
        self.assertIn("cursor=c2", got[2]["path"])

    def test_what_is_refused_says_why(self, _):
        nothing = Answer(409, said("nothing_to_recover", hint="their replays are in run r"))
        with server([Answer(body=RUN), nothing]) as (assay, _), self.assertRaises(ApiError) as caught:
            assay.run("01a2").recover()
        self.assertEqual((caught.exception.code, caught.exception.hint), ("nothing_to_recover", "their replays are in run r"))


if __name__ == "__main__":
    unittest.main()
