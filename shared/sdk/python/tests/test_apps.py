"""Agents as ASGI and WSGI applications, under the servers that people use where they are installed."""

from __future__ import annotations

import asyncio
import io
import json
import socket
import subprocess
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request
from importlib.util import find_spec
from typing import Any, Dict, List
from unittest.mock import patch
from wsgiref.simple_server import WSGIRequestHandler, make_server
from wsgiref.validate import validator

from assay import AsyncContext, Context, agent
from assay.asgi import asgi_app
from assay.wsgi import wsgi_app

from .served import HERE, lines_of, offer


@agent(name="Now")
def now(ctx: Context, item: Any) -> Any:
    return ctx.step("double", lambda: item * 2)


@agent(name="Soon")
async def soon(ctx: AsyncContext, item: Any) -> Any:
    await ctx.step("wait", lambda: asyncio.sleep(0.01))
    return item * 2


now_wsgi, now_asgi, soon_asgi, soon_wsgi = wsgi_app(now), asgi_app(now), asgi_app(soon), wsgi_app(soon)


class Silent(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


class Wsgi(unittest.TestCase):
    def ask(self, app: Any, **environ: Any) -> "tuple[str, bytes]":
        said: List[str] = []
        body = environ.pop("body", b"")
        given = {"REQUEST_METHOD": "POST", "PATH_INFO": "/", "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body), **environ}
        answer = b"".join(app(given, lambda status, headers: said.append(status)))
        return said[0], answer

    def test_items_and_refusals(self) -> None:
        for app in (now_wsgi, soon_wsgi):
            status, answer = self.ask(app, body=offer(*range(20)))
            self.assertEqual(status, "200 OK")
            found = {line["seq"]: line["output"] for line in lines_of(answer) if line["type"] == "result"}
            self.assertEqual(found, {n: 2 * n for n in range(20)})
        self.assertEqual(self.ask(now_wsgi, body=b"?")[0], "400 Bad Request")
        self.assertEqual(self.ask(now_wsgi, REQUEST_METHOD="GET", PATH_INFO="/ping")[1], b"pong")

    def test_a_body_without_an_end(self) -> None:
        class Endless:
            read_bytes = 0

            def read(self, size: int = -1) -> bytes:
                assert size >= 0, "all of it would be read"
                self.read_bytes += size
                return b" " * size

        with patch("assay.callers.BODY_BYTES", 3_000_000):
            for environ in ({"HTTP_TRANSFER_ENCODING": "chunked"}, {"CONTENT_LENGTH": "3000001"}, {"CONTENT_LENGTH": "9" * 30}):
                stream = Endless()
                status, _ = self.ask(now_wsgi, **{"wsgi.input": stream, **environ})
                self.assertEqual(status, "413 Content Too Large")
                self.assertLessEqual(stream.read_bytes, 3_000_001)

    def test_a_refusal_is_one_that_a_strict_server_takes(self) -> None:
        """The standard library's server holds an application to PEP 3333: no hop-by-hop header, every header text."""
        with patch("assay.callers.BODY_BYTES", 2), make_server("127.0.0.1", 0, validator(now_wsgi), handler_class=Silent) as httpd:
            threading.Thread(target=httpd.handle_request, daemon=True).start()
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(f"http://127.0.0.1:{httpd.server_port}/", b"long", timeout=10)
        with refused.exception as error:
            self.assertEqual((error.code, error.headers["content-type"]), (413, "application/json"))
            self.assertEqual(json.loads(error.read())["error"]["code"], "too_large")

    def test_no_page_is_answered_without_a_key(self) -> None:
        for environ, status in (
            ({"HTTP_ORIGIN": "https://page.example"}, "401 Unauthorized"),
            ({"SERVER_NAME": "127.0.0.1", "HTTP_HOST": "rebound.example"}, "401 Unauthorized"),
            ({"SERVER_NAME": "0.0.0.0", "HTTP_HOST": "agents.example"}, "200 OK"),
        ):
            self.assertEqual(self.ask(now_wsgi, body=offer(1), **environ)[0], status)

    def test_a_body_in_pieces(self) -> None:
        status, answer = self.ask(now_wsgi, body=offer(1), CONTENT_LENGTH="", HTTP_TRANSFER_ENCODING="chunked")
        self.assertEqual((status, lines_of(answer)[-1]["output"]), ("200 OK", 2))


class Asgi(unittest.TestCase):
    def ask(self, app: Any, body: bytes) -> List[Dict[str, Any]]:
        sent: List[Dict[str, Any]] = []
        parts = [{"type": "http.request", "body": body[:9], "more_body": True}, {"type": "http.request", "body": body[9:]}]

        async def receive() -> Dict[str, Any]:
            if parts:
                return parts.pop(0)
            await asyncio.sleep(60)
            return {"type": "http.disconnect"}

        async def send(message: Dict[str, Any]) -> None:
            sent.append(message)

        asyncio.run(app({"type": "http", "method": "POST", "path": "/", "headers": []}, receive, send))
        return sent

    def test_a_body_without_an_end(self) -> None:
        asked: List[int] = []

        async def receive() -> Dict[str, Any]:
            asked.append(1)
            return {"type": "http.request", "body": b" " * 1000, "more_body": True}

        for headers, most in (([], 11), ([(b"content-length", b"10001")], 0)):
            sent: List[Dict[str, Any]] = []
            asked.clear()

            async def send(message: Dict[str, Any]) -> None:
                sent.append(message)

            with patch("assay.callers.BODY_BYTES", 10_000):
                asyncio.run(now_asgi({"type": "http", "method": "POST", "path": "/", "headers": headers}, receive, send))
            self.assertEqual(sent[0]["status"], 413)
            self.assertIn((b"content-type", b"application/json"), sent[0]["headers"])
            self.assertEqual(json.loads(sent[1]["body"])["error"]["code"], "too_large")
            self.assertLessEqual(len(asked), most)

    def test_no_page_is_answered_without_a_key(self) -> None:
        for headers, server, status in (
            ([(b"origin", b"https://page.example")], None, 401),
            ([(b"host", b"rebound.example")], ("127.0.0.1", 80), 401),
            ([(b"host", b"agents.example")], ("10.0.0.7", 80), 200),
        ):
            sent: List[Dict[str, Any]] = []

            async def receive() -> Dict[str, Any]:
                return {"type": "http.request"}

            async def send(message: Dict[str, Any]) -> None:
                sent.append(message)

            scope = {"type": "http", "method": "GET", "path": "/", "headers": headers, "server": server}
            asyncio.run(now_asgi(scope, receive, send))
            self.assertEqual(sent[0]["status"], status)

    def test_items(self) -> None:
        for app in (now_asgi, soon_asgi):
            sent = self.ask(app, offer(*range(20)))
            lines = lines_of(b"".join(one.get("body", b"") for one in sent))
            self.assertEqual({line["seq"]: line["output"] for line in lines if line["type"] == "result"}, {n: 2 * n for n in range(20)})
            self.assertEqual(sent[-1], {"type": "http.response.body", "body": b""})
        self.assertEqual(self.ask(now_asgi, b"?" * 20)[0]["status"], 400)


class Servers(unittest.TestCase):
    def serve(self, module: str, *command: str) -> None:
        if find_spec(module) is None:
            self.skipTest(f"{module} is not installed in this environment")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        given = [one.replace("PORT", str(port)) for one in command]
        process = subprocess.Popen([sys.executable, "-m", module, *given], cwd=HERE.parent, stderr=subprocess.PIPE)
        try:
            answer = self._ask(f"http://127.0.0.1:{port}/", process)
        finally:
            process.kill()
            _, errors = process.communicate()
        self.assertEqual(len([line for line in lines_of(answer) if line["type"] == "result"]), 60, errors.decode())

    def _ask(self, url: str, process: "subprocess.Popen[bytes]") -> bytes:
        until = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(urllib.request.Request(url, offer(*range(60)))) as answer:
                    return bytes(answer.read())
            except OSError:
                self.assertIsNone(process.poll())
                self.assertLess(time.monotonic(), until)
                time.sleep(0.1)

    def test_uvicorn(self) -> None:
        self.serve("uvicorn", "tests.test_apps:soon_asgi", "--port", "PORT", "--log-level", "error")

    def test_gunicorn(self) -> None:
        self.serve("gunicorn", "--threads", "8", "-b", "127.0.0.1:PORT", "tests.test_apps:now_wsgi", "--log-level", "error")

    def test_gunicorn_that_forks_after_it_has_loaded_the_agent(self) -> None:
        self.serve("gunicorn", "--preload", "--threads", "8", "-b", "127.0.0.1:PORT", "tests.test_apps:now_wsgi", "--log-level", "error")

    def test_fastapi(self) -> None:
        try:
            from fastapi import FastAPI
            from fastapi.testclient import TestClient
        except (ImportError, RuntimeError):
            self.skipTest("fastapi with its test client is not installed in this environment")
        api = FastAPI()
        api.mount("/claims", soon_asgi)
        answer = TestClient(api).post("/claims/", content=offer(*range(3)))
        self.assertEqual(len([line for line in lines_of(answer.content) if line["type"] == "result"]), 3)
        self.assertEqual(json.loads(TestClient(api).get("/claims/").content)["declaration"]["name"], "Soon")


if __name__ == "__main__":
    unittest.main()
