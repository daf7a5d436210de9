"""What people have as rows of a batch: iterables of dicts, DataFrames, files. Guarantee: a row is read once, in bounded
memory; a value that JSON cannot hold ends with an error that names its row, and a missing cell of a DataFrame is null."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import os
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import IO, Any, Callable, Iterable, Iterator, Mapping, Optional, Union
from uuid import UUID

from .errors import AssayError, InvalidRows

Rows = Union[Iterable[Mapping[str, Any]], str, "os.PathLike[str]", Any]
"""An iterable of dicts, a DataFrame of pandas or polars, or the path of a file (``.jsonl``, ``.ndjson``, ``.json``,
``.csv``, ``.tsv``, each also with ``.gz``; ``.parquet`` where pyarrow is installed)."""

CHUNK_ROWS = 5_000
"""Rows of a DataFrame that are dicts at the same time."""


def rows_of(rows: Rows) -> Iterator[Any]:
    """The rows, one by one.

    Raises:
        AssayError: ``invalid_rows`` for what has no rows, or a file of another kind.

    >>> list(rows_of([{"id": "a"}]))
    [{'id': 'a'}]
    """
    if isinstance(rows, (str, os.PathLike)):
        return _file_rows(Path(rows))
    if hasattr(rows, "iter_slices"):
        return _polars_rows(rows)
    if hasattr(rows, "iloc") and hasattr(rows, "columns"):
        return _pandas_rows(rows)
    if isinstance(rows, (Mapping, bytes)) or not hasattr(rows, "__iter__"):
        raise AssayError(
            "invalid_rows",
            f"rows is of type {type(rows).__name__}",
            "pass an iterable of dicts, a DataFrame, or the path of a file",
        )
    return iter(rows)


def line_of(row: Any, number: int, item_id: Optional[str], partition_key: Optional[str]) -> bytes:
    """The line of JSON that a row is sent as. ``item_id`` and ``partition_key`` name fields of it.

    >>> line_of({"id": 7, "text": "hi"}, 1, "id", None)
    b'{"input":{"id":7,"text":"hi"},"item_id":"7"}\\n'
    """
    item: dict[str, Any] = {"input": row}
    if item_id is not None:
        item["item_id"] = _name_in(row, item_id, number)
    if partition_key is not None:
        item["partition_key"] = _name_in(row, partition_key, number)
    try:
        text = json.dumps(item, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
        return text.encode() + b"\n"
    except RecursionError as error:
        raise InvalidRows(number, "is nested too deep, or holds itself") from error
    except (TypeError, ValueError) as error:  # UnicodeEncodeError of half a character is a ValueError
        raise InvalidRows(number, f"is no JSON: {error}") from error


def _name_in(row: Any, field: str, number: int) -> str:
    value = row.get(field) if isinstance(row, Mapping) else None
    value = _scalar(value)
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(row, Mapping) and field not in row:
        known = ", ".join(repr(name) for name in list(row)[:8])
        raise InvalidRows(number, f"has no field {field!r}", f"it has {known}")
    raise InvalidRows(
        number, f"has {value!r} in {field!r}", "a text or a whole number is needed; a column with gaps may have become float"
    )


def _plain(value: Any) -> Any:
    """JSON of what is none by itself, in the forms that DataFrames and databases give."""
    value = _scalar(value)
    if value is None or isinstance(value, (str, int, float, list, dict)):
        return value
    if isinstance(value, (datetime, date)) or type(value).__name__ == "Timestamp":
        return value.isoformat()
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return dict(value)
    dump: Optional[Callable[..., Any]] = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(mode="json")
    if hasattr(value, "tolist"):  # an array of numpy
        return value.tolist()
    raise TypeError(f"a value of type {type(value).__name__}")


def _decimal(value: Decimal) -> Union[int, float]:
    if value == value.to_integral_value():
        return int(value)
    if Decimal(repr(float(value))) != value:
        raise TypeError(f"the number {value} has more digits than a double: pass it as text")
    return float(value)


def _scalar(value: Any) -> Any:
    """A number of numpy as Python's; the marks of a missing value as None."""
    kind = type(value)
    if kind.__module__.split(".")[0] == "numpy" and getattr(value, "ndim", None) == 0 and kind.__name__ != "datetime64":
        value = value.item()
    return None if kind.__name__ in ("NAType", "NaTType") else value


def _pandas_rows(frame: Any) -> Iterator[Any]:
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        raise AssayError("invalid_rows", "two columns have the same name", "rename one of them")
    for start in range(0, len(frame), CHUNK_ROWS):
        for cells in frame.iloc[start : start + CHUNK_ROWS].itertuples(index=False, name=None):
            yield {name: None if _is_gap(cell) else cell for name, cell in zip(names, cells)}


def _is_gap(cell: Any) -> bool:
    return (isinstance(cell, float) and math.isnan(cell)) or type(cell).__name__ in ("NAType", "NaTType")


def _polars_rows(frame: Any) -> Iterator[Any]:
    for part in frame.iter_slices(CHUNK_ROWS):
        for row in part.iter_rows(named=True):
            yield {name: None if _is_gap(cell) else cell for name, cell in row.items()}


def _file_rows(path: Path) -> Iterator[Any]:
    name = path.name.lower()
    ending = Path(name[:-3] if name.endswith(".gz") else name).suffix
    if ending == ".parquet":
        return _parquet(path)
    if ending == ".xlsx":
        raise AssayError("invalid_rows", f"{path} is a workbook", "pass pandas.read_excel(path)")
    readers = {".jsonl": _json_lines, ".ndjson": _json_lines, ".json": _json_array, ".csv": _csv, ".tsv": _tsv}
    if ending not in readers:
        known = ", ".join(readers)
        raise AssayError("invalid_rows", f"{path} is no file of rows by its name", f"it may end in {known}, and .gz")
    if not path.is_file():
        raise AssayError("invalid_rows", f"there is no file {path}", "nothing was submitted")
    return _read(path, readers[ending], name.endswith(".gz"))


def _parquet(path: Path) -> Iterator[Any]:
    try:
        from pyarrow.parquet import ParquetFile  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        raise AssayError("invalid_rows", f"{path} is a Parquet file", "install pyarrow, which reads them") from error
    with ParquetFile(path) as file:
        for batch in file.iter_batches(CHUNK_ROWS):
            yield from batch.to_pylist()


def _read(path: Path, reader: Callable[[IO[str]], Iterator[Any]], is_packed: bool) -> Iterator[Any]:
    raw: IO[bytes] = gzip.open(path, "rb") if is_packed else open(path, "rb")  # type: ignore[assignment]
    with io.TextIOWrapper(raw, encoding="utf-8-sig", newline="") as file:
        try:
            yield from reader(file)
        except UnicodeDecodeError as error:
            raise AssayError("invalid_rows", f"{path} is not UTF-8: {error}", "nothing was submitted") from error
        except (OSError, EOFError, csv.Error) as error:
            raise AssayError("invalid_rows", f"{path} cannot be read: {error}", "nothing was submitted") from error


def _json_lines(file: IO[str]) -> Iterator[Any]:
    for number, line in enumerate(file, 1):
        if line.strip():
            yield _json(line, f"line {number}")


def _json_array(file: IO[str]) -> Iterator[Any]:
    value = _json(file.read(), "the file")
    if not isinstance(value, list):
        raise AssayError("invalid_rows", f"{getattr(file, 'name', 'the file')} is no array of rows", "nothing was submitted")
    yield from value


def _json(text: str, where: str) -> Any:
    def refuse(word: str) -> None:
        raise ValueError(f"{word} is no number of JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except ValueError as error:
        raise AssayError("invalid_rows", f"{where} is no JSON: {error}", "nothing was submitted") from error


def _csv(file: IO[str], delimiter: str = ",") -> Iterator[Any]:
    csv.field_size_limit(2**24)
    reader = csv.DictReader(file, delimiter=delimiter, strict=True)
    for number, row in enumerate(reader, 1):
        if None in row or None in row.values():
            raise InvalidRows(number, f"does not have the {len(reader.fieldnames or [])} columns of the header")
        yield row


def _tsv(file: IO[str]) -> Iterator[Any]:
    return _csv(file, "\t")
