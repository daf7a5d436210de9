"""Sends rows as one run. Guarantee: all rows are accepted or none, and however often a call is sent again for a network
that failed, it starts one run."""

from __future__ import annotations

import hashlib
import sys
import tempfile
import uuid
from typing import IO, Any, Callable, Dict, Optional, Sequence

from .errors import ApiError, AssayError
from .money import Amount, cents_of
from .operations import GET_AGENT, LIST_AGENTS, SUBMIT_BATCH
from .rows import Rows, line_of, rows_of
from .transport import Transport

MEMORY_BYTES = 8 * 1024 * 1024
"""Lines up to this stay in memory, longer batches go through a temporary file: a request that is sent again needs them."""


class Lines:
    """Rows as the lines that are sent, in a file: a request that is sent again needs them, and so do pilot and rest."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES)  # type: ignore[assignment, unused-ignore]
        self._content = hashlib.sha256()
        self.count = 0
        self.size = 0

    def __enter__(self) -> "Lines":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __del__(self) -> None:
        self._file.close()  # a pilot that does not go on keeps them until it is forgotten

    def add(self, line: bytes) -> None:
        self._content.update(line)
        self._file.write(line)
        self.size += len(line)
        self.count += 1

    def part(self, takes: Callable[[int], bool]) -> "Lines":
        """The lines whose places, from 0, are taken."""
        found = Lines()
        self._file.seek(0)
        for place, line in enumerate(self._file):
            if takes(place):
                found.add(line)
        return found

    def key(self, settings: Dict[str, Any]) -> str:
        """An idempotency key that the same lines with the same settings have again."""
        text = repr(sorted((name, value) for name, value in settings.items() if value is not None)) + self._content.hexdigest()
        return "content-" + hashlib.sha256(text.encode()).hexdigest()

    def send(self, transport: Transport, settings: Dict[str, Any]) -> Dict[str, Any]:
        """Sends them as one run; returns the answer of the server. The settings have an idempotency key."""
        agent, key = str(settings["agent"]), settings["idempotency_key"]
        try:
            found: Dict[str, Any] = transport.send(SUBMIT_BATCH()[1], settings, self._file, self.size)
            return found
        except KeyboardInterrupt:
            print(f"\nIt may have been accepted: {_again(key)}", file=sys.stderr)
            raise
        except ApiError as error:
            if error.code == "not_found":
                raise _no_agent(transport, error, agent) from None
            raise _maybe(error, key) from None
        except AssayError as error:
            raise _maybe(error, key) from None


def lines_of(rows: Rows, item_id: Optional[str], partition_key: Optional[str]) -> Lines:
    """
    Raises:
        InvalidRows: With the number of the row.
        AssayError: ``invalid_rows``.
    """
    lines = Lines()
    for number, row in enumerate(rows_of(rows), 1):
        lines.add(line_of(row, number, item_id, partition_key))
    if lines.count == 0:
        raise AssayError("invalid_rows", "there are no rows", "nothing was submitted")
    return lines


def settings_of(
    agent: str,
    *,
    budget: Optional[Amount],
    tags: Sequence[str],
    allow_unpriced: bool,
    idempotency_key: Optional[str],
    by_content: bool,
    **others: Any,
) -> Dict[str, Any]:
    """The settings as the server calls them.

    Raises:
        AssayError: ``invalid_setting``.
    """
    if idempotency_key is not None and by_content:
        raise AssayError("invalid_setting", "idempotency_key and by_content are both given", "leave one out")
    return {
        "agent": agent,
        "budget_cents": None if budget is None else cents_of(budget),
        "tags": ",".join(tags) or None,
        "allow_unpriced": True if allow_unpriced else None,
        "idempotency_key": idempotency_key,
        **others,
    }


def with_key(settings: Dict[str, Any], lines: Lines, by_content: bool) -> Dict[str, Any]:
    """The settings with the idempotency key that a call has where its caller gave none."""
    own = settings["idempotency_key"]
    key = own if own is not None else lines.key(settings) if by_content else str(uuid.uuid4())
    return {**settings, "idempotency_key": key}


def refuse_open_budget(transport: Transport, settings: Dict[str, Any]) -> None:
    """The server takes a budget that nothing counts against, and says so on the run; here it is refused before anything is sent.

    Raises:
        AssayError: ``budget_not_enforced``.
    """
    if settings.get("budget_cents") is None or settings.get("allow_unpriced"):
        return
    agent = str(settings["agent"])
    known = [one["id"] for one in transport.ask(*LIST_AGENTS()) if one["slug"] == agent]
    gap = transport.ask(*GET_AGENT(known[0])).get("budget_gap") if known else None
    if gap is not None:
        raise AssayError(
            "budget_not_enforced",
            f"a budget would not be enforced: the agent {agent!r} has recorded no model call so far, so nothing would count against it",
            "have it report its model calls, which its first run without a budget shows; or pass allow_unpriced=True",
        )


def _maybe(error: AssayError, key: Any) -> AssayError:
    return error.hinted(f"it may have been accepted: {_again(key)}") if error.may_be_done else error


def _again(key: Any) -> str:
    return f"submit again with idempotency_key={key!r}, which starts it once"


def _no_agent(transport: Transport, error: ApiError, agent: str) -> ApiError:
    known = [str(one["slug"]) for one in transport.ask(*LIST_AGENTS())][:10]
    hint = "there are: " + ", ".join(known) if known else "nothing was deployed yet: assay deploy"
    return ApiError(error.status, error.code, f"there is no agent {agent!r} in this project", hint, error.request_id)
