"""An agent as a WSGI application, for gunicorn and other servers. Guarantee: each piece of an answer leaves at once; the items run in
threads of the server's own process, so what ends that process ends all of them, and Assay offers them again."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, Iterator, List, Tuple

from .agent import registration_of
from .local import Local
from .protocol import AgentProtocol

StartResponse = Callable[[str, List[Tuple[str, str]]], Any]
WsgiApp = Callable[[Dict[str, Any], StartResponse], Iterable[bytes]]

REASONS = {200: "OK", 202: "Accepted", 400: "Bad Request", 401: "Unauthorized", 503: "Service Unavailable"}


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
        answer = protocol.answer(environ["REQUEST_METHOD"], environ.get("PATH_INFO", "/"), headers, _body(environ))
        head = list(answer.headers.items())
        status = f"{answer.status} {REASONS.get(answer.status, '')}"
        if isinstance(answer.body, bytes):
            start_response(status, [*head, ("content-length", str(len(answer.body)))])
            return [answer.body]
        start_response(status, head)
        pieces: Iterator[bytes] = answer.body(lambda: False)  # the server closes it when whoever asked has gone
        return pieces

    return app


def _body(environ: Dict[str, Any]) -> bytes:
    stream = environ.get("wsgi.input")
    if stream is None:
        return b""
    if environ.get("wsgi.input_terminated") or "chunked" in str(environ.get("HTTP_TRANSFER_ENCODING", "")).lower():
        whole: bytes = stream.read()
        return whole
    data: bytes = stream.read(int(environ.get("CONTENT_LENGTH") or 0))
    return data
