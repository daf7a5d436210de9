"""Answers the requests of the agent protocol, for whatever server. Guarantee: a request that cannot be understood gets 400 with what is
wrong; if ASSAY_AGENT_KEY is set, a POST that Assay did not sign with it within the last minutes gets 401."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import os
import re
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Protocol, Union

from .exchange import RAW, Backend, Exchange
from .kept import dumps
from .limits import BODY_BYTES, NDJSON, PROTOCOL_VERSION, TIMEOUT_SECONDS, WEBHOOK_TOLERANCE_S
from .pages import page_problem

Headers = Mapping[str, str]
IsGone = Callable[[], bool]


class Answer(NamedTuple):
    """An answer; its body comes in pieces, each to be sent at once."""

    status: int
    content_type: str
    body: Union[bytes, Callable[[IsGone], Iterator[bytes]]]

    @property
    def headers(self) -> Dict[str, str]:
        """What the answer is, and which version of the code made it."""
        version = code_version()
        return {"content-type": self.content_type, **({"assay-code-version": version} if version else {})}


VERSION_CHARACTERS = 128


def code_version() -> Optional[str]:
    """The version of the agent's code, such as a commit, by which runs show what each version made: the variable ASSAY_VERSION.

    >>> import os
    >>> os.environ["ASSAY_VERSION"] = "a3f91c"
    >>> code_version(), os.environ.pop("ASSAY_VERSION")
    ('a3f91c', 'a3f91c')
    """
    version = os.environ.get("ASSAY_VERSION", "").strip()
    return version if re.fullmatch(rf"[\x20-\x7e]{{1,{VERSION_CHARACTERS}}}", version) else None


class AgentBackend(Backend, Protocol):
    """Where the agent runs, and what it declares."""

    @property
    def declaration(self) -> Dict[str, Any]:
        """What the agent declares."""
        ...

    @property
    def is_ready(self) -> bool:
        """Whether items can start."""
        ...

    def generate(self, name: str, occurrence: Dict[str, Any]) -> Iterator[bytes]:
        """The items of a generator, in pieces of lines, a heartbeat among them while it makes none."""
        ...


NOT_READY = 503
OTHER_VERSION = "build the package again from the checkout of the Assay that asks, npm run package:python"


class BadRequest(Exception):
    """A request that cannot be understood."""


class AgentProtocol:
    """The agent protocol of one agent."""

    def __init__(self, backend: AgentBackend, is_all_later: bool = False) -> None:
        self._backend = backend
        self._is_all_later = is_all_later

    def answer(self, method: str, path: str, headers: Headers, body: bytes, is_on_loopback: bool = False) -> Answer:
        """Answers a request; the names of `headers` are in lower case. `is_on_loopback`: it came to an address of this machine alone."""
        if method in ("GET", "HEAD") and path.rstrip("/").endswith("/ping"):
            return Answer(200, "text/plain", b"pong")
        page = page_problem(headers, is_on_loopback)
        if page is not None:
            return _refusal(page, "unauthenticated")
        if method in ("GET", "HEAD"):
            version = code_version()
            about = {"protocol": int(PROTOCOL_VERSION), "answers_later": True, "declaration": self._backend.declaration}
            about.update({"version": version} if version else {})
            return Answer(200, "application/json", dumps(about).encode())
        if method != "POST":
            return _refusal(f"{method} is not part of the protocol: POST items")
        version = headers.get("assay-protocol", PROTOCOL_VERSION)
        if version != PROTOCOL_VERSION:
            return _refusal(f"this agent speaks version {PROTOCOL_VERSION} of the protocol, not {version}: {OTHER_VERSION}")
        problem = caller_problem(headers, body, time.time())
        if problem is not None:
            return _refusal(problem, "unauthenticated")
        try:
            asked = parse(body)
        except BadRequest as error:
            return _refusal(str(error))
        if not self._backend.is_ready:  # nothing is counted for it, and the items wait
            return _refusal("the agent is being loaded", "not_ready")
        return self._generator(asked) if isinstance(asked, dict) else self._items(asked, headers)

    def _items(self, lines: List[Dict[str, Any]], headers: Headers) -> Answer:
        exchange = Exchange(lines, headers, self._backend, self._is_all_later)
        if exchange.is_all_later:  # before any line is written that nobody reads
            self._backend.start(exchange)
            exchange.answer_later()
            return Answer(202, NDJSON, b"")
        return Answer(200, NDJSON, exchange.chunks)

    def _generator(self, asked: Dict[str, Any]) -> Answer:
        name = asked["generator"]
        known: List[str] = self._backend.declaration.get("generators", [])
        if name not in known:
            there = f"there are {', '.join(known)}" if known else "it has none"
            return _refusal(f"this agent has no generator {json.dumps(name)}: {there}")
        occurrence = asked.get("occurrence") or {}
        return Answer(200, NDJSON, lambda is_gone: self._backend.generate(name, occurrence))


def _refusal(message: str, code: str = "protocol_error") -> Answer:
    status = {"unauthenticated": 401, "not_ready": NOT_READY, "too_large": 413}.get(code, 400)
    return Answer(status, "application/json", dumps({"error": {"code": code, "message": message}}).encode())


TOO_LARGE = _refusal(f"the body is longer than {BODY_BYTES} bytes", "too_large")
UNREADABLE = _refusal("the body cannot be read: the length that it states, or that of a chunk, is not its own", "too_large")


def parse(body: bytes) -> Union[List[Dict[str, Any]], Dict[str, Any]]:
    """The items of a request, or its order to make some.

    >>> parse(b'{"seq":1,"attempt":1,"input":"a"}')[0]["item_id"]
    '1'
    """
    lines: List[Dict[str, Any]] = []
    for number, text in enumerate(body.split(b"\n"), 1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadRequest(f"line {number} is not JSON: {error}") from None
        if isinstance(line, dict) and isinstance(line.get("generator"), str) and "seq" not in line:
            return line
        if not isinstance(line, dict) or not all(type(line.get(name)) is int for name in ("seq", "attempt")):
            raise BadRequest(f"line {number} is not an item: it needs the whole numbers seq and attempt")
        line[RAW] = text
        lines.append(with_defaults(line))
    return lines


def with_defaults(line: Dict[str, Any]) -> Dict[str, Any]:
    """Only `seq` and `attempt` are required, so that a line can be typed by hand."""
    defaults = (
        ("item_id", str(line["seq"])),
        ("partition_key", None),
        ("timeout_ms", TIMEOUT_SECONDS * 1000),
        ("yield_ms", line.get("timeout_ms") or TIMEOUT_SECONDS * 1000),
        ("budget_micro", None),
        ("input", None),
    )
    for name, value in defaults:
        if line.get(name) is None:
            line[name] = value
    return line


KEY_BYTES = 16
"""Fewer are no key of Assay's, which have 32."""
NEEDS_KEY = "This agent answers signed requests only; its ASSAY_AGENT_KEY is what `assay deploy --url` prints for its URL."


def caller_problem(headers: Headers, body: bytes, now: float) -> Optional[str]:
    """Why a request is refused; None if it passes. Without a key every request passes."""
    keys = os.environ.get("ASSAY_AGENT_KEY", "")
    if not keys:
        return None
    try:
        secrets = [base64.b64decode(re.sub("^whsec_", "", key), validate=True) for key in keys.split()]
    except binascii.Error:
        secrets = []
    if not secrets or min(map(len, secrets)) < KEY_BYTES:  # an empty one would verify what anybody signs
        return "ASSAY_AGENT_KEY of this agent is not a key: it is what `assay deploy --url` prints, whsec_…"
    named = {name: headers.get(f"webhook-{name}") for name in ("id", "timestamp", "signature")}
    missing = next((name for name, value in named.items() if value is None), None)
    if missing:
        return f"The webhook-{missing} header is missing. {NEEDS_KEY}"
    sent_at = str(named["timestamp"])
    if not re.fullmatch(r"\d{1,12}", sent_at) or abs(now - int(sent_at)) > WEBHOOK_TOLERANCE_S:
        return f"The webhook-timestamp is not of the last {WEBHOOK_TOLERANCE_S // 60} minutes. {NEEDS_KEY}"
    signed = f"{named['id']}.{sent_at}.".encode("latin-1", "replace") + body
    given = [one[3:].encode("latin-1", "replace") for one in str(named["signature"]).split() if one.startswith("v1,")]
    expected = [base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()) for secret in secrets]
    matches = [hmac.compare_digest(one, other) for one in expected for other in given]
    return None if any(matches) else f"No signature matches the body. {NEEDS_KEY}"
