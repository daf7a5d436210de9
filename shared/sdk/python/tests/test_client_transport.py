"""Requests over networks that fail: what is sent again, what is not, and what is said."""

import json
import os
import threading
import unittest
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest.mock import patch

from assay.client import ApiError, Assay, AssayError, operations
from assay.client.transport import TRIES

RUN = {
    "id": "01a2", "status": "running", "worst_outcome_status": None, "finished_at": None, "total_items": 2,
    "completed": 0, "failed": 0, "cancelled": 0, "paused": 0, "degraded_count": 0, "budget_exceeded_count": 0, "cost_usd": 0, "unpriced_item_count": 0,
}  # fmt: skip
ENDED = {**RUN, "status": "completed", "worst_outcome_status": "ok", "completed": 2, "finished_at": "2026-03-02T00:00:00Z"}
ACCEPTED = {"run_id": "01a2", "total_items": 2}


def said(code, **more):
    return {"error": {"code": code, "message": f"it is {code}", **more}}


class Answer:
    def __init__(self, status=200, body=None, headers=(), assay=True, raw=None, cut=False):
        self.status, self.cut = status, cut
        self.raw = json.dumps(body).encode() if raw is None else raw
        self.headers = [*headers, *([("assay-version", "1")] if assay else [])]


DROP = "drop"


@contextmanager
def server(answers):
    """A server that gives these answers in turn, and the requests that it got."""
    left, got = list(answers), []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one(self):
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            got.append({"method": self.command, "path": self.path, "key": self.headers.get("authorization"), "body": body})
            answer = left.pop(0)
            self.close_connection = True
            if answer == DROP:
                return
            self.send_response(answer.status)
            for name, value in answer.headers:
                self.send_header(name, value)
            if ("transfer-encoding", "chunked") not in answer.headers:
                self.send_header("content-length", str(len(answer.raw) + (10 if answer.cut else 0)))
            self.end_headers()
            self.wfile.write(answer.raw)

        do_GET = do_POST = handle_one

        def log_message(self, *_):
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield Assay(f"http://127.0.0.1:{httpd.server_port}", "pk_x"), got
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()


class TransportTest(unittest.TestCase):
    def setUp(self):
        self.waits = []
        patcher = patch("assay.client.transport.time.sleep", self.waits.append)
        patcher.start()
        self.addCleanup(patcher.stop)

    def test_reads_are_tried_again(self):
        busy = Answer(503, said("dependency_unreachable"))
        with server([DROP, Answer(502, raw=b"<html>bad gateway", assay=False), busy, Answer(body=RUN)]) as (assay, got):
            self.assertEqual(assay.run("01a2").status, "running")
        self.assertEqual([one["path"] for one in got], ["/v2/runs/01a2"] * 4)
        self.assertEqual(got[0]["key"], "Bearer pk_x")

    def test_retry_after_is_kept(self):
        with server([Answer(429, said("rate_limited"), [("retry-after", "7")]), Answer(body=RUN)]) as (assay, _):
            assay.run("01a2")
        self.assertGreaterEqual(self.waits[0], 7)

    def test_tries_end(self):
        with server([DROP] * TRIES) as (assay, got), self.assertRaisesRegex(AssayError, "unreachable: no answer from"):
            assay.run("01a2")
        self.assertEqual(len(got), TRIES)

    def test_a_batch_that_may_have_been_accepted_is_sent_again_under_its_key(self):
        with server([DROP, Answer(202, {**ACCEPTED, "duplicate": True}), Answer(body=RUN)]) as (assay, got):
            run = assay.submit("claims", iter([{"id": "a"}, {"id": "b"}]), item_id="id")
        self.assertTrue(run.duplicate)
        self.assertIn("idempotency_key=", got[0]["path"])
        self.assertEqual((got[0]["path"], got[0]["body"]), (got[1]["path"], got[1]["body"]))
        self.assertEqual(got[1]["body"], b'{"input":{"id":"a"},"item_id":"a"}\n{"input":{"id":"b"},"item_id":"b"}\n')

    def test_two_calls_have_two_keys_and_by_content_one(self):
        for by_content, keys in [(False, 2), (True, 1)]:
            agent = [Answer(body=[{"slug": "claims", "id": "a1"}]), Answer(body={"budget_gap": None})]
            with server([*agent, Answer(202, ACCEPTED), Answer(body=RUN)] * 2) as (assay, got):
                for _ in range(2):
                    assay.submit("claims", [{"id": "a"}], budget="5.00", by_content=by_content)
            self.assertEqual(len({one["path"] for one in got if one["method"] == "POST"}), keys)
            self.assertIn("budget_cents=500", got[2]["path"])

    def test_a_budget_that_nothing_counts_against_is_refused(self):
        agent = [Answer(body=[{"slug": "claims", "id": "a1"}]), Answer(body={"budget_gap": "not_reported"})]
        with server(agent) as (assay, got), self.assertRaisesRegex(AssayError, "budget_not_enforced.*allow_unpriced=True"):
            assay.submit("claims", [{"id": "a"}], budget="5.00")
        self.assertEqual([one["method"] for one in got], ["GET", "GET"])
        with server([Answer(202, ACCEPTED), Answer(body=RUN)]) as (assay, got):
            assay.submit("claims", [{"id": "a"}], budget="5.00", allow_unpriced=True)
        self.assertEqual(len(got), 2)

    def test_a_batch_that_is_not_answered_says_how_to_submit_it_once(self):
        with server([DROP] * TRIES) as (assay, got), self.assertRaisesRegex(AssayError, "submit again with idempotency_key="):
            assay.submit("claims", [{"id": "a"}])

    def test_what_is_refused_is_not_sent_again(self):
        for status, code in [(400, "invalid_line"), (401, "unauthenticated"), (409, "idempotency_key_reused")]:
            with server([Answer(status, said(code, hint="do this"), [("x-request-id", "r1")])]) as (assay, got):
                with self.assertRaises(ApiError) as caught:
                    assay.submit("claims", [{"id": "a"}])
            error = caught.exception
            self.assertEqual((error.status, error.code, error.hint, error.request_id), (status, code, "do this", "r1"))
            self.assertEqual(len(got), 1)

    def test_orders_without_a_key_are_not_sent_twice(self):
        with server([Answer(body=RUN), DROP]) as (assay, got), self.assertRaisesRegex(AssayError, "unreachable"):
            assay.run("01a2").recover()
        self.assertEqual(len(got), 2)

    def test_an_unknown_agent_is_reported_with_those_that_there_are(self):
        with server([Answer(404, said("not_found")), Answer(body=[{"slug": "triage"}])]) as (assay, _):
            with self.assertRaisesRegex(ApiError, "no agent 'claims'.*there are: triage"):
                assay.submit("claims", [{"id": "a"}])

    def test_the_key_never_follows_a_redirect(self):
        with server([]) as (_, elsewhere), server([]) as (other, _):
            with server([Answer(302, {}, [("location", other.base_url)])]) as (assay, _):
                with self.assertRaisesRegex(AssayError, "not_assay"):
                    assay.run("01a2")
            self.assertEqual(elsewhere, [])

    def test_a_page_of_another_server_is_no_answer(self):
        with server([Answer(raw=b"<html>sign in", assay=False)]) as (assay, _):
            with self.assertRaisesRegex(AssayError, "not_assay"):
                assay.run("01a2")

    def test_an_answer_that_breaks_off_is_an_error(self):
        rows = b'{"item_id":"a"}\n{"item_id":"b"}\n'
        broken = b'\n{"error":{"code":"broke_off","message":"store away"}}\n'
        chunks = Answer(raw=b"20\r\n" + rows + b"\r\n20\r\n" + rows[:9], headers=[("transfer-encoding", "chunked")])
        for answer in [Answer(raw=rows + broken), Answer(raw=rows, cut=True), chunks]:
            with server([Answer(body=RUN), answer]) as (assay, _):
                seen = []
                with self.assertRaisesRegex(AssayError, "broken_answer"):
                    for row in assay.run("01a2").results():
                        seen.append(row["item_id"])
                self.assertEqual(seen, ["a", "b"])

    def test_pages_of_runs_are_followed(self):
        pages = [Answer(body=[RUN, RUN], headers=[("x-next-cursor", "c2")]), Answer(body=[ENDED])]
        with server(pages) as (assay, got):
            self.assertEqual([run.status for run in assay.runs(agent="claims")], ["running", "running", "completed"])
        self.assertIn("cursor=c2", got[1]["path"])

    def test_a_wait_ends_with_the_run_or_with_its_time(self):
        with patch("assay.client.waiting.time.sleep"):
            with server([Answer(body=RUN), Answer(body=RUN), Answer(body=ENDED)]) as (assay, _):
                self.assertEqual(assay.run("01a2").wait(progress=False).outcome, "ok")
            with server([Answer(body=RUN), Answer(body=RUN)]) as (assay, _):
                with self.assertRaisesRegex(AssayError, "timed_out.*goes on"):
                    assay.run("01a2").wait(timeout_s=0)

    def test_settings_that_are_missing_or_wrong_say_what_to_do(self):
        with patch.dict("os.environ", clear=True):
            with self.assertRaisesRegex(AssayError, "api_key is missing.*ASSAY_API_KEY"):
                Assay()
            with self.assertRaisesRegex(AssayError, "base_url is 'localhost'"):
                Assay("localhost", "pk_x")


class OperationsTest(unittest.TestCase):
    def test_every_operation_exists(self):
        checkout = Path(os.environ.get("ASSAY_CHECKOUT", Path(__file__).parents[1])).parents[2]
        document = json.loads((checkout / "infra/generated/openapi.json").read_text())
        for operation in operations.ALL:
            method, path = operation.__doc__.split()
            with self.subTest(operation.__doc__):
                self.assertIn(method.lower(), document["paths"][path])


if __name__ == "__main__":
    unittest.main()
