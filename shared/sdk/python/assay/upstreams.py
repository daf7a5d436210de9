"""What an agent's process knows about the upstreams that its items call. Guarantee: what the consumer named as closed is not called
for some seconds, but by a probe; a credential leaves this file as a keyed hash only."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import threading
import time
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple
from urllib.parse import parse_qs, urlsplit

from .evidence import Evidence
from .limits import HOST_CHARACTERS, NAME_CHARACTERS, UPSTREAM_LOCAL_MS, UPSTREAM_REPORT_MS

IN_URL = re.compile(r"/(?:models|deployments|model)/([^/:?]+)")
IN_BODY = re.compile(rb'"model"\s*:\s*"([^"\\]{1,200})"')
SEARCHED = 64 * 1024
KEY_HEADERS = ("x-api-key", "api-key", "x-goog-api-key")
REMEMBERED = 1000
PROJECTS = 100
STOPPED = 5000
OWN_S = 3.0


class Place(NamedTuple):
    """An upstream by its host, its credential's name and the model."""

    host: str
    key: str
    model: str

    def report(self) -> Dict[str, Any]:
        return {name: value for name, value in self._asdict().items() if value}


class Upstreams:
    """What is known for a project."""

    def __init__(self, key: str) -> None:
        self._key = bytes.fromhex(key)
        self._hashes: Dict[str, str] = {}
        self._closed: Dict[Place, Tuple[str, str, float]] = {}
        self._served: Dict[Place, List[float]] = {}
        self._evidence: Dict[Place, Evidence] = {}
        self._stopped: Dict[str, float] = {}  # when each item was stopped last, to know who was served since
        self._lock = threading.Lock()

    def learn(self, closed: List[Dict[str, Any]]) -> None:
        """What the consumer knew when it sent a request: what is not in it has opened."""
        now = time.monotonic()
        until = now + UPSTREAM_LOCAL_MS / 1000
        reported = {
            Place(str(one["host"]), one.get("key", ""), one.get("model", "")): (str(one.get("fault", "away")), str(one.get("words", "")), until)
            for one in closed
        }
        # What this process found itself is in the consumer's next requests after so long.
        found = {place: one for place, one in self._closed.items() if place not in reported and now < one[2] - OWN_S}
        self._closed = {**found, **reported}

    def closed(self, place: Place) -> Optional[Tuple[str, str]]:
        """The fault and the words of an upstream that is not called."""
        for model in ("", place.model):
            found = self._closed.get(place._replace(model=model))
            if found is not None and found[2] > time.monotonic():
                return found[0], found[1]
        return None

    def began(self, place: Place) -> None:
        with self._lock:
            for one in _also_all_models(place):
                self._of(one).began(time.monotonic())

    def good(self, place: Place, began: float) -> None:
        """A call was answered well."""
        with self._lock:
            for one in _also_all_models(place):
                self._of(one).succeeded(began, time.monotonic())
                known = self._closed.get(one)
                if known is not None and began >= known[2] - UPSTREAM_LOCAL_MS / 1000:
                    del self._closed[one]

    def failed(self, place: Place, item: str, fault: str, words: str, moment_ms: Optional[int], status: Optional[int], began: float) -> Dict[str, bool]:
        """A call was refused: whether nobody is served any more, and whether others were since this item was refused before."""
        now = time.monotonic()
        if fault in ("quota", "refused", "away", "overloaded", "cut"):
            place = place._replace(model="")
        with self._lock:
            evidence = self._of(place)
            others_served = evidence.succeeded_at > self._stopped.pop(item, began)
            self._stopped[item] = now
            while len(self._stopped) > STOPPED:
                del self._stopped[next(iter(self._stopped))]
            closed = evidence.failed(item, fault, moment_ms is not None, status, began, now)
            if closed:
                self._closed[place] = (fault, words, now + min(moment_ms or UPSTREAM_LOCAL_MS, UPSTREAM_LOCAL_MS) / 1000)
        return {"closed": closed, "others_served": others_served}

    def _of(self, place: Place) -> Evidence:
        if len(self._evidence) >= REMEMBERED:
            self._evidence.clear()
        return self._evidence.setdefault(place, Evidence())

    def place(self, url: str, headers: Mapping[str, str], body: Any) -> Place:
        """Where a call goes. `headers` have lower-case names."""
        parts = urlsplit(url)
        default = {"https": 443, "http": 80}.get(parts.scheme)
        host = parts.hostname or ""
        host = f"[{host}]" if ":" in host else host
        if parts.port is not None and parts.port != default:
            host = f"{host}:{parts.port}"
        credential = _credential(headers, parts.query)
        return Place(host[:HOST_CHARACTERS], "" if credential is None else self._hash(credential), model_of(url, body))

    def _hash(self, credential: str) -> str:
        known = self._hashes.get(credential)
        if known is None:
            known = hmac.new(self._key, credential.encode("utf-8", "replace"), hashlib.sha256).digest()[:16].hex()
            if len(self._hashes) >= REMEMBERED:
                self._hashes.clear()
            self._hashes[credential] = known
        return known

    def served(self, place: Place) -> Optional[int]:
        """Counts a call that was answered well; how many since the last report, if the consumer should hear again."""
        now = time.monotonic()
        with self._lock:
            if len(self._served) >= REMEMBERED:
                self._served.clear()
            count = self._served.setdefault(place, [0, float("-inf")])
            count[0] += 1
            if now - count[1] < UPSTREAM_REPORT_MS / 1000:
                return None
            served, count[0], count[1] = int(count[0]), 0, now
            return served


def _also_all_models(place: Place) -> List[Place]:
    return [place] if place.model == "" else [place._replace(model=""), place]


def _credential(headers: Mapping[str, str], query: str) -> Optional[str]:
    authorization = headers.get("authorization")
    if authorization is not None:
        signed = re.search(r"Credential=([^/,\s]+)", authorization)
        return signed.group(1) if signed else re.sub(r"^[A-Za-z]+ +", "", authorization)
    named = next((headers[name] for name in KEY_HEADERS if name in headers), None)
    return named if named is not None else next(iter(parse_qs(query).get("key", [])), None)


def model_of(url: str, body: Any) -> str:
    """The model that a call names; empty if it names none."""
    text = body.encode("utf-8", "replace") if isinstance(body, str) else body
    found = IN_BODY.search(text[:SEARCHED]) if isinstance(text, (bytes, bytearray)) else None
    if found is not None:
        return found.group(1).decode("utf-8", "replace")[:NAME_CHARACTERS]
    in_url = IN_URL.search(url)
    return in_url.group(1)[:NAME_CHARACTERS] if in_url else ""


_projects: Dict[str, Upstreams] = {}


def upstreams_of(key: Optional[str], closed: Optional[str]) -> Optional[Upstreams]:
    """What the process knows for a project, with what the request reports; None if the request has no key."""
    if key is None or not re.fullmatch(r"[0-9a-f]{32,128}", key) or len(key) % 2:
        return None
    if len(_projects) >= PROJECTS and key not in _projects:
        _projects.clear()
    known = _projects.setdefault(key, Upstreams(key))
    try:
        listed = json.loads(closed) if closed else []
    except ValueError:
        listed = []
    known.learn([one for one in listed if isinstance(one, dict) and isinstance(one.get("host"), str)] if isinstance(listed, list) else [])
    return known
