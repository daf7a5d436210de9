"""An agent as a WSGI application, for gunicorn and other servers. Guarantee: each piece of an answer leaves at once; the items run in
threads of the server's own process, so what ends that process ends all of them, and Assay offers them again."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, Iterable, Iterator, List, Tuple, Union

from .agent import registration_of
from .answers import Answer
from .callers import Body, Refused
from .limits import ARRIVAL_S
from .local import Local
from .pages import is_loopback
from .protocol import AgentProtocol

StartResponse = Callable[[str, List[Tuple[str, str]]], Any]
WsgiApp = Callable[[Dict[str, Any], StartResponse], Iterable[bytes]]

PIECE = 64 * 1024
REASONS = {
    200: "OK",
    202: "Accepted",
    400: "Bad Request",
    401: "Unauthorized",
    408: "Request Timeout",
    413: "Content Too Large",
    503: "Service Unavailable",
}


def wsgi_app(agent: Any) -> WsgiApp:
    """Makes the application: `gunicorn --threads 16 'claims:app'` with `app = wsgi_app(claims)`.

    >>> from assay import agent
    >>> @agent(name="Claims")
    ... def claims(ctx, page): return page
    >>> app = wsgi_app(claims)
    >>> list(app({"REQUEST_METHOD": "GET", "PATH_INFO": "/ping"}, lambda status, headers: print(status)))
    200 OK
    [b'pong']
    """
    protocol = AgentProtocol(Local(registration_of(agent)))

    def app(environ: Dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        headers = {name[5:].lower().replace("_", "-"): value for name, value in environ.items() if name.startswith("HTTP_")}
        headers["content-length"] = str(environ.get("CONTENT_LENGTH") or "")
        is_here = is_loopback(str(environ.get("SERVER_NAME", "")))
        answer = _answer(protocol, protocol.begin(environ["REQUEST_METHOD"], environ.get("PATH_INFO", "/"), headers, is_here), environ)
        head = list(answer.headers.items())
        status = f"{answer.status} {REASONS.get(answer.status, '')}"
        if isinstance(answer.body, bytes):
            start_response(status, [*head, ("content-length", str(len(answer.body)))])
            return [answer.body]
        start_response(status, head)
        pieces: Iterator[bytes] = answer.body(lambda: False)  # the server closes it when whoever asked has gone
        return pieces

    return app


def _answer(protocol: AgentProtocol, started: Union[Answer, Body], environ: Dict[str, Any]) -> Answer:
    if isinstance(started, Answer):
        _discard(environ)
        return started
    try:
        with started as body:
            _read(body, environ)
            return protocol.answer(body)
    except Refused as refused:
        return refused.answer


DISCARDED_BYTES = 8 * 1024 * 1024


def _discard(environ: Dict[str, Any]) -> None:
    """Reads a short body that is refused by its head: a server that closes the connection before would lose the answer."""
    length = str(environ.get("CONTENT_LENGTH") or "")
    left = int(length) if length.isdecimal() and len(length) < 10 else 0
    until = time.monotonic() + ARRIVAL_S
    while 0 < left <= DISCARDED_BYTES and time.monotonic() < until:
        piece = environ["wsgi.input"].read(min(left, PIECE))
        left -= len(piece) if piece else left


def _read(body: Body, environ: Dict[str, Any]) -> None:
    """Raises Refused if it is longer than a request may be: the rest is not read."""
    stream = environ.get("wsgi.input")
    is_open = environ.get("wsgi.input_terminated") or "chunked" in str(environ.get("HTTP_TRANSFER_ENCODING", "")).lower()
    length = str(environ.get("CONTENT_LENGTH") or "")
    if stream is None or (not is_open and not length.isdecimal()):
        return
    left = body.room + 1 if is_open else int(length)
    while left > 0:  # a server may return less than it was asked for
        piece: bytes = stream.read(min(left, PIECE))
        if not piece:
            break
        body.add(piece)
        left -= len(piece)
