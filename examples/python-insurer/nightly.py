"""Runs the pages of a file: first a pilot, then the rest within the budget, then what did not work once more. Killed and started again
on the same day, it goes on with the runs that are there. It ends by itself: while a provider serves nobody, or limits all calls, items
wait for PATIENCE_S at most and fail then, and a wait ends after WAIT_S, though what it waited for goes on."""

from __future__ import annotations

import sys
from datetime import date

from assay import Assay, AssayError

PATIENCE_S = 2 * 3600
WAIT_S = 6 * 3600


def main(path: str, budget: str) -> int:
    key = f"pages-{date.today()}"
    pilot = Assay().pilot("pages", path, items=20, item_id="page_id", budget=budget, patience_seconds=PATIENCE_S, idempotency_key=key)
    print(f"pilot {pilot.run.id}: {pilot.outlook['ok_share']:.0%} ok; the other {pilot.outlook['rows']} cost about ${pilot.outlook['cost_usd']:.2f}")
    rest = pilot.go_on().wait(timeout_s=WAIT_S)
    runs = [pilot.run] if rest.id == pilot.run.id else [pilot.run, rest]  # a pilot that had all pages is the run
    for run in runs:
        for cause in run.causes():
            print(f"{cause['count']:5}  {cause['title']}")
        plan = run.recover(dry_run=True, all=True)
        if plan.items == 0:
            continue
        print(f"{plan.items} again, for at most ${plan.max_cost_usd or 0:.4f}, {plan.reused_steps} steps reused", *plan.warnings, sep="\n")
        recovery = plan.go_on(budget="1.00").wait(timeout_s=WAIT_S)
        print(f"{recovery.data['ok']} of {recovery.data['replayed']} work now")
    left = [row["item_id"] for run in runs for row in run.results(only="not_ok", fields="item_id")]
    print(f"run {rest.id}: {len(left)} of {sum(run.total_items for run in runs)} pages for a person: assay triage")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "5.00"))
    except AssayError as error:
        sys.exit(str(error))  # what it was, and what to do next
