"""A provider of models on this machine, whose answers have the format of the path that is called. The model's name says how it
answers: `limited` with 429 and Retry-After, `broken` with 500, `quota` as out of credit, all others well."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LIMITS = {
    "x-ratelimit-limit-requests": "500",
    "x-ratelimit-remaining-requests": "499",
    "x-ratelimit-reset-requests": "120ms",
}
CHAT = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1774747800,
    "model": "gpt-5-mini",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "refund", "refusal": None}}],
    "usage": {"prompt_tokens": 12, "completion_tokens": 1, "total_tokens": 13},
}
RESPONSE = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1774747800,
    "model": "gpt-5-mini",
    "status": "completed",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "output": [
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "refund", "annotations": []}],
        }
    ],
    "usage": {
        "input_tokens": 12,
        "output_tokens": 1,
        "total_tokens": 13,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    },
}
MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5",
    "content": [{"type": "text", "text": "refund"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 12, "output_tokens": 1},
}
GEMINI = {
    "candidates": [{"content": {"parts": [{"text": "refund"}], "role": "model"}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 12, "candidatesTokenCount": 1, "totalTokenCount": 13},
    "modelVersion": "gemini-2.5-flash",
}
CONVERSE = {
    "output": {"message": {"role": "assistant", "content": [{"text": "refund"}]}},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 12, "outputTokens": 1, "totalTokens": 13},
    "metrics": {"latencyMs": 12},
}
PIECES = [
    {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5-mini", "choices": [{"index": 0, "delta": {"content": word}, "finish_reason": None}]}
    for word in ("re", "fu", "nd")
] + [{"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5-mini", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Provider"

    def do_POST(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
        self.server.calls.append((self.path, given))
        model = str(given.get("model") or self.path)
        if "limited" in model:
            self._answer(429, {"error": {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}, "message": "Too many"}, {"retry-after": "7", **({"x-amzn-errortype": "ThrottlingException"} if "/converse" in self.path else {})})
        elif "quota" in model:
            self._answer(429, {"error": {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"}})
        elif "broken" in model:
            self._answer(500, {"error": {"message": "The server had an error", "type": "server_error"}})
        elif given.get("stream"):
            self._stream()
        else:
            self._answer(200, self._good(), LIMITS)

    def do_GET(self) -> None:
        self._answer(200, {"name": "Ada"})

    def _good(self) -> Any:
        for part, answer in (("/chat/completions", CHAT), ("/responses", RESPONSE), ("/messages", MESSAGE), (":generateContent", GEMINI), ("/converse", CONVERSE)):
            if part in self.path:
                return answer
        return {"ok": True}

    def _stream(self) -> None:
        text = "".join(f"data: {json.dumps(piece)}\n\n" for piece in PIECES) + "data: [DONE]\n\n"
        self._send(200, text.encode(), {"content-type": "text/event-stream", **LIMITS})

    def _answer(self, status: int, value: Any, headers: "dict[str, str]" = {}) -> None:
        self._send(status, json.dumps(value).encode(), {"content-type": "application/json", **headers})

    def _send(self, status: int, body: bytes, headers: "dict[str, str]") -> None:
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        if self.path.endswith("/chunked"):
            del self._headers_buffer[-1]  # type: ignore[attr-defined]
            self.send_header("transfer-encoding", "chunked")
            half = len(body) // 2
            body = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (body[:half], body[half:], b""))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


class Provider(ThreadingHTTPServer):
    """Listens on a free port of this machine until it is closed."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.calls: "list[tuple[str, Any]]" = []
        self.host = f"127.0.0.1:{self.server_address[1]}"
        self.url = f"http://{self.host}"
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> "Provider":
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()
