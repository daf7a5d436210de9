"""Where calls are seen: httpx (the clients of OpenAI, Anthropic, Groq and Google), aiohttp, and http.client, on which urllib, requests
and boto3 stand. Guarantee: a client is watched from its first step on, whenever it was imported, and unchanged outside of steps."""

from __future__ import annotations

import http.client
import re
import sys
from typing import Any, Callable, Dict, List, Optional

from .calls import Call, CallScope, current
from .upstreams import IN_BODY, KEY_HEADERS

NOT_SENT = ("ConnectError", "ConnectTimeout", "ClientConnectorError", "ClientConnectorDNSError", "ConnectionRefusedError", "gaierror")
CUT = ("ReadError", "RemoteProtocolError", "WriteError", "CloseError", "ServerDisconnectedError", "ClientPayloadError", "ClientOSError")
CREDENTIALS = frozenset(("authorization", *KEY_HEADERS))
PEEKED = 8192
CHUNK = re.compile(rb"([0-9a-fA-F]{1,8})[^\r\n]{0,100}\r\n")

_watched: Dict[str, bool] = {}


def watch() -> None:
    """Watches each client that is imported by now."""
    for name, watching in WATCHING.items():
        if name not in _watched and name in sys.modules:
            _watched[name] = True
            watching(sys.modules[name])


def _failed(call: Call, error: BaseException) -> None:
    status, headers = getattr(error, "status", None), getattr(error, "headers", None)
    if isinstance(status, int) and headers is not None:  # aiohttp raises for a status if its caller asks for that
        call.answered(status, headers.get)
        return
    names = {one.__name__ for one in type(error).__mro__}
    if names & set(NOT_SENT):
        call.failed(was_sent=False)
    else:
        call.failed(was_sent=True, is_given_up=not names & set(CUT))


def _begin(scope: CallScope, request: Any) -> Call:
    try:
        body = request.content
    except Exception:  # a body that is sent in pieces
        body = None
    return scope.begin(request.method, str(request.url), {name.lower(): value for name, value in request.headers.items()}, body)


def _answered(call: Call, response: Any) -> None:
    is_refused = call.is_refusal(response.status_code)
    is_last = call.answered(response.status_code, response.headers.get, response.content if is_refused else b"")
    if is_last:  # the client would wait and call again, and hold the item's place meanwhile
        response.headers["x-should-retry"] = "false"
    if response.status_code < 400:
        call.scope.keep(lambda: bytes(response.content))


def _watch_httpx(module: Any) -> None:
    send, send_async = module.Client.send, module.AsyncClient.send

    def watched(self: Any, request: Any, *args: Any, **options: Any) -> Any:
        scope = current()
        if scope is None:
            return send(self, request, *args, **options)
        call = _begin(scope, request)
        try:
            response = send(self, request, *args, **options)
            if call.is_refusal(response.status_code):
                response.read()
        except BaseException as error:
            _failed(call, error)
            raise
        _answered(call, response)
        return response

    async def watched_async(self: Any, request: Any, *args: Any, **options: Any) -> Any:
        scope = current()
        if scope is None:
            return await send_async(self, request, *args, **options)
        call = _begin(scope, request)
        try:
            response = await send_async(self, request, *args, **options)
            if call.is_refusal(response.status_code):
                await response.aread()
        except BaseException as error:
            _failed(call, error)
            raise
        _answered(call, response)
        return response

    module.Client.send = watched
    module.AsyncClient.send = watched_async


def _watch_aiohttp(module: Any) -> None:
    request = module.ClientSession._request

    async def watched(self: Any, method: str, url: Any, **options: Any) -> Any:
        scope = current()
        if scope is None:
            return await request(self, method, url, **options)
        headers = {**dict(self.headers), **dict(options.get("headers") or {})}
        body = options.get("data")
        if body is None and options.get("json") is not None:
            body = f'"model":"{options["json"]["model"]}"' if isinstance(options["json"], dict) and "model" in options["json"] else None
        call = scope.begin(method, str(url), {str(name).lower(): str(value) for name, value in headers.items()}, body)
        try:
            response = await request(self, method, url, **options)
            refused = await response.read() if call.is_refusal(response.status) else b""
        except BaseException as error:
            _failed(call, error)
            raise
        call.answered(response.status, response.headers.get, refused)
        return response

    module.ClientSession._request = watched


class _Pending:
    """A call of http.client, whose parts come one after another."""

    def __init__(self, scope: CallScope, method: str, url: str) -> None:
        self.scope = scope
        self.method = method
        self.url = url
        self.headers: Dict[str, str] = {}
        self.call: Optional[Call] = None


def _pending(connection: Any) -> Optional[_Pending]:
    return getattr(connection, "_assay_pending", None)


def _watch_http_client(module: Any) -> None:
    for watching in (_watch_head, _watch_sending, _watch_response):
        watching(module.HTTPConnection)


def _watch_head(kind: Any) -> None:
    putrequest, putheader = kind.putrequest, kind.putheader

    def watched_putrequest(self: Any, method: str, url: str, *args: Any, **options: Any) -> Any:
        scope = current()
        self._assay_pending = None if scope is None else _Pending(scope, method, _whole(self, url))
        return putrequest(self, method, url, *args, **options)

    def watched_putheader(self: Any, header: Any, *values: Any) -> Any:
        pending = _pending(self)
        name = header.decode("latin-1") if isinstance(header, bytes) else str(header)
        if pending is not None and name.lower() in CREDENTIALS and values:
            value = values[0].decode("latin-1") if isinstance(values[0], bytes) else str(values[0])
            pending.headers[name.lower()] = value
        return putheader(self, header, *values)

    kind.putrequest, kind.putheader = watched_putrequest, watched_putheader


def _watch_sending(kind: Any) -> None:
    endheaders, send = kind.endheaders, kind.send

    def watched_endheaders(self: Any, message_body: Any = None, **options: Any) -> Any:
        pending = _pending(self)
        if pending is None:
            return endheaders(self, message_body, **options)
        pending.call = pending.scope.begin(pending.method, pending.url, pending.headers, message_body)
        try:
            return endheaders(self, message_body, **options)
        except Exception as error:
            was_sent = self.sock is not None
            pending.call.failed(was_sent, is_given_up=was_sent and isinstance(error, TimeoutError))
            raise

    def watched_send(self: Any, data: Any) -> Any:
        pending = _pending(self)
        if pending is not None and pending.call is not None and isinstance(data, (bytes, bytearray)):
            found = IN_BODY.search(data[:PEEKED])
            if found is not None:
                pending.call.with_model(found.group(1).decode("utf-8", "replace"))
        return send(self, data)

    kind.endheaders, kind.send = watched_endheaders, watched_send


def _watch_response(kind: Any) -> None:
    getresponse = kind.getresponse

    def watched(self: Any, *args: Any, **options: Any) -> Any:
        pending = _pending(self)
        call = pending.call if pending is not None else None
        if call is None:
            return getresponse(self, *args, **options)
        self._assay_pending = None
        try:
            response = getresponse(self, *args, **options)
        except Exception as error:
            call.failed(was_sent=True, is_given_up="timed out" in str(error))
            raise
        refused = _head(response) if call.is_refusal(response.status) else b""
        call.answered(response.status, response.headers.get, refused)
        if response.status < 400:
            _keep_read(call, response)
        return response

    kind.getresponse = watched


def _whole(connection: Any, url: str) -> str:
    if re.match(r"https?://", url):
        return url
    scheme = "https" if isinstance(connection, getattr(http.client, "HTTPSConnection", ())) or connection.default_port == 443 else "http"
    host = getattr(connection, "_tunnel_host", None) or connection.host
    port = getattr(connection, "_tunnel_port", None) or connection.port
    return f"{scheme}://{host}:{port}{url}" if ":" not in host else f"{scheme}://[{host}]:{port}{url}"


def _head(response: Any) -> bytes:
    """The beginning of a refusal's body, which stays for whoever reads it."""
    try:
        head = bytes(response.fp.peek(PEEKED))
    except Exception:  # no body
        return b""
    return _dechunked(head) if response.chunked else head


def _dechunked(data: bytes) -> bytes:
    """What is in the chunks that came so far."""
    parts: List[bytes] = []
    while True:
        match = CHUNK.match(data)
        size = int(match.group(1), 16) if match else 0
        if match is None or size == 0:
            return b"".join(parts)
        parts.append(data[match.end() : match.end() + size])
        data = data[match.end() + size + 2 :]


def _keep_read(call: Call, response: Any) -> None:
    """Keeps what the client reads of a model's answer."""
    if not call.scope.is_model_call:
        return
    read = response.read
    parts: List[bytes] = []

    def watched(*args: Any) -> bytes:
        data: bytes = read(*args)
        if sum(len(part) for part in parts) < PEEKED * PEEKED:
            parts.append(data)
        return data

    response.read = watched
    call.scope.keep(lambda: b"".join(parts))


WATCHING: Dict[str, Callable[[Any], None]] = {
    "http.client": _watch_http_client,
    "httpx": _watch_httpx,
    "httpx2": _watch_httpx,
    "aiohttp": _watch_aiohttp,
}
