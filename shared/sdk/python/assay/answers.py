"""What an agent answers a request with. Guarantee: a refusal is JSON with a code and what is wrong; every answer names the version of
the code that made it, if it has one."""

from __future__ import annotations

import os
import re
from typing import Callable, Dict, Iterator, NamedTuple, Optional, Union

from .kept import dumps

IsGone = Callable[[], bool]


class Answer(NamedTuple):
    """An answer; its body comes in pieces, each to be sent at once."""

    status: int
    content_type: str
    body: Union[bytes, Callable[[IsGone], Iterator[bytes]]]

    @property
    def headers(self) -> Dict[str, str]:
        """What the answer is, when to ask again, and which version of the code made it."""
        version = code_version()
        return {
            "content-type": self.content_type,
            **({"retry-after": "1"} if self.status == 503 else {}),
            **({"assay-code-version": version} if version else {}),
        }


VERSION_CHARACTERS = 128


def code_version() -> Optional[str]:
    """The version of the agent's code, such as a commit, by which runs show what each version made: the variable ASSAY_VERSION.

    >>> import os
    >>> os.environ["ASSAY_VERSION"] = "a3f91c"
    >>> code_version(), os.environ.pop("ASSAY_VERSION")
    ('a3f91c', 'a3f91c')
    """
    version = os.environ.get("ASSAY_VERSION", "").strip()
    return version if re.fullmatch(rf"[\x20-\x7e]{{1,{VERSION_CHARACTERS}}}", version) else None


STATUSES = {"protocol_error": 400, "unauthenticated": 401, "too_slow": 408, "too_large": 413, "not_ready": 503, "overloaded": 503}


def refusal(message: str, code: str = "protocol_error") -> Answer:
    """A request is refused: why, and what to do."""
    return Answer(STATUSES[code], "application/json", dumps({"error": {"code": code, "message": message}}).encode())
