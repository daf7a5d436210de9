"""Errors of agents and of their decorators, and the signal with which an item ends early.

Guarantee: reading a thrown value, whatever it is, does not throw.
"""

from __future__ import annotations

from typing import Any, Optional

from .limits import ERROR_CHARACTERS

CAUSES = 4
UNREADABLE = "the error could not be read"


class ItemError(Exception):
    """An error that says how the item fails.

    `code` becomes the item's `error_code`; the default is the code of the step that failed, such as `tool_call_error`, else
    `agent_error`. After an error the item is retried while the agent's declared `retries` last; steps that succeeded do not run
    again. `retryable=False` says that another attempt would fail the same way.

    >>> error = ItemError("this order was deleted", code="order_deleted", retryable=False)
    >>> (str(error), error.code, error.retryable)
    ('this order was deleted', 'order_deleted', False)
    """

    def __init__(self, message: str, *, code: Optional[str] = None, retryable: Optional[bool] = None) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable


class DecoratorValidationError(ValueError):
    """An option of a decorator is wrong; `field` names it. Raised where the agent is declared.

    >>> from assay import schedule
    >>> schedule("61 * * * *")
    Traceback (most recent call last):
    assay.errors.DecoratorValidationError: @schedule cron: "61 * * * *": the minute "61" goes from 0 to 59
    """

    code = "DecoratorValidationError"

    def __init__(self, decorator: str, field: str, message: str) -> None:
        super().__init__(f"{decorator} {field}: {message}")
        self.field = field


class DecoratorTargetError(TypeError):
    """A decorator is in a place where it cannot be, or what should be an agent has no `@agent`.

    >>> from assay import schedule
    >>> @schedule("0 2 * * *")
    ... def nightly(ctx, item): ...
    Traceback (most recent call last):
    assay.errors.DecoratorTargetError: @schedule stands above @agent(name="…"), and there is no @agent below it on nightly: decorators run from the bottom up, so write @agent right above the function or the class
    """

    code = "DecoratorTargetError"


class UnkeptError(TypeError):
    """What a step or an item returned has no form in JSON; the message says what to return instead.

    >>> from assay.kept import kept
    >>> kept({1, 2}, "the output of step 'split'")
    Traceback (most recent call last):
    assay.errors.UnkeptError: the output of step 'split' cannot be written as JSON: it is a set; return a list, sorted(values)
    """


class Interrupt(BaseException):
    """Raised by the context to leave the agent when its item is over or goes on later; `except Exception` lets it pass.

    >>> issubclass(Interrupt, Exception)
    False
    """


def refused_answer(reason: str) -> ItemError:
    """The agent's own check did not accept a model's answer, as often as it may be asked."""
    return ItemError(f"the answer was not accepted: {reason}", code="answer_refused")


def message_of(error: object) -> str:
    """The message of any thrown value and of its causes: clients put the real problem into the cause.

    >>> message_of(ValueError("no such customer"))
    'ValueError: no such customer'
    """
    if isinstance(error, str):
        return error
    if isinstance(error, ItemError):
        return _text_of(error, named=False)
    message = _text_of(error, named=True)
    cause = _part(error, "__cause__")
    for _ in range(CAUSES):
        if cause is None:
            break
        next_message = _text_of(cause, named=True)
        if next_message not in message:
            message = f"{message.rstrip('.')}: {next_message}"
        cause = _part(cause, "__cause__")
    return message


def _text_of(error: object, named: bool) -> str:
    try:
        text = str(error)[: ERROR_CHARACTERS + 1]
        name = type(error).__name__
        if text.strip() == "":
            return name
        return f"{name}: {text}" if named else text
    except Exception:
        return UNREADABLE


def _part(error: object, name: str) -> Any:
    try:
        return getattr(error, name, None)
    except Exception:
        return None


def status_of(error: object) -> Optional[int]:
    """The HTTP status that clients put on their errors."""
    for name in ("status_code", "status", "code"):
        status = _part(error, name)
        if isinstance(status, int) and 100 <= status <= 599:
            return status
    response = _part(error, "response")
    status = _part(response, "status_code")
    if status is None and isinstance(response, dict):  # botocore
        status = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return status if isinstance(status, int) else None


def blames_request(status: int) -> bool:
    """Whether an HTTP status blames the request itself, so that a retry is useless."""
    return 400 <= status < 500 and status not in (408, 409, 429)
