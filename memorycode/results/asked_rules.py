"""What a dialogue says of the rules of a question: when they were last told, how often updated."""

from __future__ import annotations

from functools import cached_property

from memorycode.dialogue import Dialogue, Instruction, Setting
from memorycode.results.answers import AskedRule
from memorycode.rules import Rule
from memorycode.running.plan import Question


class RuleHistory:
    """What was told when in a dialogue."""

    def __init__(self, dialogue: Dialogue) -> None:
        self.dialogue = dialogue
        self._asked: dict[tuple[Setting, int, int], tuple[AskedRule | None, ...]] = {}

    def asked(self, question: Question) -> tuple[AskedRule | None, ...]:
        """The question's rules with what the dialogue says of them; the same object for all
        questions of a checkpoint, which share their rules."""
        own = question.number if question.setting == "instruction" else 0
        key = question.setting, question.session, own
        if key not in self._asked:
            known = self._known_at(question.session, question.setting)
            self._asked[key] = tuple(known.get(rule) for rule in question.rules)
        return self._asked[key]

    def _known_at(self, at: int, setting: Setting) -> dict[Rule, AskedRule]:
        if setting == "history":
            return self._active_at(at)
        return {told.rule: told for told in self._told[at].values()}

    def _active_at(self, at: int) -> dict[Rule, AskedRule]:
        active: dict[int, AskedRule] = {}
        for told in self._told[: at + 1]:
            active |= told
        return {rule.rule: rule for rule in active.values()}

    @cached_property
    def _told(self) -> list[dict[int, AskedRule]]:
        """By session, what it tells, by family."""
        counts: dict[int, int] = {}
        steps = []
        for session in self.dialogue.sessions:
            told = {}
            for instruction in session.instructions:
                rank = counts.get(instruction.family, 0)
                counts[instruction.family] = rank + 1
                told[instruction.family] = _asked(instruction, session.index, rank)
            steps.append(told)
        return steps


def _asked(instruction: Instruction, told: int, rank: int) -> AskedRule:
    return AskedRule(
        instruction.rule, instruction.family, instruction.version, told, rank, instruction.text
    )
