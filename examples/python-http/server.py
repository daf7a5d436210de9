"""An agent in Python, with nothing but its standard library: JSON in, JSON out, one item a request."""

import base64
import hashlib
import hmac
import json
import os
import re
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_S = 300
KEYS = [base64.b64decode(key.removeprefix("whsec_")) for key in os.environ.get("ASSAY_AGENT_KEY", "").split()]

MOST_BYTES = 2 * 1024 * 1024  # an input has 1 MiB at most
IS_QUEUED = os.environ.get("ASSAY_ANSWER_LATER") == "1"  # whoever calls it has answered 202 already


def is_from_assay(headers, body: bytes) -> bool:
    """Checks the signature as Standard Webhooks says; the package `standardwebhooks` does the same."""
    sent_at = headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", sent_at) or abs(time.time() - int(sent_at)) > TOLERANCE_S:
        return False
    signed = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + body
    given = [s.removeprefix("v1,").encode() for s in headers.get("webhook-signature", "").split() if s.startswith("v1,")]
    expected = [base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in KEYS]
    return any(hmac.compare_digest(one, other) for one in expected for other in given)


def work(text: str, seconds: float = 0) -> dict:
    """The item's work: its words and the longest of them, after as long as a slow model takes."""
    time.sleep(seconds)
    words = re.findall(r"\w+", text)
    return {"words": len(words), "longest": max(words, key=len, default=None)}


def post(url: str, line: dict) -> bool:
    """Sends one line; False when nobody awaits the item any more. Sending it again does no harm."""
    request = urllib.request.Request(url, json.dumps(line).encode(), {"content-type": "application/x-ndjson"})
    for pause in (1, 2, 4, 8, 0):
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return line.get("seq") is None or line["seq"] in json.load(answer)["open"]
        except urllib.error.HTTPError as error:
            code = json.loads(error.read() or b"{}").get("error", {}).get("code")
            if code == "claim_ended" or error.code in (400, 401):
                return False
        except (OSError, ValueError):
            pass
        time.sleep(pause)
    return True


def work_later(url: str, item: dict, text: str, seconds: float) -> None:
    """Works after the 202: a heartbeat every 5 seconds keeps the item, and its result goes to the same address."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(5) and post(url, {"type": "heartbeat"}):
            pass

    threading.Thread(target=beat, daemon=True).start()
    try:
        last = {"type": "result", **item, "output": work(text, seconds)}
    except Exception as error:
        last = {"type": "error", **item, "error": {"code": "agent_error", "message": str(error)}}
    over.set()
    post(url, last)


class Agent(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections open

    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        if not 0 <= length <= MOST_BYTES:
            self.close_connection = True
            return self.answer(413, {"error": {"code": "too_large", "message": f"the body is longer than {MOST_BYTES} bytes"}})
        body = self.rfile.read(length)
        if KEYS and not is_from_assay(self.headers, body):
            return self.answer(401, {"error": {"code": "unauthenticated", "message": "no signature of Assay's"}})
        try:
            given = json.loads(body)
            text, seconds = given["text"], float(given.get("seconds", 0))
        except (ValueError, KeyError, TypeError):
            # A 4xx is final: the item fails with this message. 429 and 5xx would be tried again.
            return self.answer(400, {"error": {"code": "invalid_input", "message": 'the input needs a "text"'}})
        later = self.headers.get("assay-answer-url")
        item = {"seq": int(self.headers.get("assay-seq", 0)), "attempt": int(self.headers.get("assay-attempt", 0))}
        if later and IS_QUEUED:
            work_later(later, item, text, seconds)
            return self.answer(200)
        if later and seconds * 1000 > int(self.headers.get("assay-yield-ms", 0)):
            # It takes longer than Assay's consumer has left, so the consumer is let go.
            threading.Thread(target=work_later, args=(later, item, text, seconds)).start()
            return self.answer(202)
        self.answer(200, work(text, seconds))

    def answer(self, status: int, value: dict | None = None) -> None:
        body = b"" if value is None else json.dumps(value).encode()
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
    try:
        server = ThreadingHTTPServer((host, port), Agent)
    except OSError as error:
        sys.exit(f"port {port} cannot be had ({error.strerror}): choose another, as in server.py 8197")
    who = "Assay" if KEYS else "everybody, since ASSAY_AGENT_KEY is not set"
    print(f"python function on http://{host}:{server.server_port}, answers {who}", flush=True)
    server.serve_forever()
