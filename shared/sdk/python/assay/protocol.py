"""Answers the requests of the agent protocol, for whatever server. Guarantee: a request that cannot be understood gets 400 with what is
wrong; if ASSAY_AGENT_KEY is set, a POST that Assay did not sign with it within the last minutes gets 401."""

from __future__ import annotations

import json
import time
from typing import Any, Dict, Iterator, List, Protocol, Union

from .answers import Answer, code_version, refusal
from .callers import Body, Headers, Refused
from .exchange import RAW, Backend, Exchange
from .kept import dumps
from .limits import NDJSON, PROTOCOL_VERSION, TIMEOUT_SECONDS
from .pages import page_problem

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


OTHER_VERSION = "build the package again from the checkout of the Assay that asks, npm run package:python"


class BadRequest(Exception):
    """A request that cannot be understood."""


class AgentProtocol:
    """The agent protocol of one agent."""

    def __init__(self, backend: AgentBackend, is_all_later: bool = False) -> None:
        self._backend = backend
        self._is_all_later = is_all_later

    def begin(self, method: str, path: str, headers: Headers, is_on_loopback: bool = False) -> Union[Answer, Body]:
        """The answer to a request whose body need not be read, else its body, which is to be filled; the names of `headers` are in lower
        case. `is_on_loopback`: it came to an address of this machine alone."""
        if method in ("GET", "HEAD") and path.rstrip("/").endswith("/ping"):
            return Answer(200, "text/plain", b"pong")
        page = page_problem(headers, is_on_loopback)
        if page is not None:
            return refusal(page, "unauthenticated")
        if method in ("GET", "HEAD"):
            version = code_version()
            about = {"protocol": int(PROTOCOL_VERSION), "answers_later": True, "declaration": self._backend.declaration}
            about.update({"version": version} if version else {})
            return Answer(200, "application/json", dumps(about).encode())
        if method != "POST":
            return refusal(f"{method} is not part of the protocol: POST items")
        version = headers.get("assay-protocol", PROTOCOL_VERSION)
        if version != PROTOCOL_VERSION:
            return refusal(f"this agent speaks version {PROTOCOL_VERSION} of the protocol, not {version}: {OTHER_VERSION}")
        try:
            return Body(headers, time.time())
        except Refused as refused:
            return refused.answer

    def answer(self, body: Body) -> Answer:
        """Answers a request whose body was read to its end."""
        try:
            asked = parse(body.proven())
        except Refused as refused:
            return refused.answer
        except BadRequest as error:
            return refusal(str(error))
        if not self._backend.is_ready:  # nothing is counted for it, and the items wait
            return refusal("the agent is being loaded", "not_ready")
        return self._generator(asked) if isinstance(asked, dict) else self._items(asked, body.headers)

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
            return refusal(f"this agent has no generator {json.dumps(name)}: {there}")
        occurrence = asked.get("occurrence") or {}
        return Answer(200, NDJSON, lambda is_gone: self._backend.generate(name, occurrence))


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
