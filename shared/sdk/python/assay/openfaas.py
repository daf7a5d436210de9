"""An agent as a function of OpenFaaS's template `python3-http`. Guarantee: an answer, which that template sends only when it is whole,
ends before the consumer's time does; items that take longer are sent to the address of their request."""

from __future__ import annotations

from typing import Any, Callable, Dict

from .agent import registration_of
from .answers import Answer
from .callers import Body, Refused
from .local import Local
from .protocol import AgentProtocol


def function_handler(agent: Any) -> Callable[[Any, Any], Dict[str, Any]]:
    """Makes the template's `handle(event, context)`: `handle = function_handler(claims)` in handler.py.

    >>> from types import SimpleNamespace as Event
    >>> from assay import agent
    >>> @agent(name="Claims")
    ... def claims(ctx, page): return page
    >>> handle = function_handler(claims)
    >>> event = Event(method="POST", path="/", headers={}, body=b'{"seq":1,"attempt":1,"input":"a"}')
    >>> handle(event, None)["body"]
    '{"type":"result","seq":1,"attempt":1,"output":"a"}\\n'
    """
    protocol = AgentProtocol(Local(registration_of(agent)))

    def handle(event: Any, context: Any) -> Dict[str, Any]:
        headers = {str(name).lower(): str(value) for name, value in dict(event.headers).items()}
        body = event.body.encode() if isinstance(event.body, str) else bytes(event.body or b"")
        started = protocol.begin(event.method, event.path or "/", headers)
        answer = started if isinstance(started, Answer) else _answer(protocol, started, body)
        whole = answer.body if isinstance(answer.body, bytes) else b"".join(answer.body(lambda: False))
        return {"statusCode": answer.status, "headers": answer.headers, "body": whole.decode("utf-8", "replace")}

    return handle


def _answer(protocol: AgentProtocol, started: Body, whole: bytes) -> Answer:
    try:
        with started as body:
            body.add(whole)
            return protocol.answer(body)
    except Refused as refused:
        return refused.answer
