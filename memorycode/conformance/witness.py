"""A play in a fresh process that sees what the strategy does to it, and how it is asked for."""

from __future__ import annotations

import os
from functools import lru_cache

from memorycode.conformance.interpreter import end, start_python, tell
from memorycode.conformance.subject import Subject
from memorycode.errors import Fault
from memorycode.frozen import Frozen
from memorycode.protocols import Recall

HASH_SEED = "PYTHONHASHSEED"
_STEADY_DIALOGUE = (30, 12)
"""Number and sessions of the dialogue that is played in several processes."""


class Witnessed(Frozen):
    """What was recalled (texts and sessions), and what else the strategy did: the beginning of what
    it wrote, what it replaced, set, tried to fork and left running."""

    recalled: tuple[tuple[tuple[str, int | None], ...], ...]
    written: str
    replaced: tuple[str, ...]
    changed: tuple[str, ...]
    forks: tuple[str, ...]
    left_running: tuple[str, ...]


def steady_recalls(subject: Subject) -> tuple[Recall, ...]:
    """The play that is the same in every process."""
    return subject.start(subject.synthetic(*_STEADY_DIALOGUE).dialogue).play()


def another_hash_seed() -> str:
    """One that this process has not."""
    return "2" if os.environ.get(HASH_SEED) == "1" else "1"


@lru_cache(maxsize=1)
def witnessed(subject: Subject) -> Witnessed:
    """What was seen in a process of its own, once per subject. Raises `Fault` where it failed."""
    fresh = start_python("memorycode.conformance.replay", **{HASH_SEED: another_hash_seed()})
    tell(fresh, subject.conditions.model_dump_json())
    try:
        said, _ = fresh.communicate()
    finally:
        end(fresh)
    if fresh.returncode:
        raise Fault(f"a fresh process ended with exit status {fresh.returncode}: {said.strip()}")
    return Witnessed.model_validate_json(said)
