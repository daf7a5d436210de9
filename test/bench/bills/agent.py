"""The agent of `npm run bench:bills` in Python: the protocol's lines by hand, with nothing but the standard library."""

import http.client
import json
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

MODEL = urlsplit(os.environ["MODEL_URL"]).netloc
HEARTBEAT_S = 5
MOST_CALLS = 64

calls = ThreadPoolExecutor(MOST_CALLS)
mine = threading.local()


class Refused(Exception):
    pass


def post(body: dict) -> bytes:
    """One call of the model. Each thread keeps its connection; one that the model closed meanwhile is made anew."""
    for is_last in (False, True):
        connection = getattr(mine, "connection", None)
        mine.connection = connection or http.client.HTTPConnection(MODEL, timeout=60)
        try:
            mine.connection.request("POST", "/v1/chat/completions", json.dumps(body), {"content-type": "application/json"})
            answer = mine.connection.getresponse()
        except (http.client.RemoteDisconnected, ConnectionError):
            mine.connection.close()
            mine.connection = None
            if is_last or connection is None:
                raise
            continue
        text = answer.read()
        if answer.status != 200:
            raise Refused(answer.status)
        return text
    raise AssertionError("unreachable")


def ask(request: dict):
    """The answer as it came; a stream as the list of its pieces."""
    messages = [{"role": "user", "content": request["prompt"]}]
    text = post({"model": request["model"], "stream": request["stream"], "messages": messages})
    if not request["stream"]:
        return json.loads(text)
    pieces = [line[6:] for line in text.split(b"\n") if line.startswith(b"data: ")]
    return [json.loads(piece) for piece in pieces if piece != b"[DONE]"]


def text_of(answer) -> str:
    if isinstance(answer, dict):
        return answer["choices"][0]["message"]["content"]
    return "".join(choice["delta"].get("content", "") for piece in answer for choice in piece["choices"])


def work(item: dict, say) -> None:
    """Reports each step when it is done; what an earlier attempt recorded is not done again."""
    of = {"seq": item["seq"], "attempt": item["attempt"]}
    done = {step["key"] for step in item.get("recorded") or []}
    given = item["input"]
    for name in ("label", "check") if given["checks"] else ("label",):
        request = {"model": given["model"], "stream": given["stream"], "prompt": f"item-{given['item']} {name}"}
        for nth in (1, 2, 3):
            if name in done:
                break
            began, clock = datetime.now(timezone.utc).isoformat(), time.monotonic()
            step = {"kind": "llm_call", "name": name, "input": request, "started_at": began}
            try:
                answer = ask(request)
            except Refused as refused:
                step |= {"key": name, "duration_ms": 1, "error": {"code": "llm_call_error", "message": f"{refused}"}}
                say({"type": "step", **of, "step": step})
                return say({"type": "error", **of, "error": {"code": "llm_call_error", "message": f"{refused}"}})
            step |= {"output": answer, "duration_ms": (time.monotonic() - clock) * 1000}
            if text_of(answer).startswith('{"label": call'):
                refused = {"code": "answer_refused", "message": "the label is missing"}
                say({"type": "step", **of, "step": step | {"key": f"{name}~{nth}", "error": refused}})
                continue
            say({"type": "step", **of, "step": step | {"key": name}})
            done.add(name)
    say({"type": "result", **of, "output": {"label": "billing"}})


class Agent(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        items = [json.loads(line) for line in body.splitlines() if line]
        self.send_response(200)
        self.send_header("content-type", "application/x-ndjson")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        lock = threading.Lock()

        def say(line: dict) -> None:
            text = json.dumps(line).encode() + b"\n"
            with lock:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(text), text))

        running = [calls.submit(work, item, say) for item in items]
        over = threading.Event()
        beating = threading.Thread(target=self.beat, args=(say, over), daemon=True)
        beating.start()
        try:
            for one in running:
                one.result()
            with lock:
                self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.close_connection = True  # the consumer has gone: what it got is recorded
        finally:
            over.set()

    def beat(self, say, over: threading.Event) -> None:
        while not over.wait(HEARTBEAT_S):
            try:
                say({"type": "heartbeat"})
            except OSError:
                return

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a consumer that was killed


server = Server(("127.0.0.1", int(os.environ.get("PORT", "0"))), Agent)
print(server.server_port, flush=True)
if __name__ == "__main__":
    sys.exit(server.serve_forever())
