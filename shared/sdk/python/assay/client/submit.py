"""Sends rows as one run. Guarantee: all rows are accepted or none, and however often a call is sent again for a network
that failed, it starts one run."""

from __future__ import annotations

import hashlib
import sys
import tempfile
import uuid
from typing import IO, Any, Dict, Optional, Tuple

from .errors import ApiError, AssayError
from .operations import GET_AGENT, LIST_AGENTS, SUBMIT_BATCH
from .rows import Rows, line_of, rows_of
from .transport import Transport

MEMORY_BYTES = 8 * 1024 * 1024
"""Lines up to this stay in memory, longer batches go through a temporary file: a request that is sent again needs them."""


def submit(
    transport: Transport,
    rows: Rows,
    settings: Dict[str, Any],
    *,
    item_id: Optional[str],
    partition_key: Optional[str],
    by_content: bool,
) -> Tuple[Dict[str, Any], str]:
    """The answer of the server, and the idempotency key that was used."""
    if settings.get("budget_cents") is not None and not settings.get("allow_unpriced"):
        _refuse_open_budget(transport, str(settings["agent"]))
    with tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES) as file:
        size, content = _write(file, rows, item_id, partition_key)
        key = settings.get("idempotency_key")
        if key is None:
            key = _key_of(settings, content) if by_content else str(uuid.uuid4())
        elif by_content:
            raise AssayError("invalid_setting", "idempotency_key and by_content are both given", "leave one out")
        try:
            answer = transport.send(SUBMIT_BATCH()[1], {**settings, "idempotency_key": key}, file, size)
        except KeyboardInterrupt:
            print(f"\nIt may have been accepted: {_again(key)}", file=sys.stderr)
            raise
        except ApiError as error:
            if error.code == "not_found":
                raise _no_agent(transport, error, str(settings["agent"])) from None
            raise
        except AssayError as error:
            if error.code in ("unreachable", "broken_answer"):
                raise AssayError(error.code, error.message, f"it may have been accepted: {_again(key)}") from None
            raise
        return answer, str(key)


def _refuse_open_budget(transport: Transport, agent: str) -> None:
    """The server takes a budget that nothing counts against, and says so on the run; here it is refused before anything is sent."""
    known = [one["id"] for one in transport.ask(*LIST_AGENTS()) if one["slug"] == agent]
    gap = transport.ask(*GET_AGENT(known[0])).get("budget_gap") if known else None
    if gap is not None:
        raise AssayError(
            "budget_not_enforced",
            f"a budget would not be enforced: the agent {agent!r} has recorded no model call so far, so nothing would count against it",
            "have it report its model calls, which its first run without a budget shows; or pass allow_unpriced=True",
        )


def _again(key: Any) -> str:
    return f"submit again with idempotency_key={key!r}, which starts it once"


def _no_agent(transport: Transport, error: ApiError, agent: str) -> ApiError:
    known = [str(one["slug"]) for one in transport.ask(*LIST_AGENTS())][:10]
    hint = "there are: " + ", ".join(known) if known else "nothing was deployed yet: assay deploy"
    return ApiError(error.status, error.code, f"there is no agent {agent!r} in this project", hint, error.request_id)


def _write(file: IO[bytes], rows: Rows, item_id: Optional[str], partition_key: Optional[str]) -> Tuple[int, str]:
    content = hashlib.sha256()
    size = 0
    number = 0
    for number, row in enumerate(rows_of(rows), 1):
        line = line_of(row, number, item_id, partition_key)
        content.update(line)
        size += len(line)
        file.write(line)
    if number == 0:
        raise AssayError("invalid_rows", "there are no rows", "nothing was submitted")
    return size, content.hexdigest()


def _key_of(settings: Dict[str, Any], content: str) -> str:
    text = repr(sorted((name, value) for name, value in settings.items() if value is not None)) + content
    return "content-" + hashlib.sha256(text.encode()).hexdigest()
