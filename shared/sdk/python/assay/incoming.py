"""What comes over a connection of the standard library's server. Guarantee: a line, a head and a body end in time, however many bytes
come one by one; a head has HEAD_BYTES at most."""

from __future__ import annotations

import http.client
import re
import socket
import time
from typing import Optional

from .limits import KIB

IDLE_S = 75.0  # between two requests, and for the next bytes of a body that nobody has to sign
HEAD_S = 20.0
HEAD_BYTES = 64 * KIB

LENGTH = re.compile(r"\d{1,10}")
CHUNK = re.compile(r"[0-9a-fA-F]{1,8}")


def whole_number(text: str, shape: "re.Pattern[str]", base: int = 10) -> int:
    """Python's own reading takes signs and underscores; less than nothing would be read without an end."""
    if not shape.fullmatch(text):
        raise ValueError(text)
    return int(text, base)


class Incoming:
    """Reads a connection in place of the file that `http.server` makes of it."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._file = connection.makefile("rb")
        self._until: Optional[float] = None
        self._left: Optional[int] = HEAD_BYTES

    def expect_head(self) -> None:
        """The next request is waited for."""
        self._until, self._left = None, HEAD_BYTES

    def expect_body(self, seconds: Optional[float]) -> None:
        """A body follows, of which all has to come in so many seconds; None: of which the next bytes come in IDLE_S."""
        self._until, self._left = None if seconds is None else time.monotonic() + seconds, None

    def read1(self, size: int) -> bytes:
        """What has come. Raises socket.timeout."""
        self._wait()
        return self._file.read1(size)

    def readline(self, size: int) -> bytes:
        """Raises socket.timeout, or LineTooLong for a head that is."""
        line = bytearray()
        while len(line) < size and not line.endswith(b"\n"):
            self._wait()
            ahead = self._file.peek(1)
            if not ahead:
                break
            if self._left is not None and self._until is None:  # the head has started
                self._until = time.monotonic() + HEAD_S
            line += self._file.read(min(ahead.find(b"\n") + 1 or len(ahead), size - len(line)))
        if self._left is not None:
            self._left -= len(line)
            if self._left < 0:
                raise http.client.LineTooLong("head")
        return bytes(line)

    def close(self) -> None:
        self._file.close()

    def _wait(self) -> None:
        left = IDLE_S if self._until is None else self._until - time.monotonic()
        if left <= 0:
            raise socket.timeout("it took too long")
        self._connection.settimeout(min(left, IDLE_S))
