"""Runs the pages of a file: first a pilot, then the rest within the budget, then what did not work once more. Killed and started again
on the same day, it goes on with the runs that are there."""

from __future__ import annotations

import sys
from datetime import date

from assay import ApiError, Assay


def main(path: str, budget: str) -> int:
    assay = Assay()
    pilot = assay.pilot("pages", path, items=20, item_id="page_id", budget=budget, idempotency_key=f"pages-{date.today()}")
    print(f"pilot {pilot.run.id}: {pilot.outlook['ok_share']:.0%} ok; the other {pilot.outlook['rows']} cost about ${pilot.outlook['cost_usd']:.2f}")
    run = pilot.go_on(wait=True)
    for cause in run.causes():
        print(f"{cause['count']:5}  {cause['title']}")
    try:
        plan = run.recover(dry_run=True, all=True)
    except ApiError as error:
        print(error)  # nothing to recover
    else:
        print(f"{plan.items} again, for at most ${plan.max_cost_usd or 0:.4f}, {plan.reused_steps} steps reused", *plan.warnings, sep="\n")
        if plan.items > 0:
            recovery = plan.go_on(budget="1.00", wait=True)
            print(f"{recovery.data['ok']} of {recovery.data['replayed']} work now")
    left = [row["item_id"] for one in (pilot.run, run) for row in one.results(only="not_ok", fields="item_id")]
    print(f"run {run.id}: {len(left)} of {pilot.run.total_items + run.total_items} pages for a person: assay triage")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "5.00"))
