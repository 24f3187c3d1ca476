"""How the scripted renderer tells rules: how plainly, and with how many detours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from memorycode.frozen import Frozen
from memorycode.generation.settings import Rate

if TYPE_CHECKING:
    from memorycode.generation.seeds import RulePhrases

Difficulty = Literal["explicit", "paraphrased", "implicit"]
"""Rules in plain words; in other words that a reader gets at once; left to be inferred."""

DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)


class Style(Frozen):
    """The manner of a whole dialogue. Rates are probabilities for each rule told.

    With `reference_rate` a change points back to when the old version was told. With `hedge_rate`
    the mentor doubts the rule aloud. With `correction_rate` another version is told first, or
    understood, and put right in the same session. With `repeat_rate` the mentee repeats the rule
    (only where it is told explicitly: it would give away what the mentor left open).
    """

    difficulty: Difficulty = "explicit"
    reference_rate: Rate = 0.35
    hedge_rate: Rate = 0.2
    correction_rate: Rate = 0.1
    repeat_rate: Rate = 0.6


def lines_at(lines: RulePhrases, difficulty: Difficulty) -> tuple[str, tuple[str, ...]]:
    """The lines that tell a rule at a difficulty, and what they are called.

    A pool without lines of that difficulty tells it more plainly.
    """
    if difficulty == "implicit" and lines.hint:
        return "hint", lines.hint
    if difficulty != "explicit" and lines.paraphrase:
        return "paraphrase", lines.paraphrase
    return "state", lines.state
