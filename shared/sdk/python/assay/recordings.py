"""What earlier attempts of an item recorded, and the item that it replays. Guarantee: what was cut for the trace is not reused."""

from __future__ import annotations

import json
from typing import Any, Dict, Optional

from .item_lines import OpenStep
from .payload import is_cut


def canonical(value: Any) -> str:
    """One text for equal JSON values, whatever the order of their keys."""
    return json.dumps(value, sort_keys=True)


class Recordings:
    """The recordings that an item's line offers."""

    def __init__(self, line: Dict[str, Any]) -> None:
        self._recorded = {one["key"]: one for one in line.get("recorded") or ()}
        self._offered = {one["key"]: one for one in line.get("recorded_for_input") or ()}

    def of_key(self, key: str) -> Optional[Dict[str, Any]]:
        """What an earlier attempt recorded under a key."""
        recorded = self._recorded.get(key)
        return None if recorded is None or is_cut(recorded.get("output")) else recorded

    def for_input(self, step: OpenStep) -> Optional[Dict[str, Any]]:
        """What was recorded for a call with the same key and the same input."""
        offer = self._offered.get(step.key)
        if offer is None or step.input is None or is_cut(offer.get("input")) or is_cut(offer.get("output")):
            return None
        return offer if canonical(json.loads(step.input)) == canonical(offer.get("input")) else None
