"""The kit lives through what strategies do to it: it hangs with none and dies with none."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memorycode.conformance.checks import CHECKS
from memorycode.conformance.kit import Kit, check_strategy
from memorycode.conformance.subject import Conditions
from memorycode.errors import PluginError, UsageError
from memorycode.plugins import installed

BY_NAME = {check.name: check for check in CHECKS}
SLOW = {"langmem", "llama_index", "mem0"}


def test_gold_labels_are_not_to_be_had_from_all_objects_that_there_are() -> None:
    """Here, for the process that runs the tests has more of them than can be looked through."""
    with Kit(Conditions(spec="broken:Collecting")) as kit:
        finding = kit.find(BY_NAME["no_gold"])
    assert "which stands in the gold labels alone" in finding.saw


def test_a_strategy_that_hangs_fails_where_it_hung() -> None:
    with Kit(Conditions(spec="broken:Backtracking"), timeout=3) as kit:
        assert not kit.find(BY_NAME["no_bleed"]).failed
        hung = kit.find(BY_NAME["odd_text"])
        assert (hung.outcome, hung.saw) == ("failed", "not done after 3 s: it hangs, or is slow")
        assert not kit.find(BY_NAME["recall_twice"]).failed


def test_a_strategy_that_ends_the_process_fails_where_it_did() -> None:
    with Kit(Conditions(spec="broken:Dying")) as kit:
        assert "ended the process (exit status 7)" in kit.find(BY_NAME["odd_text"]).saw
        assert not kit.find(BY_NAME["recall_twice"]).failed


@pytest.mark.parametrize(
    ("strategy", "saw"),
    [
        ("Raising:what=interrupt,at=recall", "recalling: KeyboardInterrupt: "),
        ("Raising:what=panic,at=observe", "observing session 1: PanicException: called"),
        ("Raising:what=mute,at=recall", "recalling: MuteError: (its text cannot be had)"),
        ("Returning:what=half_nested", "the recall's notes hold half a surrogate pair"),
        ("Leaving", "it ended the process (exit status 0)"),
    ],
)
def test_whatever_a_strategy_does_is_a_finding(strategy: str, saw: str) -> None:
    with Kit(Conditions(spec=f"misbehaving:{strategy}")) as kit:
        found = kit.find(BY_NAME["valid_recall"])
    assert found.failed
    assert saw in found.saw


def test_what_a_strategy_prints_is_taken_for_no_finding() -> None:
    report = check_strategy(Conditions(spec="broken:Loud"))
    assert [finding.name for finding in report.findings] == [check.name for check in CHECKS]
    assert [finding.name for finding in report.findings if finding.failed] == ["no_output"]


def test_no_strategy_doubles_the_process_that_checks_it() -> None:
    with Kit(Conditions(spec="broken:Forking")) as kit:
        assert not kit.find(BY_NAME["valid_recall"]).failed
        assert kit.find(BY_NAME["nothing_left_running"]).failed


def test_where_an_essential_check_fails_the_others_are_not_tried() -> None:
    report = check_strategy(Conditions(spec="broken:Undated"))
    assert [finding.name for finding in report.findings if finding.failed] == ["builds"]
    assert {f.saw for f in report.findings[1:]} == {"not tried: builds failed"}
    assert not report.passed


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("nothing", UsageError, "no strategy named 'nothing'"),
        ("no_memory:k=1", UsageError, "no parameter 'k'"),
        ("nowhere.at_all:Memory", PluginError, "cannot be imported"),
    ],
)
def test_what_cannot_be_found_is_an_error(spec: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check_strategy(Conditions(spec=spec))


def test_another_model_can_be_chosen() -> None:
    # The ideal mentee writes no prose, so that the summary is the one without a model.
    with Kit(Conditions(spec="rolling_summary", model="ideal-mentee")) as kit:
        finding = kit.find(BY_NAME["bad_model"])
    assert (finding.outcome, "writes no prose" in finding.saw) == ("skipped", True)


@pytest.mark.parametrize("name", installed("strategies"))
def test_every_strategy_that_comes_along_passes(name: str) -> None:
    point = installed("strategies")[name]
    if point.dist is not None and point.dist.name != "memorycode":
        pytest.skip(f"{name} is of another package: {point.dist.name}")
    if name in SLOW and not os.environ.get("MEMORYCODE_SLOW"):
        pytest.skip(f"{name} takes minutes: `make prove` checks it")
    try:
        # Some adapters take most of the default minute; how fast they are is not tested here.
        report = check_strategy(Conditions(spec=name), timeout=900)
    except UsageError as error:
        assert "say what to adapt" in str(error)
        pytest.skip(f"an adapter of what is not here: {error}")
    faults = {finding.name: finding.saw for finding in report.findings if finding.failed}
    if "pip install 'memorycode[" in faults.get("builds", ""):
        pytest.skip(faults["builds"])
    assert faults == {}


def test_the_kit_leaves_no_process_behind() -> None:
    kit = Kit(Conditions(spec="no_memory"))
    kit.find(CHECKS[0])
    worker = kit._worker
    assert worker is not None
    kit.close()
    assert worker._process.poll() is not None


def test_no_worker_outlives_a_kit_that_was_killed() -> None:
    code = (
        "from memorycode.conformance.kit import *; kit = Kit(Conditions(spec='broken:Sleeping')); "
        "print(kit.find(CHECKS[0]).outcome, flush=True); "
        "kit.find(next(check for check in CHECKS if check.name == 'odd_text'))"
    )
    here = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    kit = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=here
    )
    assert kit.stdout is not None
    assert kit.stdout.readline().strip() == b"passed"
    time.sleep(1)  # it goes to sleep
    kit.kill()
    # The worker has the other end of standard error, which ends when it does.
    assert kit.communicate(timeout=30) == (b"", b"")


def test_importing_the_test_base_needs_no_pytest() -> None:
    code = "import sys, memorycode.testing; sys.exit('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
