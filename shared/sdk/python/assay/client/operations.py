"""The operations of the interface that this client uses. Each is held against the OpenAPI document by a test."""

from __future__ import annotations

from typing import Callable, Tuple

Operation = Callable[..., Tuple[str, str]]


def _operation(method: str, path: str) -> Operation:
    def of(*ids: str) -> Tuple[str, str]:
        filled = path
        for value in ids:
            begin, _, rest = filled.partition("{")
            filled = begin + value + rest.partition("}")[2]
        return method, filled

    of.__doc__ = f"{method} {path}"
    return of


GET_RUN = _operation("GET", "/v2/runs/{runId}")
LIST_RUNS = _operation("GET", "/v2/runs")
CANCEL_RUN = _operation("POST", "/v2/runs/{runId}/cancel")
SUBMIT_BATCH = _operation("POST", "/v1/batches")
LIST_AGENTS = _operation("GET", "/v1/agents")
GET_AGENT = _operation("GET", "/v1/agents/{agentId}")
EXPORT_RESULTS = _operation("GET", "/v1/results")
CREATE_RECOVERY = _operation("POST", "/v1/recoveries")

ALL = (GET_RUN, LIST_RUNS, CANCEL_RUN, SUBMIT_BATCH, LIST_AGENTS, GET_AGENT, EXPORT_RESULTS, CREATE_RECOVERY)
