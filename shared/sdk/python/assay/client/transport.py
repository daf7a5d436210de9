"""Requests to one server. Guarantee: the key goes to that server alone, never along a redirect; a request is sent again
only if doing so cannot do its work twice; an answer that breaks off is an error."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.request
from typing import IO, Any, Dict, Iterator, Mapping, Optional, Tuple, Union
from urllib.parse import quote, urlencode

from .errors import ApiError, AssayError

JSON = "application/json"
NDJSON = "application/x-ndjson"
NEXT_CURSOR = "x-next-cursor"

TRIES = 6
"""Of one request, over 8 to 16 seconds where the server does not say how long to wait."""
LONGEST_WAIT_S = 30.0
READ_TIMEOUT_S = 300.0
"""Between two parts of an answer; a batch of a million rows takes under a minute to be accepted."""
ERROR_BYTES = 64 * 1024
READ_BYTES = 64 * 1024

_AGAIN = {408, 429, 500, 502, 503, 504}
Query = Mapping[str, Union[str, int, bool, None]]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> None:
        return None


class Transport:
    def __init__(self, base_url: str, api_key: str) -> None:
        self.base_url = base_url.rstrip("/")
        self._key = api_key
        self._open = urllib.request.build_opener(_NoRedirect).open

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Query] = None,
        body: Optional[Any] = None,
        again: bool = False,
    ) -> Any:
        """Sends JSON and returns the JSON that comes back. ``again``: a repeated request does nothing twice."""
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        with self._tried(method, _path(path, query), data, {"content-type": JSON}, method == "GET" or again) as answer:
            return self._read(answer)

    def page(self, method: str, path: str, *, query: Query) -> Tuple[Any, Optional[str]]:
        """A page of a list, and the cursor of the next one; None after the last."""
        with self._tried(method, _path(path, query), None, {}, True) as answer:
            return self._read(answer), answer.headers.get(NEXT_CURSOR)

    def send(self, path: str, query: Query, lines: IO[bytes], size: int) -> Any:
        """Sends a file of JSON lines as one batch; it carries an idempotency key, so it may be sent again."""
        headers = {"content-type": NDJSON, "content-length": str(size)}
        with self._tried("POST", _path(path, query), lines, headers, True) as answer:
            return self._read(answer)

    def lines(self, path: str, query: Query) -> Iterator[bytes]:
        """Yields the lines of a long answer. Raises ``broken_answer`` if it ends before its end."""
        with self._tried("GET", _path(path, query), None, {"accept": NDJSON}, True) as answer:
            for line in _lines(answer):
                if line.startswith(b'{"error":'):
                    raise _broken(json.loads(line)["error"]["message"])
                if line.strip():
                    yield line

    def _tried(
        self, method: str, path: str, data: Union[bytes, IO[bytes], None], headers: Dict[str, str], again: bool
    ) -> Any:
        may_be_done = False
        for left in range(TRIES - 1, -1, -1):
            try:
                return self._once(method, path, data, headers)
            except _Refused as refused:
                may_be_done = may_be_done or (refused.error.may_pass and not refused.unsent)
                refused.error.may_be_done = may_be_done
                is_last = left == 0 or not (refused.unsent or again and refused.error.may_pass)
                if is_last:
                    raise refused.error from None
                time.sleep(refused.wait_s(TRIES - left))
        raise AssertionError("unreachable")

    def _once(self, method: str, path: str, data: Any, headers: Dict[str, str]) -> Any:
        if hasattr(data, "seek"):
            data.seek(0)
        request = urllib.request.Request(self.base_url + path, data=data, method=method, headers=headers)
        request.add_unredirected_header("authorization", f"Bearer {self._key}")
        try:
            answer = self._open(request, timeout=READ_TIMEOUT_S)
        except urllib.error.HTTPError as error:
            raise self._refusal(error) from None
        except (urllib.error.URLError, OSError, http.client.HTTPException) as error:
            raise self._unreachable(error) from error
        if "assay-version" not in answer.headers:
            answer.close()
            raise _Refused(_not_assay(self.base_url, answer.status))
        return answer

    def _refusal(self, error: urllib.error.HTTPError) -> "_Refused":
        with error:
            try:
                text = error.read(ERROR_BYTES)
            except (OSError, http.client.HTTPException):
                text = b""
        said = _error_in(text) if "assay-version" in error.headers else None
        after = error.headers.get("retry-after", "")
        wait = float(after) if after.isdigit() else None
        if said is None:
            return _Refused(_not_assay(self.base_url, error.code), error.code in _AGAIN, wait)
        # Nothing of a request that is over a limit of rate or of open runs was done.
        unsent = error.code == 429 or said.get("code") == "dependency_unreachable"
        request_id = error.headers.get("x-request-id")
        api_error = ApiError(error.code, said["code"], said["message"], said.get("hint"), request_id)
        return _Refused(api_error, error.code in _AGAIN, wait, unsent)

    def _unreachable(self, error: Exception) -> "_Refused":
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        hint = "is it running, and is base_url (or ASSAY_BASE_URL) right?"
        refused = isinstance(reason, ConnectionRefusedError)
        found = AssayError("unreachable", f"no answer from {self.base_url}: {reason}", hint)
        return _Refused(found, True, None, refused)

    @staticmethod
    def _read(answer: Any) -> Any:
        try:
            text = answer.read()
            return json.loads(text) if text else None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _broken(str(error)) from error


class _Refused(Exception):
    """A try that failed, and whether another may pass."""

    def __init__(
        self, error: AssayError, may_pass: bool = False, after_s: Optional[float] = None, unsent: bool = False
    ) -> None:
        self.error = error
        self.error.may_pass = may_pass
        self.after_s = after_s
        self.unsent = unsent

    def wait_s(self, tried: int) -> float:
        """Doubles from half a second, spread so that many clients do not come back at once."""
        own = min(LONGEST_WAIT_S, 0.5 * 2.0 ** (tried - 1)) * random.uniform(0.5, 1.0)
        return own if self.after_s is None else min(LONGEST_WAIT_S, self.after_s) + own / 4


def _lines(answer: Any) -> Iterator[bytes]:
    """Its lines. Python's own reading of lines takes a connection that broke off for the end."""
    partial = b""
    while True:
        try:
            piece = answer.read1(READ_BYTES)
        except (OSError, http.client.HTTPException) as error:
            raise _broken(str(error)) from error
        if not piece:
            break
        *whole, partial = (partial + piece).split(b"\n")
        yield from whole
    if answer.length:
        raise _broken(f"{answer.length} bytes are missing")
    yield partial


def _path(path: str, query: Optional[Query]) -> str:
    given = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in (query or {}).items()
        if value is not None
    }
    return f"{quote(path, safe='/')}?{urlencode(given)}" if given else quote(path, safe="/")


def _error_in(text: bytes) -> Optional[Dict[str, str]]:
    try:
        found = json.loads(text)["error"]
        return found if isinstance(found["code"], str) and isinstance(found["message"], str) else None
    except (ValueError, KeyError, TypeError):
        return None


def _not_assay(base_url: str, status: int) -> AssayError:
    hint = "is base_url right? A proxy, a sign-in page or another server may stand there"
    return AssayError("not_assay", f"what answers at {base_url} is not Assay (HTTP {status})", hint)


def _broken(why: str) -> AssayError:
    hint = "what came is not complete: ask again"
    error = AssayError("broken_answer", f"the answer broke off before its end: {why}", hint)
    error.may_pass = error.may_be_done = True
    return error
