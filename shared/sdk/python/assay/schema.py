"""The JSON Schema of a type, and values of it. Guarantee: what a value is checked by is the schema that is declared; a type that has
no schema is an error where the agent is declared."""

from __future__ import annotations

import collections.abc
import dataclasses
import datetime
import decimal
import enum
import json
import sys
import typing
import uuid
from typing import Any, Callable, List, Literal, Optional, Tuple, Union, get_args, get_origin

from .check import problems
from .kept import written


PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    None: {"type": "null"},
    dict: {"type": "object"},
    list: {"type": "array"},
    Any: {},
    object: {},
    decimal.Decimal: {"type": "string"},
    uuid.UUID: {"type": "string", "format": "uuid"},
    datetime.datetime: {"type": "string", "format": "date-time"},
    datetime.date: {"type": "string", "format": "date"},
    datetime.time: {"type": "string", "format": "time"},
}
PARSED: dict[Any, Callable[[str], Any]] = {
    decimal.Decimal: decimal.Decimal,
    uuid.UUID: uuid.UUID,
    datetime.datetime: lambda text: datetime.datetime.fromisoformat(text.replace("Z", "+00:00")),
    datetime.date: datetime.date.fromisoformat,
    datetime.time: datetime.time.fromisoformat,
}
UNIONS = (Union, getattr(__import__("types"), "UnionType", Union))
WRAPPERS = tuple(
    one
    for module in (typing, sys.modules.get("typing_extensions"))
    for name in ("Required", "NotRequired", "ReadOnly", "Final", "ClassVar")
    for one in [getattr(module, name, None)]
    if one is not None
)
ISSUES = 5


class NoSchema(Exception):
    """A type that no JSON Schema can be made from; the message says what to write instead."""


class Schema:
    """What values an agent takes, or returns.

    >>> @dataclasses.dataclass
    ... class Page:
    ...     text: str
    ...     pages: List[int] = dataclasses.field(default_factory=list)
    >>> schema = Schema(Page)
    >>> schema.json["required"], schema.read({"text": "a"}, "input")
    (['text'], (Page(text='a', pages=[]), None))
    >>> schema.read({"text": 5}, "input")[1]
    'input.text: must be a string, not an integer'
    """

    def __init__(self, given: Any) -> None:
        self.type = given
        self.is_model = _is_model(given)
        self.json: dict[str, Any] = _json_of(given)

    def read(self, value: Any, what: str) -> Tuple[Any, Optional[str]]:
        """A JSON value as the type has it, or what is wrong with it and where."""
        if self.is_model:
            try:
                return self.type.model_validate(value), None
            except Exception as error:
                return value, _model_problem(error, what)
        found = problems(value, self.json, what)
        if found:
            return value, "; ".join(found[:ISSUES])
        if isinstance(self.type, dict):
            return value, None
        try:
            return _made(self.type, value), None
        except (ValueError, TypeError, decimal.DecimalException) as error:
            return value, f"{what}: {error}"

    def problem_of(self, returned: Any, what: str) -> Optional[str]:
        """What is wrong with a value that an agent returned; None if it matches."""
        if self.is_model and isinstance(returned, self.type):
            return None
        return self.read(json.loads(written(returned, what, keeps_getters=False)), what)[1]


def _is_model(given: Any) -> bool:
    return isinstance(given, type) and all(hasattr(given, name) for name in ("model_json_schema", "model_validate"))


def _json_of(given: Any) -> dict[str, Any]:
    if isinstance(given, dict):
        return given
    if _is_model(given):
        made = given.model_json_schema()
        return dict(made)
    return _Maker().whole(given)


def _model_problem(error: Exception, what: str) -> str:
    errors: Any = getattr(error, "errors", None)
    if not callable(errors):
        return f"{what}: {error}"
    found: Any = errors()
    return "; ".join(f"{'.'.join([what, *map(str, one.get('loc', ()))])}: {one.get('msg', '')}" for one in found[:ISSUES])


def hints_of(given: Any, extras: bool = False) -> dict[str, Any]:
    """The types of a class's fields or of a function's parameters. Raises NoSchema for a name that is not there."""
    try:
        return typing.get_type_hints(given, include_extras=extras)
    except NameError as error:
        raise NoSchema(f"{error}: define it at the module's top, above the agent") from None
    except TypeError as error:
        raise NoSchema(f"{error}: Python {sys.version_info[0]}.{sys.version_info[1]} reads `X | None` as Optional[X]") from None


class _Maker:
    """Makes a schema; classes that contain themselves are references."""

    def __init__(self) -> None:
        self._defs: dict[str, Any] = {}
        self._open: List[Any] = []
        self._referred: set[str] = set()

    def whole(self, given: Any) -> dict[str, Any]:
        made = self.of(given)
        used = {name: one for name, one in self._defs.items() if name in self._referred}
        return {**made, "$defs": used} if used else made

    def of(self, given: Any) -> dict[str, Any]:
        try:
            if given in PLAIN:
                return dict(PLAIN[given])
        except TypeError:
            pass
        origin, args = get_origin(given), get_args(given)
        if hasattr(given, "__metadata__") or origin in WRAPPERS:
            return self.of(args[0])
        if origin in UNIONS:
            return {"anyOf": [self.of(one) for one in args]}
        if origin is Literal:
            return {"enum": list(args)}
        if origin is not None:
            return self._generic(given, origin, args)
        if isinstance(given, type):
            return self._class(given)
        if hasattr(given, "__supertype__"):  # a NewType
            return self.of(given.__supertype__)
        raise NoSchema(f"{_name(given)} has no JSON Schema: {INSTEAD}")

    def _generic(self, given: Any, origin: Any, args: Tuple[Any, ...]) -> dict[str, Any]:
        if origin is tuple:
            if len(args) == 2 and args[1] is Ellipsis:
                return {"type": "array", "items": self.of(args[0])}
            items = [self.of(one) for one in args]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        if origin in (list, collections.abc.Sequence, collections.abc.Iterable):
            return {"type": "array", "items": self.of(args[0])}
        if origin in (dict, collections.abc.Mapping, collections.abc.MutableMapping):
            if args[0] not in (str, Any):
                raise NoSchema(f"{_name(given)} has keys that are no texts: write dict[str, …]")
            return {"type": "object", "additionalProperties": self.of(args[1])}
        raise NoSchema(f"{_name(given)} has no JSON Schema: {INSTEAD}")

    def _class(self, given: type) -> dict[str, Any]:
        if _is_model(given):
            made: dict[str, Any] = dict(given.model_json_schema())  # type: ignore[attr-defined]
            self._defs.update(made.pop("$defs", {}))
            self._referred.update(self._defs)
            return made
        if issubclass(given, enum.Enum):
            return {"enum": [one.value for one in given]}
        if not (dataclasses.is_dataclass(given) or _is_typed_dict(given)):
            raise NoSchema(f"{given.__name__} has no JSON Schema: {INSTEAD}")
        if given in self._open:
            self._referred.add(given.__name__)
            return {"$ref": f"#/$defs/{given.__name__}"}
        self._open.append(given)
        made = self._object(given)
        self._open.pop()
        self._defs[given.__name__] = made
        return made

    def _object(self, given: Any) -> dict[str, Any]:
        hints = hints_of(given, extras=True)
        if _is_typed_dict(given):
            required = sorted(given.__required_keys__ - _not_required(given))
        else:
            fields = [one for one in dataclasses.fields(given) if one.init]
            hints = {one.name: hints[one.name] for one in fields}
            required = [one.name for one in fields if _has_no_default(one)]
        made: dict[str, Any] = {"type": "object", "title": given.__name__, "properties": {}}
        for name, one in hints.items():
            try:
                made["properties"][name] = self.of(one)
            except NoSchema as error:
                raise NoSchema(f"{given.__name__}.{name}: {error}") from None
        return {**made, "required": [name for name in hints if name in required]} if required else made


INSTEAD = "write a dataclass, a TypedDict, a pydantic model or a JSON Schema as a dict"


def _is_typed_dict(given: Any) -> bool:
    return isinstance(given, type) and issubclass(given, dict) and hasattr(given, "__required_keys__")


def _not_required(given: Any) -> set[str]:
    """Under `from __future__ import annotations` a TypedDict does not see its own NotRequired."""
    return {name for name, one in getattr(given, "__annotations__", {}).items() if "NotRequired[" in str(one)}


def _has_no_default(field: Any) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _name(given: Any) -> str:
    return str(given).replace("typing.", "")


def _made(given: Any, value: Any) -> Any:
    """A JSON value that matches the schema, as its type."""
    origin, args = get_origin(given), get_args(given)
    if hasattr(given, "__metadata__") or origin in WRAPPERS:
        return _made(args[0], value)
    if hasattr(given, "__supertype__"):
        return _made(given.__supertype__, value)
    if origin in UNIONS:
        return _made_of_union(args, value)
    if origin is tuple:
        of = (args[0],) * len(value) if args[-1] is Ellipsis else args
        return tuple(_made(one, part) for one, part in zip(of, value))
    if origin in (list, collections.abc.Sequence, collections.abc.Iterable):
        return [_made(args[0], one) for one in value]
    if origin in (dict, collections.abc.Mapping, collections.abc.MutableMapping):
        return {name: _made(args[1], one) for name, one in value.items()}
    if origin is not None or not isinstance(given, type):
        return value
    if given in PARSED:
        return PARSED[given](value)
    if _is_model(given):
        return given.model_validate(value)  # type: ignore[attr-defined]
    if issubclass(given, enum.Enum):
        return given(value)
    if given is float:
        return float(value)
    if not (dataclasses.is_dataclass(given) or _is_typed_dict(given)):
        return value
    hints = hints_of(given)
    made = {name: _made(hints[name], one) if name in hints else one for name, one in value.items()}
    return made if _is_typed_dict(given) else given(**{name: one for name, one in made.items() if name in hints})


def _made_of_union(args: Tuple[Any, ...], value: Any) -> Any:
    for one in args:
        if not problems(value, _json_of(one), ""):
            return _made(one, value)
    return value
