"""Runs the tests of some modules, `python -m tests test_steps …`, and prints one line of JSON for each test, as whoever reports them
reads it: `{"test", "status", "why", "ms"}`; a test that is skipped says why."""

from __future__ import annotations

import json
import sys
import time
import unittest
from typing import Any, List


class Lines(unittest.TestResult):
    def __init__(self) -> None:
        super().__init__()
        self._began = 0.0
        self._is_reported = False

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._began, self._is_reported = time.monotonic(), False

    def _line(self, test: Any, status: str, why: str = "") -> None:
        self._is_reported = True
        ms = round((time.monotonic() - self._began) * 1000)
        print(json.dumps({"test": test.id().partition(".")[2], "status": status, "why": why, "ms": ms}), flush=True)

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        if not self._is_reported:
            self._line(test, "passed")

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        self._line(test, "failed", self.errors[-1][1])

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self._line(test, "failed", self.failures[-1][1])

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._line(subtest, "failed", self.failures[-1][1] if self.failures else "")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self._line(test, "skipped", reason)


def main(modules: List[str]) -> int:
    suite = unittest.defaultTestLoader.loadTestsFromNames([f"tests.{one}" for one in modules])
    result = Lines()
    suite.run(result)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
