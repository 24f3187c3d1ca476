"""What a strategy does to the process that it runs in is seen, and told with the way to mend it.

Nothing of it is done in this process: the strategies are played in a fresh one.
"""

from __future__ import annotations

import os

import pytest

from memorycode.conformance.checks.conduct import (
    NO_OUTPUT,
    NOTHING_LEFT_RUNNING,
    NOTHING_REPLACED,
)
from memorycode.conformance.finding import ConformanceCheck, Finding
from memorycode.conformance.subject import Conditions, Subject
from memorycode.conformance.worker import try_out


def find(check: ConformanceCheck, strategy: str) -> Finding:
    return try_out(check, Subject.load(Conditions(spec=f"broken:{strategy}")))


@pytest.mark.parametrize(
    ("check", "strategy", "saw", "mend"),
    [
        (NO_OUTPUT, "Loud", 'it wrote \'{"name": "builds"', "say it by logging"),
        (NO_OUTPUT, "LoudBelow", "'written past Python'", "say it by logging"),
        (NO_OUTPUT, "LoudChild", "'from a program'", "say it by logging"),
        (NOTHING_REPLACED, "Bribing", "memorycode.scoring.strict.StrictScorer.judge", "subclass"),
        (
            *(NOTHING_REPLACED, "Recoding"),
            *("memorycode.running.budget.truncate_to_budget", "subclass"),
        ),
        (NOTHING_REPLACED, "Impostor", "it replaced memorycode.scoring.strict", "subclass"),
        (
            *(NOTHING_REPLACED, "Spoiling"),
            *("memory_strategies.full_history.FullHistory.recall", "subclass"),
        ),
        (NOTHING_REPLACED, "Hooking", "it replaced json.dumps,", "subclass"),
        (
            *(NOTHING_REPLACED, "Setting:what=environment"),
            *("it changed the environment's MEMORY_OF_MINE,", "put back"),
        ),
        (NOTHING_REPLACED, "Setting:what=folder", "the working directory", "put back"),
        (NOTHING_REPLACED, "Setting:what=signal", "the handler of SIGTERM", "put back"),
        (NOTHING_REPLACED, "Setting:what=argv", "sys.argv", "put back"),
        (NOTHING_REPLACED, "Setting:what=chance", "the seed of the random module", "context.rng"),
        (NOTHING_LEFT_RUNNING, "Forking", "it called os.fork()", "start a program by subprocess"),
        (NOTHING_LEFT_RUNNING, "Serving", "it left a process running", "end with the instance"),
        (NOTHING_LEFT_RUNNING, "Lingering", "the thread 'lingering'", "end with the instance"),
        (NOTHING_LEFT_RUNNING, "Lingering:once=true", "the thread 'lingering'", "end with"),
    ],
)
def test_what_is_done_to_the_process_is_told(
    check: ConformanceCheck, strategy: str, saw: str, mend: str
) -> None:
    finding = find(check, strategy)
    assert finding.failed
    assert saw in finding.saw
    assert mend in finding.saw


@pytest.mark.parametrize(
    ("check", "strategy"),
    [
        (NO_OUTPUT, "Logging"),
        (NOTHING_REPLACED, "Sound"),
        (NOTHING_REPLACED, "Current"),  # sets its own class's attribute
        (NOTHING_REPLACED, "Drawing"),
        (NOTHING_LEFT_RUNNING, "Pooling"),
    ],
)
def test_what_is_a_strategys_right_is_no_fault(check: ConformanceCheck, strategy: str) -> None:
    finding = find(check, strategy)
    assert finding.outcome == "passed", finding.saw


def test_this_process_stays_as_it_is() -> None:
    find(NOTHING_REPLACED, "Setting:what=environment")
    assert "MEMORY_OF_MINE" not in os.environ
