"""`python3 -m assay serve claims.py --port 8097`, also `assay-agent serve`."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from typing import List, Optional

from .pool import NotStarted, Pool
from .server import Server, run, stop_signals
from .protocol import AgentProtocol

EPILOG = "The agent is deployed with `assay deploy --url http://HOST:PORT`, which prints the ASSAY_AGENT_KEY that makes it answer Assay alone."

OF_ASSAY = ("test", "deploy", "init")
"""What the other command does, and people look for here."""


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command. Returns its exit code."""
    parser = argparse.ArgumentParser(prog="assay-agent", description="Serves an agent that is written with the package assay.", epilog=EPILOG)
    commands = parser.add_subparsers(dest="command", required=True, metavar="serve")
    serve = commands.add_parser("serve", help="serve the agent of a file or a module", epilog=EPILOG)
    serve.add_argument("agent", help="claims.py, claims.py:claims, package.module or package.module:claims")
    serve.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8097")), help="default: PORT, else 8097")
    serve.add_argument("--host", default=os.environ.get("HOST", "127.0.0.1"), help="default: HOST, else 127.0.0.1; 0.0.0.0 in a container")
    serve.add_argument("--workers", type=int, default=min(os.cpu_count() or 1, 4), help="worker processes (default: one a processor, 4 at most)")
    serve.add_argument("--threads", type=int, default=256, help="items at the same time in each, of an agent that is not async (default: 256)")
    serve.add_argument("--answer-later", action="store_true", help="send every line to the address of the request, behind a queue whose answers nobody reads")
    serve.add_argument("--reload", action="store_true", help="load the agent again when one of its files changes")
    words = sys.argv[1:] if arguments is None else arguments
    if words and words[0] in OF_ASSAY:
        parser.error(f"{words[0]} is a command of assay: {shlex.join(['assay', *words])}")
    given = parser.parse_args(words)
    if given.workers < 1 or given.threads < 1:
        parser.error("--workers and --threads are at least 1")
    return _serve(given)


def _serve(given: argparse.Namespace) -> int:
    from .reload import Reloading

    backend = Reloading(given.agent, given.workers, given.threads) if given.reload else Pool(given.agent, given.workers, given.threads)
    try:
        server = Server(AgentProtocol(backend, given.answer_later), given.host, given.port)
    except OSError as error:
        print(f"assay: {given.host}:{given.port} cannot be listened on ({error.strerror}): choose another, as in --port {given.port + 100}", file=sys.stderr)
        return 1
    try:
        backend.open()
    except NotStarted:
        return 1  # the worker has said why
    stop = stop_signals()
    who = "Assay" if os.environ.get("ASSAY_AGENT_KEY") else "everybody, since ASSAY_AGENT_KEY is not set"
    print(f"{backend.declaration['name']} on {server.url}, answers {who}", flush=True)
    run(server, stop, backend.drain, backend.close)
    return 0


if __name__ == "__main__":
    sys.exit(main())
