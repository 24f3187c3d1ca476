"""What a verdict counts for in a score."""

from __future__ import annotations

from collections.abc import Mapping

from memorycode.protocols import Verdict

_SCORES: Mapping[Verdict, float] = {"followed": 1.0, "violated": 0.0, "unparsable": 0.0}


def verdict_score(verdict: Verdict) -> float | None:
    """1 if followed, 0 if violated or unparsable, None for an absent object, which is left out."""
    return _SCORES.get(verdict)
