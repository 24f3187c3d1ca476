"""All that one strategy with one model was asked in a run, and answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from memorycode.dialogue import Dialogue
from memorycode.results.answers import Answer, Attempt, Place, Source
from memorycode.results.cost import memory_cost
from memorycode.results.memory_loss import MemoryLoss, memory_loss
from memorycode.running.manifest import ModelEntry, StrategyEntry
from memorycode.running.records import MemoryCost, TaskRecord


@dataclass(frozen=True)
class RunRow:
    """One strategy with one model in a run: what becomes a row of the tables.

    `answers` are those to all planned questions, `attempts` every time that one was asked, `tasks`
    what each task took. `dialogues` are the run's, by number.
    """

    source: Source
    model: ModelEntry
    strategy: StrategyEntry
    dialogues: Mapping[int, Dialogue]
    answers: Sequence[Answer]
    attempts: Sequence[Attempt] = ()
    tasks: Sequence[TaskRecord] = ()

    @property
    def memories(self) -> list[MemoryCost]:
        """What building and asking the memory took, task by task."""
        return [task.memory for task in self.tasks]

    @property
    def loss(self) -> MemoryLoss:
        """What the memory had to go on without."""
        return memory_loss(memory_cost(self.memories))

    @property
    def last_given(self) -> list[Answer]:
        """The answers of the last checkpoint that are none of a failure."""
        return [a for a in self.answers if a.is_last_checkpoint and not a.failure]

    @cached_property
    def last_answers(self) -> dict[Place, list[Answer]]:
        """The repeats of each question of the last checkpoint, in order of place."""
        found: dict[Place, list[Answer]] = {}
        for answer in self.answers:
            if answer.is_last_checkpoint:
                found.setdefault(answer.place, []).append(answer)
        return dict(sorted(found.items()))


def took_all_note(label: str, answers: Sequence[Answer]) -> str:
    """That a search chose nothing for some of these answers, and for how many; "" where it always
    did."""
    count = sum(answer.took_all for answer in answers)
    if not count:
        return ""
    return (
        f"{label}: for {count:,} of {len(answers):,} questions ({count / len(answers):.0%}) every "
        "unit there is was taken: k is not below their number, so nothing was chosen."
    )
