"""Callers who are not known yet: what their heads show is refused before their bodies are read, and what they send has bounds."""

from __future__ import annotations

import base64
import hashlib
import hmac
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
from assay.callers import Body, Refused, unproven
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


def signed(body: bytes, age_s: float = 0, proof: Optional[int] = None, **changed: Optional[str]) -> Dict[str, str]:
    at = int(time.time() - age_s)
    headers: Dict[str, Optional[str]] = {"webhook-id": "m1", "webhook-timestamp": str(at), "webhook-signature": mac(b"m1.%d." % at + body)}
    if proof is not None:
        headers["assay-body-proof"] = f"{proof},{mac(b'assay-body-proof.m1.%d.%d' % (at, proof))}"
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
        ]
        for one in patches:
            one.start()
            self.addCleanup(one.stop)

    def body(self, headers: Mapping[str, str]) -> Body:
        return Body(headers, time.time())

    def code_of(self, refused: Refused) -> str:
        assert isinstance(refused.answer.body, bytes)
        return str(json.loads(refused.answer.body)["error"]["code"])

    def test_all_bodies_of_unknown_senders_have_one_bound(self) -> None:
        with self.body(signed(b"")) as first:
            first.add(b"x" * 1500)
            with self.body(signed(b"")) as second, self.assertRaises(Refused) as caught:
                second.add(b"x" * 501)
            self.assertEqual((self.code_of(caught.exception), caught.exception.answer.headers["retry-after"]), ("overloaded", "1"))
            with self.body(signed(LINE)) as small:  # there is room for it still
                small.add(LINE)
                self.assertEqual(small.proven(), LINE)
            with self.body(signed(b"x" * 2500, proof=2500)) as proven:  # and those with the key need none
                proven.add(b"x" * 2500)
                self.assertEqual(len(proven.proven()), 2500)
        self.assertEqual(unproven.bytes, 0)

    def test_a_proof_is_of_its_key_its_request_and_its_length(self) -> None:
        for headers in (
            signed(b"", assay_body_proof=f"2500,{mac(b'assay-body-proof.m1.%d.2500' % int(time.time()), os.urandom(32))}"),
            signed(b"", proof=2500, webhook_id="m2"),
            signed(b"", assay_body_proof="2500"),
            signed(b"", assay_body_proof="-1,v1,AAAA"),
        ):
            with self.body(headers) as body, self.assertRaises(Refused) as caught:
                body.add(b"x" * 2500)
            self.assertEqual(self.code_of(caught.exception), "too_large")
        with self.body(signed(b"x" * 11, proof=10)) as body, self.assertRaises(Refused):
            body.add(b"x" * 11)

    def test_a_body_that_fails_is_released(self) -> None:
        protocol = AgentProtocol(Local(registration_of(doubles)))
        begun = protocol.begin("POST", "/", signed(b"other"))
        assert isinstance(begun, Body)
        with begun as body:
            body.add(LINE)
            self.assertEqual(unproven.bytes, len(LINE))
            self.assertEqual(protocol.answer(body).status, 401)
        self.assertEqual(unproven.bytes, 0)
        self.assertIsInstance(protocol.begin("GET", "/", {}), Answer)


class Times(unittest.TestCase):
    def ends(self, headers: Mapping[str, str], *pieces: bytes) -> None:
        with patch.dict(os.environ, ASSAY_AGENT_KEY=KEY), patch("assay.callers.UNPROVEN_S", 0.5), Served() as served:
            status, body = answer_of(served.send(headers, *pieces))
            self.assertEqual((status, body["error"]["code"]), (408, "too_slow"))
        self.assertEqual(unproven.bytes, 0)

    def test_a_body_that_does_not_come(self) -> None:
        self.ends({**signed(b""), "content-length": "1000"}, b"x" * 999)

    def test_a_chunk_that_does_not_come(self) -> None:
        self.ends({**signed(b""), "transfer-encoding": "chunked"}, b"3\r\nxxx\r\n", b"3")

    def test_a_head_that_comes_slowly_or_is_long(self) -> None:
        with patch("assay.incoming.HEAD_S", 0.3), Served() as served:
            with socket.create_connection(served.server.server_address[:2], timeout=30) as caller:
                caller.sendall(b"POST / HTTP/1.1\r\nhost: a\r\nx: ")
                self.assertEqual(caller.recv(10), b"")
            with socket.create_connection(served.server.server_address[:2], timeout=30) as caller:
                caller.sendall(b"POST / HTTP/1.1\r\nhost: a\r\n" + b"".join(b"x%d: %b\r\n" % (n, b"y" * 5000) for n in range(20)) + b"\r\n")
                self.assertIn(b" 431 ", caller.recv(100))

    def test_without_a_key_a_body_may_take_its_time(self) -> None:
        received: List[bytes] = []
        with patch("assay.callers.UNPROVEN_S", 0.0), Served() as served:
            with served.send({"content-length": str(len(LINE)), "connection": "close"}, LINE) as caller:
                while piece := caller.recv(65536):
                    received.append(piece)
        self.assertIn(b'"output":4', b"".join(received))
