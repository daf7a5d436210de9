"""Serves an agent in a process of its own, and asks it as a consumer does."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional

import assay

HERE = Path(__file__).resolve().parent
PACKAGE = Path(assay.__file__).resolve().parent.parent


class Served:
    """A server of an agent, on a free port."""

    def __init__(self, spec: str, *options: str, env: Mapping[str, str] = {}, shell: str = "", agents: Path = HERE / "agents.py") -> None:
        command = [sys.executable, "-m", "assay", "serve", f"{agents}:{spec}" if spec else str(agents), "--port", "0", *options]
        if shell:  # such as a bound of the memory
            command = ["bash", "-c", f'{shell}; exec "$@"', "bash", *command]
        paths = {"PYTHONPATH": str(PACKAGE), "PYTHONWARNINGS": "ignore"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **paths, **env})
        self.errors: List[str] = []
        threading.Thread(target=self._read_errors, daemon=True).start()
        assert self.process.stdout is not None
        self.says = self.process.stdout.readline()
        found = re.search(r"http://[^:]+:(\d+)", self.says)
        self.port = int(found.group(1)) if found else 0

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors.append(line)

    def __enter__(self) -> "Served":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def stop(self) -> int:
        """Sends SIGTERM and waits; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)

    def request(self, method: str, body: Optional[bytes] = None, path: str = "/", headers: Mapping[str, str] = {}) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body, dict(headers))
        return connection.getresponse()

    def ask(self, *items: Any, headers: Mapping[str, str] = {}, **line: Any) -> List[Dict[str, Any]]:
        """The lines about items."""
        answer = self.request("POST", offer(*items, **line), headers=headers)
        assert answer.status == 200, answer.read()
        return lines_of(answer.read())


def offer(*items: Any, **line: Any) -> bytes:
    return "".join(json.dumps({"seq": seq, "attempt": 1, "timeout_ms": 60_000, **line, **(item.get("line", {}) if isinstance(item, dict) else {}), "input": item}) + "\n" for seq, item in enumerate(items)).encode()


def lines_of(body: bytes) -> List[Dict[str, Any]]:
    return [json.loads(line) for line in body.split(b"\n") if line.strip()]


FINAL = ("result", "error", "hold", "yield")


def finals(lines: List[Dict[str, Any]]) -> Dict[int, Dict[str, Any]]:
    """The final line of each item, which has one."""
    found = [line for line in lines if line["type"] in FINAL]
    assert max(Counter(line["seq"] for line in found).values()) == 1, found
    return {line["seq"]: line for line in found}


class Consumer(ThreadingHTTPServer):
    """Takes lines that are answered later, as the server's address does."""

    daemon_threads = True

    def __init__(self, seqs: List[int], busy: int = 0) -> None:
        super().__init__(("127.0.0.1", 0), _Posts)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/answer"
        self.open = set(seqs)
        self.versions: "set[str | None]" = set()
        self.busy = busy  # POSTs that are answered 503 first
        self.lines: List[Dict[str, Any]] = []
        self.changed = threading.Condition()
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> "Consumer":
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """An agent that was stopped does not wait for its answer."""

    def wait_for(self, count: int) -> List[Dict[str, Any]]:
        """The lines, once so many of them came."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.lines) >= count, 30), self.lines
            return list(self.lines)


class _Posts(BaseHTTPRequestHandler):
    server: Consumer

    def do_POST(self) -> None:
        self.server.versions.add(self.headers["assay-code-version"])
        lines = lines_of(self.rfile.read(int(self.headers["content-length"])))
        with self.server.changed:
            if self.server.busy > 0:
                self.server.busy -= 1
                return self._answer(503, {"error": {"code": "overloaded", "message": "later"}})
            self.server.lines += lines
            self.server.open -= {line["seq"] for line in lines if line["type"] in ("result", "error", "hold", "yield")}
            self.server.changed.notify_all()
        self._answer(200, {"run_id": "run", "open": sorted(self.server.open)})

    def _answer(self, status: int, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass
