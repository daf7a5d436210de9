"""What can go wrong with a server. Every error has a stable ``code`` for programs and a ``hint`` of what to do next."""

from __future__ import annotations

from typing import Optional


class AssayError(Exception):
    """An error of the client.

    Attributes:
        code: Stable, for programs: one that the server sent (``not_found``), or ``unreachable``, ``broken_answer``,
            ``not_assay``, ``invalid_rows``, ``invalid_setting``, ``timed_out``.
        message: What was wrong, and where.
        hint: What to do next, if that is known.
        may_pass: Whether the same request may go well later: the server is away, at its limit, or the answer was cut.
        may_be_done: Whether what was asked may have been done, since no answer says that it was not.

    >>> error = AssayError("not_found", "there is no agent claims", "there are: triage")
    >>> print(error)
    not_found: there is no agent claims (there are: triage)
    """

    def __init__(self, code: str, message: str, hint: Optional[str] = None) -> None:
        self.code = code
        self.message = message
        self.hint = hint
        self.may_pass = False
        self.may_be_done = False
        super().__init__(f"{code}: {message}" + (f" ({hint})" if hint else ""))

    def hinted(self, more: str) -> "AssayError":
        """The same error, which also says this."""
        self.hint = f"{self.hint}; {more}" if self.hint else more
        self.args = (f"{self.code}: {self.message} ({self.hint})",)
        return self


class ApiError(AssayError):
    """The server refused a request.

    Attributes:
        status: The HTTP status, such as 404.
        request_id: What the server's log calls the request.

    >>> ApiError(409, "run_already_ended", "the run has ended").status
    409
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        hint: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> None:
        super().__init__(code, message, hint)
        self.status = status
        self.request_id = request_id


class InvalidRows(AssayError):
    """Rows that cannot be sent; nothing was. ``row`` counts from 1.

    >>> InvalidRows(3, "has no field id").row
    3
    """

    def __init__(self, row: int, problem: str, hint: Optional[str] = None) -> None:
        super().__init__("invalid_rows", f"row {row} {problem}", hint or "nothing was submitted")
        self.row = row
