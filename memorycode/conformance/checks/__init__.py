"""The checks, in the order in which they are tried."""

from memorycode.conformance.checks.conduct import (
    NO_OUTPUT,
    NOTHING_LEFT_RUNNING,
    NOTHING_REPLACED,
    SAME_ARGUMENTS,
)
from memorycode.conformance.checks.costs import BAD_MODEL, BUDGET, COST_GROWTH
from memorycode.conformance.checks.histories import (
    EMPTY_HISTORY,
    MANY_SESSIONS,
    ODD_TEXT,
    ONE_SESSION,
)
from memorycode.conformance.checks.isolation import NO_BLEED, NO_FUTURE, NO_GOLD, THREADS
from memorycode.conformance.checks.repetition import (
    OBSERVE_AFTER_RECALL,
    RECALL_IS_FROZEN,
    RECALL_TWICE,
    SAME_SEED,
)
from memorycode.conformance.checks.shape import BUILDS, RECALLS_SOMETHING, VALID_RECALL
from memorycode.conformance.finding import ConformanceCheck

CHECKS: tuple[ConformanceCheck, ...] = (
    *(BUILDS, VALID_RECALL),
    *(NO_BLEED, NO_GOLD, NO_FUTURE),
    *(EMPTY_HISTORY, ONE_SESSION, MANY_SESSIONS, ODD_TEXT),
    *(RECALL_TWICE, RECALL_IS_FROZEN, OBSERVE_AFTER_RECALL, SAME_SEED, SAME_ARGUMENTS, THREADS),
    *(NO_OUTPUT, NOTHING_REPLACED, NOTHING_LEFT_RUNNING),
    *(BUDGET, BAD_MODEL, COST_GROWTH),
    # Last, so that what its many dialogues may leave behind blames no other check.
    RECALLS_SOMETHING,
)

__all__ = ["CHECKS"]
