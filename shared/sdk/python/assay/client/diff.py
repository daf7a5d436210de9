"""Compares two runs over the same items, as ``assay diff`` does. Guarantee: items are matched by their item_id alone, and those that one
of the runs has alone are counted; of items of a run with the same item_id the last counts. Inputs are not kept."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Tuple

from .errors import AssayError
from .items import items_of, run_of
from .money import usd_of
from .run import Run
from .transport import Transport

MOST_ITEMS = 100_000
"""Of each run: the outputs of both are in memory."""

KEPT = (
    "item_id", "status", "attempt", "worst_outcome_status", "corrected_outcome_status", "mended_by", "cost_usd", "code_version", "output",
)  # fmt: skip
"""What is compared of an item."""

Item = Dict[str, Any]


@dataclass(frozen=True)
class Diff:
    """What differs between two runs.

    Attributes:
        summary: With the keys of ``assay diff --json``: ``runs``, ``in_both``, ``only_first``, ``only_second``, ``verdicts`` (each with
            ``from``, ``to`` and ``count``), ``corrected``, ``recovered``, ``outputs_changed``, ``cost_usd`` in dollars, and
            ``code_versions``; where a value is a list of two, it is of the first and of the second run.
        changed: The items whose verdict or output differs, each with ``item_id``, ``verdict``, ``cost_usd``, ``code_version`` and
            ``output``, all lists of two.

    >>> assay = Assay()
    >>> before = assay.submit("claims", [{"id": 1, "text": "flood"}, {"id": 2, "text": "theft"}], item_id="id", wait=True)
    >>> after = assay.submit("claims", [{"id": 1, "text": "water"}, {"id": 2, "text": "theft"}], item_id="id", wait=True)
    >>> found = assay.diff(before, after)
    >>> found.summary["in_both"], found.summary["verdicts"]
    (2, [{'from': 'degraded', 'to': 'ok', 'count': 1}])
    >>> [(row["item_id"], row["output"][1]) for row in found.changed]
    [('1', {'label': 'water'})]
    """

    summary: Dict[str, Any]
    changed: List[Dict[str, Any]]


def diff(transport: Transport, first: Run, second: Run) -> Diff:
    runs = [first.data, second.data]
    for run in runs:
        if run["total_items"] > MOST_ITEMS:
            raise AssayError(
                "invalid_setting",
                f"the run {run['id']} has {run['total_items']:,} items, and two runs of up to {MOST_ITEMS:,} are compared",
                "compare the results() of both yourself",
            )
    # Where one of the two is a replay, each counts as it ended: the newest of the other may be in it.
    is_newest = all(run["replay_of"] is None for run in runs)
    olds, news = (_items(transport, str(run["id"]), is_newest) for run in runs)
    pairs = [(old, news[id]) for id, old in olds.items() if id in news]
    changed = [pair for pair in pairs if _verdict(pair[0]) != _verdict(pair[1]) or not _same_output(*pair)]
    verdicts = Counter((_verdict(old), _verdict(new)) for old, new in pairs)
    sides = [[old for old, _ in pairs], [new for _, new in pairs]]
    summary = {
        "runs": [run["id"] for run in runs],
        "in_both": len(pairs),
        "only_first": len(olds) - len(pairs),
        "only_second": len(news) - len(pairs),
        "verdicts": [{"from": a, "to": b, "count": n} for (a, b), n in verdicts.most_common() if a != b],
        "corrected": [sum(one.get("corrected_outcome_status") is not None for one in side) for side in sides],
        "recovered": [sum(one["mended_by"] is not None for one in all.values()) for all in (olds, news)] if is_newest else [0, 0],
        "outputs_changed": sum(not _same_output(*pair) for pair in pairs),
        "cost_usd": [_cost(side) for side in sides],
        "code_versions": [run.get("code_versions") or [] for run in runs],
    }
    return Diff(summary, [_row(*pair) for pair in changed])


def _row(old: Item, new: Item) -> Dict[str, Any]:
    two: Tuple[Item, Item] = (old, new)
    return {
        "item_id": old["item_id"],
        "verdict": [_verdict(one) for one in two],
        **{key: [one[key] for one in two] for key in ("cost_usd", "code_version", "output")},
    }


def _items(transport: Transport, run_id: str, is_newest: bool) -> Dict[str, Item]:
    """By their item_id; with ``is_newest`` as their newest good replay made them, as in results."""
    items = {str(one["item_id"]): _kept(one) for one in items_of(transport, run_id)}
    if not is_newest:
        return items
    replays = {str(one["mended_by"]) for one in items.values() if one["mended_by"] is not None}
    runs = {found for found in map(run_of, replays) if found is not None}
    newest = {one["id"]: _kept(one) for run in sorted(runs) for one in items_of(transport, run) if one["id"] in replays}
    return {id: _as_replayed(one, newest.get(one["mended_by"])) for id, one in items.items()}


def _kept(item: Item) -> Item:
    return {name: item[name] for name in KEPT}


def _as_replayed(item: Item, replay: "Item | None") -> Item:
    if replay is None:
        return item
    return {**replay, "mended_by": item["mended_by"], "cost_usd": usd_of(item["cost_usd"] + replay["cost_usd"])}


def _verdict(item: Item) -> str:
    """As people corrected it, as in results. What a budget did not let run did not fail."""
    was_not_run = item["status"] == "budget_exceeded" and item["attempt"] == 0
    found = item.get("corrected_outcome_status") or (item["status"] if was_not_run else item["worst_outcome_status"])
    return str(found or ("held" if item["status"] == "paused" else item["status"]))


def _same_output(old: Item, new: Item) -> bool:
    return json.dumps(old["output"]) == json.dumps(new["output"])


def _cost(items: Iterable[Item]) -> float:
    return usd_of(sum(item["cost_usd"] for item in items))
