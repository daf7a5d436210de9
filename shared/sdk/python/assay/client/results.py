"""Results of a run. Guarantee: they are read as they are used, in bounded memory, each item once."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any, Dict, Iterator, Optional

from .errors import AssayError
from .operations import EXPORT_RESULTS
from .transport import Transport

if TYPE_CHECKING:
    import pandas  # type: ignore[import-not-found, import-untyped, unused-ignore] # pyright: ignore[reportMissingImports]
    import polars  # type: ignore[import-not-found, unused-ignore] # pyright: ignore[reportMissingImports]

ONLY = ("all", "ok", "not_ok")


class Results:
    """Each item once, as dicts with the keys of ``assay results``; iterate as often as you like.

    >>> run = Assay().submit("claims", [{"id": 1, "text": "theft"}, {"id": 2, "text": "flood"}], item_id="id", wait=True)
    >>> [(row["item_id"], row["outcome_status"], row["outcome_reason"]) for row in run.results(only="not_ok")]
    [('2', 'degraded', 'schema_mismatch')]
    >>> [row["output"] for row in run.results(only="ok", fields="item_id,output")]
    [{'label': 'theft'}]
    """

    def __init__(self, transport: Transport, run_id: str, only: str, fields: Optional[str]) -> None:
        if only not in ONLY:
            raise AssayError("invalid_setting", f"only is {only!r}", "it may be " + ", ".join(ONLY))
        self._transport = transport
        self._query = {"run_id": run_id, "only": only, "fields": fields, "format": "ndjson"}

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        for line in self._transport.lines(EXPORT_RESULTS()[1], self._query):
            yield json.loads(line)

    def to_pandas(self) -> pandas.DataFrame:
        """All of them as a DataFrame of pandas, which has to be installed."""
        found: pandas.DataFrame = import_module("pandas").DataFrame.from_records(list(self))
        return found

    def to_polars(self) -> polars.DataFrame:
        """All of them as a DataFrame of polars, which has to be installed."""
        found: polars.DataFrame = import_module("polars").DataFrame(list(self), infer_schema_length=None, strict=False)
        return found
