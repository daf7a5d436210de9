"""What becomes of a value of any class when it is kept as JSON. Guarantee: a value that has no form in JSON raises `Unkept`, with
its place and what to return instead."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import enum
import functools
import math
import os
import uuid
import warnings
from typing import Any, Hashable, Iterator, Optional, Tuple, Union

GETTERS = "$getters"
AT = "$at"
MARKS = ("getters", "at", "lost")
LONG = 64  # shorter texts are written twice rather than as a place

Path = Tuple[Union[str, int], ...]


def is_mark(name: str) -> bool:
    """Data with such a name have one more `$` in front of it while they are written."""
    return name.startswith("$") and name.lstrip("$") in MARKS


class Unkept(Exception):
    """A value that JSON has no form for."""

    def __init__(self, path: Path, words: str) -> None:
        place = "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in path).lstrip(".")
        super().__init__(f"{place or 'it'} is {words}")


INSTEAD = {
    "set": "a set; return a list, sorted(values)",
    "frozenset": "a frozenset; return a list, sorted(values)",
    "bytes": 'bytes; return their text, or base64.b64encode(data).decode()',
    "bytearray": 'bytes; return their text, or base64.b64encode(bytes(data)).decode()',
    "memoryview": 'bytes; return their text, or base64.b64encode(data).decode()',
    "generator": "a generator; return a list, list(values)",
    "async_generator": "an async generator; read it to its end, and return a list",
    "coroutine": "a coroutine that nobody awaited; write `async def` for the agent, and await it",
    "DataFrame": 'a DataFrame; return its rows, df.to_dict("records") or df.to_dicts()',
    "Series": "a Series; return a list, series.tolist()",
    "Response": "a Response; return what it holds, response.json()",
    "complex": "a complex number; return its parts",
    "range": "a range; return a list, list(values)",
    "module": "a module",
}


class Writer:
    """Makes the data of a value: plain dicts, lists, texts and numbers."""

    def __init__(self, keeps_getters: bool) -> None:
        self._keeps = keeps_getters
        self._above: set[int] = set()
        self._inside = 0

    def data(self, value: Any, path: Path = ()) -> Any:
        kind = type(value)
        if value is None or kind is str or kind is int or kind is bool:
            return value
        if kind is float:
            return value if math.isfinite(value) else None
        if id(value) in self._above:
            raise Unkept(path, "a part of itself: a circular structure")
        self._above.add(id(value))
        try:
            return self._compound(value, path)
        finally:
            self._above.discard(id(value))

    def _compound(self, value: Any, path: Path) -> Any:
        if isinstance(value, dict):
            return self._dict(value, path)
        names = getattr(value, "_fields", None)
        if isinstance(value, tuple) and names is not None:
            return self._instance(value, dict(zip(names, value)), {}, path)
        if isinstance(value, (list, tuple)):
            return [self.data(one, (*path, at)) for at, one in enumerate(value)]
        plain = scalar(value)
        if plain is not NO_SCALAR:
            return self.data(plain, path)
        if isinstance(value, bytes) and self._inside:
            return base64.b64encode(value).decode()
        fields = fields_of(value)
        if fields is None:
            raise Unkept(path, words_of(value))
        return self._instance(value, *fields, path)

    def _dict(self, value: dict[Any, Any], path: Path) -> Any:
        getters = value.__dict__.get(GETTERS) if hasattr(value, "__dict__") else None
        names = [_name(name, path) for name in value]
        data = {
            (f"${name}" if self._keeps and is_mark(name) else name): self.data(one, (*path, name))
            for name, one in zip(names, dict.values(value))
        }
        if self._keeps and type(value).__name__ == "Kept":
            data[GETTERS] = self.data(getters or {}, path)
        return data

    def _instance(self, value: Any, fields: dict[str, Any], unset: dict[str, Any], path: Path) -> Any:
        is_outmost = self._inside == 0
        self._inside += 1
        try:
            data = {
                (f"${name}" if self._keeps and is_mark(name) else name): self.data(one, (*path, name))
                for name, one in fields.items()
            }
            if self._keeps:
                getters = dict(self._getters(value, data, unset, path))
                if getters or is_outmost:
                    data[GETTERS] = getters
            return data
        finally:
            self._inside -= 1

    def _getters(self, value: Any, data: dict[str, Any], unset: dict[str, Any], path: Path) -> Iterator[tuple[str, Any]]:
        yield from unset.items()
        for name in property_names(_class(value)):
            if name in data or name in unset:
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    got = self.data(getattr(value, name), (*path, name))
            except Exception:  # a property that raises, or whose value has no form, is not there later either
                continue
            place = place_of(got, data) if isinstance(got, str) and len(got) >= LONG else None
            yield name, got if place is None else {AT: list(place)}


def _name(name: Any, path: Path) -> str:
    if isinstance(name, str):
        return str(name.value) if isinstance(name, enum.Enum) else name
    if isinstance(name, bool) or name is None:
        return {True: "true", False: "false", None: "null"}[name]
    if isinstance(name, (int, float)):
        return str(name)
    if isinstance(name, (uuid.UUID, datetime.date, enum.Enum)):
        return str(scalar(name))
    raise Unkept(path, f"a dict with the key {name!r}; make its keys texts")


NO_SCALAR = object()


def scalar(value: Any) -> Any:
    """What becomes of values of the standard library, and of NumPy, that are one text, one number or one list of them."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (str, int, float)):
        return str(value) if isinstance(value, str) else int(value) if isinstance(value, int) else float(value)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, (decimal.Decimal, uuid.UUID)):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if type(value).__module__.partition(".")[0] == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    return NO_SCALAR


Fields = Tuple["dict[str, Any]", "dict[str, Any]"]


def fields_of(value: Any) -> Optional[Fields]:
    """The fields of an instance, and those that were not set; None if it holds nothing."""
    kind = type(value)
    if isinstance(value, type):
        return None
    if isinstance(getattr(kind, "model_fields", None), dict) and hasattr(kind, "model_validate"):
        return _pydantic(value)
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}, {}
    if kind.__name__ in INSTEAD:
        return None
    if isinstance(value, BaseException):
        return {"name": kind.__name__, "message": str(value)}, {}
    attributes: Any = getattr(kind, "__attrs_attrs__", None) or getattr(kind, "__slots__", ())
    if hasattr(kind, "to_dict") and hasattr(kind, "pb"):  # Google's proto-plus
        return dict(kind.to_dict(value)), {}
    names = [getattr(one, "name", one) for one in ([attributes] if isinstance(attributes, str) else attributes)]
    own = {**{name: getattr(value, name) for name in names if hasattr(value, name)}, **getattr(value, "__dict__", {})}
    if callable(value) and not own:
        return None
    data = {name: one for name, one in own.items() if not name.startswith("_") and not callable(one)}
    return (data, {}) if data or property_names(_class(value)) else None


def _pydantic(value: Any) -> Fields:
    data: dict[str, Any] = {}
    unset: dict[str, Any] = {}
    given: "set[str]" = getattr(value, "model_fields_set", set())
    for name, field in type(value).model_fields.items():
        one = getattr(value, name, None)
        if field.exclude:
            continue
        alias = field.serialization_alias or field.alias or name
        # A client sends back what a provider sent, and no field that it did not.
        if one is None and name not in given:
            unset[name] = None
        else:
            data[alias] = one
    data.update(getattr(value, "model_extra", None) or {})
    return data, unset


def _class(value: Any) -> Any:
    return type(value)


@functools.lru_cache(maxsize=1000)
def property_names(kind: Hashable) -> tuple[str, ...]:
    """The public properties of a class and of those that it extends, but for those of pydantic itself."""
    names: dict[str, None] = {}
    for one in getattr(kind, "__mro__", ()):
        if one is object or one.__module__.partition(".")[0] in ("pydantic", "builtins", "botocore"):
            continue
        for name, member in vars(one).items():
            if isinstance(member, (property, functools.cached_property)) and (name == "_request_id" or not name.startswith("_")):
                names[name] = None
    return tuple(names)


def words_of(value: Any) -> str:
    """What a value without a form is, and what to return instead."""
    name = type(value).__name__
    if name in INSTEAD:
        return INSTEAD[name]
    if callable(value):
        return "a function, which does not outlast its attempt"
    if hasattr(value, "__next__") or hasattr(value, "__anext__"):
        return f"an iterator ({name}); read it to its end, and return a list"
    return f"an instance of {name} without any data; return the data that is needed later"


def place_of(text: str, data: Any, path: Path = ()) -> Optional[Path]:
    """Where a text stands in an instance's data."""
    entries = data.items() if isinstance(data, dict) else enumerate(data)
    for name, one in entries:
        if name == GETTERS:
            continue
        if one == text:
            return (*path, name)
        found = place_of(text, one, (*path, name)) if isinstance(one, (dict, list)) else None
        if found is not None:
            return found
    return None
