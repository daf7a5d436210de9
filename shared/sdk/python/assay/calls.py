"""Sees the HTTP calls that the steps of items make, by whatever client. Guarantee: the agent gets each answer as its client reads it;
what was refused is read from the other side's own answer; and a call to an upstream that is closed is not made."""

from __future__ import annotations

import contextlib
import contextvars
import json
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional

from .clock import later
from .errors import Interrupt
from .faults import fault_by_status, said_in
from .limit_headers import Header, reported_limits, retry_after_ms
from .limits import SEEN_ANSWER_BYTES, SEEN_ANSWERS
from .upstreams import Place, Upstreams

_current: "contextvars.ContextVar[Optional[CallScope]]" = contextvars.ContextVar("assay_calls", default=None)
SAFE = frozenset(("GET", "HEAD", "OPTIONS"))
TOO_MANY = 429
IDLE_S = 0.2  # long enough for an agent's code to call somebody else; clients sleep longer before they try again
OF_MODELS = frozenset(("choices", "candidates", "usage", "usageMetadata", "stop_reason", "stopReason", "finish_reason", "done_reason", "prompt_eval_count"))


def current() -> "Optional[CallScope]":
    """The step whose calls are made here."""
    scope = _current.get()
    return None if scope is None or (scope.is_over and not scope.has_left) else scope


@contextlib.contextmanager
def within(scope: "Optional[CallScope]") -> Iterator[None]:
    """Runs code whose calls belong to a step."""
    if scope is None:
        yield
        return
    from .clients import watch

    watch()
    token = _current.set(scope)
    try:
        yield
    finally:
        _current.reset(token)


class CallScope:
    """What is known about the calls of one step: one that raises after its last call was refused waits for whoever refused it."""

    def __init__(self, upstreams: Optional[Upstreams], item: str, is_model_call: bool, waits: bool, probes: bool) -> None:
        self.upstreams = upstreams
        self.item = item
        self.is_model_call = is_model_call
        self.waits = waits
        self.probes = probes
        self.refusal: Optional[Dict[str, Any]] = None
        self.is_over = False
        self.has_left = False
        self.on_idle: Callable[[], None] = lambda: None
        self.has_effects = False
        self._seen: Optional[Dict[str, Any]] = None
        self._bodies: List[Callable[[], bytes]] = []
        self._open = 0

    @property
    def waits_now(self) -> bool:
        """What was sent before would be sent again, so only a model call may have been."""
        return self.refusal is not None and self.waits and (self.is_model_call or not self.has_effects)

    def end(self, has_returned: bool) -> Optional[Dict[str, Any]]:
        """The step has returned or raised; what its calls showed that the consumer should know."""
        self.is_over = True
        return self._seen

    def begin(self, method: str, url: str, headers: Mapping[str, str], body: Any) -> "Call":
        """A call is about to be made. Raises Interrupt if it is not to be."""
        if self.upstreams is None:
            return Call(self, method, None)
        place = self.upstreams.place(url, headers, body)
        self._open += 1
        refusal = self.refusal
        if refusal is not None and refusal["report"]["host"] == place.host:
            if self.is_model_call and refusal["report"].get("called") is not False:
                refusal["report"]["client_retries"] = True
            if self.waits_now:
                raise Interrupt(refusal["words"])
        if self.has_left:
            return Call(self, method, None)  # of code that goes on although its item is elsewhere
        closed = self.upstreams.closed(place) if self.is_model_call and not self.probes else None
        if closed is not None and self.waits:
            report = {**place.report(), "fault": closed[0], "called": False}
            self.refusal = {"report": report, "status": None, "words": closed[1], "retry_after_ms": None}
            raise Interrupt(closed[1])
        if self.is_model_call:
            self.upstreams.began(place)
        return Call(self, method, place)

    def refuse(self, refusal: Dict[str, Any]) -> None:
        """The latest call was refused. A client that sleeps before it tries again holds the item's place no longer."""
        self.refusal = refusal
        if self.is_model_call:
            count = self._open
            later(IDLE_S, lambda: self.on_idle() if self.refusal is refusal and self._open == count and not self.is_over and self.waits_now else None)

    def see(self, report: Dict[str, Any]) -> None:
        self._seen = report

    def keep(self, body: Callable[[], bytes]) -> None:
        """What a model may have answered, in case its call raises after it was paid for."""
        if self.is_model_call and len(self._bodies) < SEEN_ANSWERS:
            self._bodies.append(body)

    def answers(self) -> List[Any]:
        """The answers of models, in the order in which they came."""
        found = []
        for body in self._bodies:
            try:
                data = body()
                value = json.loads(data) if len(data) <= SEEN_ANSWER_BYTES else None
            except Exception:  # not read, or no JSON
                continue
            if isinstance(value, dict) and OF_MODELS & value.keys() and not value.get("error"):
                found.append(value)
        return found


class Call:
    """A call that is under way."""

    def __init__(self, scope: CallScope, method: str, place: Optional[Place]) -> None:
        self.scope = scope
        self.place = place
        self._is_safe = method.upper() in SAFE
        self._began = time.monotonic()

    def with_model(self, model: str) -> None:
        """The model's name, where it is known only after the call began."""
        if self.place is not None and self.place.model == "":
            self.place = self.place._replace(model=model)

    def is_refusal(self, status: int) -> bool:
        """Whether an answer's body says why the call was refused."""
        return self.place is not None and (status >= 400 if self.scope.is_model_call else status == TOO_MANY)

    def answered(self, status: int, header: Header, body: bytes = b"") -> bool:
        """It was answered; `body` is that of a refusal. Returns whether its client should not try again."""
        scope, place = self.scope, self.place
        if place is None or scope.upstreams is None or scope.is_over:
            return False
        scope.refusal = None
        if self.is_refusal(status):
            said = said_in(body, header("x-amzn-errortype"))
            self._refused(status, said.words, said.fault, retry_after_ms(header, said.text, time.time()))
        elif status < 400:
            self._served(scope.upstreams, place, header)
        if not self._is_safe and scope.refusal is None:
            scope.has_effects = True
        return scope.waits_now

    def failed(self, was_sent: bool, is_given_up: bool = False) -> None:
        """No answer came. Whoever gives a call up gets its error itself."""
        scope = self.scope
        if self.place is None or scope.is_over:
            return
        scope.refusal = None
        if was_sent and not self._is_safe:
            scope.has_effects = True
        if is_given_up or (was_sent and not scope.is_model_call):
            return
        fault, words = ("cut", "no answer") if was_sent else ("away", "no connection")
        self._refused(None, words, fault, None)

    def _refused(self, status: Optional[int], words: str, fault: Optional[str], moment: Optional[int]) -> None:
        scope, place = self.scope, self.place
        assert place is not None
        report = {**place.report(), "ago_ms": round((time.monotonic() - self._began) * 1000)}
        if scope.is_model_call and scope.upstreams is not None:
            known = fault or fault_by_status(status or 500)
            report.update(scope.upstreams.failed(place, scope.item, known, words, moment, status, self._began))
        if scope.waits:
            report.update({"fault": fault} if fault else {})
            scope.refuse({"report": report, "status": status, "words": words, "retry_after_ms": moment})
        elif scope.is_model_call:
            fault = fault or fault_by_status(status or 500)
            if fault not in ("rejected", "provider_error"):
                scope.see({**report, "fault": fault})

    def _served(self, upstreams: Upstreams, place: Place, header: Header) -> None:
        scope = self.scope
        if not scope.is_model_call:
            return
        ago_ms = round((time.monotonic() - self._began) * 1000)
        served = upstreams.served(place)
        upstreams.good(place, self._began)
        if served is None:
            if scope.probes:
                scope.see({**place.report(), "ago_ms": ago_ms})
            return
        scope.see({**place.report(), "ago_ms": ago_ms, "served": served, "limits": reported_limits(header, time.time())})
