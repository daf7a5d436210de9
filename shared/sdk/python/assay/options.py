"""The options of `@agent`. Guarantee: an agent that is declared has passed the checks of a deploy."""

from __future__ import annotations

import re
from typing import Any, Callable, Optional

from . import limits
from .errors import DecoratorValidationError
from .kept import written

Check = Callable[[Any], Optional[str]]

DECLARED_CHECKS = (
    "template_leak repeats cut_json fenced_json asks_back cannot_look_up placeholders echoes_prompt "
    "one_answer length_jump cost_jump"
).split()
LANGUAGES = "en de fr es it nl pl pt tr ru zh ja ko ar".split()
HOST = re.compile(
    r"(\*|\$[A-Za-z_][A-Za-z0-9_]*|[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?|\[[0-9a-f:]+\](:\d{1,5})?)", re.IGNORECASE
)
RATE = re.compile(r"[1-9]\d{0,12}/(s|min|h|d)")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LIMIT_EXAMPLE = '[{"host": "api.openai.com", "requests": "500/min"}]'
MOST_IN_FLIGHT = 100_000


def text(most: int) -> Check:
    return lambda value: (
        None if isinstance(value, str) and value.strip() and len(value) <= most else f"must be a text of 1 to {most} characters"
    )


def whole(least: int, most: Optional[int] = None) -> Check:
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"

    def check(value: Any) -> Optional[str]:
        fits = isinstance(value, int) and not isinstance(value, bool) and value >= least and (most is None or value <= most)
        return None if fits else f"must be a whole number {bounds}"

    return check


def one_of(*words: str) -> Check:
    return lambda value: None if value in words else f"must be one of {', '.join(words)}"


def boolean(value: Any) -> Optional[str]:
    return None if isinstance(value, bool) else "must be True or False"


def number(value: Any) -> Optional[str]:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return None if is_number and 0 <= value < float("inf") else "must be a number of cents, 0 or more"


def hosts(value: Any) -> Optional[str]:
    if not isinstance(value, (list, tuple)):
        return 'must be a list of hosts, such as ["api.openai.com"]'
    wrong = next((one for one in value if not isinstance(one, str) or HOST.fullmatch(one) is None), None)
    return wrong and f'"{wrong}" is not a host: write "host", "host:port", "$VARIABLE" or "*", without a scheme or path'


def checks(value: Any) -> Optional[str]:
    if isinstance(value, (list, tuple)) and all(one in DECLARED_CHECKS for one in value):
        return None
    return f"must be a list of {', '.join(DECLARED_CHECKS)}"


def models(value: Any) -> Optional[str]:
    named = text(limits.NAME_CHARACTERS)
    if isinstance(value, (list, tuple)) and len(value) <= limits.MOST_MODELS and not any(named(one) for one in value):
        return None
    return f'must be a list of at most {limits.MOST_MODELS} names of models, such as ["gpt-5-mini"]'


def named_limits(value: Any) -> Optional[str]:
    if not isinstance(value, (list, tuple)) or len(value) > limits.MOST_NAMED_LIMITS:
        return f"must be a list of at most {limits.MOST_NAMED_LIMITS}, such as {LIMIT_EXAMPLE}"
    seen = set()
    for at, one in enumerate(value):
        problem = _limit_problem(one)
        if problem:
            return f"[{at}]{problem}"
        place = (one["host"], one.get("credential"))
        if place in seen:
            return f"[{at}].host names {one['host']} a second time"
        seen.add(place)
    return None


def _limit_problem(one: Any) -> Optional[str]:
    if not isinstance(one, dict):
        return f" must be a dict, such as {LIMIT_EXAMPLE}"
    unknown = set(one) - {"host", "credential", "requests", "tokens", "in_flight"}
    if unknown:
        return f".{unknown.pop()} is no part of a limit: there are host, credential, requests, tokens and in_flight"
    if not isinstance(one.get("host"), str) or not re.fullmatch(r"[\x21-\x7e]+", one["host"]):
        return ".host must be a host, such as api.openai.com"
    credential = one.get("credential", "KEY")
    if not isinstance(credential, str) or not VARIABLE.fullmatch(credential):
        return ".credential must be the name of a variable of the environment, such as OPENAI_API_KEY"
    for part in ("requests", "tokens"):
        if part in one and not RATE.fullmatch(str(one[part])):
            return f".{part} must be a number and a unit, such as 500/min (units: s, min, h, d)"
    if "in_flight" in one and whole(1, MOST_IN_FLIGHT)(one["in_flight"]):
        return f".in_flight {whole(1, MOST_IN_FLIGHT)(one['in_flight'])}"
    if not {"requests", "tokens", "in_flight"} & set(one):
        return ".requests is missing: set at least one of requests, tokens and in_flight"
    return None


def json_input(value: Any) -> Optional[str]:
    try:
        size = len(written(value, "it", keeps_getters=False).encode())
    except TypeError as error:
        return str(error)
    return None if size <= limits.ITEM_INPUT_BYTES else f"must be at most {limits.ITEM_INPUT_BYTES} bytes of JSON"


OPTIONS: dict[str, Check] = {
    "name": text(limits.SLUG_CHARACTERS),
    "description": text(limits.DESCRIPTION_CHARACTERS),
    "item_budget_cents": number,
    "on_budget": one_of("fail", "pause"),
    "refusals": one_of("sure", "balanced", "off"),
    "checks": checks,
    "language": one_of(*LANGUAGES),
    "max_steps": whole(1, limits.MOST_STEPS),
    "concurrency": whole(1),
    "timeout_seconds": whole(1, limits.MOST_TIMEOUT_SECONDS),
    "step_seconds": whole(1, limits.MOST_TIMEOUT_SECONDS),
    "retries": whole(0, limits.MOST_RETRIES),
    "max_consecutive_failures": whole(1),
    "patience_seconds": whole(*limits.PATIENCE_SECONDS),
    "first_byte_seconds": whole(1, limits.MOST_TIMEOUT_SECONDS),
    "limits": named_limits,
    "wait": boolean,
    "network": hosts,
    "models": models,
    "schedule_input": json_input,
}


def checked(decorator: str, given: dict[str, Any], rules: dict[str, Check]) -> dict[str, Any]:
    """The options that are given, each of which has passed its check."""
    for name, value in given.items():
        if value is None:
            continue
        if name not in rules:
            raise DecoratorValidationError(decorator, name, f"is not an option: there are {', '.join(rules)}")
        problem = rules[name](value)
        if problem:
            raise DecoratorValidationError(decorator, name, problem)
    return {name: value for name, value in given.items() if value is not None}
