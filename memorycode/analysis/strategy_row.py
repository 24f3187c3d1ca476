"""One strategy with one model: from its records to a row of the comparison."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from memorycode.analysis.aggregation import (
    MISSING,
    Estimate,
    ScoredQuestion,
    Scores,
    dialogue_scores,
    history_curve,
    summarize,
)
from memorycode.analysis.dialogue_counts import DialogueCounts, dialogue_counts
from memorycode.analysis.recalled import FoundAt, RecalledRules, recalled_rules
from memorycode.analysis.samples import SampleScores, sample_scores
from memorycode.analysis.spending import Spending, SpendingTally
from memorycode.frozen import Frozen
from memorycode.prices import Price
from memorycode.running.manifest import StrategyEntry
from memorycode.running.records import MemoryCost, Record, TaskRecord
from memorycode.scoring.attribution import CAUSES, Cause
from memorycode.scoring.scorers import SCORER_NAMES, ScorerName


class StrategyRow(Frozen):
    """One strategy with one model.

    `scores`, by scorer, are over the planned questions of the last checkpoint, and `causes`, by
    scorer, count there where violated rules were lost; `questions`, `answered`, `failed` and
    `missing` (not asked yet) count over all checkpoints, each sample for itself.
    `context_tokens_mean` is the mean length of the recalled context of the questions at the last
    checkpoint, in tokens, `recalled` what those contexts had of the rules, `cut` how many of them
    the budget had cut. `curve` is the official history score by checkpoint where there are several,
    and `curve_scores` what it is the mean of: by checkpoint, each dialogue's score by its number.
    `counts`, by scorer and dialogue, is what the shares of questions and of rules are made of.
    `first_failure` is the id of the first failed question and what went wrong. `samples`, by
    scorer, is there where each question was asked several times.
    """

    strategy: str
    oracle: bool
    variant: str
    note: str
    scores: Mapping[ScorerName, Scores]
    counts: Mapping[ScorerName, Mapping[int, DialogueCounts]]
    causes: Mapping[ScorerName, Mapping[Cause, int]]
    curve: Mapping[int, Estimate]
    questions: int
    answered: int
    failed: Mapping[str, int]
    missing: int
    first_failure: tuple[str, str] | None
    context_tokens_mean: float | None
    recalled: RecalledRules
    cut: int
    seconds: float
    memory: MemoryCost
    spending: Spending = Spending()
    samples: Mapping[ScorerName, SampleScores] = {}
    curve_scores: Mapping[int, Mapping[int, float]] = {}

    @property
    def label(self) -> str:
        return f"{self.strategy} ({self.variant})" if self.variant else self.strategy

    @property
    def failures(self) -> dict[str, int]:
        """The questions without an answer by kind, those not asked among them."""
        return dict(self.failed) | ({MISSING: self.missing} if self.missing else {})


class Tally:
    """Collects the records of one strategy with one model."""

    def __init__(self) -> None:
        self.questions: dict[ScorerName, dict[_Place, ScoredQuestion]] = {
            name: {} for name in SCORER_NAMES
        }
        self._memories: list[MemoryCost] = []
        self._seconds = 0.0
        self._spending = SpendingTally()
        self._causes: dict[ScorerName, Counter[Cause]] = {name: Counter() for name in SCORER_NAMES}
        self._last_tokens: list[int] = []
        self._found: list[FoundAt] = []
        self._cut = 0
        self._failed: Counter[str] = Counter()
        self._first_failure: tuple[str, str] | None = None

    @property
    def recorded(self) -> int:
        return len(self.questions["official"])

    @property
    def lost_calls(self) -> int:
        """How many calls of the memory's own failed."""
        return sum(sum(memory.failures.values()) for memory in self._memories)

    def add(self, record: Record, sessions: int) -> None:
        is_last = record.setting != "history" or record.session == sessions - 1
        for name in SCORER_NAMES:
            scored = ScoredQuestion(
                dialogue=record.dialogue,
                sessions=sessions,
                setting=record.setting,
                session=record.session,
                number=record.number,
                verdicts=record.verdicts.get(name, ()),
                failure=record.outcome if record.failed else "",
                sample=record.repeat,
            )
            self.questions[name][_place(scored)] = scored
            if is_last:
                self._causes[name].update(record.causes.get(name, {}).values())
        if record.failed:
            self._failed[record.outcome] += 1
            self._first_failure = self._first_failure or (record.id, record.error)
        elif is_last:
            self._last_tokens.append(record.context_tokens)
            self._cut += record.truncated is not None
            if record.found is not None:
                self._found.append(FoundAt(scored.column, record.dialogue, record.found))

    def add_attempt(self, record: Record) -> None:
        """One time that a question was asked; `add` gets the last one."""
        self._spending.add_attempt(record)

    def add_task(self, task: TaskRecord) -> None:
        self._memories.append(task.memory)
        self._seconds += task.seconds
        self._spending.add_memory(task.memory)

    def add_missing(self, planned: Iterable[ScoredQuestion]) -> None:
        for question in planned:
            for questions in self.questions.values():
                questions.setdefault(_place(question), question)

    def row(
        self, entry: StrategyEntry, model: str, *, samples: int, price: Price | None
    ) -> StrategyRow:
        official = self.questions["official"].values()
        missing = sum(question.failure == MISSING for question in official)
        tokens = self._last_tokens
        return StrategyRow(
            strategy=entry.spec,
            oracle=entry.oracle,
            variant=entry.variants.get(model, ""),
            note=entry.notes.get(model, ""),
            scores={name: summarize(found.values()) for name, found in self.questions.items()},
            causes={name: _ordered(counts) for name, counts in self._causes.items()},
            curve=history_curve(official) if entry.checkpoints == "every" else {},
            curve_scores=_curve_scores(official) if entry.checkpoints == "every" else {},
            counts={name: dialogue_counts(q.values()) for name, q in self.questions.items()},
            questions=entry.planned,
            answered=len(official) - missing - self._failed.total(),
            failed=dict(sorted(self._failed.items())),
            missing=missing,
            first_failure=self._first_failure,
            context_tokens_mean=sum(tokens) / len(tokens) if tokens else None,
            recalled=recalled_rules(self._found),
            cut=self._cut,
            seconds=self._seconds,
            memory=_sum(self._memories),
            spending=self._spending.spending(price),
            samples=self._samples(samples) if samples > 1 else {},
        )

    def _samples(self, samples: int) -> dict[ScorerName, SampleScores]:
        return {
            name: sample_scores(found.values(), samples) for name, found in self.questions.items()
        }


_Place = tuple[int, int, int, int]


def _place(question: ScoredQuestion) -> _Place:
    return question.dialogue, question.session, question.number, question.sample


def _curve_scores(questions: Iterable[ScoredQuestion]) -> dict[int, dict[int, float]]:
    found: dict[int, dict[int, float]] = defaultdict(dict)
    for number, scores in dialogue_scores(questions).items():
        for at, score in enumerate(scores.history):
            if score is not None:
                found[at][number] = score
    return dict(sorted(found.items()))


def _ordered(counts: Counter[Cause]) -> dict[Cause, int]:
    return {cause: counts[cause] for cause in CAUSES}


def _sum(costs: Sequence[MemoryCost]) -> MemoryCost:
    failures: Counter[str] = Counter()
    for cost in costs:
        failures.update(cost.failures)
    return MemoryCost(
        seconds=sum(cost.seconds for cost in costs),
        calls=sum(cost.calls for cost in costs),
        prompt_tokens=sum(cost.prompt_tokens for cost in costs),
        completion_tokens=sum(cost.completion_tokens for cost in costs),
        cached_calls=sum(cost.cached_calls for cost in costs),
        saved_prompt_tokens=sum(cost.saved_prompt_tokens for cost in costs),
        saved_completion_tokens=sum(cost.saved_completion_tokens for cost in costs),
        cached_tokens=sum(cost.cached_tokens for cost in costs),
        embedded_texts=sum(cost.embedded_texts for cost in costs),
        embedded_tokens=sum(cost.embedded_tokens for cost in costs),
        failures=dict(sorted(failures.items())),
    )
