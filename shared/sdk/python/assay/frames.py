"""What the server and its worker processes write to one another: frames of a kind, a number and bytes. Guarantee: frames arrive whole
and in order, and those that threads write at the same time leave together."""

from __future__ import annotations

import socket
import struct
import threading
from typing import Iterator, List, NamedTuple

HEAD = struct.Struct("!cII")
READ = 256 * 1024


class Frame(NamedTuple):
    """`kind` is a letter, `number` that of an item, a request or a generator."""

    kind: bytes
    number: int
    data: bytes


# From the server: a request, an item of it, one that nobody awaits, items for a generator, the next piece of them, the end of that,
# a process that is to end. From a worker: itself, a line, a final line, code that ended late, a piece of items, the last one.
REQUEST, ITEM, CANCEL, GENERATE, MORE, STOP, DRAIN, PING = b"R", b"I", b"C", b"G", b"M", b"S", b"D", b"?"
HELLO, LINE, FINAL, ENDED, PIECE, LAST, PONG = b"H", b"L", b"F", b"E", b"P", b"Q", b"!"


def frame(kind: bytes, number: int, data: bytes = b"") -> bytes:
    """A frame as bytes."""
    return HEAD.pack(kind, number, len(data)) + data


def frames(connection: socket.socket) -> "Iterator[List[Frame]]":
    """The frames that arrive, as many at once as did; ends where the other side has gone."""
    buffer = bytearray()
    while True:
        try:
            data = connection.recv(READ)
        except OSError:
            return
        if not data:
            return
        buffer += data
        found: List[Frame] = []
        at = 0
        while len(buffer) - at >= HEAD.size:
            kind, number, size = HEAD.unpack_from(buffer, at)
            end = at + HEAD.size + size
            if len(buffer) < end:
                break
            found.append(Frame(kind, number, bytes(buffer[at + HEAD.size : end])))
            at = end
        del buffer[:at]
        if found:
            yield found


class Outbox:
    """Writes frames. Whoever writes while another thread does leaves its frames to that one."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._waiting: List[bytes] = []
        self._is_writing = False

    def put(self, data: bytes) -> None:
        with self._lock:
            self._waiting.append(data)
            if self._is_writing:
                return
            self._is_writing = True
        while True:
            with self._lock:
                if not self._waiting:
                    self._is_writing = False
                    return
                data = b"".join(self._waiting)
                self._waiting.clear()
            try:
                self._connection.sendall(data)
            except OSError:  # the other side has gone, which whoever reads from it sees
                pass
