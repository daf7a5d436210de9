"""Builds the package's wheel and sdist with the standard library alone: the PEP 517 hooks, and `python3 backend/assay_build.py`.

Guarantee: the same files make the same bytes, and nothing is in them but the package, its README and its license.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import importlib.util
import io
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Optional

ROOT = Path(__file__).resolve().parent.parent
NAME_VARIABLE = "ASSAY_DISTRIBUTION"  # the name in an index; the module stays `assay`
NAME = "assay"
PACKAGE = "assay"
TAG = "py3-none-any"
AT = (2026, 1, 1, 0, 0, 0)
AT_S = 1767225600
SCRIPTS = "[console_scripts]\nassay-agent = assay.__main__:main\n"


def name() -> str:
    given = os.environ.get(NAME_VARIABLE, NAME)
    if not re.fullmatch(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", given):
        raise SystemExit(f"{given!r} is no name of a package: letters, digits, '.', '-' and '_'")
    return given


def version() -> str:
    text = (ROOT / PACKAGE / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"$', text, re.MULTILINE)
    if found is None:
        raise SystemExit("assay/__init__.py has no __version__")
    return found.group(1)


def stem() -> str:
    return f"{re.sub(r'[-_.]+', '_', name()).lower()}-{version()}"


def metadata() -> str:
    head = [
        "Metadata-Version: 2.1",
        f"Name: {name()}",
        f"Version: {version()}",
        "Summary: Agents for Assay, a self-hosted, item-level task queue for batch AI work",
        "License: MIT",
        "Requires-Python: >=3.9",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Typing :: Typed",
        "Classifier: License :: OSI Approved :: MIT License",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(head) + "\n\n" + (ROOT / "README.md").read_text(encoding="utf-8")


def license_text() -> bytes:
    beside = ROOT / "LICENSE"  # of an sdist; in the checkout it stands at the top
    return (beside if beside.exists() else ROOT.parents[2] / "LICENSE").read_bytes()


def package_files() -> Dict[str, bytes]:
    files = [one for one in sorted((ROOT / PACKAGE).rglob("*")) if one.suffix == ".py" or one.name == "py.typed"]
    return {one.relative_to(ROOT).as_posix(): one.read_bytes() for one in files}


def _zip(path: Path, files: Dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for inside, data in files.items():
            info = zipfile.ZipInfo(inside, AT)
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)


def _wheel(folder: str, files: Dict[str, bytes]) -> str:
    info = f"{stem()}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: assay_build\nRoot-Is-Purelib: true\nTag: {TAG}\n"
    files = {
        **files,
        f"{info}/METADATA": metadata().encode(),
        f"{info}/WHEEL": wheel.encode(),
        f"{info}/entry_points.txt": SCRIPTS.encode(),
        f"{info}/LICENSE": license_text(),
    }
    record = "".join(f"{inside},{_digest(data)},{len(data)}\n" for inside, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    built = f"{stem()}-{TAG}.whl"
    Path(folder).mkdir(parents=True, exist_ok=True)
    _zip(Path(folder) / built, files)
    return built


def _digest(data: bytes) -> str:
    return f"sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()}"


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Optional[str] = None) -> str:
    return _wheel(wheel_directory, package_files())


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: Optional[str] = None) -> str:
    return _wheel(wheel_directory, {f"{PACKAGE}.pth": f"{ROOT}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    own = ("pyproject.toml", "README.md", "backend/assay_build.py")
    files = {one: (ROOT / one).read_bytes() for one in own}
    files.update({"LICENSE": license_text(), "PKG-INFO": metadata().encode(), **package_files()})
    built = f"{stem()}.tar.gz"
    Path(sdist_directory).mkdir(parents=True, exist_ok=True)
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for inside, data in files.items():
            info = tarfile.TarInfo(f"{stem()}/{inside}")
            info.size, info.mtime, info.mode = len(data), AT_S, 0o644
            archive.addfile(info, io.BytesIO(data))
    with open(Path(sdist_directory) / built, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=AT_S) as packed:
        packed.write(plain.getvalue())
    return built


def get_requires_for_build_wheel(config_settings: Any = None) -> List[str]:
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds the wheel and the sdist.")
    parser.add_argument("--publish-as", metavar="NAME", help="upload both to the index that twine is set up for, under this name")
    parser.add_argument("--out", default=str(ROOT / "dist"))
    given = parser.parse_args()
    if given.publish_as:
        os.environ[NAME_VARIABLE] = given.publish_as
    built = [os.path.join(given.out, made(given.out)) for made in (build_wheel, build_sdist)]
    print("\n".join(os.path.relpath(one) for one in built))
    if not given.publish_as:
        return 0
    if importlib.util.find_spec("twine") is None:
        raise SystemExit("twine is not there, which uploads: python3 -m pip install twine")
    return subprocess.call([sys.executable, "-m", "twine", "upload", *built])


if __name__ == "__main__":
    sys.exit(main())
