"""Amounts of money as people write them. Guarantee: a number is dollars, as on the command line and on the pages."""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation
from typing import Union

from .errors import AssayError

Amount = Union[str, int, float, Decimal]

_CENTS = re.compile(r"\s*(\d+)\s*c\s*", re.IGNORECASE)
_LARGEST_CENTS = 100_000_000_000  # the server's own bound


def cents_of(amount: Amount) -> int:
    """The whole cents of an amount. Text may have a ``$``, or end in ``c`` for cents.

    Raises:
        AssayError: ``invalid_setting`` for what is no amount, is below zero, or has a part of a cent.

    >>> cents_of("5.00"), cents_of(1), cents_of("250c")
    (500, 100, 250)
    """
    cents = _CENTS.fullmatch(amount) if isinstance(amount, str) else None
    try:
        if cents is not None:
            value = Decimal(cents.group(1))
        elif isinstance(amount, bool):
            raise InvalidOperation
        else:
            value = Decimal(str(amount).strip().lstrip("$")) * 100
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or value < 0 or value > _LARGEST_CENTS or value != value.to_integral_value():
        raise AssayError(
            "invalid_setting",
            f"budget is {amount!r}, which is no amount of dollars and whole cents",
            'write "5.00" for five dollars',
        )
    return int(value)


def usd_of(dollars: float) -> float:
    """A sum of dollars to the millionth, as costs are counted: without the noise of binary fractions.

    >>> 0.1 + 0.2, usd_of(0.1 + 0.2)
    (0.30000000000000004, 0.3)
    """
    return math.floor(dollars * 1e6 + 0.5) / 1e6
