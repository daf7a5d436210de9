"""Checks a JSON value by a JSON Schema. Guarantee: what is found names the place; a keyword that is not known refuses nothing, since
the server checks the declared schema too."""

from __future__ import annotations

import json
import operator
import re
from typing import Any, Callable, Iterator, List, Optional

MOST_PROBLEMS = 20
MOST_DEPTH = 100
SHOWN = 60

TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: not isinstance(value, bool)
    and (isinstance(value, int) or (isinstance(value, float) and value.is_integer())),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
}
NAMED = {"string": "a string", "integer": "an integer", "number": "a number", "boolean": "true or false", "null": "null", "object": "an object", "array": "a list"}


def problems(value: Any, schema: Any, what: str) -> List[str]:
    """What is wrong with a value, each with its place.

    >>> problems({"label": 42}, {"properties": {"label": {"enum": ["a", "b"]}}}, "output")
    ['output.label: must be one of "a", "b", not 42']
    >>> problems([1, "2"], {"items": {"type": "integer"}}, "it")
    ['it.1: must be an integer, not a string']
    """
    found: List[str] = []
    for one in _Check(schema).of(value, schema, what, 0):
        found.append(one)
        if len(found) >= MOST_PROBLEMS:
            break
    return found


class _Check:
    def __init__(self, root: Any) -> None:
        self._root = root

    def of(self, value: Any, schema: Any, at: str, depth: int) -> Iterator[str]:
        if schema is False:
            yield f"{at}: nothing is allowed here"
        if not isinstance(schema, dict) or depth > MOST_DEPTH:
            return
        if "$ref" in schema:
            yield from self.of(value, self._referred(schema["$ref"]), at, depth + 1)
        wrong = _wrong_type(value, schema.get("type"))
        if wrong:
            yield f"{at}: {wrong}"
            return
        yield from (f"{at}: {one}" for one in _own(value, schema))
        yield from self._combined(value, schema, at, depth)
        if isinstance(value, dict):
            yield from self._object(value, schema, at, depth)
        if isinstance(value, list):
            yield from self._list(value, schema, at, depth)

    def _referred(self, ref: Any) -> Any:
        one: Any = self._root
        if not isinstance(ref, str) or not ref.startswith("#"):
            return None
        for part in ref.split("/")[1:]:
            part = part.replace("~1", "/").replace("~0", "~")
            one = one.get(part) if isinstance(one, dict) else None
        return one

    def _fits(self, value: Any, schema: Any, depth: int) -> bool:
        return next(self.of(value, schema, "", depth + 1), None) is None

    def _combined(self, value: Any, schema: dict[str, Any], at: str, depth: int) -> Iterator[str]:
        for one in schema.get("allOf", ()):
            yield from self.of(value, one, at, depth + 1)
        any_of = schema.get("anyOf")
        if any_of and not any(self._fits(value, one, depth) for one in any_of):
            yield f"{at}: {_none_of(any_of, value)}"
        one_of = schema.get("oneOf")
        if one_of and sum(self._fits(value, one, depth) for one in one_of) != 1:
            yield f"{at}: must match one of {len(one_of)} forms, and only one"
        if "not" in schema and self._fits(value, schema["not"], depth):
            yield f"{at}: is what must not be"

    def _object(self, value: dict[str, Any], schema: dict[str, Any], at: str, depth: int) -> Iterator[str]:
        for name in schema.get("required", ()):
            if name not in value:
                yield f"{at}.{name}: is missing"
        properties = schema.get("properties", {})
        patterns = schema.get("patternProperties", {})
        more = schema.get("additionalProperties")
        for name, one in value.items():
            place = f"{at}.{name}"
            matching = [of for pattern, of in patterns.items() if re.search(pattern, name)]
            for of in ([properties[name]] if name in properties else []) + matching:
                yield from self.of(one, of, place, depth + 1)
            if name in properties or matching or more is None:
                continue
            if more is False:
                yield f"{place}: is not a field: there are {', '.join(properties) or 'none'}"
            else:
                yield from self.of(one, more, place, depth + 1)

    def _list(self, value: List[Any], schema: dict[str, Any], at: str, depth: int) -> Iterator[str]:
        first = schema.get("prefixItems", [])
        for index, one in enumerate(value):
            of = first[index] if index < len(first) else schema.get("items")
            yield from self.of(one, of, f"{at}.{index}", depth + 1)


def _wrong_type(value: Any, wanted: Any) -> Optional[str]:
    names = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(names, list) or any(name not in TYPES or TYPES[name](value) for name in names):
        return None
    return f"must be {' or '.join(NAMED[name] for name in names)}, not {_kind(value)}"


def _kind(value: Any) -> str:
    return next((NAMED[name] for name in TYPES if name != "number" and TYPES[name](value)), "a number")


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _none_of(forms: List[Any], value: Any) -> str:
    names = [NAMED.get(str(one.get("type"))) for one in forms if isinstance(one, dict)]
    if names and None not in names:
        return f"must be {' or '.join(map(str, names))}, not {_kind(value)}"
    return f"matches none of {len(forms)} forms"


def _own(value: Any, schema: dict[str, Any]) -> Iterator[str]:
    if "enum" in schema and not any(_same(value, one) for one in schema["enum"]):
        yield f"must be one of {', '.join(_shown(one) for one in schema['enum'])}, not {_shown(value)}"
    if "const" in schema and not _same(value, schema["const"]):
        yield f"must be {_shown(schema['const'])}, not {_shown(value)}"
    if isinstance(value, str):
        yield from _bounds(len(value), schema, "Length", "characters")
        pattern = schema.get("pattern")
        if isinstance(pattern, str) and re.search(pattern, value) is None:
            yield f"must match {pattern}"
    if isinstance(value, list):
        yield from _bounds(len(value), schema, "Items", "entries")
    if isinstance(value, dict):
        yield from _bounds(len(value), schema, "Properties", "fields")
    if TYPES["number"](value):
        yield from _number(value, schema)


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _bounds(count: int, schema: dict[str, Any], of: str, named: str) -> Iterator[str]:
    least, most = schema.get(f"min{of}"), schema.get(f"max{of}")
    if isinstance(least, int) and count < least:
        yield f"must have at least {least} {named}, and has {count}"
    if isinstance(most, int) and count > most:
        yield f"must have at most {most} {named}, and has {count}"


NUMBERS = (
    ("minimum", operator.ge, "at least"),
    ("maximum", operator.le, "at most"),
    ("exclusiveMinimum", operator.gt, "more than"),
    ("exclusiveMaximum", operator.lt, "less than"),
)


def _number(value: Any, schema: dict[str, Any]) -> Iterator[str]:
    for keyword, fits, words in NUMBERS:
        bound = schema.get(keyword)
        if isinstance(bound, (int, float)) and not isinstance(bound, bool) and not fits(value, bound):
            yield f"must be {words} {bound}, not {value}"
    step = schema.get("multipleOf")
    if isinstance(step, (int, float)) and step > 0 and abs(value / step - round(value / step)) > 1e-9:
        yield f"must be a multiple of {step}, not {value}"
