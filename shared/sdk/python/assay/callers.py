"""Who sends a request, and its body until that is known. Guarantee: what a head alone shows to be wrong is refused before the body is
read; bodies whose signature was not checked yet take UNPROVEN_BYTES of the process at most, together; a proof lets one body at a time past
that bound; signed ones have ARRIVAL_S each."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import re
import threading
import time
from typing import Iterable, List, Mapping, Optional, Set

from .answers import Answer, refusal
from .limits import ARRIVAL_S, BODY_BYTES, KIB, MIB, SMALL_BODY_BYTES, UNPROVEN_BYTES, UNPROVEN_SPARE_BYTES, WEBHOOK_TOLERANCE_S

Headers = Mapping[str, str]

KEY_BYTES = 16
"""Fewer are no key of Assay's, which have 32."""
NEEDS_KEY = "This agent answers signed requests only; its ASSAY_AGENT_KEY is what `assay deploy --url` prints for its URL."
PROOF = "assay-body-proof"
LARGEST_UNPROVEN = UNPROVEN_BYTES - UNPROVEN_SPARE_BYTES
BLOCK_BYTES = 16 * KIB  # of the first MiB; then they are larger
LARGE_BLOCK_BYTES = 256 * KIB

TOO_LARGE = refusal(f"the body is longer than {BODY_BYTES} bytes", "too_large")
UNREADABLE = refusal("the body cannot be read: the length that it states, or that of a chunk, is not its own", "too_large")
UNPROVEN_TOO_LARGE = refusal(
    f"the body is longer than {LARGEST_UNPROVEN} bytes, and no {PROOF} header of its own shows that its sender has the key: send fewer items in a request",
    "too_large",
)
FULL = refusal(
    f"this process holds {UNPROVEN_BYTES // MIB} MiB of bodies whose signature is not checked yet: send this one again in a second", "overloaded"
)
TOO_SLOW = refusal(f"the body did not arrive within {ARRIVAL_S} seconds: send fewer items in a request", "too_slow")


class Refused(Exception):
    """A request is refused before all of it was read."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


class Unproven:
    """Counts what the process holds for senders who are not known yet."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.bytes = 0

    def take(self, held: int, more: int) -> bool:
        """Whether a body that holds so many bytes may hold more. The last ones are for small bodies, which most are."""
        most = UNPROVEN_BYTES if held + more <= SMALL_BODY_BYTES else LARGEST_UNPROVEN
        with self._lock:
            if self.bytes + more > most:
                return False
            self.bytes += more
            return True

    def give(self, count: int) -> None:
        with self._lock:
            self.bytes -= count


class Proofs:
    """Those of the bodies that are being read. Whoever recorded one can send it with any number of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: Set[bytes] = set()

    def take(self, text: bytes) -> bool:
        """Whether no other body has it."""
        with self._lock:
            is_free = text not in self._texts
            self._texts.add(text)
            return is_free

    def give(self, text: bytes) -> None:
        with self._lock:
            self._texts.discard(text)


unproven = Unproven()
proofs = Proofs()


class Body:
    """The body of one request, counted until its sender is known.

    >>> with Body({}, time.time()) as body:
    ...     body.add(b"{}")
    ...     body.proven()
    b'{}'
    """

    def __init__(self, headers: Headers, now: float) -> None:
        self.headers = headers
        self._blocks: List[bytearray] = []  # one that grows would be there twice whenever it is copied
        self._bytes = self._taken = self._counted = 0
        self._proof: Optional[bytes] = None
        self._until = time.monotonic() + ARRIVAL_S
        self._head = b""
        self._secrets = _secrets()
        self._most, self._is_counted = BODY_BYTES, False
        if self._secrets is not None:
            self._check_head(now)
        length = headers.get("content-length", "")
        self._length = int(length[:20]) if length.isdecimal() else 0
        self.expect(self._length)

    @property
    def left_s(self) -> Optional[float]:
        """In how many seconds the rest has to come; None where nobody has to sign."""
        return None if self._secrets is None else max(self._until - time.monotonic(), 0.0)

    @property
    def room(self) -> int:
        """How many more bytes it may have."""
        return self._most - self._bytes

    @property
    def _too_large(self) -> Answer:
        return UNPROVEN_TOO_LARGE if self._is_counted else TOO_LARGE

    def expect(self, length: int) -> None:
        """A piece of so many bytes is to come. Raises Refused if that is too long."""
        if length > self.room:
            raise Refused(self._too_large)

    def add(self, piece: bytes) -> None:
        """Raises Refused if the body is too long, too slow, or there is no room for it."""
        self.expect(len(piece))
        if self.left_s == 0:
            raise Refused(TOO_SLOW)
        rest = memoryview(piece)
        while rest:
            if self._bytes == self._taken:
                self._take_block()
            free = self._taken - self._bytes
            part, rest = rest[:free], rest[free:]
            block = self._blocks[-1]
            start = len(block) - free
            block[start : start + len(part)] = part
            self._bytes += len(part)

    def _take_block(self) -> None:
        """No more than what the head says is to come."""
        most = BLOCK_BYTES if self._bytes < MIB else LARGE_BLOCK_BYTES
        size = min(most, self._length - self._bytes if self._length > self._bytes else self.room)
        if self._is_counted:
            if not unproven.take(self._counted, size):
                raise Refused(FULL)
            self._counted += size
        self._blocks.append(bytearray(size))
        self._taken += size

    def proven(self) -> bytes:
        """The whole body, if its sender has the key or none is needed. Raises Refused."""
        if self._taken > self._bytes:
            del self._blocks[-1][self._bytes - self._taken :]
            self._taken = self._bytes
        if self._secrets:
            given = _macs(self.headers["webhook-signature"].split())
            if not _matches(self._secrets, given, self._head, self._blocks):
                raise Refused(_unauthenticated("No signature matches the body."))
        return b"".join(self._blocks)

    def __enter__(self) -> "Body":
        """Raises Refused."""
        if self._proof is not None and not proofs.take(self._proof):
            self._proof, self._most, self._is_counted = None, LARGEST_UNPROVEN, True
            self.expect(self._length)
        return self

    def __exit__(self, *_: object) -> None:
        unproven.give(self._counted)
        self._counted = 0
        self._blocks = []
        if self._proof is not None:
            proofs.give(self._proof)
            self._proof = None

    def _check_head(self, now: float) -> None:
        if not self._secrets:
            raise Refused(refusal("ASSAY_AGENT_KEY of this agent is not a key: it is what `assay deploy --url` prints, whsec_…", "unauthenticated"))
        missing = next((name for name in ("webhook-id", "webhook-timestamp", "webhook-signature") if self.headers.get(name) is None), None)
        if missing:
            raise Refused(_unauthenticated(f"The {missing} header is missing."))
        sent_at = self.headers["webhook-timestamp"]
        if not re.fullmatch(r"\d{1,12}", sent_at) or abs(now - int(sent_at)) > WEBHOOK_TOLERANCE_S:
            raise Refused(_unauthenticated(f"The webhook-timestamp is not of the last {WEBHOOK_TOLERANCE_S // 60} minutes."))
        message_id = self.headers["webhook-id"]
        if "\n" in message_id:  # of a header over several lines; a proof would verify as the signature of such an id's body
            raise Refused(_unauthenticated("The webhook-id header has more than one line."))
        self._head = f"{message_id}.{sent_at}.".encode("latin-1", "replace")
        self._most, self._is_counted = LARGEST_UNPROVEN, True
        length, _, given = self.headers.get(PROOF, "").partition(",")
        if not re.fullmatch(r"\d{1,10}", length):
            return
        text = f"{PROOF}\n{message_id}\n{sent_at}\n{int(length)}".encode("latin-1", "replace")
        if _matches(self._secrets, _macs(given.split()), text):
            self._proof, self._most, self._is_counted = text, min(int(length), BODY_BYTES), False


def _secrets() -> Optional[List[bytes]]:
    """None if there is no key; none of them if one is no key."""
    keys = os.environ.get("ASSAY_AGENT_KEY", "")
    if not keys:
        return None
    try:
        secrets = [base64.b64decode(re.sub("^whsec_", "", key), validate=True) for key in keys.split()]
    except binascii.Error:
        return []
    # An empty one would verify what anybody signs.
    return secrets if all(len(secret) >= KEY_BYTES for secret in secrets) else []


def _macs(given: List[str]) -> List[bytes]:
    return [one[3:].encode("latin-1", "replace") for one in given if one.startswith("v1,")]


def _matches(secrets: List[bytes], given: List[bytes], head: bytes, body: Iterable[bytearray] = ()) -> bool:
    found = False
    for secret in secrets:
        mac = hmac.new(secret, head, hashlib.sha256)
        for block in body:
            mac.update(block)
        expected = base64.b64encode(mac.digest())
        found = any([hmac.compare_digest(expected, one) for one in given]) or found
    return found


def _unauthenticated(why: str) -> Answer:
    return refusal(f"{why} {NEEDS_KEY}", "unauthenticated")
