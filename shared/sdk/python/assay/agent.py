"""The decorator `@agent`, which makes an agent of a function or a class. Guarantee: what has a declaration has passed every check."""

from __future__ import annotations

import dataclasses
import inspect
import json
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, TypeVar, Union

from .context import AsyncContext, Context
from .errors import DecoratorTargetError, DecoratorValidationError
from .kept import written
from .limits import MOST_GENERATORS
from .options import OPTIONS, checked
from .schema import NoSchema, Schema, hints_of

Target = TypeVar("Target", bound=Callable[..., Any])
SchemaType = Union[type, Mapping[str, Any], Any]

REGISTRATION = "__assay_agent__"
IS_GENERATOR = "__assay_items__"


@dataclasses.dataclass
class Registration:
    """What is known about an agent."""

    name: str
    target: Any
    declaration: Dict[str, Any]
    is_async: bool
    input: Optional[Schema]
    output: Optional[Schema]
    generators: Dict[str, Callable[..., Any]]
    schedules: List[Dict[str, Any]] = dataclasses.field(default_factory=list)
    triggers: List[Dict[str, Any]] = dataclasses.field(default_factory=list)

    @property
    def is_class(self) -> bool:
        return inspect.isclass(self.target)

    def run(self, ctx: Any, item: Any) -> Any:
        """Runs the agent over an item; of an async one this is a coroutine."""
        return self.target().run(ctx, item) if self.is_class else self.target(ctx, item)

    def generator(self, name: str) -> Callable[..., Any]:
        """A generator of items, of an instance of its own."""
        return getattr(self.target(), name) if hasattr(self.target, name) and self.is_class else self.generators[name]


def agent(
    *,
    name: str,
    description: Optional[str] = None,
    input: Optional[SchemaType] = None,
    output: Optional[SchemaType] = None,
    items: Sequence[Callable[..., Any]] = (),
    item_budget_cents: Optional[float] = None,
    on_budget: Optional[str] = None,
    refusals: Optional[str] = None,
    checks: Optional[Sequence[str]] = None,
    language: Optional[str] = None,
    max_steps: Optional[int] = None,
    concurrency: Optional[int] = None,
    timeout_seconds: Optional[int] = None,
    step_seconds: Optional[int] = None,
    retries: Optional[int] = None,
    max_consecutive_failures: Optional[int] = None,
    patience_seconds: Optional[int] = None,
    first_byte_seconds: Optional[int] = None,
    limits: Optional[Sequence[Mapping[str, Any]]] = None,
    wait: Optional[bool] = None,
    network: Optional[Sequence[str]] = None,
    models: Optional[Sequence[str]] = None,
    schedule_input: Any = None,
) -> Callable[[Target], Target]:
    """Makes an agent of a function `(ctx, item)`, or of a class with such a method `run`; either may be async.

    Items run at the same time: functions in threads, async ones in one event loop, each on an instance of its own if the agent is
    a class. `input` and `output` are a pydantic model, a dataclass, a TypedDict or a JSON Schema; by default they are the
    annotations of the item and of the result, and an item without one is a dict.

    >>> @agent(name="Greeter", retries=2)
    ... def greet(ctx: Context, item: Dict[str, str]) -> Dict[str, str]:
    ...     return {"greeting": f"Hello, {item['name']}"}
    >>> declaration_of(greet)["name"]
    'Greeter'
    """
    given = {key: value for key, value in locals().items() if key not in ("input", "output", "items")}
    if not isinstance(name, str):
        raise DecoratorValidationError("@agent", "name", "is missing")
    declared = checked("@agent", given, OPTIONS)

    def decorate(target: Target) -> Target:
        _check_target(target)
        run: Any = getattr(target, "run", target)
        schemas = _schemas(run, input, output)
        generators = _generators(target, items)
        declaration = json.loads(written(declared, "the declaration", keeps_getters=False))
        if generators:
            declaration["generators"] = list(generators)
        registration = Registration(name, target, declaration, inspect.iscoroutinefunction(run), *schemas, generators)
        setattr(target, REGISTRATION, registration)
        return target

    return decorate


def _check_target(target: Any) -> None:
    if REGISTRATION in vars(target) if hasattr(target, "__dict__") else False:
        raise DecoratorTargetError(f"@agent stands on {target.__name__} twice")
    if isinstance(target, (staticmethod, classmethod)) or not callable(target):
        raise DecoratorTargetError(f"@agent stands on a function or a class, not on a {type(target).__name__}: write it at the module's top")
    run = getattr(target, "run", None) if inspect.isclass(target) else target
    if not callable(run):
        raise DecoratorValidationError("@agent", "run", f"class {target.__name__} needs a method run(self, ctx, item)")
    if inspect.isgeneratorfunction(run) or inspect.isasyncgenfunction(run):
        raise DecoratorTargetError(f"{target.__name__} yields: an agent returns its output, and what yields items is under @items")
    names = _parameters(run, inspect.isclass(target))
    if len(names) != 2:
        form = "run(self, ctx, item)" if inspect.isclass(target) else f"{target.__name__}(ctx, item)"
        raise DecoratorTargetError(f"@agent needs {form}, and {target.__name__} takes {len(names)} arguments")


def _parameters(run: Any, is_method: bool) -> List[str]:
    parameters = inspect.signature(run).parameters.values()
    names = [one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) and one.default is one.empty]
    return names[1:] if is_method else names


def _schemas(run: Any, input: Any, output: Any) -> "tuple[Optional[Schema], Optional[Schema]]":
    names = [one for one in inspect.signature(run).parameters if one != "self"]
    try:
        hints = hints_of(run) if input is None or output is None else {}
    except NoSchema as error:
        raise DecoratorValidationError("@agent", "input", str(error)) from None
    item, result = hints.get(names[1]), hints.get("return")
    if output is None and not _is_form(result):
        result = None  # an annotation that says little declares nothing
    return _schema("input", item if input is None else input), _schema("output", result if output is None else output)


def _is_form(given: Any) -> bool:
    is_class = isinstance(given, type) and given is not dict
    return is_class and (hasattr(given, "model_validate") or dataclasses.is_dataclass(given) or hasattr(given, "__required_keys__"))


def _schema(option: str, given: Any) -> Optional[Schema]:
    if given is None or given is Any or given is object or given is dict:
        return None
    try:
        return Schema(dict(given) if isinstance(given, Mapping) else given)
    except Exception as error:  # pydantic has errors of its own for types without a schema
        raise DecoratorValidationError("@agent", option, str(error).splitlines()[0]) from None


def _generators(target: Any, items: Sequence[Callable[..., Any]]) -> Dict[str, Callable[..., Any]]:
    found: Dict[str, Callable[..., Any]] = {}
    if inspect.isclass(target):
        found = {name: one for name, one in inspect.getmembers(target) if getattr(one, IS_GENERATOR, False)}
    for one in items:
        if not getattr(one, IS_GENERATOR, False):
            raise DecoratorValidationError("@agent", "items", f"{getattr(one, '__name__', one)!s} is no generator of items: put @items above it")
        found[one.__name__] = one
    if len(found) > MOST_GENERATORS:
        raise DecoratorValidationError("@items", "name", f"there are more than {MOST_GENERATORS}")
    return found


def registration_above(decorator: str, target: Any) -> Registration:
    """The registration to which a decorator above `@agent` adds; `@agent` has run by then."""
    registration = vars(target).get(REGISTRATION) if hasattr(target, "__dict__") else None
    if isinstance(registration, Registration):
        return registration
    name = getattr(target, "__name__", type(target).__name__)
    raise DecoratorTargetError(
        f'{decorator} stands above @agent(name="…"), and there is no @agent below it on {name}: decorators run from the bottom up, '
        "so write @agent right above the function or the class"
    )


def registration_of(target: Any) -> Registration:
    """What `@agent` stored about this function or class itself."""
    registration = vars(target).get(REGISTRATION) if hasattr(target, "__dict__") else None
    if isinstance(registration, Registration):
        return registration
    name = getattr(target, "__name__", type(target).__name__)
    raise DecoratorTargetError(f'{name} is not an agent: put @agent(name="…") above it')


def declaration_of(target: Any) -> Dict[str, Any]:
    """The declaration of an agent, in the format of a deployment.

    >>> @agent(name="Sizes", output={"type": "integer"})
    ... def size(ctx: Context, item: str) -> int:
    ...     return len(item)
    >>> declaration_of(size)
    {'name': 'Sizes', 'input_schema': {'type': 'string'}, 'output_schema': {'type': 'integer'}}
    """
    one = registration_of(target)
    return {
        **one.declaration,
        **({"input_schema": one.input.json} if one.input else {}),
        **({"output_schema": one.output.json} if one.output else {}),
        **({"schedules": one.schedules} if one.schedules else {}),
        **({"triggers": one.triggers} if one.triggers else {}),
    }


__all__ = ["AsyncContext", "Context", "agent", "declaration_of"]
