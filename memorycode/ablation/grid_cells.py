"""From measures by dialogue to the cells of a grid."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memorycode.ablation.dialogue_cells import DialogueCell
from memorycode.ablation.grid import RankingSettings
from memorycode.frozen import Frozen
from memorycode.results.means import Estimate, estimate
from memorycode.retrieval.queries import INFORMED
from memorycode.retrieval.top_k import top_k


class GridCell(Frozen):
    """One combination of settings: means over dialogues, each the mean of its questions.

    `informed` says that its query knows what kinds of rules there are, `oracle` that the retriever
    or k is derived from gold labels.
    """

    settings: RankingSettings
    k: str
    oracle: bool
    measures: Mapping[str, Estimate]
    by_sessions: Mapping[int, Mapping[str, Estimate]]

    @property
    def informed(self) -> bool:
        return self.settings.query in INFORMED

    def as_json(self) -> dict[str, Any]:
        """Settings, marks and measures; a measure of nothing is null."""
        return {
            **self.settings.model_dump(),
            "k": self.k,
            "oracle": self.oracle,
            "informed": self.informed,
            "measures": _plain(self.measures),
            "errors": {name: found.se for name, found in self.measures.items()},
            "dialogues": max((found.n for found in self.measures.values()), default=0),
            "by_sessions": {str(n): _plain(found) for n, found in self.by_sessions.items()},
        }


def make_cells(found: Iterable[DialogueCell], oracles: frozenset[str]) -> list[GridCell]:
    """The cells in the order in which the dialogues had them; `oracles` are retrievers' specs."""
    by_cell: dict[tuple[RankingSettings, str], list[DialogueCell]] = defaultdict(list)
    for one in sorted(found, key=lambda one: one.dialogue):
        by_cell[one.settings, one.k].append(one)
    return [
        GridCell(
            settings=settings,
            k=k,
            oracle=top_k(k).is_oracle or settings.retriever in oracles,
            measures=_estimates(rows),
            by_sessions=_by_sessions(rows),
        )
        for (settings, k), rows in by_cell.items()
    ]


def _estimates(rows: Sequence[DialogueCell]) -> dict[str, Estimate]:
    return {name: estimate(row.measures[name] for row in rows) for name in rows[0].measures}


def _by_sessions(rows: Sequence[DialogueCell]) -> dict[int, dict[str, Estimate]]:
    by_length: dict[int, list[DialogueCell]] = defaultdict(list)
    for row in rows:
        by_length[row.sessions].append(row)
    return {length: _estimates(found) for length, found in sorted(by_length.items())}


def _plain(found: Mapping[str, Estimate]) -> dict[str, float | None]:
    return {name: one.mean for name, one in found.items()}
