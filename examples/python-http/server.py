"""An agent in Python, with nothing but its standard library: JSON in, JSON out, one item a request."""

import base64
import hashlib
import hmac
import json
import os
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_S = 300
KEYS = [base64.b64decode(key.removeprefix("whsec_")) for key in os.environ.get("ASSAY_AGENT_KEY", "").split()]


def is_from_assay(headers, body: bytes) -> bool:
    """Checks the signature as Standard Webhooks says; the package `standardwebhooks` does the same."""
    sent_at = headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", sent_at) or abs(time.time() - int(sent_at)) > TOLERANCE_S:
        return False
    signed = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + body
    given = [s.removeprefix("v1,").encode() for s in headers.get("webhook-signature", "").split() if s.startswith("v1,")]
    expected = [base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in KEYS]
    return any(hmac.compare_digest(one, other) for one in expected for other in given)


def work(text: str) -> dict:
    """The item's work: its words and the longest of them."""
    words = re.findall(r"\w+", text)
    return {"words": len(words), "longest": max(words, key=len, default=None)}


class Agent(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections open

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if KEYS and not is_from_assay(self.headers, body):
            return self.answer(401, {"error": {"code": "unauthenticated", "message": "no signature of Assay's"}})
        try:
            text = json.loads(body)["text"]
        except (ValueError, KeyError, TypeError):
            # A 4xx is final: the item fails with this message. 429 and 5xx would be tried again.
            return self.answer(400, {"error": {"code": "invalid_input", "message": 'the input needs a "text"'}})
        self.answer(200, work(text))

    def answer(self, status: int, value: dict) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    host = os.environ.get("HOST", "127.0.0.1")
    port = int(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("PORT", "8097"))
    server = ThreadingHTTPServer((host, port), Agent)
    who = "Assay" if KEYS else "everybody, since ASSAY_AGENT_KEY is not set"
    print(f"python function on http://{host}:{server.server_port}, answers {who}", flush=True)
    server.serve_forever()
