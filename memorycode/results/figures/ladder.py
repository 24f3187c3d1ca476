"""The ladder of oracles: what each difficulty costs a model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from memorycode.errors import UsageError
from memorycode.results.answers import RECORDED, Answer, Source
from memorycode.results.encodable_text import encodable
from memorycode.results.figures.evidence import Evidence
from memorycode.results.figures.grouping import ESTIMATE, INTERVALS, estimate_cells, length_of
from memorycode.results.figures.series import Drawing, Layout, Series, Value
from memorycode.results.means import mean
from memorycode.results.metrics import dialogue_scores
from memorycode.results.statistics import compare_paired, generator

RUNGS = {
    "full_history": "whole history",
    "instruction_sessions": "sessions with rules ◆",
    "instruction_chain": "chain of rules ◆",
    "active_rules": "rules in force ◆",
    "session": "one session alone",
    "instruction": "one rule alone",
}
"""From the hardest: each takes a difficulty away. The first four are memories asked after the last
session, the others the settings of that name."""


def ladder(evidence: Evidence) -> Series:
    """The strict score on each rung, and the step from the rung before, on the same dialogues.

    Irrelevant sessions, talk around the rules, superseded versions, many rules at once: one goes
    with each rung, so that the step is what it costs. One session alone stands beside the oracles
    where recorded outputs have no answers with them. Raises `UsageError` for a single rung, and for
    two runs that have the same one.
    """
    scores = _scores(evidence)
    if not any(len(rungs) > 1 for rungs in scores.values()):
        raise UsageError("a ladder wants more than one rung: run the experiment named ladder")
    rows: list[tuple[Value, ...]] = []
    for (model, group), rungs in scores.items():
        before: Mapping[int, float] | None = None
        for rung, title in RUNGS.items():
            if rung in rungs:
                here = rungs[rung]
                rows.append((model, group, title, *estimate_cells(here), *_step(before, here)))
                before = here
    return Series(
        name="ladder",
        title="What each difficulty costs: strict scores on the ladder of oracles",
        columns=("model", "group", "rung", *ESTIMATE, "step", "step_low", "step_high"),
        rows=tuple(rows),
        layout=Layout(index=("model", "group"), across="rung", value="mean"),
        drawing=Drawing(
            kind="lines",
            x="rung",
            y="mean",
            low="low",
            high="high",
            by="model",
            panel="group",
            x_label="",
            y_label="strict score",
        ),
        order=tuple(RUNGS.values()),
        notes=(
            "Strict scorer. Short: up to 15 sessions. step: against the rung before, on the same "
            "dialogues.",
            INTERVALS,
            *evidence.notes(),
        ),
    )


def _scores(evidence: Evidence) -> dict[tuple[str, str], dict[str, dict[int, float]]]:
    """By model and length, in order, by rung, the score of each dialogue."""
    asked: dict[tuple[str, str, str], list[Answer]] = defaultdict(list)
    sources: dict[tuple[str, str], Source] = {}
    for row in evidence.answers:
        rung = _rung(row)
        if rung in RUNGS:
            group = length_of(row)
            model = encodable(row.source.model)
            if sources.setdefault((model, rung), row.source) != row.source:
                raise UsageError(
                    f"two runs have {RUNGS[rung]} of {model}; a ladder takes one of each rung"
                )
            asked[model, group, rung].append(row)
    found: dict[tuple[str, str], dict[str, dict[int, float]]] = defaultdict(dict)
    models = list(dict.fromkeys(model for model, _, _ in asked))
    # Records come as tasks end; what is shown first must not depend on it.
    keys = sorted(asked, key=lambda key: (models.index(key[0]), key[1] == "long"))
    for model, group, rung in keys:
        answers = asked[model, group, rung]
        by_number = dialogue_scores(answers, "strict")
        values = {
            number: mean(scores.of(answers[0].setting)) for number, scores in by_number.items()
        }
        found[model, group][rung] = {n: value for n, value in values.items() if value is not None}
    return found


def _rung(row: Answer) -> str:
    strategy = "full_history" if row.source.strategy == RECORDED else row.source.strategy
    if row.setting != "history":
        # Alone means with all of its text, which other memories may leave out.
        return row.setting if strategy == "full_history" else ""
    return strategy if row.ends_history else ""


def _step(before: Mapping[int, float] | None, here: Mapping[int, float]) -> tuple[Value, ...]:
    if before is None:
        return None, None, None
    step = compare_paired(before, here, generator()).difference
    return step.mean, step.low, step.high
