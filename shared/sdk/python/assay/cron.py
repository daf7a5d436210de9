"""Checks crons and zones of schedules. Guarantee: a deploy takes what passes here, and says of the rest which field is wrong."""

from __future__ import annotations

import json
import re
from typing import Dict, List, Optional, Tuple

from .limits import CRON_CHARACTERS

FIELDS: Tuple[Tuple[str, int, int, Dict[str, int]], ...] = (
    ("minute", 0, 59, {}),
    ("hour", 0, 23, {}),
    ("day of the month", 1, 31, {}),
    ("month", 1, 12, {name: at for at, name in enumerate("JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(), 1)}),
    ("day of the week", 0, 7, {name: at for at, name in enumerate("SUN MON TUE WED THU FRI SAT".split())}),
)
FIVE = "write five fields: minute, hour, day of the month, month, day of the week"
NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
ITEM = re.compile(r"(?:(\*)|(\w+)(?:-(\w+))?)(?:/(\d{1,3}))?")


def normal_cron(text: str) -> str:
    """The expression with one blank between its fields, in which form it is unique among an agent's schedules."""
    return " ".join(text.split())


def cron_problem(text: str) -> Optional[str]:
    """What is wrong with a cron, with what to write instead; None if nothing is.

    >>> cron_problem("30 7 * * 1-5"), cron_problem("@daily")
    (None, '"@daily" is a nickname: write "0 0 * * *"')
    """
    if len(text) > CRON_CHARACTERS:
        return f"is longer than {CRON_CHARACTERS} characters"
    if re.match(r"\s*(CRON_)?TZ=", text, re.IGNORECASE):
        return 'begins with a zone: give the zone as timezone="…" beside the cron'
    normal = normal_cron(text)
    if normal.startswith("@"):
        fields = NICKNAMES.get(normal.lower())
        return f'{json.dumps(normal)} is a nickname: {f"write {json.dumps(fields)}" if fields else FIVE}'
    parts = normal.split(" ") if normal else []
    if len(parts) == 6:
        return "has six fields: leave out the seconds in front, or the year at the end"
    if len(parts) != 5:
        return f"has {len(parts)} field{'' if len(parts) == 1 else 's'}: {FIVE}"
    values: List[List[int]] = []
    for at, part in enumerate(parts):
        found: List[int] = []
        for item in part.split(","):
            problem = _item_problem(at, item, found)
            if problem:
                return problem
        values.append(found)
    comes = any(day <= DAYS[month - 1] for month in values[3] for day in values[2])
    is_any_weekday = re.fullmatch(r"\*(/0*1)?", parts[4]) is not None
    return None if comes or not is_any_weekday else f"never comes: no month that it names has a day {parts[2]}"


def _item_problem(at: int, item: str, found: List[int]) -> Optional[str]:
    name, least, most, names = FIELDS[at]
    words = f"from {least} to {most}{f', or {list(names)[0]} to {list(names)[-1]}' if names else ''}"
    match = ITEM.fullmatch(item)
    if match is None:
        return f"the {name} {json.dumps(item)} is none of *, a value, a range and a step: it goes {words}"
    star, first, last, step = match.groups()
    if step is not None and not 1 <= int(step) <= most - least:
        return f"the step of the {name} {json.dumps(item)} goes from 1 to {most - least}"
    if star:
        found.extend(range(least, most + 1, int(step or 1)))
        return None
    ends = [_value(one, names) for one in (first, last) if one is not None]
    if any(one is None or not least <= one <= most for one in ends):
        return f"the {name} {json.dumps(item)} goes {words}"
    if step is not None and last is None:
        return f"the {name} {json.dumps(item)} is a step after a single value: write {first}-{most}/{step}"
    low, high = int(ends[0] or 0), int(ends[-1] or 0)
    if low > high:
        return f"the range {json.dumps(item)} of the {name} runs backwards: write it as two"
    found.extend(range(low, high + 1, int(step or 1)))
    return None


def _value(text: str, names: "dict[str, int]") -> Optional[int]:
    return names.get(text.upper()) if not text.isdigit() else int(text) if len(text) <= 2 else None


INSTEAD = "give an IANA name such as Europe/Berlin, or UTC"


def timezone_problem(name: str) -> Optional[str]:
    """What is wrong with a zone; None if nothing is.

    >>> timezone_problem("Europe/Berlin"), timezone_problem("Local")
    (None, '"Local" says nothing, since a service runs in many places: give an IANA name such as Europe/Berlin, or UTC')
    """
    if name == "UTC":
        return None
    if name.lower() in ("local", "localtime"):
        return f"{json.dumps(name)} says nothing, since a service runs in many places: {INSTEAD}"
    if re.match(r"[+-]\d|(UTC|GMT)[+-]", name, re.IGNORECASE):
        return f"{json.dumps(name)} is an offset, and zones change theirs: {INSTEAD}"
    import zoneinfo

    known = zoneinfo.available_timezones()
    if name in known and "/" in name:
        return None
    spelled = next((one for one in known if one.lower() == name.lower() and "/" in one), None)
    # A machine without the database cannot say; the deploy checks it.
    if not known and re.fullmatch(r"[A-Za-z_+-]+(/[A-Za-z0-9_+-]+)+", name):
        return None
    return f"{json.dumps(name)} is spelled {spelled}" if spelled else f"{json.dumps(name)} is not in the IANA database: {INSTEAD}"
