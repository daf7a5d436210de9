"""The secrets of the agent's own environment. Guarantee: what an attempt returns and reports is without them, as is what a
later attempt finds."""

from __future__ import annotations

import json
import os
import re
from typing import Mapping, Optional
from urllib.parse import quote

SECRETS_VARIABLE = "ASSAY_SECRETS"
SECRET_NAME = re.compile(r"(?:^|[_-])(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$", re.IGNORECASE)
SECRET_CHARACTERS = 12  # a shorter value occurs in texts by chance
LINE_CHARACTERS = 24  # of a secret over several lines, such as a PEM, each line is one too, from so many characters on
TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*', re.DOTALL)
KEY_FOLLOWS = re.compile(r"\s*:")


class Mask:
    """Gives texts without the secrets of an environment.

    >>> Mask({"CRM_KEY": "abcdefghijkl"}).text("key=abcdefghijkl")
    'key=[secret CRM_KEY]'
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        listed = {name.strip() for name in env.get(SECRETS_VARIABLE, "").split(",")}
        parts = [
            (part, f"[secret {name}]")
            for name, value in env.items()
            if len(value) >= SECRET_CHARACTERS and (SECRET_NAME.search(name) or name in listed)
            for part in _parts_of(value)
        ]
        forms = [(form, mark) for part, mark in parts for form in _forms_of(part)]
        self._forms = sorted(forms, key=lambda form: -len(form[0]))  # one secret may begin with another
        self._marks = dict(forms)
        self._numbers = dict(parts)
        self._any = re.compile("|".join(re.escape(form) for form, _ in self._forms)) if forms else None

    def text(self, text: str) -> str:
        """A text without the secrets."""
        if self._any is None or self._any.search(text) is None:
            return text
        for form, mark in self._forms:
            text = text.replace(form, mark)
        return text

    def json(self, text: str) -> str:
        """The same for a text that is one JSON value. Strings are decoded, however their characters are escaped."""
        if self._any is None or self._any.search(text) is None:
            return text
        keys: dict[str, int] = {}

        def masked(match: re.Match[str]) -> str:
            token = match.group()
            if not token.startswith('"'):
                return json.dumps(self._numbers[token]) if token in self._numbers else token
            value = json.loads(token, strict=False)
            clean = self.text(value)
            if clean == value:
                return token
            if KEY_FOLLOWS.match(text, match.end()):  # two keys of an object must not become one
                keys[clean] = keys.get(clean, 0) + 1
                clean = clean if keys[clean] == 1 else f"{clean} {keys[clean]}"
            return json.dumps(clean, ensure_ascii=False)

        return TOKEN.sub(masked, text)


def _parts_of(secret: str) -> list[str]:
    """What of a secret is one by itself: all of it, the lines of a long one, and what JSON in it names a secret."""
    lines = secret.splitlines()
    long = [line for line in lines if len(line) >= LINE_CHARACTERS] if len(lines) > 1 else []
    return list(dict.fromkeys([secret, *long, *_within(secret)]))


def _within(secret: str) -> list[str]:
    if not secret.lstrip().startswith("{"):
        return []
    try:
        fields = json.loads(secret)
    except ValueError:
        return []
    return [
        part
        for name, value in fields.items()
        if isinstance(value, str) and len(value) >= SECRET_CHARACTERS and SECRET_NAME.search(name)
        for part in _parts_of(value)
    ]


def _forms_of(secret: str) -> list[str]:
    def escaped(text: str) -> list[str]:
        return [json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1]]

    once = escaped(secret)
    slashed = [text.replace("/", "\\/") for text in once]
    twice = [form for text in once + slashed for form in escaped(text)]
    url = quote(secret.encode("utf-8", "replace"), safe="!~*'()")
    return list(dict.fromkeys([secret, *once, *slashed, *twice, url]))


_own: Optional[Mask] = None


def own_mask() -> Mask:
    """Not made when this is loaded: an agent's file may fill the environment itself."""
    global _own
    if _own is None:
        _own = Mask(os.environ)
    return _own
