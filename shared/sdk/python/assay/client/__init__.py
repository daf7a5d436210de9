"""Submit rows to Assay, wait for their run, read the results. Needs the standard library alone.

>>> def nightly(pages):
...     run = Assay().submit("claims", pages, item_id="id", budget="5.00", wait=True)
...     return run.results().to_pandas()
"""

from .async_client import AsyncAssay, AsyncRun
from .client import Assay
from .errors import ApiError, AssayError, InvalidRows
from .results import Results
from .run import Run

__all__ = ["ApiError", "Assay", "AssayError", "AsyncAssay", "AsyncRun", "InvalidRows", "Results", "Run"]
