"""Imports the command once; then each request is a fork that runs it as a process of its own.

Started by `tests.commands`, which says by lines of JSON what is wanted, and reads from a line
how it ended.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

PACKAGES = ("memorycode", "memory_strategies", "baselines")
SLOW = "memorycode.bridges."
"""Libraries of others that no command under test needs: they take longer than all the rest."""
LIBRARIES = ("scipy.stats", "rich.progress", "openai")
"""What commands import when they need it."""

_INSTALLED = sys.path[1:]
"""Without the folder of this file: the server is started without ``PYTHONPATH``."""


def serve() -> None:
    """Returns in each fork, which is to run the command; ends the server when nobody asks more."""
    _import_all()
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    for line in iter(sys.stdin.readline, ""):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads that a library has
            pid = os.fork()
        if not pid:
            answers.close()
            _become(json.loads(line))
            return
        answers.write(f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n")
    sys.exit()


def _import_all() -> None:
    for package in map(importlib.import_module, PACKAGES):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.startswith(SLOW) and not module.name.endswith("__main__"):
                _import(module.name)
    for name in LIBRARIES:
        _import(name)
    gc.freeze()  # what all forks share


def _import(name: str) -> None:
    try:
        importlib.import_module(name)
    except ImportError:  # of an extra that is not installed
        return


def _become(request: dict[str, Any]) -> None:
    """What the system and the interpreter would have set up for a process of its own."""
    for descriptor, (name, flags) in enumerate(
        (
            (request["stdin"], os.O_RDONLY),
            (request["stdout"], os.O_WRONLY | os.O_APPEND),
            (request["stderr"], os.O_WRONLY | os.O_APPEND),
        )
    ):
        opened = os.open(name, flags)
        os.dup2(opened, descriptor)
        os.close(opened)
    signal.alarm(request["timeout"])
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.path[:] = _search_path(os.environ.get("PYTHONPATH", ""))
    importlib.invalidate_caches()
    sys.argv[1:] = request["arguments"]


def _search_path(python_path: str) -> list[str]:
    """Where a process that is started in this folder finds modules."""
    first = [Path.cwd(), *(Path(name).absolute() for name in python_path.split(os.pathsep) if name)]
    return list(dict.fromkeys([*map(str, first), *_INSTALLED]))


if __name__ == "__main__":
    sys.path[:] = _search_path(sys.argv.pop())
    serve()
    runpy.run_module("memorycode", run_name="__main__", alter_sys=True)
