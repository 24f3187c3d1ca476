"""One strategy with one model: from its answers to a row of the comparison."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from memorycode.frozen import Frozen
from memorycode.prices import Price
from memorycode.results.answers import MISSING, Answer
from memorycode.results.cost import Spending, memory_cost, spending
from memorycode.results.means import Estimate
from memorycode.results.memory_loss import MemoryLoss, memory_loss
from memorycode.results.metrics import (
    DialogueCounts,
    Scores,
    dialogue_counts,
    dialogue_scores,
    history_curve,
    summarize,
)
from memorycode.results.recalled_rules import RecalledRules, recalled_rules
from memorycode.results.repeats import RepeatScores, repeat_scores
from memorycode.results.run_row import RunRow, took_all_note
from memorycode.running.records import MemoryCost
from memorycode.scoring.attribution import CAUSES, Cause
from memorycode.scoring.scorers import SCORER_NAMES


class StrategyRow(Frozen):
    """One strategy with one model.

    `scores`, by scorer, are over the planned questions of the last checkpoint, and `causes`, by
    scorer, count there where violated rules were lost; `questions`, `answered`, `failed` and
    `missing` (not asked yet) count over all checkpoints, each repeat for itself.
    `context_tokens_mean` is the mean length of the recalled context of the questions at the last
    checkpoint, in tokens, `recalled` what those contexts had of the rules; of the `recalls` there
    the budget, or the model's limit, had cut `truncated`, and `took_all` says how many had chosen
    nothing. `curve` is the official history score by checkpoint where there are several, and
    `curve_scores` what it is the mean of: by checkpoint, each dialogue's score by its number.
    `counts`, by scorer and dialogue, is what the shares of questions and of rules are made of.
    `first_failure` is the id of the first failed question and what went wrong. `repeats`, by
    scorer, is there where each question was asked several times. `unjudged` counts, by further
    scorer, the answers of the last checkpoint that it did not judge: they are not in its scores.
    """

    strategy: str
    oracle: bool
    variant: str
    note: str
    scores: Mapping[str, Scores]
    counts: Mapping[str, Mapping[int, DialogueCounts]]
    causes: Mapping[str, Mapping[Cause, int]]
    curve: Mapping[int, Estimate]
    questions: int
    answered: int
    failed: Mapping[str, int]
    missing: int
    first_failure: tuple[str, str] | None
    context_tokens_mean: float | None
    recalled: RecalledRules
    truncated: int
    recalls: int
    took_all: str
    seconds: float
    memory: MemoryCost
    spending: Spending = Spending()
    repeats: Mapping[str, RepeatScores] = {}
    unjudged: Mapping[str, int] = {}
    curve_scores: Mapping[int, Mapping[int, float]] = {}

    @property
    def label(self) -> str:
        return f"{self.strategy} ({self.variant})" if self.variant else self.strategy

    @property
    def asked(self) -> int:
        """The questions that were asked so far."""
        return self.questions - self.missing

    @property
    def loss(self) -> MemoryLoss:
        """What the memory had to go on without."""
        return memory_loss(self.memory)


def strategy_row(
    row: RunRow, repeats: int, price: Price | None, further: Sequence[str] = ()
) -> StrategyRow:
    """Reduce all that one strategy with one model answered; each question was to be asked so many
    times. `price` is None where nobody is paid; `further` are scorers besides ours."""
    answers, strategy = row.answers, row.strategy
    scorers = (*SCORER_NAMES, *further)
    failed = [answer for answer in answers if answer.failure not in ("", MISSING)]
    missing = sum(answer.failure == MISSING for answer in answers)
    is_curve = strategy.ask_after == "every"
    last = row.last_given
    return StrategyRow(
        strategy=strategy.spec,
        oracle=strategy.oracle,
        variant=row.source.variant,
        note=strategy.notes.get(row.model.name, ""),
        scores={name: summarize(answers, name) for name in scorers},
        counts={name: dialogue_counts(answers, name) for name in scorers},
        causes={name: _causes(answers, name) for name in scorers},
        curve=history_curve(answers, "official") if is_curve else {},
        curve_scores=_curve_scores(answers) if is_curve else {},
        questions=strategy.planned,
        answered=len(answers) - missing - len(failed),
        failed=dict(sorted(Counter(answer.failure for answer in failed).items())),
        missing=missing,
        first_failure=(failed[0].id, failed[0].error) if failed else None,
        context_tokens_mean=sum(a.context_tokens for a in last) / len(last) if last else None,
        recalled=recalled_rules(answers),
        truncated=sum(answer.truncated for answer in last),
        recalls=len(last),
        took_all=took_all_note(row.source.label, last),
        seconds=sum(task.seconds for task in row.tasks),
        memory=memory_cost(row.memories),
        spending=spending(row.attempts, row.memories, price),
        repeats=_repeats(answers, repeats, scorers),
        unjudged={name: sum(name not in answer.verdicts for answer in last) for name in further},
    )


def _repeats(
    answers: Sequence[Answer], repeats: int, scorers: Iterable[str]
) -> dict[str, RepeatScores]:
    if repeats == 1:
        return {}
    return {name: repeat_scores(answers, name, repeats) for name in scorers}


def _causes(answers: Iterable[Answer], scorer: str) -> dict[Cause, int]:
    counts: Counter[Cause] = Counter()
    for answer in answers:
        if answer.is_last_checkpoint:
            counts.update(answer.causes.get(scorer, {}).values())
    return {cause: counts[cause] for cause in CAUSES}


def _curve_scores(answers: Iterable[Answer]) -> dict[int, dict[int, float]]:
    found: dict[int, dict[int, float]] = defaultdict(dict)
    for number, scores in dialogue_scores(answers, "official").items():
        for at, score in enumerate(scores.history):
            if score is not None:
                found[at][number] = score
    return dict(sorted(found.items()))
