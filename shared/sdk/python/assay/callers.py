"""Who sends a request, and its body until that is known. Guarantee: what a head alone shows to be wrong is refused before the body is
read; bodies whose signature was not checked yet take UNPROVEN_BYTES of the process at most, together, and UNPROVEN_S each."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import re
import threading
import time
from typing import List, Mapping, Optional

from .answers import Answer, refusal
from .limits import BODY_BYTES, MIB, SMALL_BODY_BYTES, UNPROVEN_BYTES, UNPROVEN_S, UNPROVEN_SPARE_BYTES, WEBHOOK_TOLERANCE_S

Headers = Mapping[str, str]

KEY_BYTES = 16
"""Fewer are no key of Assay's, which have 32."""
NEEDS_KEY = "This agent answers signed requests only; its ASSAY_AGENT_KEY is what `assay deploy --url` prints for its URL."
PROOF = "assay-body-proof"
LARGEST_UNPROVEN = UNPROVEN_BYTES - UNPROVEN_SPARE_BYTES

TOO_LARGE = refusal(f"the body is longer than {BODY_BYTES} bytes", "too_large")
UNREADABLE = refusal("the body cannot be read: the length that it states, or that of a chunk, is not its own", "too_large")
UNPROVEN_TOO_LARGE = refusal(
    f"the body is longer than {LARGEST_UNPROVEN} bytes, and no {PROOF} header shows that its sender has the key: send fewer items in a request",
    "too_large",
)
FULL = refusal(
    f"this process holds {UNPROVEN_BYTES // MIB} MiB of bodies whose signature is not checked yet: send this one again in a second", "overloaded"
)
TOO_SLOW = refusal(f"the body did not arrive within {UNPROVEN_S} seconds: send fewer items in a request", "too_slow")


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


unproven = Unproven()


class Body:
    """The body of one request, counted until its sender is known.

    >>> with Body({}, time.time()) as body:
    ...     body.add(b"{}")
    ...     body.proven()
    bytearray(b'{}')
    """

    def __init__(self, headers: Headers, now: float) -> None:
        self.headers = headers
        self._whole = bytearray()
        self._counted = 0
        self._until = time.monotonic() + UNPROVEN_S
        self._head = b""
        self._secrets = _secrets()
        self._most, self._is_counted = BODY_BYTES, False
        if self._secrets is not None:
            self._check_head(now)
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > self._most:
            raise Refused(self._too_large)

    @property
    def left_s(self) -> Optional[float]:
        """In how many seconds the rest has to come; None where its sender is known."""
        return max(self._until - time.monotonic(), 0.0) if self._is_counted else None

    @property
    def room(self) -> int:
        """How many more bytes it may have."""
        return self._most - len(self._whole)

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
        if self._is_counted:
            if self.left_s == 0:
                raise Refused(TOO_SLOW)
            if not unproven.take(len(self._whole), len(piece)):
                raise Refused(FULL)
            self._counted += len(piece)
        self._whole += piece

    def proven(self) -> bytearray:
        """The whole body, if its sender has the key or none is needed. Raises Refused."""
        if self._secrets:
            given = _macs(self.headers["webhook-signature"].split())
            if not _matches(self._secrets, given, self._head, self._whole):
                raise Refused(_unauthenticated("No signature matches the body."))
        return self._whole

    def __enter__(self) -> "Body":
        return self

    def __exit__(self, *_: object) -> None:
        unproven.give(self._counted)
        self._counted = 0
        self._whole = bytearray()

    def _check_head(self, now: float) -> None:
        if not self._secrets:
            raise Refused(refusal("ASSAY_AGENT_KEY of this agent is not a key: it is what `assay deploy --url` prints, whsec_…", "unauthenticated"))
        missing = next((name for name in ("webhook-id", "webhook-timestamp", "webhook-signature") if self.headers.get(name) is None), None)
        if missing:
            raise Refused(_unauthenticated(f"The {missing} header is missing."))
        sent_at = self.headers["webhook-timestamp"]
        if not re.fullmatch(r"\d{1,12}", sent_at) or abs(now - int(sent_at)) > WEBHOOK_TOLERANCE_S:
            raise Refused(_unauthenticated(f"The webhook-timestamp is not of the last {WEBHOOK_TOLERANCE_S // 60} minutes."))
        self._head = f"{self.headers['webhook-id']}.{sent_at}.".encode("latin-1", "replace")
        proven = self._proven_bytes()
        self._most, self._is_counted = (min(proven, BODY_BYTES), False) if proven is not None else (LARGEST_UNPROVEN, True)

    def _proven_bytes(self) -> Optional[int]:
        """The length of the body, if the head shows that its sender has the key."""
        length, _, given = self.headers.get(PROOF, "").partition(",")
        if not re.fullmatch(r"\d{1,10}", length) or not self._secrets:
            return None
        is_valid = _matches(self._secrets, _macs(given.split()), b"assay-body-proof." + self._head, length.encode())
        return int(length) if is_valid else None


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


def _matches(secrets: List[bytes], given: List[bytes], head: bytes, body: "bytes | bytearray") -> bool:
    found = False
    for secret in secrets:
        mac = hmac.new(secret, head, hashlib.sha256)
        mac.update(body)
        expected = base64.b64encode(mac.digest())
        found = any([hmac.compare_digest(expected, one) for one in given]) or found
    return found


def _unauthenticated(why: str) -> Answer:
    return refusal(f"{why} {NEEDS_KEY}", "unauthenticated")
