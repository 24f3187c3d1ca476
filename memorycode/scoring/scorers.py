"""The scorers by name."""

from __future__ import annotations

from typing import Literal, get_args

from memorycode.protocols import Scorer
from memorycode.scoring.official import OfficialScorer
from memorycode.scoring.strict import StrictScorer

ScorerName = Literal["official", "strict"]

SCORER_NAMES: tuple[ScorerName, ...] = get_args(ScorerName)


def make_scorer(name: ScorerName) -> Scorer:
    """The paper's scorer, or the one that means what the rules say."""
    match name:
        case "official":
            return OfficialScorer()
        case "strict":
            return StrictScorer()
