"""A process that plays one dialogue and prints what was recalled: is it the same in every one?"""

from __future__ import annotations

import os
import sys

from memorycode.conformance.checks.repetition import steady_recalls
from memorycode.conformance.interpreter import end_with_parent, own_output
from memorycode.conformance.subject import Conditions, Subject
from memorycode.errors import Fault


def main() -> None:
    """Read the conditions, print the recalls as JSON, or a fault's text with exit status 1."""
    end_with_parent()
    with os.fdopen(own_output(), "w", encoding="utf-8", errors="backslashreplace") as answers:
        try:
            subject = Subject.load(Conditions.model_validate_json(sys.stdin.readline()))
            print(steady_recalls(subject), file=answers)
        except Fault as fault:
            print(fault, file=answers, flush=True)
            sys.exit(1)
