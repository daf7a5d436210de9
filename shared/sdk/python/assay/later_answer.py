"""Sends an agent's lines after its request has ended. Guarantee: lines leave in the order in which they were written, one POST at a
time, and each POST is repeated until it is taken or nobody awaits it; while there are no lines, heartbeats keep the lease."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Optional, Set

from .answers import Answer
from .limits import ANSWER_PIECE, ANSWER_RETRY_MS, HEARTBEAT_MS, LEASE_MS, NDJSON

if TYPE_CHECKING:
    from .exchange import Exchange

NOBODY: Set[int] = set()

under_way: Set[threading.Thread] = set()  # a process that is to end waits for these


class LaterAnswer(threading.Thread):
    """The rest of an exchange, which is POSTed to its address."""

    def __init__(self, address: str, until: float, exchange: "Exchange") -> None:
        super().__init__(name="assay-later", daemon=True)
        self._address = address
        self._until = until + 2 * LEASE_MS / 1000  # the last lines may have to be sent again
        self._exchange = exchange

    def run(self) -> None:
        under_way.add(self)
        try:
            while True:
                text = self._exchange.take(time.monotonic() + HEARTBEAT_MS / 1000)
                if text is None:
                    return
                for piece in _pieces(text or '{"type":"heartbeat"}\n'):
                    awaited = self._send(piece.encode("utf-8", "replace"))
                    self._exchange.abandon(awaited)
                    if not awaited:
                        return
        finally:
            self._exchange.abandon(NOBODY)
            under_way.discard(self)

    def _send(self, body: bytes) -> Set[int]:
        """Repeats the POST until it is taken. That does no harm: lines that were taken before are skipped."""
        pause, most = ANSWER_RETRY_MS
        while time.monotonic() < self._until:
            awaited = _post(self._address, body)
            if awaited is not None:
                return awaited
            time.sleep(pause / 1000)
            pause = min(pause * 2, most)
        return NOBODY


def _pieces(text: str) -> "list[str]":
    """As many whole lines as one POST should carry, and the rest."""
    pieces = [""]
    for line in text.split("\n")[:-1] if len(text) > ANSWER_PIECE else [text[:-1]]:
        if len(pieces[-1]) >= ANSWER_PIECE:
            pieces.append("")
        pieces[-1] += f"{line}\n"
    return pieces


def _post(address: str, body: bytes) -> Optional[Set[int]]:
    """The items that are still awaited after a POST; None if it is not known to have been taken."""
    request = urllib.request.Request(address, data=body, headers=Answer(200, NDJSON, b"").headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=LEASE_MS / 1000) as answer:
            return set(json.load(answer)["open"])
    except urllib.error.HTTPError as error:
        try:
            code = json.loads(error.read() or b"{}").get("error", {}).get("code")
        except (ValueError, OSError, AttributeError):
            return None  # one that a proxy wrote
        return NOBODY if code == "claim_ended" or error.code in (400, 401) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
