"""Shows how far a run or a recovery is, while a program waits for it: a line of a terminal, a line of a notebook, nothing elsewhere."""

from __future__ import annotations

import shutil
import sys
from typing import Any, Callable, Dict, Optional

Show = Callable[[Dict[str, Any]], None]
Line = Callable[[Dict[str, Any]], str]


def line_of(run: Dict[str, Any]) -> str:
    """One line about a run.

    >>> line_of({"status": "running", "total_items": 6000, "completed": 1200, "degraded_count": 12, "failed": 3,
    ...          "budget_exceeded_count": 2, "cancelled": 0, "paused": 0, "cost_usd": 0.74, "unpriced_item_count": 0})
    'running: 1,203 of 6,000 items, 13 not ok, 2 over budget, $0.74'
    """
    ended = run["completed"] + run["failed"] + run["cancelled"]
    parts = [f"{ended:,} of {run['total_items']:,} items"]
    over = run["budget_exceeded_count"]  # among the failed ones, though they did not run
    wrong = run["degraded_count"] + run["failed"] - over
    if wrong:
        parts.append(f"{wrong:,} not ok")
    if over:
        parts.append(f"{over:,} over budget")
    if run["paused"]:
        parts.append(f"{run['paused']:,} paused")
    least = "at least " if run["unpriced_item_count"] else ""
    parts.append(f"{least}${run['cost_usd']:,.2f}")
    waits = run.get("waits_for")
    if waits:
        parts.append(f"waits for {waits['host']}: {waits['reason']}")
    return f"{run['status']}: {', '.join(parts)}"


def recovery_line(recovery: Dict[str, Any]) -> str:
    """One line about a recovery.

    >>> recovery_line({"status": "running", "eligible": 405, "ended": 120, "ok": 118, "paused": 0, "cost_usd": 0.05, "unpriced_item_count": 0})
    'recovery running: 120 of 405 items, 118 ok, $0.05'
    """
    if recovery.get("action", "replay") != "replay":
        return f"{recovery['action']} {recovery['status']}: {recovery['decided']:,} of {recovery['eligible']:,} items"
    least = "at least " if recovery["unpriced_item_count"] else ""
    held = f", {recovery['paused']:,} held" if recovery["paused"] else ""
    done = f"{recovery['ended']:,} of {recovery['eligible']:,} items, {recovery['ok']:,} ok{held}"
    return f"recovery {recovery['status']}: {done}, {least}${recovery['cost_usd']:,.2f}"


def shown(progress: Optional[bool], line: Line, is_over: Callable[[], bool]) -> Optional[Show]:
    """How progress is shown here; None if it is not. ``progress`` says yes or no; None leaves it to the place."""
    if progress is False:
        return None
    notebook = _in_notebook(line)
    if notebook is not None:
        return notebook
    if progress is None and not sys.stderr.isatty():
        return None
    return _in_terminal(line, is_over)


def _in_terminal(line: Line, is_over: Callable[[], bool]) -> Show:
    width = 0

    def show(found: Dict[str, Any]) -> None:
        nonlocal width
        text = line(found)
        if sys.stderr.isatty():  # a line that wraps is not drawn over
            text = text[: shutil.get_terminal_size().columns - 1]
        if sys.stderr.isatty():
            sys.stderr.write("\r" + text.ljust(width) + ("\n" if is_over() else ""))
        elif is_over():
            sys.stderr.write(text + "\n")
        sys.stderr.flush()
        width = len(text)

    return show


def _in_notebook(line: Line) -> Optional[Show]:
    """IPython is asked only where it runs already."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or type(shell).__name__ != "ZMQInteractiveShell":
        return None
    from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

    handle: Any = display({"text/plain": "…"}, raw=True, display_id=True)

    def show(found: Dict[str, Any]) -> None:
        handle.update({"text/plain": line(found)}, raw=True)

    return show
