"""`memorycode check`: exit statuses, JSON for machines, a table for people."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from memorycode.conformance.checks import CHECKS
from memorycode.conformance.finding import Conformance, Finding
from memorycode.reporting.conformance import print_conformance
from tests.commands import run_command


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_command("check", *arguments, cwd=Path(__file__).parent)


def test_json_has_every_check_and_nothing_else_on_standard_output() -> None:
    done = call("broken:Loud", "--json", "--seed", "3")
    assert done.returncode == 1, done.stderr
    assert '"outcome": "failed"' in done.stderr
    report = json.loads(done.stdout)
    assert (report["spec"], report["passed"]) == ("broken:Loud", False)
    assert [check["name"] for check in report["checks"]] == [check.name for check in CHECKS]
    for check in report["checks"]:
        assert set(check) == {"name", "tried", "passed", "skipped", "saw", "seconds"}
        assert check["passed"] is (check["name"] != "no_output")
        assert check["skipped"] is (check["name"] == "bad_model")


def test_a_failed_check_is_exit_status_1_and_stands_in_the_table() -> None:
    done = call("broken:Undated")
    assert done.returncode == 1
    assert "✗  builds" in done.stdout
    words = " ".join(done.stdout.split())
    assert "ask_after is 'sometimes', want last or every" in words
    assert f"0 passed ✓, 1 failed ✗, {len(CHECKS) - 1} skipped –." in words


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("nothing",), 2, "memorycode: no strategy named 'nothing'"),
        (("no_memory", "--model", "gpt"), 2, "memorycode: no model named 'gpt'"),
        (("no_memory", "--timeout", "0"), 2, "--timeout"),
        (("nowhere:Memory",), 1, "memorycode: nowhere:Memory: cannot be imported"),
    ],
)
def test_wrong_use_is_told_in_a_line(arguments: tuple[str, ...], status: int, message: str) -> None:
    done = call(*arguments)
    assert done.returncode == status
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_what_a_strategy_says_cannot_rewrite_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    finding = Finding(name="builds", tried="x", outcome="failed", saw="\x1b[2Jall well [/b]")
    print_conformance(Conformance(spec="a:B", findings=(finding,)))
    assert "\\x1b[2Jall well [/b]" in capsys.readouterr().out
