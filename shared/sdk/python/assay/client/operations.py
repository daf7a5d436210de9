"""The operations of the interface that this client uses. Each is held against the OpenAPI document by a test."""

from __future__ import annotations

from typing import Callable, List, Tuple

Operation = Callable[..., Tuple[str, str]]

ALL: List[Operation] = []
"""Each of them."""


def _operation(method: str, path: str) -> Operation:
    def of(*ids: str) -> Tuple[str, str]:
        filled = path
        for value in ids:
            begin, _, rest = filled.partition("{")
            filled = begin + value + rest.partition("}")[2]
        return method, filled

    of.__doc__ = f"{method} {path}"
    ALL.append(of)
    return of


GET_RUN = _operation("GET", "/v2/runs/{runId}")
LIST_RUNS = _operation("GET", "/v2/runs")
LIST_ITEMS = _operation("GET", "/v2/runs/{runId}/items")
CANCEL_RUN = _operation("POST", "/v2/runs/{runId}/cancel")
SUBMIT_BATCH = _operation("POST", "/v1/batches")
LIST_AGENTS = _operation("GET", "/v1/agents")
GET_AGENT = _operation("GET", "/v1/agents/{agentId}")
ESTIMATE_RUN = _operation("GET", "/v1/agents/{agentId}/estimate")
EXPORT_RESULTS = _operation("GET", "/v1/results")
GET_ITEM = _operation("GET", "/v1/durable/runs/{itemId}")
LIST_STEPS = _operation("GET", "/v1/steps")
LIST_CAUSES = _operation("GET", "/v1/causes")
CREATE_RECOVERY = _operation("POST", "/v1/recoveries")
LIST_RECOVERIES = _operation("GET", "/v1/recoveries")
GET_RECOVERY = _operation("GET", "/v1/recoveries/{recoveryId}")
ABORT_RECOVERY = _operation("POST", "/v1/recoveries/{recoveryId}/abort")
