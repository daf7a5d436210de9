"""An agent as a WSGI application, for gunicorn and other servers. Guarantee: each piece of an answer leaves at once; the items run in
threads of the server's own process, so what ends that process ends all of them, and Assay offers them again."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple

from .agent import registration_of
from .limits import BODY_BYTES
from .local import Local
from .pages import is_loopback
from .protocol import TOO_LARGE, AgentProtocol

StartResponse = Callable[[str, List[Tuple[str, str]]], Any]
WsgiApp = Callable[[Dict[str, Any], StartResponse], Iterable[bytes]]

PIECE = 1024 * 1024
REASONS = {200: "OK", 202: "Accepted", 400: "Bad Request", 401: "Unauthorized", 413: "Content Too Large", 503: "Service Unavailable"}


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
        body = _body(environ)
        is_here = is_loopback(str(environ.get("SERVER_NAME", "")))
        path = environ.get("PATH_INFO", "/")
        answer = TOO_LARGE if body is None else protocol.answer(environ["REQUEST_METHOD"], path, headers, body, is_here)
        head = list(answer.headers.items())
        status = f"{answer.status} {REASONS.get(answer.status, '')}"
        if isinstance(answer.body, bytes):
            start_response(status, [*head, ("content-length", str(len(answer.body)))])
            return [answer.body]
        start_response(status, head)
        pieces: Iterator[bytes] = answer.body(lambda: False)  # the server closes it when whoever asked has gone
        return pieces

    return app


def _body(environ: Dict[str, Any]) -> Optional[bytes]:
    """None if it is longer than a request may be: the rest is not read."""
    stream = environ.get("wsgi.input")
    if stream is None:
        return b""
    is_open = environ.get("wsgi.input_terminated") or "chunked" in str(environ.get("HTTP_TRANSFER_ENCODING", "")).lower()
    length = str(environ.get("CONTENT_LENGTH") or "")
    if not is_open and not length.isdecimal():
        return b""
    if not is_open and int(length[:20]) > BODY_BYTES:
        return None
    left = BODY_BYTES + 1 if is_open else int(length)
    whole = bytearray()
    while left > 0:  # a server may return less than it was asked for
        piece: bytes = stream.read(min(left, PIECE))
        if not piece:
            break
        whole += piece
        left -= len(piece)
    return None if len(whole) > BODY_BYTES else bytes(whole)
