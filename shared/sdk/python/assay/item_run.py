"""Runs an agent over one item. Guarantee: the item ends with exactly one final line, after the lines of all its steps, whatever the
agent does with the signals that it gets."""

from __future__ import annotations

import inspect
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, Generator, Optional, Tuple

from . import limits
from .calls import CallScope
from .context import AsyncContext, Context, ItemIdentity
from .errors import Interrupt, ItemError, blames_request, message_of, refused_answer
from .failures import STEP_ERRORS, Failures
from .item_lines import ItemLines, OpenStep, answer_text, shorten, wire_error
from .kept import dumps, kept, revived
from .mask import own_mask
from .driving import Call, Perform
from .payload import cut, payload
from .recordings import Recordings
from .step_keys import StepKeys
from .upstreams import Upstreams

if TYPE_CHECKING:
    from .agent import Registration

Write = Callable[[str, bool], None]
substitute: Optional[Callable[[str, str, Callable[[Any], Any]], Callable[[Any], Any]]] = None
"""Of tests: what is called in place of the function of a step, by its kind and name."""

draining = threading.Event()  # set when the process is to end: items go on elsewhere from their next step


class ItemRun:
    """One attempt of an item. `write` gets each line, and whether it is the final one."""

    def __init__(self, agent: "Registration", line: Dict[str, Any], run_id: str, write: Write, upstreams: Optional[Upstreams]) -> None:
        self.agent = agent
        self.item = ItemIdentity(line["item_id"], line["partition_key"], line["attempt"], run_id)
        self.budget_left: Optional[int] = line["budget_micro"]
        self.traceparent: Optional[str] = line.get("traceparent")
        self.signal = threading.Event()
        self.cancel: Optional[Callable[[], Any]] = None  # of the task of an async agent
        self._line = line
        self._name = f"{run_id} {line['seq']}"
        self._lines = ItemLines(line["seq"], line["attempt"])
        self._write = write
        self._upstreams = upstreams
        self._yield_at = time.monotonic() + line["yield_ms"] / 1000
        self._most_steps: int = agent.declaration.get("max_steps", limits.STEPS)
        self._waits: bool = agent.declaration.get("wait", True)
        self._recordings = Recordings(line)
        self._lock = threading.Lock()
        self._keys = StepKeys()
        self._steps = 0
        self._open = 0
        self._over = False
        self.is_abandoned = False
        self._degraded: Optional[str] = None
        self._decided: Optional[Tuple[str, str]] = None
        self._final: Optional[str] = None
        self._failures = Failures()

    def execute(self) -> None:
        """Runs the item to its end, in this thread. Never raises."""
        try:
            output = self.agent.run(Context(self), self._input())
            if inspect.isawaitable(output):
                raise ItemError("the agent returned an awaitable: write `async def` for it", retryable=False)
            self._returned(output)
        except BaseException as error:
            self._raised(error)

    async def execute_async(self) -> None:
        """Runs the item to its end, in this event loop. Never raises."""
        try:
            self._returned(await self.agent.run(AsyncContext(self), self._input()))
        except BaseException as error:
            self._raised(error)

    def _input(self) -> Any:
        if self.budget_left is not None and self.budget_left <= 0:
            raise ItemError("nothing is left of the budget", code="budget_exceeded")
        if self.agent.input is None:
            return self._line["input"]
        value, problem = self.agent.input.read(self._line["input"], "input")
        if problem:
            raise ItemError(problem, code="invalid_input")
        return value

    def _returned(self, output: Any) -> None:
        schema = self.agent.output
        problem = schema.problem_of(output, "output") if schema is not None and self._decided is None else None
        self._end(self._lines.result(output, self._degraded, problem))

    def _raised(self, error: BaseException) -> None:
        self._end(self._lines.error(self._failures.wire_error(error)))

    def abandon(self) -> None:
        """Its time is up, or nobody awaits it any more: it ends without a final line."""
        with self._lock:
            if self._over:
                return
            self._over = self.is_abandoned = True
        self.signal.set()
        if self.cancel is not None:
            self.cancel()

    def degrade(self, reason: object) -> None:
        self._check_going_on()
        words = message_of(reason) if isinstance(reason, BaseException) else str(reason)
        self._degraded = words if self._degraded is None else f"{self._degraded}; {words}"

    def hold(self, reason: object) -> None:
        """A hold is a step too, and both lines leave together: after a crash between them the item would pass without a person."""
        self._check_going_on()
        key = self._keys.next("hold")
        if self._recordings.of_key(key) is not None:
            return
        words = shorten(message_of(reason) if isinstance(reason, BaseException) else str(reason))
        step = OpenStep(key, "step", "hold", time.time(), time.perf_counter(), input=dumps({"reason": words}))
        self._decide(f"the item is on hold: {words}", self._lines.hold(step, words))

    def perform(
        self,
        kind: str,
        name: str,
        given: Any,
        fn: Callable[[Any], Any],
        *,
        accept: Optional[Callable[[Any], Any]] = None,
        asks: Optional[int] = None,
        read: Optional[Callable[[Any], Any]] = None,
        wait: Optional[bool] = None,
    ) -> Perform:
        """A step, as a generator of the calls that whoever drives it makes."""
        self._check_going_on()
        key = self._keys.next(name)
        self._count_step(key)
        recorded = self._recordings.of_key(key)
        if recorded is not None:
            return revived(recorded.get("output"))
        if substitute is not None:
            fn = substitute(kind, name, fn)
        left = asks if asks is not None else (0 if accept is None else 1)
        while True:
            step = OpenStep(key, kind, own_mask().text(name))
            value, refused = yield from self._run(step, given, fn, accept, read, self._waits if wait is None else wait)
            if refused is None:
                return value
            if left <= 0:
                raise refused
            left -= 1
            self._check_going_on()
            self._count_step(key)

    def _run(
        self, step: OpenStep, given: Any, fn: Callable[[Any], Any], accept: Any, read: Any, waits: bool
    ) -> Generator[Call, Any, Tuple[Any, Optional[BaseException]]]:
        """Runs a step once. Its answer may be refused; whatever else it does not return, it raises."""
        step.started, step.clock = time.time(), time.perf_counter()
        if draining.is_set() or time.monotonic() >= self._yield_at:
            self._decide("the item goes on in a later request", self._lines.yields())
        is_model = step.kind == "llm_call"
        scope = CallScope(self._upstreams, self._name, is_model, waits, self._line.get("probe") is True)
        scope.on_idle = lambda: self._leave(scope, step)
        with self._lock:
            self._open += 1
        try:
            # Written before the call, because agents continue to extend the same list of messages afterwards.
            step.input = None if step.kind == "step" else payload(given, f"the input of step {step.key!r}")
            offer = self._recordings.for_input(step)
            if offer is not None:
                self._report(self._lines.reused(step))
                return revived(offer.get("output")), None
            output = yield fn, given, scope, is_model
            text, value, copy = kept(output, f"the output of step {step.key!r}")
            step.answer = answer_text(copy(), read) if read is not None else None
            step.upstream = scope.end(True)
            reason = None
            if accept is not None:
                try:
                    accepted = yield accept, copy(), None, False
                    reason = None if accepted is True else accepted if isinstance(accepted, str) and accepted else f"accept returned {accepted!r}"
                except Exception as error:
                    reason = message_of(error)
            if reason is None:
                self._report(self._lines.step(step, output=cut(text)))
                return value, None
            refused = OpenStep(**{**vars(step), "key": self._keys.refused(step.key)})
            self._report(self._lines.step(refused, output=cut(text), error=wire_error("answer_refused", reason)))
            return None, refused_answer(reason)
        except BaseException as error:
            return self._step_raised(step, error, scope, accept is not None)
        finally:
            with self._lock:
                self._open -= 1
                final = self._final if self._open == 0 else None
            if final is not None:
                self._finish(final)

    def _step_raised(self, step: OpenStep, error: BaseException, scope: CallScope, has_check: bool) -> Tuple[Any, Optional[BaseException]]:
        """Reports a step that raised, with what was answered to it, each answer as a step of its own."""
        if isinstance(error, GeneratorExit):
            raise error
        seen = scope.end(False)
        if self._over:
            raise error
        if scope.refusal is not None and scope.waits_now:
            self._wait_for(scope, step, error)
        if isinstance(error, Interrupt):
            raise error
        step.upstream = seen
        wire = wire_error(self._failures.add(error, step.kind), message_of(error))
        answers = scope.answers()
        is_refused = has_check and bool(answers) and isinstance(error, Exception)
        for at, answer in enumerate(answers):
            is_last = at == len(answers) - 1 and not is_refused
            one = step if is_last else OpenStep(**{**vars(step), "key": self._keys.refused(step.key)})
            self._report(self._lines.step(one, output=payload(answer, "the answer"), error=wire))
        if not answers:
            self._report(self._lines.step(step, error=wire))
        if is_refused:
            return None, error
        raise error

    def _wait_for(self, scope: CallScope, step: OpenStep, error: BaseException) -> None:
        """The item goes on when its upstream serves again; other steps that are under way end first."""
        self._decide(*self._waiting(scope, step, error))

    def _leave(self, scope: CallScope, step: OpenStep) -> None:
        """The same while the client sleeps: whatever its code does later, the item is elsewhere."""
        message, line = self._waiting(scope, step, None)
        with self._lock:
            if self._open != 1 or self._decided is not None:
                return
            scope.has_left = True
            self._decided = (message, line)
        self._finish(line)

    def _waiting(self, scope: CallScope, step: OpenStep, error: Optional[BaseException]) -> Tuple[str, str]:
        refusal = scope.refusal or {}
        words = refusal["words"] or message_of(error or "no answer")
        wire: Dict[str, Any] = {
            "code": STEP_ERRORS.get(step.kind, "step_error"),
            "message": words,
            "upstream": refusal["report"],
        }
        if refusal["status"] is not None:
            wire["status"] = refusal["status"]
            if blames_request(refusal["status"]):
                wire["retryable"] = False
        if refusal["retry_after_ms"] is not None:
            wire["retry_after_ms"] = refusal["retry_after_ms"]
        return f"the item waits for {refusal['report']['host']}: {words}", self._lines.error(wire, step)

    def _count_step(self, key: str) -> None:
        with self._lock:
            self._steps += 1
            is_within = self._steps <= self._most_steps
        if not is_within:
            message = f'the agent may take {self._most_steps} steps an item; "{key}" would be one more'
            self._decide(message, self._lines.error({"code": "step_limit_exceeded", "message": message}))

    def _report(self, line: str) -> None:
        if not self._over:
            self._write(line, False)

    def _check_going_on(self) -> None:
        if self._over:
            raise Interrupt("the item is over")
        if self._decided is not None:
            raise Interrupt(self._decided[0])

    def _decide(self, message: str, line: str) -> None:
        with self._lock:
            if self._decided is None:
                self._decided = (message, line)
        raise Interrupt(self._decided[0])

    def _end(self, line: str) -> None:
        final = line if self._decided is None else self._decided[1]
        with self._lock:
            if self._open > 0:
                self._final = final
                return
        self._finish(final)

    def _finish(self, line: str) -> None:
        with self._lock:
            if self._over:
                return
            self._over = True
        self.signal.set()
        self._write(line, True)
