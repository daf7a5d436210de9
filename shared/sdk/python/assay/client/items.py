"""Reads items with their traces, and why items did not work. Guarantee: pages are followed, and an id that names several items is an
error that lists them."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterator, List, Optional

from . import operations as op
from .errors import AssayError
from .transport import Transport

PAGE_ITEMS = 500
PAGE_STEPS = 200
PAGE_CAUSES = 200
ITEMS_NAMED = 5

_RECORD_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)


def run_of(record_id: str) -> Optional[str]:
    """The run of an item's record id; None of what can be none.

    >>> run_of("01a22212-b4d9-7a6d-bfcb-d60500000003"), run_of("page-3")
    ('01a22212-b4d9-7a6d-bfcb-d60500000000', None)
    """
    if _RECORD_ID.fullmatch(record_id) is None or record_id.endswith("00000000"):
        return None
    return record_id[:-8].lower() + "00000000"


def items_of(transport: Transport, run_id: str) -> Iterator[Dict[str, Any]]:
    """All items of a run, in the order of its batch."""
    query: Dict[str, Any] = {"limit": PAGE_ITEMS, "cursor": None}
    while True:
        page, query["cursor"] = transport.page(*op.LIST_ITEMS(run_id), query=query)
        yield from page
        if query["cursor"] is None:
            return


def item_of(transport: Transport, id: str, run_id: Optional[str]) -> Dict[str, Any]:
    """An item with its steps; ``id`` is the caller's own, or the record's."""
    record_id = id if run_id is None and run_of(id) is not None else _find(transport, id, run_id)
    record: Dict[str, Any] = transport.ask(*op.GET_ITEM(record_id))
    return {**record, "steps": list(_rows(transport, op.LIST_STEPS, "steps", {"record_id": record_id, "limit": PAGE_STEPS}))}


def causes_of(transport: Transport, run_id: Optional[str], agent: Optional[str]) -> Iterator[Dict[str, Any]]:
    return _rows(transport, op.LIST_CAUSES, "rows", {"run_id": run_id, "agent": agent, "limit": PAGE_CAUSES})


def _rows(transport: Transport, list_op: op.Operation, key: str, query: Dict[str, Any]) -> Iterator[Dict[str, Any]]:
    while True:
        page = transport.ask(*list_op(), query=query)
        yield from page[key]
        if page.get("next_cursor") is None:
            return
        query = {**query, "cursor": page["next_cursor"]}


def _find(transport: Transport, id: str, run_id: Optional[str]) -> str:
    if run_id is None:
        runs = transport.ask(*op.LIST_RUNS(), query={"item_id": id, "limit": 1})
        if not runs:
            raise AssayError("not_found", f"no run has an item {id!r}", "it goes by your own id, or by the id of a result's item_record_id")
        run_id = str(runs[0]["id"])
    query: Dict[str, Any] = {"item_id": id, "payloads": "none", "limit": ITEMS_NAMED}
    found: List[Dict[str, Any]] = transport.ask(*op.LIST_ITEMS(run_id), query=query)
    if len(found) > 1:
        names = ", ".join(str(one["id"]) for one in found)
        raise AssayError("ambiguous_item", f"the run {run_id} has {id!r} more than once", f"name one of its records: {names}")
    if found:
        return str(found[0]["id"])
    if run_of(id) == run_id.lower():
        return id
    raise AssayError("not_found", f"the run {run_id} has no item {id!r}", "it goes by your own id of it, or by the id of its record")
