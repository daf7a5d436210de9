"""Finds the agent of a file or a module. Guarantee: what cannot be loaded is an error of one line that says why, and where."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
from typing import Any, List

from .agent import Registration, registration_of
from .errors import DecoratorTargetError


class NotLoaded(Exception):
    """The agent cannot be loaded."""


def load(spec: str) -> Registration:
    """The agent of `claims.py`, `claims.py:claims`, `package.module` or `package.module:claims`."""
    path, name = split(spec)
    try:
        module = _module(path)
    except NotLoaded:
        raise
    except BaseException as error:
        raise NotLoaded(f"{path} cannot be loaded: {_where(error, path)}") from None
    if name:
        return _named(module, path, name)
    found = {id(one): one for one in vars(module).values() if _is_agent(one)}
    own = [one for one in found.values() if getattr(one, "__module__", None) == module.__name__] or list(found.values())
    if len(own) == 1:
        return registration_of(own[0])
    names: List[str] = [one.__name__ for one in own]
    if names:
        raise NotLoaded(f"{path} has {len(names)} agents: name one, as in {path}:{names[0]} (there are {', '.join(names)})")
    raise NotLoaded(f'{path} has no agent: put @agent(name="…") of assay above a function or a class in it')


def split(spec: str) -> "tuple[str, str]":
    """The path, and the name behind the colon. A Windows path has a colon of its own."""
    path, colon, name = spec.rpartition(":")
    return (path, name) if colon and name.isidentifier() and len(path) > 1 else (spec, "")


def _is_agent(one: Any) -> bool:
    try:
        registration_of(one)
    except DecoratorTargetError:
        return False
    return True


def _named(module: Any, path: str, name: str) -> Registration:
    try:
        return registration_of(getattr(module, name))
    except AttributeError:
        raise NotLoaded(f"{path} has no {name}") from None
    except DecoratorTargetError as error:
        raise NotLoaded(str(error)) from None


def _module(path: str) -> Any:
    is_file = path.endswith(".py") or os.sep in path
    if not is_file:
        sys.path.insert(0, os.getcwd())
        return importlib.import_module(path)
    file = os.path.abspath(path)
    if not os.path.isfile(file):
        raise NotLoaded(f"there is no file {path}")
    sys.path.insert(0, os.path.dirname(file))
    name = os.path.splitext(os.path.basename(file))[0]
    if name in sys.modules or name in sys.stdlib_module_names if hasattr(sys, "stdlib_module_names") else name in sys.modules:
        name = f"{name}_agent"
    spec = importlib.util.spec_from_file_location(name, file)
    loader: Any = spec and spec.loader
    if spec is None or loader is None:
        raise NotLoaded(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and annotations look their module up there
    loader.exec_module(module)
    return module


def _where(error: BaseException, path: str) -> str:
    """The error, with the line of the agent's file where it rose."""
    if isinstance(error, SyntaxError):
        return f"{os.path.basename(error.filename or path)}, line {error.lineno}: {error.msg}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if "importlib" not in one.filename and f"{os.sep}assay{os.sep}" not in one.filename]
    place = f"{os.path.basename(own[-1].filename)}, line {own[-1].lineno}: " if own else ""
    return f"{place}{type(error).__name__}: {error}".replace("\n", " ")
