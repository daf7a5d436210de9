"""An HTTP server of the standard library for one agent. Guarantee: each piece of an answer leaves at once, a caller that has gone is
noticed, and at SIGTERM what is under way ends, or goes on elsewhere from its next step, before the process does."""

from __future__ import annotations

import http.client
import os
import select
import signal
import socket
import socketserver
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from typing import Any, Callable, Iterator, Optional

from . import later_answer
from .answers import Answer, refusal
from .callers import TOO_LARGE, TOO_SLOW, UNREADABLE, Body, Refused
from .incoming import CHUNK, HEAD_BYTES, IDLE_S, LENGTH, Incoming, whole_number
from .pages import is_loopback
from .protocol import AgentProtocol

GRACE_S = 25.0  # platforms kill after 30
LINE_BYTES = 4 * 1024
SHORT_LINE = 16
"""Of a chunk: eight digits and what ends them."""
ABOUT_BYTES = 64 * 1024
"""What a request may say about its body beside the lengths of its chunks: extensions and trailers."""
PIECE = 64 * 1024
LINGER_S = 1.0
DISCARD_S = 15.0
DISCARD_BYTES = 128 * 1024 * 1024
"""What still comes of a body that is refused: read by most senders only after they have sent it."""


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    default_request_version = "HTTP/1.0"  # before it, answers have no head
    server: "Server"  # pyright: ignore[reportIncompatibleVariableOverride]
    rfile: Incoming  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleVariableOverride]
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self.rfile.close()
        self.rfile = Incoming(self.connection)  # pyright: ignore[reportIncompatibleVariableOverride]

    def handle_one_request(self) -> None:
        self.rfile.expect_head()
        self.requestline, self.command, self.request_version = "", "", self.default_request_version
        try:
            super().handle_one_request()
        except http.client.LineTooLong:  # the first line
            self.send_error(414)

    def send_error(self, code: int, message: Optional[str] = None, explain: Optional[str] = None) -> None:
        """What the standard library refuses, as JSON, as all else is."""
        if code in (414, 431):
            refused = refusal(f"the request's head is longer than {HEAD_BYTES} bytes, or has too many headers: send a shorter one", "too_large")
        else:
            refused = refusal(f"{message or self.responses[code][1]}: send HTTP/1.1, and items by POST")
        self._refuse(refused._replace(status=int(code)))

    def do_GET(self) -> None:
        self._handle()

    do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_GET

    def _handle(self) -> None:
        with self.server.under_way():
            headers = {name.lower(): value for name, value in self.headers.items()}
            is_here = is_loopback(str(self.connection.getsockname()[0]))
            started = self.server.protocol.begin(self.command, self.path.split("?")[0], headers, is_here)
            try:
                answer = started if isinstance(started, Answer) else self._answer(started)
            except Refused as refused:
                return self._refuse(refused.answer)
            if isinstance(started, Answer) and self._has_body():
                return self._refuse(started)
            if isinstance(answer.body, bytes):
                return self._whole(answer)
            self._stream(answer, answer.body(self._is_gone))

    def _answer(self, started: Body) -> Answer:
        try:
            with started as body:
                self.rfile.expect_body(body.left_s)
                self._read(body)
                return self.server.protocol.answer(body)
        except socket.timeout:
            raise Refused(TOO_SLOW) from None
        except ValueError:
            raise Refused(UNREADABLE) from None
        finally:
            self.connection.settimeout(IDLE_S)  # for the answer

    def _has_body(self) -> bool:
        return "transfer-encoding" in self.headers or self.headers.get("content-length", "0") != "0"

    def _refuse(self, answer: Answer) -> None:
        """Answers before the body was read, and discards what still comes for a moment: else the answer would be lost with the
        connection."""
        self.close_connection = True
        self._whole(answer)
        left, until = DISCARD_BYTES, time.monotonic() + DISCARD_S
        try:
            self.connection.shutdown(socket.SHUT_WR)
            while left > 0 and time.monotonic() < until:
                self.rfile.expect_body(LINGER_S)
                piece = self.rfile.read1(PIECE)
                if not piece:
                    break
                left -= len(piece)
        except OSError:
            pass  # nothing more came

    def _read(self, body: Body) -> None:
        """Raises Refused, or ValueError if it cannot be read."""
        if "chunked" not in self.headers.get("transfer-encoding", "").lower():
            self._take(body, whole_number(self.headers.get("content-length") or "0", LENGTH))
            return
        about = ABOUT_BYTES
        while True:
            line = self._line()
            about -= len(line) - SHORT_LINE
            length = whole_number(line.split(b";")[0].strip().decode("latin-1"), CHUNK, 16)
            if about < 0:
                raise Refused(TOO_LARGE)
            if length == 0:
                break
            if self._take(body, length) < length:
                raise ValueError("it ends within a chunk")
            if self._line() not in (b"\r\n", b"\n"):
                raise ValueError("a chunk does not end where it says")
        while (line := self._line()) not in (b"\r\n", b"\n"):  # trailers
            about -= len(line)
            if about < 0:
                raise Refused(TOO_LARGE)

    def _take(self, body: Body, length: int) -> int:
        """Reads so many bytes of a body, as they come; returns how many there were."""
        body.expect(length)
        left = length
        while left > 0:
            piece = self.rfile.read1(min(left, PIECE))
            if not piece:
                break
            body.add(piece)
            left -= len(piece)
        return length - left

    def _line(self) -> bytes:
        """A line about the body, whole."""
        line = self.rfile.readline(LINE_BYTES)
        if not line.endswith(b"\n"):
            raise ValueError("a line about the body has no end")
        return line

    def _whole(self, answer: Answer) -> None:
        body = answer.body if isinstance(answer.body, bytes) else b""
        self._head(answer, "content-length", str(len(body)))
        self.wfile.write(self._take_head() + (body if self.command != "HEAD" else b""))

    def _stream(self, answer: Answer, pieces: Iterator[bytes]) -> None:
        is_chunked = self.request_version == "HTTP/1.1"
        if is_chunked:
            self._head(answer, "transfer-encoding", "chunked")
        else:
            self._head(answer, "connection", "close")
            self.close_connection = True
        try:
            self.wfile.write(self._take_head())
            for piece in pieces:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if is_chunked else piece)
            if is_chunked:
                self.wfile.write(b"0\r\n\r\n")
        except OSError:  # whoever asked has gone
            self.close_connection = True
        finally:
            getattr(pieces, "close", lambda: None)()

    def _head(self, answer: Answer, name: str, value: str) -> None:
        self.send_response(answer.status)
        for header, said in answer.headers.items():
            self.send_header(header, said)
        self.send_header(name, value)

    def _take_head(self) -> bytes:
        """The head as bytes, so that it leaves with what follows it."""
        buffer: Any = self._headers_buffer  # type: ignore[attr-defined]
        head = b"".join(buffer) + b"\r\n"
        buffer.clear()
        return head

    def _is_gone(self) -> bool:
        """Whether whoever asked has closed the connection."""
        try:
            readable = select.select([self.connection], [], [], 0)[0] if self.connection.fileno() < 1024 else _polled(self.connection)
            return bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""
        except (OSError, ValueError):
            return True

    def version_string(self) -> str:
        return "assay"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged of requests: the consumer knows them."""


def _polled(connection: socket.socket) -> Any:
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return poll.poll(0)


class Server(socketserver.ThreadingTCPServer):
    """Serves an agent on a port."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 512

    def __init__(self, protocol: AgentProtocol, host: str, port: int) -> None:
        self.protocol = protocol
        self._under_way = 0
        self._lock = threading.Lock()
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), Handler)

    def under_way(self) -> "_Counted":
        """Counts a request."""
        return _Counted(self)

    def count(self, more: int) -> int:
        with self._lock:
            self._under_way += more
            return self._under_way

    def handle_error(self, request: Any, client_address: Any) -> None:
        error = sys.exc_info()[1]
        if not isinstance(error, (OSError, ValueError)):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        host, port = self.server_address[0], self.server_address[1]
        return f"http://{f'[{host!s}]' if ':' in str(host) else host!s}:{port}"


class _Counted:
    def __init__(self, server: Server) -> None:
        self._server = server

    def __enter__(self) -> None:
        self._server.count(1)

    def __exit__(self, *_: object) -> None:
        self._server.count(-1)


def stop_signals() -> threading.Event:
    """Is set by SIGTERM and SIGINT, from now on: before anybody is told that it serves."""
    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    return stop


def run(server: Server, stop: threading.Event, drain: Callable[[], None], close: Callable[[], None]) -> None:
    """Serves until a signal. Under OpenFaaS's watchdog, which sends it first and passes requests on, until that ends it."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.2}, name="assay-accept", daemon=True)
    thread.start()
    while not stop.wait(1.0):
        pass
    while os.environ.get("fprocess"):
        time.sleep(3600)
    drain()
    server.shutdown()
    server.server_close()
    _wait(server, time.monotonic() + GRACE_S)
    close()


def _wait(server: Server, until: float) -> None:
    while time.monotonic() < until:
        thread: Optional[threading.Thread] = next(iter(list(later_answer.under_way)), None)
        if thread is not None:
            thread.join(0.2)
        elif server.count(0) > 0:
            time.sleep(0.02)
        else:
            return
