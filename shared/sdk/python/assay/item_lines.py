"""The lines about an item, as text. Guarantee: each names its item and its attempt; a text that is too long to store is cut, and an
output that is too long becomes an error that says so."""

from __future__ import annotations

import dataclasses
import time
from typing import Any, Callable, Dict, Optional

from .errors import message_of
from .kept import dumps, output_json
from .limits import ERROR_CHARACTERS, ITEM_OUTPUT_BYTES, REPORTED_TEXT_CHARACTERS
from .mask import own_mask
from .payload import is_longer


@dataclasses.dataclass
class OpenStep:
    """A step that has started; `input` and `answer` are JSON texts."""

    key: str
    kind: str
    name: str
    started: float = 0.0
    clock: float = 0.0
    input: Optional[str] = None
    answer: Optional[str] = None
    upstream: Optional[Dict[str, Any]] = None


def shorten(text: str) -> str:
    """Masked first: a secret that is cut is not found."""
    masked = own_mask().text(text)
    return masked if len(masked) <= ERROR_CHARACTERS else f"{masked[: ERROR_CHARACTERS - 1]}…"


def wire_error(code: str, message: str) -> str:
    """The error of a step, as JSON text."""
    return dumps({"code": code, "message": shorten(message)})


def answer_text(output: Any, read: Callable[[Any], Any]) -> str:
    """The agent's own reading of an answer. If it raises, the answer is kept, since it was paid for."""
    try:
        answer = dict(read(output))
        if isinstance(answer.get("text"), str):
            answer["text"] = answer["text"][:REPORTED_TEXT_CHARACTERS]
        return dumps(answer)
    except Exception as error:
        return dumps({"unread": shorten(f"The agent's read failed: {message_of(error)}")})


class ItemLines:
    """Writes the lines about one item."""

    def __init__(self, seq: int, attempt: int) -> None:
        self._about = f'"seq":{seq},"attempt":{attempt}'

    def _head(self, type: str) -> str:
        return f'{{"type":"{type}",{self._about}'

    def step(self, step: OpenStep, output: Optional[str] = None, error: Optional[str] = None) -> str:
        return f'{self._head("step")},"step":{self._step(step, output, error)}}}'

    def reused(self, step: OpenStep) -> str:
        """The line of a step that was replaced by its recording."""
        return f'{self._head("step")},"step":{self._step_head(step)},"reused":true}}}}'

    def hold(self, step: OpenStep, reason: str) -> str:
        """The step by which the next attempt knows that a person let the item pass, and the hold."""
        held = self.step(step, output='{"held":true}')
        return f'{held}\n{self._head("hold")},"reason":{dumps(reason)}}}'

    def yields(self) -> str:
        return f'{self._head("yield")}}}'

    def result(self, value: Any, degraded: Optional[str], problem: Optional[str]) -> str:
        output = output_json(value, "the output")
        if is_longer(output, ITEM_OUTPUT_BYTES):
            return self.error({"code": "output_too_large", "message": f"the output is longer than {ITEM_OUTPUT_BYTES} bytes"})
        line = self._head("result")
        if degraded is not None:
            line += f',"degraded":{dumps(shorten(degraded))}'
        if problem is not None:
            line += f',"schema_error":{dumps(shorten(problem))}'
        return f'{line},"output":{output}}}'

    def error(self, error: Dict[str, Any], step: Optional[OpenStep] = None) -> str:
        """The error that ends an item; with the step whose call was refused, which counts only if that is the item's own fault."""
        masked = {**error, "code": own_mask().text(error["code"]), "message": shorten(error["message"])}
        line = f'{self._head("error")},"error":{dumps(masked)}'
        if step is None:
            return f"{line}}}"
        report = self._step(step, None, wire_error(error["code"], error["message"]))
        return f'{line[:-1]},"step":{report}}}}}'

    def _step(self, step: OpenStep, output: Optional[str], error: Optional[str]) -> str:
        report = self._step_head(step)
        for name, text in (("input", step.input), ("output", output), ("error", error), ("answer", step.answer)):
            if text is not None:
                report += f',"{name}":{text}'
        if step.upstream is not None:
            report += f',"upstream":{dumps(step.upstream)}'
        return f"{report}}}"

    def _step_head(self, step: OpenStep) -> str:
        """A step without its payloads and its closing brace."""
        duration = round((time.perf_counter() - step.clock) * 1000, 3)
        head = f'{{"key":{dumps(step.key)},"kind":"{step.kind}","name":{dumps(step.name)}'
        return f'{head},"started_at":"{iso(step.started)}","duration_ms":{max(duration, 0)}'


def iso(at: float) -> str:
    """A time since 1970 in RFC 3339.

    >>> iso(1774747800.5)
    '2026-03-29T01:30:00.500Z'
    """
    whole = int(at)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{int((at - whole) * 1000):03d}Z"
