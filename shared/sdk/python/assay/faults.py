"""What a provider's refusal says. Guarantee: never raises, and decides by status and the provider's own codes alone; where they decide
nothing, Assay reads the words."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, NamedTuple, Optional

WORDS = 300
BODY = 16 * 1024
KEY = re.compile(r"\b(?:sk|gsk|xai|pplx|r8|hf|fw|tgp|key|AIza|AKIA|ASIA|eyJ)[-_A-Za-z0-9]{12,}|\bBearer [^\s\"']{1,200}")

CODES = (
    ("quota", "insufficient_quota credit_balance_exhausted billing_hard_limit_reached billing_not_active spend_limit_exceeded enforced_spend_limit_reached "
     "billing_error quotaexceeded billing_disabled exceeded_current_quota_error arrearage insufficient_balance insufficient_credits payment_required budget_exceeded "
     "servicequotaexceededexception"),
    ("rate", "resource_exhausted ratelimitexceeded userratelimitexceeded"),
    ("rejected", "content_policy_violation content_filter responsibleaipolicyviolation moderation_blocked data_inspection_failed invalid_prompt model_not_found "
     "model_not_available deploymentnotfound context_length_exceeded string_above_max_length request_too_large validationexception"),
    ("overloaded", "modelnotreadyexception"),
    ("rate", "overloaded_error rate_limit_exceeded rate_limit_error rate_limit_reached_error rate_limited ratelimitreached too_many_requests toomanyrequestsexception "
     "throttlingexception throttling throttling_error limitexceededexception slow_down"),
    ("overloaded", "server_is_overloaded server_overloaded engine_overloaded_error model_overloaded capacity_exceeded service_unavailable service_unavailable_error "
     "serviceunavailableexception unavailable"),
    ("cut", "timeout_error deadline_exceeded gatewaytimeout modeltimeoutexception request_timeout"),
    ("refused", "api_key_invalid api_key_expired invalid_api_key authentication_error account_deactivated organization_deactivated unauthenticated "
     "unrecognizedclientexception invalidsignatureexception expiredtokenexception missingauthenticationtokenexception"),
)
BY_CODE = [(fault, frozenset(codes.split())) for fault, codes in CODES]
BY_STATUS = {401: "refused", 403: "refused", 402: "quota", 425: "rate", 429: "rate", 529: "rate", 499: "cut", 504: "cut", 408: "overloaded", 498: "overloaded"}


class Said(NamedTuple):
    """A refusal in the provider's words; `fault` only where a code says it."""

    words: str
    fault: Optional[str]
    text: str


def said_in(body: bytes, amazon_type: Optional[str] = None) -> Said:
    """Reads a refusal's body.

    >>> said_in(b'{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}')[:2]
    ('You exceeded your quota (insufficient_quota)', 'quota')
    """
    text = body[:BODY].decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    value = value[0] if isinstance(value, list) and value else value
    codes: List[str] = [amazon_type.split(":")[0]] if amazon_type else []
    message = _read(value, codes) if isinstance(value, dict) else _plain(text)
    lowered = {code.lower() for code in codes}
    fault = next((fault for fault, known in BY_CODE if known & lowered), None)
    line = re.sub(r"\s+", " ", KEY.sub("[key]", message)).strip()
    code = next((one for one in codes if not one.isdigit() and one != "error"), None)
    ending = "" if code is None or code in line else f" ({code[:80]})"
    return Said(f"{line[: WORDS - len(ending)]}{ending}".strip(), fault, text)


def _read(value: Dict[str, Any], codes: List[str]) -> str:
    error = value.get("error") if isinstance(value.get("error"), dict) else value
    assert isinstance(error, dict)
    for one in (error, value):
        for name in ("code", "type", "status", "__type", "Code"):
            code = one.get(name)
            if isinstance(code, (str, int)) and not isinstance(code, bool):
                codes.append(str(code).rpartition("#")[2])
    details = error.get("details")
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict) and isinstance(detail.get("reason"), str):
            codes.append(detail["reason"])
    for one in (error, value):
        for name in ("message", "Message", "msg", "detail", "error"):
            if isinstance(one.get(name), str):
                return str(one[name])
    return ""


def _plain(text: str) -> str:
    return re.sub(r"<[^>]{0,500}>", " ", re.sub(r"(?is)<(script|style)\b.*?</\1>", " ", text))


def fault_by_status(status: int) -> str:
    """What went wrong by the status alone."""
    return BY_STATUS.get(status) or ("away" if status in (502, 503) else "overloaded" if status >= 500 else "rejected")
