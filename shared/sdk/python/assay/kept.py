"""What a step returns. Guarantee: the first attempt gets what every later one gets, since both read the same JSON; the attributes
of a client's answer stay in place; and what JSON has no form for is an error that names it."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, NamedTuple, Optional

from . import forms
from .errors import UnkeptError, message_of
from .forms import AT, GETTERS, is_mark
from .mask import own_mask


class Kept(Dict[str, Any]):
    """An answer as every attempt gets it: its data as a `dict`, whose fields and properties are attributes too.

    >>> answer = Kept({"usageMetadata": Kept({"totalTokenCount": 7})})
    >>> answer["usageMetadata"]["totalTokenCount"], answer.usage_metadata.total_token_count
    (7, 7)
    >>> answer.model_dump() == {"usageMetadata": {"totalTokenCount": 7}}
    True
    """

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__"):
            return super().__getattribute__(name)
        if name in self:
            return self[name]
        return super().__getattribute__(name)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            getters = self.__dict__.get(GETTERS, {})
            if name in getters:
                return getters[name]
            for other in (_camel(name), name.rstrip("_")):
                if other in self:
                    return self[other]
        names = ", ".join([*self, *self.__dict__.get(GETTERS, {})])
        raise AttributeError(f"no attribute {name!r} was kept with the answer: there are {names}")

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """The data alone, as plain dicts."""
        return dict(_plain(self))

    def model_dump_json(self, **_: Any) -> str:
        """The data alone, as JSON."""
        return json.dumps(_plain(self), ensure_ascii=False)

    to_dict = model_dump


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in dict.items(value)}
    return [_plain(one) for one in value] if isinstance(value, list) else value


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


class KeptValue(NamedTuple):
    """A value as JSON text, and as it comes out of that."""

    text: str
    value: Any
    copy: Callable[[], Any]


def kept(value: Any, what: str) -> KeptValue:
    """Writes a value as JSON and reads it back; secrets of the environment are left out here.

    >>> kept((1, {"at": 2.5}), "it").value
    [1, {'at': 2.5}]
    """
    text = own_mask().json(written(value, what, keeps_getters=True))

    def copy() -> Any:
        return revived(json.loads(text))

    return KeptValue(text, copy(), copy)


def output_json(value: Any, what: str) -> str:
    """A value that is only written, such as an item's output: its data, without properties."""
    return own_mask().json(written(value, what, keeps_getters=False))


def written(value: Any, what: str, keeps_getters: bool) -> str:
    try:
        return dumps(forms.Writer(keeps_getters).data(value))
    except RecursionError:
        why = "it is nested too deeply"
    except forms.Unkept as unkept:
        why = str(unkept)
    except ValueError as error:
        why = message_of(error)
    raise UnkeptError(f"{what} cannot be written as JSON: {why}")


def dumps(value: Any) -> str:
    """JSON in UTF-8, with escapes only where a text has half a character."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text


def revived(value: Any, inside: bool = False) -> Any:
    """A recorded value as its step returns it; `inside` of a client's answer every object has attributes."""
    if isinstance(value, list):
        return [revived(one, inside) for one in value]
    if not isinstance(value, dict):
        return value
    getters = value.get(GETTERS)
    if not isinstance(getters, dict):
        getters = None
    is_kept = inside or getters is not None
    data = {
        (name[1:] if name.startswith("$$") and is_mark(name) else name): revived(one, is_kept)
        for name, one in value.items()
        if name != GETTERS or getters is None
    }
    if not is_kept:
        return data
    made = Kept(data)
    if getters:
        made.__dict__[GETTERS] = {name: _resolved(one, made) for name, one in getters.items()}
    return made


def _resolved(written: Any, root: Any) -> Any:
    if isinstance(written, list):
        return [_resolved(one, root) for one in written]
    if not isinstance(written, dict):
        return written
    path = written.get(AT)
    if not isinstance(path, list):
        return revived(written, True)
    part: Optional[Any] = root
    for step in path:
        try:
            part = part[step]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return None
    return part


