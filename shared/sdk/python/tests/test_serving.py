"""Agents that are served in processes: the protocol, later answers, signatures, the end of the server."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import json
import socket
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import List
from unittest import mock

from assay.pages import page_problem

from .served import Consumer, Served, finals, lines_of, offer

class Protocol(unittest.TestCase):
    served: Served

    @classmethod
    def setUpClass(cls) -> None:
        cls.served = Served("works", "--workers", "2")
        cls.addClassCleanup(cls.served.__exit__)

    def test_who_it_is(self) -> None:
        about = lines_of(self.served.request("GET").read())[0]
        self.assertEqual((about["protocol"], about["answers_later"], about["declaration"]["generators"]), (1, True, ["many"]))
        self.assertEqual(self.served.request("GET", path="/any/ping").read(), b"pong")
        self.assertIn("answers everybody, since ASSAY_AGENT_KEY is not set", self.served.says)

    def test_256_items_end_once_each_in_two_processes(self) -> None:
        lines = self.served.ask(*[{}] * 256)
        self.assertEqual(len(finals(lines)), 256)
        self.assertEqual(len({line["step"]["output"] for line in lines if line["type"] == "step" and line["step"]["key"] == "before"}), 2)

    def test_requests_that_cannot_be_understood(self) -> None:
        for method, body, headers, words in (
            ("POST", b'{"seq":1,"attempt":1}\n{"seq":', {}, "line 2 is not JSON"),
            ("POST", b"[1]", {}, "line 1 is not an item"),
            ("POST", b'{"seq":true,"attempt":1}', {}, "line 1 is not an item"),
            ("POST", b"\xff", {}, "line 1 is not JSON"),
            ("POST", b'{"generator":"few"}', {}, 'no generator "few": there are many'),
            ("POST", b"", {"assay-protocol": "2"}, "speaks version 1"),
            ("PUT", b"", {}, "PUT is not part"),
        ):
            answer = self.served.request(method, body, headers=headers)
            text = answer.read().decode()
            self.assertEqual(answer.status, 400, text)
            self.assertIn(words, lines_of(text.encode())[0]["error"]["message"])

    def test_a_body_of_no_length_is_refused_before_it_is_read(self) -> None:
        for head in (b"Content-Length: -1", b"Content-Length: 3_0", b"Content-Length: +5", b"Transfer-Encoding: chunked"):
            with self.subTest(head), socket.create_connection(("127.0.0.1", self.served.port), timeout=10) as caller:
                caller.sendall(b"POST / HTTP/1.1\r\nHost: agent\r\n" + head + b"\r\n\r\n-1\r\n")
                answer = caller.makefile("rb").read()
                self.assertIn(b" 413 ", answer)
                self.assertEqual(json.loads(answer.split(b"\r\n\r\n")[1])["error"]["code"], "too_large")

    def test_what_goes_with_a_body_in_chunks_has_an_end(self) -> None:
        endless = {
            "an extension": b"1;" + b"x" * 100_000 + b"\r\na\r\n",
            "extensions": (b"1;" + b"x" * 4000 + b"\r\na\r\n") * 100,
            "a trailer": b"0\r\nx: " + b"y" * 100_000,
            "trailers": b"0\r\n" + b"x: y\r\n" * 20_000,
            "a chunk that is longer than it says": b"1\r\naaaa\r\n0\r\n\r\n",
        }
        for name, body in endless.items():
            with self.subTest(name), socket.create_connection(("127.0.0.1", self.served.port), timeout=10) as caller:
                caller.sendall(b"POST / HTTP/1.1\r\nHost: agent\r\nTransfer-Encoding: chunked\r\n\r\n")
                try:
                    caller.sendall(body)
                except OSError:
                    pass  # refused before its end
                self.assertIn(b" 413 ", caller.recv(100))
        body = offer({})
        with socket.create_connection(("127.0.0.1", self.served.port), timeout=10) as caller:
            pieces = b"".join(b"1;a=b\r\n%c\r\n" % byte for byte in body)
            caller.sendall(b"POST / HTTP/1.1\r\nHost: agent\r\nTransfer-Encoding: chunked\r\n\r\n" + pieces + b"0\r\nx: y\r\n\r\n")
            self.assertIn(b" 200 ", caller.recv(100))

    def test_no_page_of_elsewhere_is_answered_without_a_key(self) -> None:
        port = self.served.port
        for method, headers, status in (
            ("POST", {"origin": "https://page.example"}, 401),
            ("POST", {"origin": "null"}, 401),
            ("POST", {"origin": "http://127.0.0.1:1"}, 401),
            ("POST", {"origin": f"http://rebound.example:{port}", "host": f"rebound.example:{port}"}, 401),
            ("POST", {"origin": f"http://claims:{port}", "host": f"claims:{port}"}, 401),
            ("POST", {"origin": f"http://printer.local:{port}", "host": f"printer.local:{port}"}, 401),
            ("POST", {"host": f"rebound.example:{port}"}, 401),
            ("GET", {"host": f"rebound.example:{port}"}, 401),
            ("POST", {"host": "127.0.0.1.rebound.example"}, 401),
            ("POST", {"origin": f"http://127.0.0.1:{port}"}, 200),
            ("POST", {"host": f"localhost:{port}"}, 200),
            ("POST", {"origin": f"http://localhost:{port}", "host": f"localhost:{port}"}, 200),
            ("POST", {"host": f"[::1]:{port}"}, 200),
            ("POST", {"host": f"host.docker.internal:{port}"}, 200),
            ("POST", {"host": "claims"}, 200),
        ):
            with self.subTest(f"{method} {headers}"):
                answer = self.served.request(method, offer({}), headers=headers)
                self.assertEqual(answer.status, status, answer.read())

    def test_a_proxy_in_the_container_of_a_platform_may_use_any_name(self) -> None:
        for name in ("fprocess", "K_SERVICE", "KUBERNETES_SERVICE_HOST"):
            with self.subTest(name), mock.patch.dict(os.environ, {name: "set"}):
                self.assertIsNone(page_problem({"host": "claims.example"}, True))
                self.assertIsNotNone(page_problem({"host": "claims.example", "origin": "http://claims.example"}, True))

    def test_no_items_at_all(self) -> None:
        self.assertEqual(self.served.ask(), [])

    def test_a_generator_makes_all_its_items_and_no_more_than_are_read(self) -> None:
        body = b'{"generator":"many","occurrence":{"date":"2026-03-29"}}'
        lines = lines_of(self.served.request("POST", body).read())
        self.assertEqual(lines[-1], {"type": "end", "items": 3000})
        self.assertEqual(len(lines), 3001)

    def test_the_time_of_one_item_is_up_and_the_others_end(self) -> None:
        lines = finals(self.served.ask({"do": "sleep", "seconds": 20, "line": {"timeout_ms": 500}}, {}))
        self.assertEqual((lines[0]["error"]["code"], lines[1]["type"]), ("step_timeout", "result"))

    def test_heartbeats_come_while_an_item_keeps_the_processor_busy(self) -> None:
        began = time.monotonic()
        lines = self.served.ask({"do": "busy", "seconds": 6})
        self.assertIn({"type": "heartbeat"}, lines)
        self.assertLess(time.monotonic() - began, 30)

    def test_a_caller_that_goes_is_noticed_and_its_items_stop(self) -> None:
        connection = socket.create_connection(("127.0.0.1", self.served.port))
        body = offer({"do": "sleep", "seconds": 30})
        connection.sendall(b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))
        self.assertIn(b"before", connection.recv(65536) + connection.recv(65536))
        connection.close()
        self.assertEqual(finals(self.served.ask({}))[0]["type"], "result")


@unittest.skipUnless(sys.platform == "linux", "processor time is read from /proc")
class Costs(unittest.TestCase):
    def test_an_item_that_does_nothing_costs_at_most_250_microseconds_of_processor_time(self) -> None:
        with Served("nothing", "--workers", "2") as served:
            pids = [served.process.pid, *_children(served.process.pid)]
            self.assertEqual(len(pids), 3)
            before = sum(map(_cpu_s, pids))
            for _ in range(80):
                self.assertEqual(len(served.ask(*[{"n": 1, "text": "hello"}] * 250)), 250)
            self.assertLess((sum(map(_cpu_s, pids)) - before) / 20_000, 250e-6)


def _stat(pid: int) -> List[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _cpu_s(pid: int) -> float:
    return (int(_stat(pid)[11]) + int(_stat(pid)[12])) / os.sysconf("SC_CLK_TCK")


def _children(parent: int) -> List[int]:
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            if int(_stat(int(one.name))[1]) == parent:
                found.append(int(one.name))
        except OSError:
            pass  # it has ended
    return found


class Later(unittest.TestCase):
    def test_what_outlasts_the_consumer_is_sent_to_the_address(self) -> None:
        with Served("works") as served, Consumer([0, 1], busy=2) as consumer:
            headers = {"assay-answer-url": consumer.url}
            lines = served.ask({"do": "sleep", "seconds": 1.5}, {}, headers=headers, yield_ms=400)
            self.assertEqual(lines[-1], {"type": "later"})
            self.assertEqual([line["seq"] for line in lines if line["type"] == "result"], [1])
            later = consumer.wait_for(3)
            self.assertEqual([line["step"]["key"] for line in later if line["type"] == "step"], ["after", "pid"])
            self.assertEqual(finals(later)[0]["type"], "result")

    def test_answers_name_the_version_of_the_code(self) -> None:
        with Served("works", "--workers", "1", env={"ASSAY_VERSION": "a3f91c"}) as served, Consumer([0]) as consumer:
            about = served.request("GET")
            self.assertEqual((about.headers["assay-code-version"], lines_of(about.read())[0]["version"]), ("a3f91c", "a3f91c"))
            headers = {"assay-answer-url": consumer.url}
            answer = served.request("POST", offer({"do": "sleep", "seconds": 1}, yield_ms=300), headers=headers)
            self.assertEqual((answer.headers["assay-code-version"], lines_of(answer.read())[-1]), ("a3f91c", {"type": "later"}))
            consumer.wait_for(2)
            self.assertEqual(consumer.versions, {"a3f91c"})

    def test_a_worker_that_is_killed_meanwhile_takes_no_item_with_it(self) -> None:
        with Served("works", "--workers", "1") as served, Consumer([0, 1]) as consumer:
            items = [{"do": "sleep", "seconds": 2}] * 2
            lines = served.ask(*items, headers={"assay-answer-url": consumer.url}, yield_ms=500)
            self.assertEqual(lines[-1], {"type": "later"})
            os.kill(lines[0]["step"]["output"], 9)
            ended = finals(consumer.wait_for(6))
            self.assertEqual([line["type"] for line in ended.values()], ["result", "result"])

    def test_an_item_that_nobody_awaits_stops(self) -> None:
        with Served("works") as served, Consumer([]) as consumer:
            served.ask({"do": "sleep", "seconds": 20}, headers={"assay-answer-url": consumer.url}, yield_ms=300)
            began = time.monotonic()
            self.assertEqual(served.stop(), 0)
            self.assertLess(time.monotonic() - began, 15)

    def test_all_lines_go_to_the_address_behind_a_queue(self) -> None:
        with Served("works", "--answer-later") as served, Consumer([0]) as consumer:
            answer = served.request("POST", offer({}), headers={"assay-answer-url": consumer.url})
            self.assertEqual((answer.status, answer.read()), (202, b""))
            self.assertEqual(finals(consumer.wait_for(3))[0]["type"], "result")


class Keys(unittest.TestCase):
    def test_only_what_assay_signed_within_the_last_minutes_passes(self) -> None:
        secret = os.urandom(32)
        key = f"whsec_{base64.b64encode(secret).decode()}"
        old = f"whsec_{base64.b64encode(os.urandom(32)).decode()}"
        with Served("nothing", "--workers", "1", env={"ASSAY_AGENT_KEY": f"{old} {key}"}) as served:
            self.assertIn("answers Assay\n", served.says)

            def status(body: bytes, at: float = 0, sent: bytes = b"", **changed: str) -> int:
                sent_at = str(int(time.time() + at))
                mac = base64.b64encode(hmac.new(secret, f"msg_1.{sent_at}.".encode() + body, hashlib.sha256).digest()).decode()
                headers = {"webhook-id": "msg_1", "webhook-timestamp": sent_at, "webhook-signature": f"v1,{mac}"}
                headers.update({f"webhook-{name}": value for name, value in changed.items()})
                return served.request("POST", sent or body, headers={name: value for name, value in headers.items() if value}).status

            self.assertEqual(status(offer({})), 200)
            self.assertEqual(status(offer({}), signature="v1,AAAA v1a,x"), 401)
            self.assertEqual(status(offer({}), at=-400), 401)
            self.assertEqual(status(offer({}), at=400), 401)
            self.assertEqual(status(offer({}), sent=offer({"other": 1})), 401)
            self.assertEqual(status(offer({}), signature=""), 401)
            self.assertEqual(status(offer({}), timestamp="now"), 401)
            self.assertEqual(served.request("GET").status, 200)
            self.assertEqual(served.request("GET", headers={"host": "agents.example"}).status, 200)

    def test_a_key_that_is_none(self) -> None:
        for key in ("whsec_?", "whsec_", "whsec_AA==", " ", f"whsec_ whsec_{'A' * 44}"):
            with self.subTest(key), Served("nothing", "--workers", "1", env={"ASSAY_AGENT_KEY": key}) as served:
                answer = served.request("POST", offer({}))
                self.assertEqual(answer.status, 401)
                self.assertIn("is what `assay deploy --url` prints", answer.read().decode())


class Ends(unittest.TestCase):
    def test_at_sigterm_items_go_on_elsewhere_from_their_next_step(self) -> None:
        with Served("works", "--workers", "1") as served:
            answer = served.request("POST", offer({"do": "sleep", "seconds": 1.5}, {"do": "busy", "seconds": 1}))
            first = answer.readline()
            self.assertIn(b"before", first)
            self.assertEqual(served.stop(), 0)
            lines = lines_of(first + answer.read())
            self.assertEqual({line["type"] for line in finals(lines).values()}, {"yield"})

    def test_workers_end_when_the_server_is_killed(self) -> None:
        with Served("works", "--workers", "1") as served:
            pid = next(line["step"]["output"] for line in served.ask({}) if line["type"] == "step")
            served.process.kill()
            until = time.monotonic() + 20
            while _is_there(pid) and time.monotonic() < until:
                time.sleep(0.05)
            self.assertFalse(_is_there(pid))

    def test_under_the_watchdog_it_goes_on_until_that_ends(self) -> None:
        with Served("nothing", "--workers", "1", env={"fprocess": "python3"}) as served:
            served.process.terminate()
            self.assertEqual(finals(served.ask({}))[0]["output"], {})
            self.assertIsNone(served.process.poll())


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


class Starts(unittest.TestCase):
    def folder(self) -> Path:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Path(folder.name)

    def refused(self, text: str, words: str, spec: str = "") -> None:
        file = self.folder() / "claims.py"
        file.write_text(text)
        with Served(spec, "--workers", "1", agents=file) as served:
            self.assertEqual(served.process.wait(30), 1)
            until = time.monotonic() + 5
            while not served.errors and time.monotonic() < until:
                time.sleep(0.01)
            self.assertEqual(len(served.errors), 1, served.errors)
            self.assertIn(words, served.errors[0])

    def test_what_cannot_be_loaded_is_said_in_one_line(self) -> None:
        head = "from assay import agent, schedule\n"
        one = '@agent(name="{0}")\ndef {0}(ctx, item): ...\n'
        self.refused("x = 1", "has no agent: put @agent")
        self.refused("def f(:\n", "claims.py, line 1: invalid syntax")
        self.refused("import nowhere_at_all", "claims.py, line 1: ModuleNotFoundError")
        self.refused(head + one.format("a") + one.format("b"), "has 2 agents: name one")
        self.refused(head + one.format("a"), "has no b", spec="b")
        self.refused(head + '@agent(name="A", retries=99)\ndef a(ctx, item): ...\n', "line 2: DecoratorValidationError: @agent retries")
        self.refused(head + '@agent(name="A")\n@schedule("0 0 * * *")\ndef a(ctx, item): ...\n', "DecoratorTargetError: @schedule stands above @agent")

    def test_a_port_that_is_taken(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            with Served("nothing", "--port", str(taken.getsockname()[1])) as served:
                self.assertEqual(served.process.wait(30), 1)
                self.assertIn("choose another", "".join(served.errors))

    def test_a_change_of_the_file_is_loaded_and_a_mistake_is_not(self) -> None:
        file = self.folder() / "claims.py"
        text = 'from assay import agent\n@agent(name="A")\ndef a(ctx, item): return {}\n'
        file.write_text(text.replace("{}", "1"))
        with Served("", "--workers", "1", "--reload", agents=file) as served:
            self.assertEqual(finals(served.ask({}))[0]["output"], 1)
            for change, output in (("2", 2), ("2 +", 2), ("3", 3)):
                file.write_text(text.replace("{}", change))
                self._wait(served, output, change)

    def _wait(self, served: Served, output: int, change: str) -> None:
        until = time.monotonic() + 30
        is_mistake = change.endswith("+")
        while time.monotonic() < until:
            if finals(served.ask({}))[0]["output"] == output and (not is_mistake or any("invalid syntax" in line for line in served.errors)):
                return
            time.sleep(0.1)
        self.fail(f"{change}: {served.errors}")


if __name__ == "__main__":
    unittest.main()
