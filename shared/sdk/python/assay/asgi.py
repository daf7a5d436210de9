"""An agent as an ASGI application, for uvicorn and other servers. Guarantee: each piece of an answer leaves at once, and heartbeats too
while an agent computes: items run in threads, or an event loop, of their own beside the server's, in its process."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Awaitable, Callable, Dict, Iterator, List, Optional, Tuple, Union

from .agent import registration_of
from .answers import Answer
from .callers import TOO_SLOW, Body, Refused
from .local import Local
from .pages import is_loopback
from .protocol import AgentProtocol

Message = Dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Dict[str, Any], Receive, Send], Awaitable[None]]


def asgi_app(agent: Any) -> AsgiApp:
    """Makes the application: `uvicorn claims:app` with `app = asgi_app(claims)`, or `api.mount("/claims", asgi_app(claims))`.

    >>> from assay import agent
    >>> @agent(name="Claims")
    ... async def claims(ctx, page): return page
    >>> app = asgi_app(claims)
    >>> async def send(message): print(message["type"], message.get("body", b""))
    >>> async def receive(): return {"type": "http.request", "body": b""}
    >>> asyncio.run(app({"type": "http", "method": "GET", "path": "/ping", "headers": []}, receive, send))
    http.response.start b''
    http.response.body b'pong'
    """
    protocol = AgentProtocol(Local(registration_of(agent)))

    async def app(scope: Dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await _lifespan(receive, send)
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        loop = asyncio.get_running_loop()
        is_here = is_loopback(str((scope.get("server") or ("",))[0]))
        started = await loop.run_in_executor(None, protocol.begin, scope["method"], scope["path"], headers, is_here)
        answer = await _answer(protocol, started, receive)
        if isinstance(answer.body, bytes):
            return await _whole(answer, send)
        await send({"type": "http.response.start", "status": answer.status, "headers": _head(answer)})
        await _stream(answer, receive, send)

    return app


def _head(answer: Answer) -> List[Tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in answer.headers.items()]


async def _whole(answer: Answer, send: Send) -> None:
    body = answer.body if isinstance(answer.body, bytes) else b""
    head = [*_head(answer), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": answer.status, "headers": head})
    await send({"type": "http.response.body", "body": body})


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def _answer(protocol: AgentProtocol, started: Union[Answer, Body], receive: Receive) -> Answer:
    if isinstance(started, Answer):
        return started
    try:
        with started as body:
            await _read(body, receive)
            return await asyncio.get_running_loop().run_in_executor(None, protocol.answer, body)
    except Refused as refused:
        return refused.answer
    except asyncio.TimeoutError:
        return TOO_SLOW


async def _read(body: Body, receive: Receive) -> None:
    """Raises Refused if it is longer than a request may be: the rest is not read."""
    while True:
        message = await asyncio.wait_for(receive(), body.left_s)
        body.add(message.get("body", b""))
        if not message.get("more_body"):
            return


async def _stream(answer: Answer, receive: Receive, send: Send) -> None:
    """A thread makes the pieces; whoever asked may go meanwhile."""
    loop = asyncio.get_running_loop()
    pieces: "asyncio.Queue[Optional[bytes]]" = asyncio.Queue(maxsize=16)
    gone = threading.Event()
    assert not isinstance(answer.body, bytes)
    threading.Thread(target=_make, args=(answer.body(gone.is_set), pieces, loop, gone), name="assay-answer", daemon=True).start()
    leaving = asyncio.ensure_future(_left(receive, gone))
    try:
        while True:
            piece = await pieces.get()
            if piece is None:
                break
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        if not gone.is_set():
            await send({"type": "http.response.body", "body": b""})
    except OSError:
        pass  # whoever asked has gone
    finally:
        gone.set()
        leaving.cancel()


async def _left(receive: Receive, gone: threading.Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    gone.set()


def _make(made: Iterator[bytes], pieces: "asyncio.Queue[Optional[bytes]]", loop: asyncio.AbstractEventLoop, gone: threading.Event) -> None:
    try:
        for piece in made:
            if gone.is_set():
                break
            asyncio.run_coroutine_threadsafe(pieces.put(piece), loop).result()
        asyncio.run_coroutine_threadsafe(pieces.put(None), loop)
    except RuntimeError:
        pass  # the loop has ended
    finally:
        getattr(made, "close", lambda: None)()
