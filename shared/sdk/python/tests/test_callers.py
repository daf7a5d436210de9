"""Callers who are not known yet: what their heads show is refused before their bodies are read, and what they send has bounds."""

from __future__ import annotations

import base64
import hashlib
import hmac
import io
import json
import os
import socket
import threading
import time
import unittest
from typing import Any, Dict, List, Mapping, Optional
from unittest.mock import patch

from assay import Context, agent
from assay.answers import Answer
from assay.agent import registration_of
from assay.callers import LARGE_BLOCK_BYTES, LARGEST_UNPROVEN, Body, Refused, unproven
from assay.local import Local
from assay.protocol import AgentProtocol
from assay.server import Server

SECRET = os.urandom(32)
KEY = f"whsec_{base64.b64encode(SECRET).decode()}"
LINE = b'{"seq":0,"attempt":1,"input":2}'


@agent(name="Doubles")
def doubles(ctx: Context, item: Any) -> Any:
    return item * 2


def mac(text: bytes, secret: bytes = SECRET) -> str:
    return "v1," + base64.b64encode(hmac.new(secret, text, hashlib.sha256).digest()).decode()


def proof_text(at: int, length: int) -> bytes:
    return b"assay-body-proof\nm1\n%d\n%d" % (at, length)


def signed(body: bytes, age_s: float = 0, proof: Optional[int] = None, **changed: Optional[str]) -> Dict[str, str]:
    at = int(time.time() - age_s)
    headers: Dict[str, Optional[str]] = {"webhook-id": "m1", "webhook-timestamp": str(at), "webhook-signature": mac(b"m1.%d." % at + body)}
    if proof is not None:
        headers["assay-body-proof"] = f"{proof},{mac(proof_text(at, proof))}"
    headers.update({name.replace("_", "-"): value for name, value in changed.items()})
    return {name: value for name, value in headers.items() if value is not None}


class Served:
    """The standard library's server, in this process."""

    def __enter__(self) -> "Served":
        self.server = Server(AgentProtocol(Local(registration_of(doubles))), "127.0.0.1", 0)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def send(self, headers: Mapping[str, str], *pieces: bytes) -> socket.socket:
        caller = socket.create_connection(self.server.server_address[:2], timeout=30)
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        caller.sendall(f"POST / HTTP/1.1\r\nhost: a\r\n{lines}\r\n".encode())
        for piece in pieces:
            caller.sendall(piece)
        return caller


def answer_of(caller: socket.socket) -> "tuple[int, Dict[str, Any]]":
    """The status and the JSON of an answer after which the connection is closed."""
    whole = b""
    with caller:
        while piece := caller.recv(65536):
            whole += piece
    head, _, body = whole.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


def body_of(headers: Mapping[str, str]) -> Body:
    return Body(headers, time.time())


def code_of(refused: Refused) -> str:
    assert isinstance(refused.answer.body, bytes)
    return str(json.loads(refused.answer.body)["error"]["code"])


class Heads(unittest.TestCase):
    def test_a_head_that_cannot_be_signed_is_refused_before_its_body_comes(self) -> None:
        cases = (
            (signed(b"", webhook_id=None), 401, "webhook-id header is missing"),
            (signed(b"", webhook_timestamp=None), 401, "webhook-timestamp header is missing"),
            (signed(b"", webhook_signature=None), 401, "webhook-signature header is missing"),
            (signed(b"", age_s=400), 401, "not of the last 5 minutes"),
            ({**signed(b""), "content-length": str(280 * 2**20)}, 413, "no assay-body-proof header"),
            ({**signed(b"", proof=10), "content-length": "11"}, 413, "is longer than"),
        )
        with patch.dict(os.environ, ASSAY_AGENT_KEY=KEY), Served() as served:
            for headers, status, words in cases:
                with self.subTest(words):
                    found, body = answer_of(served.send({"content-length": "1000000", **headers}))
                    self.assertEqual(found, status)
                    self.assertIn(words, body["error"]["message"])

    def test_an_answer_arrives_although_its_body_was_not_read(self) -> None:
        with patch.dict(os.environ, ASSAY_AGENT_KEY=KEY), Served() as served:
            caller = served.send({**signed(b"", webhook_id=None), "content-length": "3000000"}, b"x" * 3_000_000)
            self.assertEqual(answer_of(caller)[0], 401)


class Bounds(unittest.TestCase):
    def setUp(self) -> None:
        patches = [
            patch.dict(os.environ, ASSAY_AGENT_KEY=KEY),
            patch("assay.callers.UNPROVEN_BYTES", 3000),
            patch("assay.callers.LARGEST_UNPROVEN", 2000),
            patch("assay.callers.SMALL_BODY_BYTES", 500),
            patch("assay.callers.BLOCK_BYTES", 100),
        ]
        for one in patches:
            one.start()
            self.addCleanup(one.stop)

    def test_all_bodies_of_unknown_senders_have_one_bound(self) -> None:
        with body_of(signed(b"")) as first:
            first.add(b"x" * 1500)
            with body_of(signed(b"")) as second, self.assertRaises(Refused) as caught:
                second.add(b"x" * 501)
            self.assertEqual((code_of(caught.exception), caught.exception.answer.headers["retry-after"]), ("overloaded", "1"))
            with body_of(signed(LINE)) as small:  # there is room for it still
                small.add(LINE)
                self.assertEqual(small.proven(), LINE)
            with body_of(signed(b"x" * 2500, proof=2500)) as proven:  # and those with the key need none
                proven.add(b"x" * 2500)
                self.assertEqual(len(proven.proven()), 2500)
        self.assertEqual(unproven.bytes, 0)

    def test_a_proof_is_of_its_key_its_request_and_its_length(self) -> None:
        for headers in (
            signed(b"", assay_body_proof=f"2500,{mac(proof_text(int(time.time()), 2500), os.urandom(32))}"),
            signed(b"", proof=2500, webhook_id="m2"),
            signed(b"", assay_body_proof="2500"),
            signed(b"", assay_body_proof="-1,v1,AAAA"),
        ):
            with body_of(headers) as body, self.assertRaises(Refused) as caught:
                body.add(b"x" * 2500)
            self.assertEqual(code_of(caught.exception), "too_large")
        with body_of(signed(b"x" * 11, proof=10)) as body, self.assertRaises(Refused):
            body.add(b"x" * 11)

    def test_a_proof_is_not_the_signature_of_any_body(self) -> None:
        at = int(time.time())
        for message_id, body in (("assay-body-proof.m1.%d" % at, b"2500"), ("assay-body-proof.m1", b"2500"), ("assay-body-proof\n m1", b"2500")):
            headers = signed(b"", webhook_id=message_id, webhook_signature=mac(proof_text(at, 2500)), webhook_timestamp=str(at))
            with self.subTest(message_id), self.assertRaises(Refused) as caught, body_of(headers) as read:
                read.add(body)
                read.proven()
            self.assertEqual(code_of(caught.exception), "unauthenticated")
        # The body of a request with such an id, as its sender signs it
        id_of_two_lines = signed(b"", webhook_id="assay-body-proof\n m1", webhook_signature=mac(b"assay-body-proof\n m1.%d.{}" % at))
        with self.assertRaises(Refused):
            body_of(id_of_two_lines)

    def test_a_proof_lets_one_body_at_a_time_past_the_bound(self) -> None:
        headers = signed(b"x" * 2500, proof=2500)
        with body_of(headers) as first:
            first.add(b"x" * 2400)
            self.assertEqual(unproven.bytes, 0)
            with body_of(headers) as second:
                second.add(b"x" * 2000)
                self.assertEqual(unproven.bytes, 2000)
                with self.assertRaises(Refused) as caught:
                    second.add(b"x")
                self.assertEqual(code_of(caught.exception), "too_large")
            with self.assertRaises(Refused), body_of({**headers, "content-length": "2500"}):
                pass
            first.add(b"x" * 100)
            self.assertEqual(len(first.proven()), 2500)
        with body_of(headers) as again:
            again.add(b"x" * 2500)
        self.assertEqual(unproven.bytes, 0)

    def test_a_body_that_fails_is_released(self) -> None:
        protocol = AgentProtocol(Local(registration_of(doubles)))
        started = protocol.begin("POST", "/", {**signed(b"other"), "content-length": str(len(LINE))})
        assert isinstance(started, Body)
        with started as body:
            body.add(LINE)
            self.assertEqual(unproven.bytes, len(LINE))
            self.assertEqual(protocol.answer(body).status, 401)
        self.assertEqual(unproven.bytes, 0)
        self.assertIsInstance(protocol.begin("GET", "/", {}), Answer)


class Counts(unittest.TestCase):
    def test_a_body_takes_its_bytes_and_a_block_at_most(self) -> None:
        """The same numbers as in serve.test.ts."""
        mib = 2**20
        room = LARGEST_UNPROVEN - (140 * mib + LARGE_BLOCK_BYTES)
        with patch.dict(os.environ, ASSAY_AGENT_KEY=KEY), body_of(signed(b"")) as first:
            first.add(bytes(130 * mib))
            first.add(bytes(10 * mib + 1))
            self.assertEqual(unproven.bytes, 140 * mib + LARGE_BLOCK_BYTES)
            with body_of({**signed(b""), "content-length": str(room)}) as second:
                second.add(bytes(room))
                self.assertEqual(unproven.bytes, LARGEST_UNPROVEN)
                with self.assertRaises(Refused) as caught:
                    second.proven()
                self.assertEqual(code_of(caught.exception), "unauthenticated")
            with body_of({**signed(b""), "content-length": str(room + 1)}) as third, self.assertRaises(Refused) as caught:
                third.add(bytes(room + 1))
            self.assertEqual(code_of(caught.exception), "overloaded")


class Times(unittest.TestCase):
    def ends(self, headers: Mapping[str, str], *pieces: bytes) -> None:
        with patch.dict(os.environ, ASSAY_AGENT_KEY=KEY), patch("assay.callers.ARRIVAL_S", 0.5), Served() as served:
            status, body = answer_of(served.send(headers, *pieces))
            self.assertEqual((status, body["error"]["code"]), (408, "too_slow"))
        self.assertEqual(unproven.bytes, 0)

    def test_a_body_that_does_not_come(self) -> None:
        self.ends({**signed(b""), "content-length": "1000"}, b"x" * 999)

    def test_a_proven_body_that_does_not_come(self) -> None:
        self.ends({**signed(b"", proof=1000), "content-length": "1000"}, b"x" * 999)

    def test_a_chunk_that_does_not_come(self) -> None:
        self.ends({**signed(b""), "transfer-encoding": "chunked"}, b"3\r\nxxx\r\n", b"3")

    def test_a_head_that_comes_slowly_or_is_long(self) -> None:
        with patch("assay.incoming.HEAD_S", 0.3), Served() as served:
            with socket.create_connection(served.server.server_address[:2], timeout=30) as caller:
                caller.sendall(b"POST / HTTP/1.1\r\nhost: a\r\nx: ")
                self.assertEqual(caller.recv(10), b"")
            with socket.create_connection(served.server.server_address[:2], timeout=30) as caller:
                caller.sendall(b"POST / HTTP/1.1\r\nhost: a\r\n" + b"".join(b"x%d: %b\r\n" % (n, b"y" * 5000) for n in range(20)) + b"\r\n")
                status, body = answer_of(caller)
                self.assertEqual((status, body["error"]["code"]), (431, "too_large"))

    def test_what_is_no_request_of_the_protocol_is_refused_as_json(self) -> None:
        for line, status, words in (
            (b"GET /" + b"x" * 65_532, 414, "65536 bytes"),  # 65,537 without its end
            (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", 414, "65536 bytes"),
            (b"one\r\n\r\n", 400, "send HTTP/1.1"),
            (b"BREW / HTTP/1.1\r\n\r\n", 501, "by POST"),
        ):
            with self.subTest(status=status), patch("sys.stderr", io.StringIO()) as said, Served() as served:
                with socket.create_connection(served.server.server_address[:2], timeout=30) as caller:
                    caller.sendall(line)
                    found, body = answer_of(caller)
                self.assertEqual(found, status)
                self.assertIn(words, body["error"]["message"])
                self.assertEqual(said.getvalue(), "")

    def test_without_a_key_a_body_may_take_its_time(self) -> None:
        received: List[bytes] = []
        with patch("assay.callers.ARRIVAL_S", 0.0), Served() as served:
            with served.send({"content-length": str(len(LINE)), "connection": "close"}, LINE) as caller:
                while piece := caller.recv(65536):
                    received.append(piece)
        self.assertIn(b'"output":4', b"".join(received))
