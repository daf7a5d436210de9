"""Which server a client asks, and with which key. Guarantee: the key of a local stack goes to this machine alone, and is read only from
a folder that the environment names."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Optional, Tuple
from urllib.parse import urlsplit

from .errors import AssayError

LOCAL_URL = "http://127.0.0.1:8090"

_LOOPBACK = re.compile(r"127(\.\d+){3}|localhost|::1")


def access_of(base_url: Optional[str], api_key: Optional[str]) -> Tuple[str, str]:
    """The URL and the key: as they are given, else of the environment, else of the stack whose data folder ``ASSAY_DATA_DIR`` names.

    Raises:
        AssayError: ``invalid_setting``, with what is missing or wrong.

    >>> access_of("https://assay.example", "pk_example")
    ('https://assay.example', 'pk_example')
    """
    url = base_url or os.environ.get("ASSAY_BASE_URL")
    key = api_key or os.environ.get("ASSAY_API_KEY")
    folder = os.environ.get("ASSAY_DATA_DIR")
    if folder and not (url and key):
        stack_url, stack_key = _stack(Path(folder) / "local.json")
        key = key or (stack_key if url in (None, stack_url) else None)
        url = url or stack_url
    url = url or LOCAL_URL
    if not url.startswith(("http://", "https://")):
        raise AssayError("invalid_setting", f"base_url is {url!r}", f"write it as in {LOCAL_URL}")
    if not key:
        hint = "pass it, or set ASSAY_API_KEY; of npm start it is api_key in local.json of the data folder, which ASSAY_DATA_DIR names"
        raise AssayError("invalid_setting", "api_key is missing", hint)
    return url, key.strip()


def _stack(file: Path) -> Tuple[Optional[str], Optional[str]]:
    """What the stack that wrote the file is; nothing where there is no such file, as before its first start."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        url, key = found["base_url"], found["api_key"]
        if not (isinstance(url, str) and isinstance(key, str)):
            raise TypeError("base_url and api_key are no text")
        is_local = _LOOPBACK.fullmatch(urlsplit(url).hostname or "") is not None
    except FileNotFoundError:
        return None, None
    except (OSError, ValueError, KeyError, TypeError) as error:
        hint = "start the stack again: it writes that file anew; or set ASSAY_BASE_URL and ASSAY_API_KEY"
        raise AssayError("invalid_setting", f"{file} cannot be used: {error!r}", hint) from None
    if not is_local:
        hint = "set ASSAY_BASE_URL and ASSAY_API_KEY for a server elsewhere"
        raise AssayError("invalid_setting", f"{file} is not used, because its server is not on this machine", hint)
    return url, key
