"""Remembers the errors of one item's steps. Guarantee: an error that leaves the agent has the code that it was raised with, else the
code of the first step that it failed in, however often it was wrapped since."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from .errors import ItemError, UnkeptError, blames_request, message_of, status_of

STEP_ERRORS = {"llm_call": "llm_call_error", "tool_call": "tool_call_error"}
CAUSES = 8  # errors are wrapped less often, and a circle of causes ends here


class Failures:
    """The errors of steps, in order of time: one may pass through several."""

    def __init__(self) -> None:
        self._failures: List[Tuple[BaseException, str, bool]] = []

    def add(self, error: BaseException, kind: str) -> str:
        """Returns the code of the step. The model did well whose answer's code returned what JSON has no form for."""
        is_unkept = isinstance(error, UnkeptError)
        code = "step_error" if is_unkept else STEP_ERRORS.get(kind, "step_error")
        status = status_of(error)
        rejected = is_unkept or (kind == "llm_call" and status is not None and blames_request(status))
        self._failures.append((error, code, rejected))
        return code

    def wire_error(self, error: BaseException) -> Dict[str, Any]:
        """The error to report for an uncaught one: its code, its message, and whether a retry may help."""
        code: Optional[str] = None
        retryable: Optional[bool] = None
        cause: Optional[BaseException] = error
        for _ in range(CAUSES):
            if cause is None:
                break
            if isinstance(cause, ItemError):
                code = code or cause.code
                retryable = cause.retryable if retryable is None else retryable
            failure = next((one for one in self._failures if one[0] is cause), None)
            if failure is not None:
                code = code or failure[1]
                retryable = False if failure[2] and retryable is None else retryable
            cause = cause.__cause__
        wire: Dict[str, Any] = {"code": code or "agent_error", "message": message_of(error)}
        return wire if retryable is None else {**wire, "retryable": retryable}
