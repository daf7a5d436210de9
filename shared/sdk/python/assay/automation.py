"""The decorators `@schedule`, `@trigger` and `@items`. Guarantee: a deploy accepts what they declare; a mistake raises where it is
written, before anything is sent."""

from __future__ import annotations

import inspect
import json
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, TypedDict, TypeVar

from .agent import IS_GENERATOR, Registration, registration_above
from .cron import cron_problem, normal_cron, timezone_problem
from .errors import DecoratorTargetError, DecoratorValidationError
from .limits import MOST_SCHEDULES, MOST_TRIGGERS

Target = TypeVar("Target", bound=Callable[..., Any])

TRIGGER_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
SECRET_ENV = re.compile(r"[A-Z][A-Z0-9_]*")
SECRET_HEADER = re.compile(r"auth|cookie|key|secret|token", re.IGNORECASE)
FORMATS = ("ndjson", "csv", "json")
SOURCE_OPTIONS = ("url", "format", "headers", "generator", "item_id", "partition_key")


class Source(TypedDict, total=False):
    """Where the items of each start come from: a URL with its format, or the name of an `@items` generator.

    >>> source: Source = {"generator": "tickets", "item_id": "id"}
    """

    url: str
    format: str
    headers: Mapping[str, str]
    generator: str
    item_id: str
    partition_key: str


class Occurrence(TypedDict, total=False):
    """The start that a generator makes items for.

    >>> occurrence: Occurrence = {"scheduled_for": "2026-03-29T00:30:00.000Z", "timezone": "UTC", "date": "2026-03-29"}
    """

    scheduled_for: str
    timezone: str
    date: str
    body: Any


def schedule(
    cron: str, *, timezone: str = "UTC", source: Optional[Source] = None, results: Optional[Mapping[str, str]] = None
) -> Callable[[Target], Target]:
    """Starts a run of the agent at every time that the cron names: over `schedule_input`, or over the items of a source.

    It stands above `@agent`, once for each cron. A wall-clock time that a clock change skips does not fire; one that it repeats
    fires once.

    >>> from assay import Context, agent, declaration_of
    >>> @schedule("30 7 * * 1-5", timezone="Europe/Berlin")
    ... @agent(name="Digest", schedule_input={"hours": 24})
    ... def digest(ctx: Context, item: Dict[str, int]) -> int:
    ...     return item["hours"]
    >>> declaration_of(digest)["schedules"]
    [{'cron': '30 7 * * 1-5', 'timezone': 'Europe/Berlin'}]
    """
    _refuse("@schedule", "cron", cron, cron_problem)
    _refuse("@schedule", "timezone", timezone, timezone_problem)
    if results is not None and not _is_receiver(results):
        raise DecoratorValidationError("@schedule", "results", "must be {\"url\": …, \"format\": …}, with an http or https URL and one of csv, ndjson, json")

    def decorate(target: Target) -> Target:
        registration = registration_above("@schedule", target)
        declared: Dict[str, Any] = {"cron": normal_cron(cron), "timezone": timezone}
        if results is not None:
            declared["results"] = dict(results)
        if source is None:
            _check_schedule_input(registration, cron)
        else:
            declared["source"] = _source("@schedule", source, registration)
        _add("@schedule", "cron", registration.schedules, declared, MOST_SCHEDULES)
        return target

    return decorate


def trigger(
    name: str,
    *,
    secret_env: Optional[str] = None,
    items: bool = False,
    item_id: Optional[str] = None,
    partition_key: Optional[str] = None,
    source: Optional[Source] = None,
) -> Callable[[Target], Target]:
    """Lets others start the agent by HTTP: a POST to the trigger's URL starts a run, with the JSON body as its input.

    It stands above `@agent`, once for each name. The deploy that makes the trigger prints its URL and, only that once, its secret.

    >>> from assay import Context, agent, declaration_of
    >>> @trigger("orders", secret_env="ORDERS_SECRET")
    ... @agent(name="Order check")
    ... def check(ctx: Context, order: Dict[str, str]) -> bool:
    ...     return "number" in order
    >>> declaration_of(check)["triggers"]
    [{'name': 'orders', 'secret_env': 'ORDERS_SECRET'}]
    """
    _refuse("@trigger", "name", name, lambda text: None if TRIGGER_NAME.fullmatch(text) else f"it must match {TRIGGER_NAME.pattern}")
    if secret_env is not None:
        _refuse("@trigger", "secret_env", secret_env, lambda text: None if SECRET_ENV.fullmatch(text) else f"it must match {SECRET_ENV.pattern}")
    fields = {key: value for key, value in (("item_id", item_id), ("partition_key", partition_key)) if value is not None}
    if items and source is not None:
        raise DecoratorValidationError("@trigger", "items", "excludes source: items come from one of them")
    if fields and not items:
        raise DecoratorValidationError("@trigger", "item_id", "goes with items=True; a source has its own")

    def decorate(target: Target) -> Target:
        registration = registration_above("@trigger", target)
        declared: Dict[str, Any] = {"name": name}
        if secret_env is not None:
            declared["secret_env"] = secret_env
        if items:
            declared.update(items=True, **fields)
        if source is not None:
            declared["source"] = _source("@trigger", source, registration)
        _add("@trigger", "name", registration.triggers, declared, MOST_TRIGGERS)
        return target

    return decorate


def items(generator: Target) -> Target:
    """Makes a generator `(ctx, occurrence)` a source of items: each value that it yields is the input of one item.

    It stands on a method of an agent's class, or on a function that `@agent(items=[…])` names. No item starts before it has
    returned; if it raises, nothing is started, and it is called again from its start.

    >>> @items
    ... def tickets(ctx: "ItemsContext", occurrence: Occurrence):
    ...     yield {"ticket": 1, "day": occurrence["date"]}
    >>> next(tickets(None, {"date": "2026-03-29"}))
    {'ticket': 1, 'day': '2026-03-29'}
    """
    name = getattr(generator, "__name__", "")
    if not (inspect.isgeneratorfunction(generator) or inspect.isasyncgenfunction(generator)):
        raise DecoratorTargetError(f"@items stands on a generator: write `def {name or 'tickets'}(ctx, occurrence)` with a yield")
    if not TRIGGER_NAME.fullmatch(name):
        raise DecoratorValidationError("@items", "name", f"{name}: it must match {TRIGGER_NAME.pattern}")
    setattr(generator, IS_GENERATOR, True)
    return generator


def _refuse(decorator: str, field: str, value: Any, check: Callable[[str], Optional[str]]) -> None:
    problem = check(value) if isinstance(value, str) else "it must be a text"
    if problem:
        raise DecoratorValidationError(decorator, field, f"{json.dumps(value, default=str)}: {problem}")


def _is_receiver(results: Any) -> bool:
    is_url = isinstance(results, Mapping) and re.match(r"https?://[^/\s]+", str(results.get("url")))
    return bool(is_url) and results.get("format", "csv") in FORMATS and set(results) <= {"url", "format"}


def _add(decorator: str, key: str, declared: List[Dict[str, Any]], one: Dict[str, Any], most: int) -> None:
    """To the front: decorators run from the bottom up, so the last to run was written first."""
    if any(other[key] == one[key] for other in declared):
        raise DecoratorValidationError(decorator, key, f"{json.dumps(one[key])} stands on the agent twice")
    if len(declared) >= most:
        raise DecoratorValidationError(decorator, key, f"there are more than {most}")
    declared.insert(0, one)


def _check_schedule_input(registration: Registration, cron: str) -> None:
    given = registration.declaration.get("schedule_input")
    problem = registration.input.read(given, "input")[1] if registration.input else None
    if problem:
        what = "no schedule_input, so None" if given is None else "this input"
        raise DecoratorValidationError("@agent", "schedule_input", f'a fire of "{cron}" brings {what}, which the input schema refuses: {problem}')


def _source(decorator: str, source: Source, registration: Registration) -> Dict[str, Any]:
    problem = _source_problem(source, registration)
    if problem:
        raise DecoratorValidationError(decorator, "source", problem)
    return {key: dict(value) if isinstance(value, Mapping) else value for key, value in source.items()}


def _source_problem(source: Any, registration: Registration) -> Optional[str]:
    if not isinstance(source, Mapping):
        return 'must be a dict, such as {"generator": "tickets"}'
    unknown = next((key for key in source if key not in SOURCE_OPTIONS), None)
    if unknown:
        return f"{unknown} is not an option: there is {', '.join(SOURCE_OPTIONS)}"
    url, generator = source.get("url"), source.get("generator")
    if (url is None) == (generator is None):
        return "names either a url or a generator"
    if generator is not None:
        if "format" in source or "headers" in source:
            return "format and headers go with a url"
        known = ", ".join(registration.generators) or "none"
        return None if generator in registration.generators else f"{generator} is no generator of the agent: there is {known}"
    if not re.match(r"https?://[^/\s]+", str(url)):
        return f"url {json.dumps(url, default=str)} is no http or https URL"
    if source.get("format") not in FORMATS:
        return f"format must be one of {', '.join(FORMATS)}"
    for header, value in source.get("headers", {}).items():
        if SECRET_HEADER.search(header) and not re.search(r"\$[A-Za-z_]\w*", str(value)):
            return f'header {header} must name a variable of the environment, as in "Bearer $EXPORT_TOKEN": what stands in code is no secret'
    return None
