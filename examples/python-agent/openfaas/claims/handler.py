"""The same agent as a function of OpenFaaS's template python3-http; claims.py and the wheel are copied beside this file."""

from __future__ import annotations

import os
from pathlib import Path

for name in ("OPENAI_API_KEY", "ASSAY_AGENT_KEY"):
    secret = Path("/var/openfaas/secrets") / name.lower().replace("_", "-")
    if secret.exists():
        os.environ[name] = secret.read_text(encoding="utf-8").strip()

from assay.openfaas import function_handler  # noqa: E402

from .claims import claims  # noqa: E402

handle = function_handler(claims)
