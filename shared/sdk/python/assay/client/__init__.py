"""Submit rows to Assay, wait for their run, read the results. Needs the standard library alone.

>>> run = Assay().submit("claims", [{"id": 1, "text": "theft"}], item_id="id", budget="5.00", wait=True)
>>> run.status, run.outcome, len(list(run.results()))
('completed', 'ok', 1)
"""

from .async_client import AsyncAssay, AsyncPilot, AsyncRun
from .async_recovery import AsyncPlan, AsyncRecovery
from .client import Assay
from .diff import Diff
from .errors import ApiError, AssayError, InvalidRows
from .pilot import Pilot
from .recovery import Plan, Recovery
from .results import Results
from .run import Run

__all__ = [
    "ApiError", "Assay", "AssayError", "AsyncAssay", "AsyncPilot", "AsyncPlan", "AsyncRecovery", "AsyncRun", "Diff", "InvalidRows",
    "Pilot", "Plan", "Recovery", "Results", "Run",
]  # fmt: skip
