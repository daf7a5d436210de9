"""The example of the checkout, as it is served and as a function of OpenFaaS."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from .provider import Provider
from .served import Served, lines_of, offer

CHECKOUT = Path(os.environ.get("ASSAY_CHECKOUT") or Path(__file__).resolve().parent.parent).parents[2]
EXAMPLE = CHECKOUT / "examples" / "python-agent"


@unittest.skipUnless(EXAMPLE.is_dir(), "the examples are in the checkout, and not beside this copy")
class Example(unittest.TestCase):
    def setUp(self) -> None:
        self.provider = Provider()
        self.addCleanup(self.provider.__exit__)

    def test_it_runs_as_it_is_served(self) -> None:
        env = {"OPENAI_BASE_URL": f"{self.provider.url}/v1"}
        with Served("", "--workers", "1", env=env, agents=EXAMPLE / "claims.py") as served:
            lines = served.ask({"text": "Where is my card?"}, {"text": 5})
            last = {line["seq"]: line for line in lines if line["type"] in ("result", "error")}
            self.assertEqual(last[0]["output"], {"category": None, "reply": ""})  # this provider answers no JSON
            self.assertEqual(last[1]["error"]["message"], "input.text: must be a string, not an integer")
            about: Any = json.loads(served.request("GET").read())
            self.assertEqual(about["declaration"]["output_schema"]["required"], ["category", "reply"])

    def test_the_same_as_a_function_of_openfaas(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        function = Path(folder.name) / "function"  # as the template calls the handler's folder
        shutil.copytree(EXAMPLE / "openfaas" / "claims", function)
        shutil.copy(EXAMPLE / "claims.py", function)
        sys.path.insert(0, folder.name)
        self.addCleanup(sys.path.remove, folder.name)
        os.environ["OPENAI_BASE_URL"] = f"{self.provider.url}/v1"
        self.addCleanup(os.environ.pop, "OPENAI_BASE_URL")
        handle = importlib.import_module("function.handler").handle
        event = SimpleNamespace(method="POST", path="/", headers={"Assay-Run": "run"}, body=offer({"text": "?"}, {"text": "!"}))
        answer = handle(event, None)
        self.assertEqual((answer["statusCode"], answer["headers"]), (200, {"content-type": "application/x-ndjson"}))
        self.assertEqual(len([line for line in lines_of(answer["body"].encode()) if line["type"] == "result"]), 2)
        self.assertEqual(handle(SimpleNamespace(method="PUT", path="/", headers={}, body=b""), None)["statusCode"], 400)


if __name__ == "__main__":
    unittest.main()
