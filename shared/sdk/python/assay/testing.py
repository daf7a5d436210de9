"""Runs an agent over one item without a server. Guarantee: no model is asked that the test does not answer, and status, verdict, steps
and cost are those that a server records: the `assay` command computes them by the server's own rules."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from . import item_run
from .agent import registration_of
from .errors import ItemError
from .kept import kept, revived
from .local import Local
from .server import Server
from .protocol import AgentProtocol

COMMAND = "ASSAY_COMMAND"
"""The command, if it is not on the PATH as `assay`: `node_modules/.bin/assay`, or `npx --no assay`."""


class MissingAnswer(AssertionError):
    """The agent asked a model that the test has no answer for."""


@dataclass(frozen=True)
class ItemResult:
    """What a server would have recorded.

    Attributes:
        status: Whether it ran: `completed`, `failed`, `paused` …
        outcome: Whether it worked: `ok`, `degraded` or `failed`; None of an item that is held.
        reason: Why not, as a word: `refusal`, `truncated`, `schema_mismatch` …
        message: The same in words.
        error: The code and message of the error, or None.
        output: What the agent returned, as JSON.
        steps: Each with its `key`, `kind`, `name`, `outcome`, `input`, `output`, tokens and `cost_micro`.
        cost_usd: Dollars; a lower bound if `unpriced`.
    """

    status: str
    outcome: Optional[str]
    reason: Optional[str]
    message: Optional[str]
    error: Optional[Dict[str, str]]
    output: Any
    steps: List[Dict[str, Any]]
    cost_usd: float
    unpriced: bool
    attempts: int


Answers = Union[Mapping[str, Any], "Recorded"]


class Recorded:
    """Answers in a file: those that are there are given, and with `ASSAY_RECORD=1` the others are asked for and written.

    >>> answers = Recorded("answers.json")
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._path = Path(path)
        self._known: Dict[str, Any] = json.loads(self._path.read_text("utf-8")) if self._path.exists() else {}
        self._lock = threading.Lock()

    def answer(self, name: str, given: Any, fn: Callable[[Any], Any]) -> Any:
        key = f"{name} {json.dumps(given, sort_keys=True, ensure_ascii=False, default=str)}"
        if key in self._known:
            return revived(self._known[key], inside=True)
        if os.environ.get("ASSAY_RECORD") != "1":
            raise MissingAnswer(f"{self._path} has no answer for the call {name!r}: record it once with ASSAY_RECORD=1")
        text = kept(fn(given), f"the answer of {name!r}")[0]
        with self._lock:
            self._known[key] = json.loads(text)
            self._path.write_text(json.dumps(self._known, indent=2, ensure_ascii=False) + "\n", "utf-8")
        return revived(self._known[key], inside=True)


def run_item(
    agent: Any,
    input: Any,
    answers: Optional[Answers] = None,
    *,
    item_id: str = "item",
    resume: bool = False,
) -> ItemResult:
    """Runs an agent over one item.

    Args:
        agent: What `@agent` stands on.
        input: The input that a submitter sends, checked by the agent's `input`.
        answers: By the name of a step what is returned instead of its call: a value, an exception to raise, a list of these for
            calls of the same name in turn, or a function of what is sent. Model calls without one fail the test; tools and steps
            without one run. Or a `Recorded` file.
        resume: Let the item pass every `ctx.hold`, like a person who resumes it.

    Raises:
        MissingAnswer: The agent asked a model that `answers` does not have.
        RuntimeError: The `assay` command is not there.

    >>> from assay import agent
    >>> @agent(name="Claims")
    ... def claims(ctx, page):
    ...     answer = ctx.llm("classify", {"model": "gpt-5-mini"}, None)
    ...     return {"label": answer["choices"][0]["message"]["content"]}
    >>> def test():
    ...     completion = {"choices": [{"message": {"content": "theft"}, "finish_reason": "stop"}]}
    ...     assert run_item(claims, {"text": "…"}, {"classify": completion}).outcome == "ok"
    """
    answering = _Answering(answers)
    server = Server(AgentProtocol(Local(registration_of(agent))), "127.0.0.1", 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    key = os.environ.pop("ASSAY_AGENT_KEY", None)  # of the tester's own environment: it does not apply here
    before, item_run.substitute = item_run.substitute, answering.instead
    thread.start()
    try:
        found = _verdict(server.url, input, item_id, resume)
    finally:
        item_run.substitute = before
        server.shutdown()
        server.server_close()
        if key is not None:
            os.environ["ASSAY_AGENT_KEY"] = key
    if answering.problem is not None:
        raise answering.problem
    return _result(found)


class _Answering:
    def __init__(self, answers: Optional[Answers]) -> None:
        self._answers = answers or {}
        self._left = {name: list(value) for name, value in self._answers.items() if isinstance(value, list)} if isinstance(self._answers, Mapping) else {}
        self.problem: Optional[MissingAnswer] = None

    def instead(self, kind: str, name: str, fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """The function that is called in place of `fn`."""
        answers = self._answers
        if isinstance(answers, Recorded):
            recorded = answers
            return (lambda given: self._noted(lambda: recorded.answer(name, given, fn))) if kind == "llm_call" else fn
        if name in answers:
            return lambda given: self._noted(lambda: self._next(kind, name, answers[name], given))
        if kind != "llm_call":
            return fn

        def missing(_: Any) -> Any:
            raise MissingAnswer(f"the agent made the model call {name!r}, and nothing reaches a model in a test: give answers={{{name!r}: …}}")

        return lambda given: self._noted(lambda: missing(given))

    def _next(self, kind: str, name: str, answer: Any, given: Any) -> Any:
        if name in self._left:
            if not self._left[name]:
                raise MissingAnswer(f"the call {name!r} was made more often than it has answers")
            answer = self._left[name].pop(0)
        if isinstance(answer, BaseException):
            raise answer
        value = answer(given) if callable(answer) else answer
        # A client's answer has attributes too.
        return revived(value, inside=True) if kind == "llm_call" else value

    def _noted(self, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except MissingAnswer as error:
            self.problem = self.problem or error
            raise ItemError(str(error), retryable=False) from error


def _verdict(url: str, input: Any, item_id: str, resume: bool) -> Dict[str, Any]:
    command = os.environ.get(COMMAND, "").split() or [shutil.which("assay") or ""]
    if not command[0]:
        raise RuntimeError(f"the assay command, which gives the verdict, is not on the PATH: install it, or name it in {COMMAND}")
    given = ["test", "--url", url, "--input", json.dumps(input), "--item-id", item_id, "--json", *(["--resume"] if resume else [])]
    ran = subprocess.run([*command, *given], capture_output=True, text=True, check=False)
    for line in ran.stdout.splitlines():
        event = json.loads(line)
        if event.get("event", event.get("type")) == "item_tried":
            found: Dict[str, Any] = event
            return found
    raise RuntimeError(f"{' '.join(command)} gave no verdict: {(ran.stderr or ran.stdout).strip()}")


def _result(found: Dict[str, Any]) -> ItemResult:
    outcome, cost = found["outcome"], found["cost"]
    return ItemResult(
        status=found["status"],
        outcome=outcome["status"],
        reason=outcome["reason"],
        message=outcome["message"],
        error=found["error"],
        output=found["output"],
        steps=found["steps"],
        cost_usd=cost["usd"],
        unpriced=cost["unpriced"],
        attempts=found["attempts"],
    )
