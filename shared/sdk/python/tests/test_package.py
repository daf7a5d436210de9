"""The package itself: what is in it, how it is built, its types, and each example of its documentation, which is run."""

from __future__ import annotations

import ast
import csv
import doctest
import importlib
import inspect
import io
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest
import unittest.mock
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Dict, List

import assay

ROOT = Path(os.environ.get("ASSAY_CHECKOUT") or Path(__file__).resolve().parent.parent)
CHECKOUT = ROOT.parents[2]


def modules() -> List[Any]:
    names = [one.name for one in pkgutil.walk_packages(assay.__path__, "assay.") if not one.name.endswith("__main__")]
    return [assay, *map(importlib.import_module, names)]


def needs_server(test: doctest.DocTest) -> bool:
    """Such examples are run by test/e2e/python.test.ts, against a server."""
    return any(re.search(r"Assay\(\)", one.source) for one in test.examples)


def run(*command: str, cwd: Path = ROOT, **env: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env={**os.environ, **env})


class Docs(unittest.TestCase):
    def test_each_example_does_what_it_says(self) -> None:
        flags = doctest.IGNORE_EXCEPTION_DETAIL | doctest.ELLIPSIS
        runner = doctest.DocTestRunner(optionflags=flags)
        for module in modules():
            for test in doctest.DocTestFinder(exclude_empty=True).find(module):
                if not needs_server(test):
                    self.assertEqual(runner.run(test).failed, 0, test.name)
        self.assertGreater(runner.tries, 30)

    def test_each_public_name_has_an_example(self) -> None:
        for name in assay.__all__:
            self.assertIn(">>>", inspect.getdoc(getattr(assay, name)) or "", name)
        for one in (assay.Assay, assay.Run, assay.Recovery, assay.Plan, assay.Pilot):
            for name, method in inspect.getmembers(one, inspect.isfunction):
                self.assertTrue(name.startswith("_") or inspect.getdoc(method), f"{one.__name__}.{name}")
        for module, name in (("asgi", "asgi_app"), ("wsgi", "wsgi_app"), ("openfaas", "function_handler"), ("testing", "run_item")):
            self.assertIn(">>>", inspect.getdoc(getattr(importlib.import_module(f"assay.{module}"), name)) or "")

    def test_the_agents_of_the_readme_are_agents(self) -> None:
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
        client = types.ModuleType("openai")
        setattr(client, "OpenAI", lambda: None)
        declared = []
        with unittest.mock.patch.dict(sys.modules, {"openai": client, "readme": types.ModuleType("readme")}):
            for block in blocks:
                code = compile(block, "README.md", "exec")
                if "@agent(" not in block:
                    continue  # it needs a server, or the agent's own file
                found = vars(sys.modules["readme"])
                exec(code, found)
                declared += [assay.declaration_of(one) for one in found.values() if hasattr(one, "__assay_agent__")]
        self.assertLessEqual({"Claims", "Digest", "Words"}, {one["name"] for one in declared})

    def test_no_command_takes_the_package_from_an_index(self) -> None:
        for path in (ROOT / "README.md", CHECKOUT / "README.md", *(CHECKOUT / "examples").glob("*/README.md")):
            if path.exists():
                self.assertNotRegex(path.read_text(encoding="utf-8"), r"pip3? install (?:[^\n`]* )?assay(?![\w./*-])", str(path))


class Files(unittest.TestCase):
    def test_functions_and_files_are_short(self) -> None:
        for file in sorted((ROOT / "assay").rglob("*.py")):
            self.assertLessEqual(len(file.read_text(encoding="utf-8").splitlines()), 300, file.name)
        for module in modules():
            for _, one in inspect.getmembers(module, inspect.isfunction):
                if one.__module__ == module.__name__:
                    body = inspect.getsource(one)
                    self.assertLessEqual(len(re.sub(r'""".*?"""', "", body, count=1, flags=re.DOTALL).splitlines()), 50, one.__qualname__)

    def test_nothing_but_the_standard_library_is_imported_at_the_top(self) -> None:
        allowed = getattr(sys, "stdlib_module_names", None)
        if allowed is None:
            self.skipTest("this Python does not list its standard library (3.10 does)")
        for file in sorted((ROOT / "assay").glob("*.py")):
            for name in re.findall(r"^\s*(?:import|from) (\w[\w.]*)", file.read_text(encoding="utf-8"), re.MULTILINE):
                self.assertIn(name.partition(".")[0], {*allowed, "assay"}, file.name)


class Errors(unittest.TestCase):
    def test_each_error_of_the_client_says_what_to_do_next(self) -> None:
        """A hint is the last argument; InvalidRows has one of its own."""
        found = 0
        for file in sorted((ROOT / "assay" / "client").glob("*.py")):
            for one in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id in ("AssayError", "ApiError"):
                    found += 1
                    self.assertGreaterEqual(len(one.args) + len(one.keywords), 3 if one.func.id == "AssayError" else 4, f"{file.name}:{one.lineno}")
        self.assertGreater(found, 20)
        self.assertIsNotNone(assay.InvalidRows(1, "is none").hint)


class Building(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        if not (ROOT / "backend").is_dir():
            self.skipTest("the backend is beside the package in the checkout, and not in this copy")

    def build(self, out: Path, **env: str) -> Dict[str, bytes]:
        done = run(sys.executable, "backend/assay_build.py", "--out", str(out), **env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {one.name: one.read_bytes() for one in out.iterdir()}

    def test_the_wheel_has_the_package_and_a_record_of_each_file(self) -> None:
        built = self.build(self.out)
        wheel = zipfile.ZipFile(io.BytesIO(built["assay-0.1.0-py3-none-any.whl"]))
        names = {one for one in wheel.namelist() if not one.startswith("assay-0.1.0.dist-info/")}
        here = {str(one.relative_to(ROOT)) for one in (ROOT / "assay").rglob("*") if one.suffix == ".py" or one.name == "py.typed"}
        self.assertEqual(names, here)
        record = csv.reader(io.StringIO(wheel.read("assay-0.1.0.dist-info/RECORD").decode()))
        self.assertEqual({row[0] for row in record}, set(wheel.namelist()))
        self.assertIn(b"\nRequires-Python: >=3.9\n", wheel.read("assay-0.1.0.dist-info/METADATA"))
        self.assertNotIn(b"Requires-Dist", wheel.read("assay-0.1.0.dist-info/METADATA"))
        sdist = tarfile.open(fileobj=io.BytesIO(built["assay-0.1.0.tar.gz"]))
        self.assertTrue({f"assay-0.1.0/{one}" for one in ("LICENSE", "PKG-INFO", "README.md", "pyproject.toml", "backend/assay_build.py")} < set(sdist.getnames()))

    def test_the_same_files_make_the_same_bytes(self) -> None:
        self.assertEqual(self.build(self.out / "a"), self.build(self.out / "b"))

    def test_the_sdist_builds_the_same_wheel(self) -> None:
        built = self.build(self.out / "a")
        with tarfile.open(fileobj=io.BytesIO(built["assay-0.1.0.tar.gz"])) as sdist:
            sdist.extractall(self.out)
        folder = self.out / "assay-0.1.0"
        done = run(sys.executable, "backend/assay_build.py", "--out", str(self.out / "b"), cwd=folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        again = self.out / "b" / "assay-0.1.0-py3-none-any.whl"
        self.assertEqual(again.read_bytes(), built[again.name])

    def test_a_publisher_chooses_the_name(self) -> None:
        built = self.build(self.out, ASSAY_DISTRIBUTION="Acme-Agents")
        self.assertEqual(set(built), {"acme_agents-0.1.0-py3-none-any.whl", "acme_agents-0.1.0.tar.gz"})
        metadata = zipfile.ZipFile(io.BytesIO(built["acme_agents-0.1.0-py3-none-any.whl"])).read("acme_agents-0.1.0.dist-info/METADATA")
        self.assertIn(b"\nName: Acme-Agents\n", metadata)

    def test_build_makes_the_same(self) -> None:
        if find_spec("build") is None:
            self.skipTest("build is not installed in this environment")
        done = run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(self.out / "b"), str(ROOT), PYTHONPATH="")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        ours = self.build(self.out / "a")
        self.assertEqual({one.name: one.read_bytes() for one in (self.out / "b").iterdir()}, ours)

    def test_hatchling_finds_the_same_files(self) -> None:
        if find_spec("hatchling") is None:
            self.skipTest("hatchling is not installed in this environment")
        folder = self.out / "hatch"
        shutil.copytree(ROOT / "assay", folder / "assay", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "pyproject.toml").write_text('[build-system]\nrequires = []\nbuild-backend = "hatchling.build"\n[project]\nname = "assay"\nversion = "0.1.0"\n')
        done = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", cwd=folder, PYTHONPATH="")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        theirs = zipfile.ZipFile(next((folder / "dist").glob("*.whl"))).namelist()
        ours = zipfile.ZipFile(io.BytesIO(self.build(self.out / "a")["assay-0.1.0-py3-none-any.whl"])).namelist()
        self.assertEqual({one for one in theirs if one.startswith("assay/")}, {one for one in ours if one.startswith("assay/")})


class Types(unittest.TestCase):
    def check(self, checker: str, *options: str) -> None:
        if find_spec(checker) is None:
            self.skipTest(f"{checker} is not installed in this environment")
        examples = [str(one) for one in sorted((CHECKOUT / "examples").glob("python-*/*.py")) if "assay" in one.read_text(encoding="utf-8").split()]
        done = run(sys.executable, "-m", checker, *options, "assay", *examples, MYPYPATH=str(ROOT), PYTHONPATH=str(ROOT))
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_mypy(self) -> None:
        self.check("mypy", "--strict")

    def test_pyright(self) -> None:
        self.check("pyright", "--pythonpath", sys.executable)


class Old(unittest.TestCase):
    def test_an_old_python_is_told_in_one_line(self) -> None:
        found = [*Path.home().glob(".pyenv/versions/3.8.*/bin/python"), *Path("/usr/bin").glob("python3.8")]
        if not found:
            self.skipTest("Python 3.8 is not on this machine")
        served = run(str(found[0]), "-m", "assay", "serve", "claims.py", PYTHONPATH=str(ROOT))
        self.assertEqual(served.stderr.splitlines(), ["assay needs Python 3.9 or newer, and this is 3.8: make an environment with a newer one, python3.11 -m venv .venv"])


if __name__ == "__main__":
    unittest.main()
