"""The scorers by name."""

from __future__ import annotations

from typing import Literal, get_args

from memorycode.protocols import Scorer

ScorerName = Literal["official", "strict"]

SCORER_NAMES: tuple[ScorerName, ...] = get_args(ScorerName)


def make_scorer(name: ScorerName) -> Scorer:
    """The paper's scorer, or the one that means what the rules say; only the one is imported."""
    match name:
        case "official":
            from memorycode.scoring.official import OfficialScorer

            return OfficialScorer()
        case "strict":
            from memorycode.scoring.strict import StrictScorer

            return StrictScorer()
