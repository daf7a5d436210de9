"""Items that end the process they are in, and code that does not end: all other items end as if nothing had happened."""

from __future__ import annotations

import sys
import unittest
from collections import Counter

from .served import Served, finals


class Deaths(unittest.TestCase):
    def check(self, do: str, words: str, code: str = "agent_crashed", shell: str = "") -> None:
        """60 items in one request, one of which is the end of its process."""
        with Served("works", "--workers", "2", shell=shell) as served:
            lines = served.ask(*[{"do": do if seq == 17 else "sleep", "seconds": 0.5} for seq in range(60)])
            ended = finals(lines)
            self.assertEqual(Counter(line["type"] for line in ended.values()), {"result": 59, "error": 1})
            self.assertEqual(ended[17]["error"]["code"], code)
            self.assertRegex(ended[17]["error"]["message"], words)
            keys = Counter((line["seq"], line["step"]["key"]) for line in lines if line["type"] == "step")
            self.assertEqual(max(keys.values()), 1, "a recorded step ran again")
            self.assertEqual(len(finals(served.ask(*[{}] * 4))), 4)

    def test_abort(self) -> None:
        self.check("abort", "SIGABRT at File .*agents.py")

    def test_a_crash_in_c(self) -> None:
        self.check("crash", "SIGSEGV at File .*in string_at")

    def test_exit(self) -> None:
        self.check("exit", "its process exited with code 7")

    def test_a_kill_as_for_its_memory(self) -> None:
        self.check("kill", "SIGKILL")

    def test_a_death_is_seen_although_a_child_of_the_agent_lives_on(self) -> None:
        with Served("works", "--workers", "1") as served:
            self.assertEqual(finals(served.ask({"do": "fork"}, timeout_ms=25_000))[0]["error"]["code"], "agent_crashed")

    @unittest.skipUnless(sys.platform == "linux", "memory of a process is bounded by Linux alone")
    def test_four_gibibytes_where_there_are_three(self) -> None:
        self.check("memory", "MemoryError", code="agent_error", shell="ulimit -v 3500000")

    @unittest.skipUnless(sys.platform == "linux", "the time of a process is read from /proc")
    def test_a_computation_that_lets_nothing_else_run(self) -> None:
        with Served("works", "--workers", "1") as served:
            lines = finals(served.ask({"do": "frozen", "line": {"timeout_ms": 12_000}}, {}, {"do": "sleep", "seconds": 1}))
            self.assertEqual((lines[0]["error"]["code"], lines[1]["type"], lines[2]["type"]), ("step_timeout", "result", "result"))

    def test_code_that_does_not_end_is_replaced_with_its_process(self) -> None:
        with Served("works", "--workers", "1", "--threads", "2") as served:
            for _ in range(2):
                self.assertEqual(finals(served.ask({"do": "ignore"}, timeout_ms=300))[0]["error"]["code"], "step_timeout")
            self.assertEqual(finals(served.ask({}, timeout_ms=30_000))[0]["type"], "result")


if __name__ == "__main__":
    unittest.main()
