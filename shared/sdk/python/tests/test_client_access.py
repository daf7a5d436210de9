"""Which server a client asks, and with which key: as given, of the environment, or of the stack whose data folder it names."""

import contextlib
import io
import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

from assay import __main__ as command
from assay.client import AssayError
from assay.client.access import access_of

STACK = {"base_url": "http://127.0.0.1:8390", "api_key": "pk_stack"}


class AccessTest(unittest.TestCase):
    def found(self, env, base_url=None, api_key=None, local=STACK):
        with tempfile.TemporaryDirectory() as folder:
            if local is not None:
                text = local if isinstance(local, str) else json.dumps(local)
                (Path(folder) / "local.json").write_text(text, encoding="utf-8")
            with patch.dict(os.environ, {**env, "ASSAY_DATA_DIR": folder}, clear=True):
                return access_of(base_url, api_key)

    def test_the_stack_of_the_data_folder_is_the_server(self):
        self.assertEqual(self.found({}), ("http://127.0.0.1:8390", "pk_stack"))
        self.assertEqual(self.found({"ASSAY_API_KEY": "pk_own"}), ("http://127.0.0.1:8390", "pk_own"))
        self.assertEqual(self.found({"ASSAY_BASE_URL": STACK["base_url"]}), ("http://127.0.0.1:8390", "pk_stack"))

    def test_what_is_given_or_set_comes_first(self):
        env = {"ASSAY_BASE_URL": "https://assay.example", "ASSAY_API_KEY": "pk_own"}
        self.assertEqual(self.found(env, local="no JSON"), ("https://assay.example", "pk_own"))
        self.assertEqual(self.found(env, "https://other.example", "pk_other"), ("https://other.example", "pk_other"))

    def test_its_key_goes_to_no_other_server(self):
        with self.assertRaisesRegex(AssayError, "api_key is missing"):
            self.found({"ASSAY_BASE_URL": "https://assay.example"})
        with self.assertRaisesRegex(AssayError, "not on this machine"):
            self.found({}, local={**STACK, "base_url": "https://127.0.0.1.example"})

    def test_a_folder_without_a_usable_file_says_so(self):
        self.assertEqual(self.found({"ASSAY_API_KEY": "pk_own"}, local=None), ("http://127.0.0.1:8090", "pk_own"))
        with self.assertRaisesRegex(AssayError, "api_key is missing.*ASSAY_DATA_DIR"):
            self.found({}, local=None)
        for local in ("{", "[]", '{"base_url": 1, "api_key": "pk_x"}', '{"base_url": "http://127.0.0.1:1"}'):
            with self.subTest(local), self.assertRaisesRegex(AssayError, "local.json cannot be used"):
                self.found({}, local=local)


class CommandTest(unittest.TestCase):
    def test_a_command_of_the_other_program_is_named_whole(self):
        for words in (["test", "claims.py", "--input", "a b"], ["deploy", "--url", "http://127.0.0.1:8097"], ["init"]):
            err = io.StringIO()
            with contextlib.redirect_stderr(err), self.assertRaises(SystemExit) as ended:
                command.main(words)
            self.assertEqual(ended.exception.code, 2)
            self.assertIn(f"{words[0]} is a command of assay: assay {words[0]}", err.getvalue())
        self.assertNotIn("'assay'", err.getvalue())


if __name__ == "__main__":
    unittest.main()
