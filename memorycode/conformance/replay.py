"""A process that plays one dialogue, watched: is the same recalled in every one, and is the process
then as it was?"""

from __future__ import annotations

import os
import sys

from memorycode.conformance.interpreter import end_with_parent, own_output
from memorycode.conformance.subject import Conditions, Subject, passages_of
from memorycode.conformance.watch import (
    changed_state,
    forks_tried,
    import_looked_at,
    left_running,
    names_in_modules,
    process_state,
    refuse_forks,
    replaced,
    threads,
    written_to,
)
from memorycode.conformance.witness import Witnessed, steady_recalls
from memorycode.errors import Fault


def main() -> None:
    """Read the conditions, print what was seen as JSON, or a fault's text with exit status 1."""
    end_with_parent()
    refuse_forks()
    with os.fdopen(own_output(), "w", encoding="utf-8", errors="backslashreplace") as answers:
        conditions = Conditions.model_validate_json(sys.stdin.readline())
        sys.argv[:] = ["memorycode", "run", "--strategy", conditions.spec, "--out", "runs/first"]
        try:
            print(_watched(conditions).model_dump_json(), file=answers)
        except Fault as fault:
            print(fault, file=answers, flush=True)
            sys.exit(1)


def _watched(conditions: Conditions) -> Witnessed:
    import_looked_at()
    modules = names_in_modules()
    with written_to(1) as on_import:
        subject = Subject.load(conditions)
    # Importing a library may set much, and start its threads; playing is to set nothing.
    subject.count_tokens("")
    state, running = process_state(), threads()
    with written_to(1, 2) as on_play:
        recalled = passages_of(steady_recalls(subject))
        known = threads()
        subject.start(subject.synthetic(35, 2).dialogue).play()
    own = subject.plugin.factory.__module__
    return Witnessed(
        recalled=tuple(tuple(recall) for recall in recalled),
        written=(on_import + on_play).decode(errors="replace"),
        replaced=tuple(replaced(modules, names_in_modules(), own)),
        changed=tuple(changed_state(state, process_state())),
        forks=tuple(forks_tried()),
        left_running=tuple(left_running(running, known, own)),
    )
