"""Accuracy against tokens against cost: which memories no other one beats."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from memorycode.results.answers import Answer, Source
from memorycode.results.figures.evidence import Evidence
from memorycode.results.figures.grouping import ESTIMATE, INTERVALS, estimate_cells
from memorycode.results.figures.scores import history_scores
from memorycode.results.figures.series import Drawing, Layout, Series
from memorycode.results.means import mean
from memorycode.results.strategy_row import StrategyRow


class _Point(NamedTuple):
    label: str
    oracle: bool
    tokens: float
    dollars: float | None
    scores: dict[int, float]

    @property
    def score(self) -> float | None:
        return mean(self.scores.values())


def pareto(evidence: Evidence) -> Series:
    """Strict history score, tokens and dollars of each strategy.

    `tokens` are those of a question: its whole prompt (mean at the last checkpoint, in the run's
    tokenizer) and its share of what the memory's own calls took, over all that were asked so far.
    `dollars` are what a thousand questions cost, where prices are known; answers from the cache
    cost nothing. `frontier` marks the strategies that no other one beats with
    no more tokens; oracles are shown and left out of it.
    """
    points = _points(evidence)
    rows = [
        (
            point.label,
            point.tokens,
            point.dollars,
            *estimate_cells(point.scores),
            "yes" if _unbeaten(point, points) else "",
        )
        for point in sorted(points, key=lambda point: point.tokens)
    ]
    return Series(
        name="pareto",
        title="Accuracy against tokens",
        columns=("label", "tokens", "dollars", *ESTIMATE, "frontier"),
        rows=tuple(rows),
        layout=Layout(
            index=("label", "tokens", "dollars", "frontier"),
            across="",
            value="mean",
            low="low",
            high="high",
        ),
        drawing=Drawing(
            kind="scatter",
            x="tokens",
            y="mean",
            low="low",
            high="high",
            by="label",
            marked="frontier",
            x_label="tokens per question",
            y_label="strict score",
            x_scale="log",
        ),
        notes=(
            "Strict scorer, after the last session, all dialogues. Tokens of the prompt with the "
            "memory's own calls shared out; dollars spent per thousand questions, of which answers "
            "from the cache cost nothing.",
            "frontier: no other memory scores as much with as few tokens; oracles left out.",
            INTERVALS,
            *evidence.notes(),
        ),
    )


def _points(evidence: Evidence) -> list[_Point]:
    asked: dict[Source, list[Answer]] = defaultdict(list)
    for row in evidence.answers:
        if row.ends_history and not row.failure:
            asked[row.source].append(row)
    spent = _spent(evidence)
    scores = history_scores(evidence, "strict")
    points = []
    for source, rows in asked.items():
        report = spent[source.run, source.model, source.strategy]
        asked_so_far = report.questions - report.missing
        memory = report.memory.prompt_tokens + report.memory.completion_tokens
        dollars = report.spending.dollars
        label = evidence.labels[source]
        points.append(
            _Point(
                label=label,
                oracle=source.oracle,
                tokens=sum(r.prompt_tokens for r in rows) / len(rows) + memory / asked_so_far,
                dollars=None if dollars is None else 1000 * dollars / asked_so_far,
                scores={number: score for number, (_, score) in scores[label].items()},
            )
        )
    return points


def _spent(evidence: Evidence) -> dict[tuple[str, str, str], StrategyRow]:
    return {
        (run, model.model.name, row.strategy): row
        for run, report in evidence.reports_by_run().items()
        for model in report.models
        for row in model.rows
    }


def _unbeaten(point: _Point, points: list[_Point]) -> bool:
    """Whether no other one beats it; those without a score neither beat nor are beaten."""
    if point.oracle or point.score is None:
        return False
    return not any(
        other.tokens <= point.tokens
        and other.score >= point.score
        and (other.tokens, other.score) != (point.tokens, point.score)
        for other in points
        if not other.oracle and other.score is not None
    )
