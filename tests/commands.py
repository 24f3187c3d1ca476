"""Runs ``python -m memorycode``, for tests that look at what it prints and how it ends.

To import everything takes longer than most commands do. So one process has imported it, and each
command is a fork of it, with the arguments, folder, environment, files and exit status of a process
of its own; tests/test_commands.py compares the two. What an interpreter reads when it starts is
that of the tests (``PYTHONHASHSEED``, ``PYTHONWARNINGS``), and what is loaded says nothing: tests
of these, and those that send signals, start a real process.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory


def run_command(
    *arguments: object,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    timeout: int = 300,
) -> subprocess.CompletedProcess[str]:
    """The ended command, as `subprocess.run` gives it; after `timeout` seconds a signal ends it."""
    words = [str(argument) for argument in arguments]
    if not hasattr(os, "fork"):
        return run_process(*words, cwd=cwd, env=env, stdin=stdin, timeout=timeout)
    with TemporaryDirectory() as folder:
        files = {name: Path(folder, name) for name in ("stdin", "stdout", "stderr")}
        files["stdin"].write_text(stdin, encoding="utf-8")
        files["stdout"].touch()
        files["stderr"].touch()
        request = {
            "arguments": words,
            "folder": str(cwd or Path.cwd()),
            "environment": dict(os.environ if env is None else env),
            "timeout": timeout,
            **{name: str(file) for name, file in files.items()},
        }
        status = _server().ask(json.dumps(request))
        stdout, stderr = (files[name].read_text(encoding="utf-8") for name in ("stdout", "stderr"))
    return subprocess.CompletedProcess(words, status, stdout, stderr)


def run_process(
    *arguments: object,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    timeout: int = 300,
) -> subprocess.CompletedProcess[str]:
    """The same by a real process."""
    return subprocess.run(
        [sys.executable, "-m", "memorycode", *map(str, arguments)],
        check=False,
        capture_output=True,
        text=True,
        input=stdin,
        cwd=cwd,
        env=env,
        timeout=timeout,
    )


def complaints(stderr: str) -> list[str]:
    """The lines of standard error, without those that a slow machine has: how far it is."""
    return [line for line in stderr.splitlines() if not _SIGN_OF_LIFE.match(line)]


_SIGN_OF_LIFE = re.compile(r"[\d,]+ of [\d,]+ (dialogues|questions|answers)\b")


class _Server:
    def __init__(self) -> None:
        program = Path(__file__).with_name("command_server.py")
        environment = dict(os.environ)
        python_path = environment.pop("PYTHONPATH", "")
        self._process = subprocess.Popen(
            [sys.executable, str(program), python_path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def ask(self, request: str) -> int:
        """The status with which a command ended."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{request}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


@cache
def _server() -> _Server:
    """One in each process that runs tests, until it ends."""
    server = _Server()
    atexit.register(server.close)
    return server
