"""A command that the tests fork is what a process of its own is, but for the time it takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import run_command, run_process

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

# A plug-in that says what it finds around it: what it prints goes to standard error.
_ABOUT = """
import json, multiprocessing, os, sys, threading
def Telling(context):
    main = sys.modules["__main__"]
    print(json.dumps({
        "arguments": sys.argv,
        "folder": os.getcwd(),
        "environment": dict(os.environ),
        "path": [os.path.abspath(folder) for folder in sys.path],
        "main": [main.__name__, main.__package__, main.__spec__.name],
        "threads": threading.active_count(),
        "process": multiprocessing.current_process().name,
        "terminal": [stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)],
        "streams": [stream.encoding for stream in (sys.stdin, sys.stdout, sys.stderr)],
    }))
"""
_ENDS = """
import atexit, os, sys, threading
def Quitting(context):
    raise SystemExit(7)
atexit.register(lambda: os.write(2, b"at the end\\n"))
threading.Thread(target=lambda: sys.stderr.write("of a thread\\n")).start()
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("--version",),
        ("--help",),
        (),
        ("nothing",),
        ("run", "--limit", "0"),
        ("report", "nowhere"),
        ("strategies", "--json"),
        ("detect", "-"),
        ("run", "--strategy", "ends:Quitting", "--dry-run"),
    ],
)
def test_output_and_status_are_those_of_a_process(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "ends.py").write_text(_ENDS)
    text = "Ada: Start all function names with 'ü_'."
    environment = os.environ | {"COLUMNS": "70"}
    forked, real = (
        run(*arguments, cwd=tmp_path, env=environment, stdin=text)
        for run in (run_command, run_process)
    )
    assert (forked.returncode, forked.stdout, forked.stderr) == (
        (real.returncode, real.stdout, real.stderr)
    )
    assert forked.stdout + forked.stderr


def test_what_a_plugin_finds_around_it_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "about.py").write_text(_ABOUT)
    told = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([str(tmp_path / "there"), *([told] if told else [])])
    environment = os.environ | {"PYTHONPATH": path, "PLANTED": "x"}
    command = ("run", "--limit", "1", "--strategy", "about:Telling", "--dry-run")
    forked, real = (
        [
            json.loads(line)
            for line in run(*command, cwd=tmp_path / "here", env=environment).stderr.splitlines()
            if line.startswith("{")
        ]
        for run in (run_command, run_process)
    )
    assert forked == real
    assert forked[0]["environment"]["PLANTED"] == "x"


def test_one_command_leaves_nothing_to_the_next(tmp_path: Path) -> None:
    (tmp_path / "about.py").write_text(_ABOUT)
    command = ("run", "--limit", "1", "--strategy", "about:Telling", "--dry-run")
    first = run_command(*command, cwd=tmp_path, env=os.environ | {"PLANTED": "x"})
    assert '"PLANTED": "x"' in first.stderr
    second = run_command(*command, cwd=tmp_path)
    assert "PLANTED" not in second.stderr
    (tmp_path / "about.py").unlink()
    assert "about:Telling: cannot be imported" in run_command(*command, cwd=tmp_path).stderr


def test_a_command_that_does_not_end_is_ended(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text("import time\ntime.sleep(100)\n")
    command = ("run", "--limit", "1", "--strategy", "endless:Any", "--dry-run")
    assert run_command(*command, cwd=tmp_path, timeout=1).returncode < 0


def test_the_server_ends_with_the_tests() -> None:
    code = (
        "from tests import commands\n"
        "commands.run_command('--version')\n"
        "print(commands._server()._process.pid)"
    )
    root = str(Path(__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=root
    )
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)
