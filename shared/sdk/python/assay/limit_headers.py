"""What the headers of an answer say of limits, and of the moment from which another call may pass. Guarantee: a header that means
nothing, or something beyond 30 days, is left out."""

from __future__ import annotations

import email.utils
import re
import time
from typing import Any, Callable, Dict, List, Optional

Header = Callable[[str], Optional[str]]

MOST_MS = 30 * 24 * 3600 * 1000
MOST_LIMITS = 8
NUMBER = re.compile(r"\s*-?\d{1,16}(?:\.\d{1,20})?\s*")
PART = re.compile(r"\s?(\d{1,12}(?:\.\d{1,12})?) ?([a-z]{1,12})", re.IGNORECASE)
UNITS = {"ms": 1, "s": 1000, "sec": 1000, "second": 1000, "m": 60_000, "min": 60_000, "minute": 60_000, "h": 3_600_000, "hr": 3_600_000, "hour": 3_600_000, "d": 86_400_000, "day": 86_400_000}

# OpenAI, Azure, Groq, xAI, Fireworks; Anthropic; Mistral; OpenRouter, Together, GitHub, Envoy; what came before the standard.
NAMES = (
    ("requests", "x-ratelimit-*-requests"),
    ("tokens", "x-ratelimit-*-tokens"),
    ("tokens", "x-ratelimit-*-project-tokens"),
    ("requests", "anthropic-ratelimit-requests-*"),
    ("input_tokens", "anthropic-ratelimit-input-tokens-*"),
    ("output_tokens", "anthropic-ratelimit-output-tokens-*"),
    ("tokens", "anthropic-ratelimit-tokens-*"),
    ("input_tokens", "x-ratelimit-*-tokens-prompt"),
    ("output_tokens", "x-ratelimit-*-tokens-generated"),
    ("tokens", "ratelimitbysize-*"),
    ("requests", "x-ratelimit-*"),
    ("requests", "ratelimit-*"),
    ("tokens", "x-tokenlimit-*"),
)
WINDOWED = (("requests", "x-ratelimit-*-req"), ("requests", "x-ratelimit-*-requests"), ("tokens", "x-ratelimit-*-tokens"), ("tokens", "x-ratelimitbysize-*"), ("requests", "x-ratelimit-*"))
WINDOWS = {"second": 1, "10-second": 10, "minute": 60, "5-minute": 300, "hour": 3600, "day": 86_400, "month": 30 * 86_400}
ALL = [(of, star, None) for of, star in NAMES] + [
    (of, f"{star}-{window}", seconds * 1000) for of, star in WINDOWED for window, seconds in WINDOWS.items()
]


def number_in(text: Optional[str]) -> Optional[float]:
    return float(text) if text is not None and NUMBER.fullmatch(text) else None


def _bounded(ms: Optional[float]) -> Optional[int]:
    return None if ms is None or not 0 < ms <= MOST_MS else -int(-ms // 1)


def moment_in(text: Optional[str], now: float) -> Optional[int]:
    """Milliseconds until the moment that a header names: seconds, a duration, a time since 1970, or a date.

    >>> moment_in("2", 0.0), moment_in("6m0s", 0.0), moment_in("1774747800", 1774747790.0), moment_in("soon", 0.0)
    (2000, 360000, 10000, None)
    """
    if text is None or len(text) > 64:
        return None
    number = number_in(text)
    if number is not None:
        if number >= 1e12:
            return _bounded(number - now * 1000)
        return _bounded((number - now) * 1000 if number >= 1e9 else number * 1000)
    duration = _duration(text.strip())
    if duration is not None:
        return _bounded(duration)
    return _bounded(_until_date(text, now))


def _duration(text: str) -> Optional[float]:
    total: Optional[float] = None
    at = 0
    while True:
        match = PART.match(text, at)
        unit = match and (UNITS.get(match.group(2).lower()) or UNITS.get(match.group(2).lower().rstrip("s")))
        if match is None or not unit:
            return total
        total = (total or 0) + float(match.group(1)) * unit
        at = match.end()


def _until_date(text: str, now: float) -> Optional[float]:
    if not re.search(r"\d{4}", text):
        return None
    parsed = email.utils.parsedate_to_datetime(text) if "," in text else None
    if parsed is not None:
        return (parsed.timestamp() - now) * 1000
    match = re.match(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z?$", text.strip())
    if match is None:
        return None
    import calendar

    return (calendar.timegm(time.strptime(match.group(1), "%Y-%m-%dT%H:%M:%S")) - now) * 1000


IN_BODY = re.compile(
    r'"retryDelay"\s{0,8}:\s{0,8}"(?P<google>[^"]{1,32})'
    r"|\b(?:try again|retry|retry your request|wait|available again|resets?) (?:in|after|for)(?: about| approximately)? (?P<words>\d[^,;]{0,40})"
    r'|"(?:retry[_-]?after(?:[_-]?seconds)?|estimated_time)"\s{0,8}:\s{0,8}"?(?P<seconds>\d{1,12}(?:\.\d{1,12})?)',
    re.IGNORECASE,
)


def retry_after_ms(header: Header, body: str, now: float) -> Optional[int]:
    """The moment from which another call may pass: of a header, of the body, or of the limit of which nothing is left.

    >>> retry_after_ms({"retry-after": "7"}.get, "", 0.0), retry_after_ms({}.get, "Please try again in 1.2s.", 0.0)
    (7000, 1200)
    """
    found = _bounded(number_in(header("retry-after-ms"))) or moment_in(header("retry-after"), now)
    match = IN_BODY.search(body[: 16 * 1024]) if found is None else None
    if match is not None:
        seconds = match.group("seconds")
        found = _bounded(float(seconds) * 1000 if seconds else _duration(match.group("google") or match.group("words")))
    if found is not None:
        return found
    resets = [one["reset_ms"] for one in reported_limits(header, now) if one["left"] == 0 and one["reset_ms"]]
    return max(resets, default=None)


def reported_limits(header: Header, now: float) -> List[Dict[str, Any]]:
    """The limits that an answer's headers name, as the protocol has them.

    >>> headers = {"x-ratelimit-limit-requests": "500", "x-ratelimit-remaining-requests": "499", "x-ratelimit-reset-requests": "120ms"}
    >>> reported_limits(headers.get, 0.0)
    [{'of': 'requests', 'amount': 500, 'left': 499, 'reset_ms': 120, 'window_ms': None}]
    """
    found: List[Dict[str, Any]] = []
    for of, star, window_ms in ALL:
        left = number_in(header(star.replace("*", "remaining")))
        if left is None:
            continue
        amount = number_in(header(star.replace("*", "limit")))
        if left < 0 or (amount is not None and amount <= 0) or (amount is None and left == 0):
            continue  # Azure's 0 and -1, and other amounts that mean nothing
        reset = header(star.replace("*", "reset"))
        period = number_in(header(star.replace("*", "renewalperiod")))
        window = window_ms or (period and period * 1000)
        _add(found, of, amount, left, moment_in(re.sub(r"(\.\d{9})\d+", r"\1", reset) if reset else None, now), window)
    for one in _standard(header, now):
        _add(found, *one)
    return found[:MOST_LIMITS]


def _add(found: List[Dict[str, Any]], of: str, amount: Any, left: float, reset_ms: Any, window_ms: Any) -> None:
    if any(one["of"] == of and one["left"] == left and amount in (None, one["amount"]) for one in found):
        return
    whole = None if amount is None else int(amount)
    least = int(left) if whole is None else min(int(left), whole)
    found.append({"of": of, "amount": whole, "left": least, "reset_ms": reset_ms, "window_ms": window_ms and int(window_ms)})


STANDARD_UNITS = {"requests": "requests", "tokens": "tokens", "input-tokens": "input_tokens", "output-tokens": "output_tokens"}


def _standard(header: Header, now: float) -> List[Any]:
    """`RateLimit: "name";r=50;t=30` with `RateLimit-Policy: "name";q=100;w=60`, and the draft before it."""
    field = (header("ratelimit") or "")[:2000]
    policies = [_parameters(one) for one in (header("ratelimit-policy") or "")[:2000].split(",")]
    draft = dict(re.findall(r"\b(limit|remaining|reset)=(\d{1,12})", field))
    if "remaining" in draft:
        amount = number_in(draft.get("limit"))
        window = next((one.get("w") for one in policies if one.get("") == draft.get("limit")), None)
        return [("requests", amount, float(draft["remaining"]), moment_in(draft.get("reset"), now), window and float(window) * 1000)]
    found = []
    for text in field.split(",") if field else []:
        item = _parameters(text)
        read = {**next((one for one in policies if one.get("") == item.get("")), {}), **item}
        of = STANDARD_UNITS.get(read.get("qu", "tokens" if "token" in read.get("", "").lower() else "requests"))
        left = number_in(read.get("r"))
        if of and left is not None:
            window_s = number_in(read.get("w"))
            found.append((of, number_in(read.get("q")), left, moment_in(read.get("t"), now), window_s and window_s * 1000))
    return found


def _parameters(text: str) -> Dict[str, str]:
    name, *rest = text.split(";")
    pairs = (one.split("=", 1) for one in rest if "=" in one)
    return {"": name.strip().strip('"'), **{key.strip().lower(): value.strip().strip('"') for key, value in pairs}}
