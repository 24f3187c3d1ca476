"""The rules that are in force before each session of a plan."""

from __future__ import annotations

from memorycode.dialogue import Instruction
from memorycode.generation.template import Template


class RulesInForce:
    """Of one plan, session by session."""

    def __init__(self, template: Template) -> None:
        self._before: list[tuple[Instruction, ...]] = []
        latest: dict[int, Instruction] = {}
        for session in template.sessions:
            self._before.append(tuple(latest.values()))
            latest |= {plan.instruction.family: plan.instruction for plan in session.instructions}

    def before(self, session: int) -> tuple[Instruction, ...]:
        """The latest version per family, in the order of first telling."""
        return self._before[session]
