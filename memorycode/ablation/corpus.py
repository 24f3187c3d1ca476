"""What a dialogue holds for retrieval after its last session: units, and what the labels say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from memorycode.dialogue import Dialogue, Instruction
from memorycode.protocols import Unit
from memorycode.retrieval.units import Speaker, UnitKind, cut_session
from memorycode.rules import Rule
from memorycode.scoring.rule_cache import cached_rules


@dataclass(frozen=True)
class Gold:
    """What the labels say after the last session of a dialogue.

    Rules go by their numbers in `numbers`: a grid compares them millions of times.
    """

    dialogue: Dialogue

    @cached_property
    def sessions(self) -> frozenset[int]:
        return frozenset(self.dialogue.instruction_sessions(self.dialogue.last))

    @cached_property
    def active(self) -> tuple[Instruction, ...]:
        return self.dialogue.active_instructions(self.dialogue.last)

    @cached_property
    def numbers(self) -> Mapping[Rule, int]:
        """Every rule that was ever told, in the order first told."""
        told = (rule for session in self.dialogue.sessions for rule in session.rules)
        return {rule: number for number, rule in enumerate(dict.fromkeys(told))}

    @cached_property
    def active_rules(self) -> frozenset[int]:
        return frozenset(self.numbers[instruction.rule] for instruction in self.active)

    @cached_property
    def older(self) -> Mapping[int, frozenset[int]]:
        """By rule in force, the other versions of its family that were told."""
        told: dict[int, set[int]] = {}
        for session in self.dialogue.sessions:
            for instruction in session.instructions:
                told.setdefault(instruction.family, set()).add(self.numbers[instruction.rule])
        current = {i.family: self.numbers[i.rule] for i in self.active}
        return {rule: frozenset(told[family] - {rule}) for family, rule in current.items()}

    def needed(self, task: str) -> frozenset[int]:
        """The rules in force whose own question this is."""
        return frozenset(self.numbers[i.rule] for i in self.active if i.eval_query == task)


@dataclass(frozen=True)
class Corpus:
    """The units of a dialogue, oldest first."""

    gold: Gold
    kind: UnitKind
    speaker: Speaker = "all"

    @property
    def dialogue(self) -> Dialogue:
        return self.gold.dialogue

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        views = map(self.dialogue.view, range(len(self.dialogue.sessions)))
        return tuple(unit for view in views for unit in cut_session(view, self.kind, self.speaker))

    @cached_property
    def rules(self) -> tuple[frozenset[int], ...]:
        """The rules among the labels that each unit states, as the detector finds them."""
        speakers, numbers = self.dialogue.context.speakers, self.gold.numbers
        told = (cached_rules(u.text, speakers.mentor, speakers.mentee) for u in self.units)
        return tuple(
            frozenset(numbers[rule] for _, rule in rules if rule in numbers) for rules in told
        )

    @cached_property
    def relevant(self) -> frozenset[int]:
        """The units that state a rule in force."""
        active = self.gold.active_rules
        return frozenset(n for n, rules in enumerate(self.rules) if not rules.isdisjoint(active))
