"""Every table and figure by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from memorycode.dialogue import Setting
from memorycode.errors import UsageError
from memorycode.results.figures.after_update import after_update
from memorycode.results.figures.attribution import attribution
from memorycode.results.figures.by_instruction import by_instruction, by_update
from memorycode.results.figures.by_sessions import by_sessions
from memorycode.results.figures.by_update_rank import by_update_rank
from memorycode.results.figures.dataset_table import dataset_table
from memorycode.results.figures.evidence import Evidence
from memorycode.results.figures.interaction import interaction
from memorycode.results.figures.ladder import ladder
from memorycode.results.figures.pareto import pareto
from memorycode.results.figures.position import position
from memorycode.results.figures.series import Series
from memorycode.results.figures.settings_table import settings_table
from memorycode.results.figures.stability import stability
from memorycode.scoring.scorers import ScorerName

Need = Literal["dialogues", "answers", "runs"]


@dataclass(frozen=True)
class Figure:
    """How a figure is computed and what it takes: the `dialogues` alone, `answers` (recorded ones
    will do), or `runs`, which know what was recalled and what it took. `settings` are those whose
    questions it looks at, `scorer` whose verdicts: the paper's for the paper's figures."""

    compute: Callable[[Evidence], Series]
    needs: Need = "answers"
    settings: tuple[Setting, ...] = ("history",)
    scorer: ScorerName = "strict"


_ALL: tuple[Setting, ...] = ("history", "session", "instruction")

FIGURES: Mapping[str, Figure] = {
    "dataset": Figure(dataset_table, "dialogues", ()),
    "settings": Figure(settings_table, settings=_ALL, scorer="official"),
    "by_sessions": Figure(by_sessions, scorer="official"),
    "by_update_rank": Figure(by_update_rank, scorer="official"),
    "by_instruction": Figure(by_instruction, scorer="official"),
    "by_update": Figure(by_update, scorer="official"),
    "ladder": Figure(ladder, settings=_ALL),
    "attribution": Figure(attribution, "runs"),
    "after_update": Figure(after_update, "runs"),
    "pareto": Figure(pareto, "runs"),
    "position": Figure(position),
    "interaction": Figure(interaction, scorer="official"),
    "stability": Figure(stability, "runs"),
}


def figure_named(name: str) -> Figure:
    """Raises `UsageError` for a name that no figure has."""
    if name not in FIGURES:
        raise UsageError(f"{name!r}: there is no such figure; there are {', '.join(FIGURES)}")
    return FIGURES[name]
