"""The process in which a strategy is checked: it is told a check's name and answers its finding.

::

    in    the import path · the conditions · a check's name · a check's name …
    out   {"problem", "is_usage"} once all is loaded · a finding · a finding …
"""

from __future__ import annotations

import json
import os
import sys
import time

from memorycode.conformance.checks import CHECKS
from memorycode.conformance.finding import ConformanceCheck, Finding, Outcome
from memorycode.conformance.interpreter import end_with_parent, own_output
from memorycode.conformance.subject import Conditions, Subject
from memorycode.conformance.watch import refuse_forks
from memorycode.errors import Fault, MemorycodeError, NotApplicable, UsageError
from memorycode.models.secrets import Secrets


def main() -> None:
    """Answer until the input ends."""
    end_with_parent()
    refuse_forks()
    with os.fdopen(own_output(), "w", encoding="utf-8") as answers:

        def answer(line: str) -> None:
            print(line, file=answers, flush=True)

        try:
            subject = Subject.load(Conditions.model_validate_json(sys.stdin.readline()))
        except MemorycodeError as error:
            answer(json.dumps({"problem": str(error), "is_usage": isinstance(error, UsageError)}))
            return
        answer(json.dumps({"problem": "", "is_usage": False}))
        checks = {check.name: check for check in CHECKS}
        for line in sys.stdin:
            answer(try_out(checks[line.strip()], subject).model_dump_json())


def try_out(check: ConformanceCheck, subject: Subject) -> Finding:
    """What a check sees on a strategy."""
    started = time.perf_counter()
    outcome: Outcome = "passed"
    before = subject.recalled.total()
    try:
        saw = check.look(subject)
        if check.compares and subject.recalled.total() == before:
            raise NotApplicable("compared nothing: nothing was recalled")
    except NotApplicable as reason:
        outcome, saw = "skipped", str(reason)
    except Fault as fault:
        outcome, saw = "failed", str(fault)
    saw = Secrets.known_to(subject.model).removed_from(saw)
    seconds = round(time.perf_counter() - started, 3)
    return Finding(name=check.name, tried=check.tried, outcome=outcome, saw=saw, seconds=seconds)
