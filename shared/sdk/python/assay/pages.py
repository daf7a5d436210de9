"""Whether a request comes from a web page. Guarantee: an agent without a key answers no page of another origin, and on loopback none
whose name was made to lead there (DNS rebinding)."""

from __future__ import annotations

import ipaddress
import os
import re
from typing import Mapping, Optional, Pattern

WAY_OUT = "Set ASSAY_AGENT_KEY, which `assay deploy --url` prints: then it answers Assay alone, by any name."
LOCALHOST = re.compile(r"(?:.*\.)?localhost\.?", re.IGNORECASE)
"""Names that browsers keep on their own machine."""
HERE = re.compile(r"(?:[^.]*|.*\.(?:localhost|internal|local|svc|test))\.?", re.IGNORECASE)
"""These, and names that no public name server answers for: by them a container, a proxy or a hosts file calls. Whoever is in the same
network may answer for some (`claims`, `printer.local`), so a page that bears one is not trusted."""
PLATFORMS = ("fprocess", "K_SERVICE", "KUBERNETES_SERVICE_HOST")
"""What OpenFaaS, Knative and Cloud Run, and Kubernetes set in their containers. No browser runs there, and a proxy beside the agent
(a watchdog, a queue-proxy, a sidecar) calls it on loopback by the name that it was called by."""


def page_problem(headers: Mapping[str, str], is_on_loopback: bool) -> Optional[str]:
    """Why a request is refused that nobody has to sign; None if it passes. Assay sends no Origin.

    >>> page_problem({"host": "127.0.0.1:9000"}, True)
    >>> page_problem({"host": "127.0.0.1:9000", "origin": "https://page.example"}, True)[:62]
    'This agent has no key and answers no page of https://page.exam'
    >>> page_problem({"host": "rebound.example:9000"}, True)[:63]
    'This agent has no key and answers on loopback to names of this '
    """
    if os.environ.get("ASSAY_AGENT_KEY", "").split():
        return None
    host, origin = headers.get("host", ""), headers.get("origin")
    is_own = origin == f"http://{host}" and _is_address_or(LOCALHOST, host)
    if origin is not None and not is_own:
        return f"This agent has no key and answers no page of {origin[:200]}. {WAY_OUT}"
    if is_on_loopback and not _is_address_or(HERE, host) and not any(map(os.environ.get, PLATFORMS)):
        return f"This agent has no key and answers on loopback to names of this machine, not to {host[:200]}. {WAY_OUT}"
    return None


def is_loopback(address: str) -> bool:
    """Whether an address leads to this machine alone."""
    try:
        return ipaddress.ip_address(address.split("%")[0]).is_loopback
    except ValueError:
        return address == "localhost"


def _is_address_or(names: Pattern[str], host: str) -> bool:
    """Whether a name, with or without a port, is an address, which nobody can lead elsewhere, or one of these."""
    bare = re.sub(r":\d*$", "", host)
    try:
        ipaddress.ip_address(bare[1:-1] if bare.startswith("[") else bare)
        return True
    except ValueError:
        return names.fullmatch(bare) is not None
