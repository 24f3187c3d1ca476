"""Which instructions a dialogue tells, and when."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product

from memorycode.dialogue import Instruction
from memorycode.generation.pool import SeedPool
from memorycode.generation.seeds import InstructionSeed
from memorycode.generation.settings import GenerationSettings
from memorycode.generation.template import PlannedInstruction
from memorycode.generation.wording import wording
from memorycode.rules import Rule
from memorycode.scoring.compatibility import satisfiable
from memorycode.scoring.official import OfficialScorer

_SCORER = OfficialScorer()
"""Whose reading of two rules decides whether they can hold together: the stricter one there."""


@dataclass
class _Told:
    """A family as far as a dialogue has told it: what holds, since when, and every version."""

    current: Instruction
    session: int
    versions: list[int] = field(default_factory=list)

    @property
    def changes(self) -> int:
        return len(self.versions) - 1


class InstructionDrawer:
    """Draws the instructions of one dialogue, session by session.

    `shortage` counts those that were wanted when there was nothing left to tell.
    """

    def __init__(self, settings: GenerationSettings, pool: SeedPool, rng: random.Random) -> None:
        self._settings, self._phrases, self._rng = settings, pool.phrases, rng
        self._seeds = {seed.number: seed for seed in pool.instructions}
        self._told: dict[int, _Told] = {}
        self.shortage = 0

    def draw_session(self, index: int) -> tuple[PlannedInstruction, ...]:
        """The instructions of the session at `index`: fewer than wanted, or none, where the pool
        and the settings leave nothing to tell."""
        plans: list[PlannedInstruction] = []
        wanted = self._rng.choice(self._settings.instruction_counts)
        for _ in range(wanted):
            families = [plan.instruction.family for plan in plans]
            chosen = self._choose(index, families)
            if chosen:
                plans.append(self._tell(*chosen, index))
        self.shortage += wanted - len(plans)
        return tuple(plans)

    def _choose(self, index: int, told_now: list[int]) -> tuple[int, int] | None:
        """A family and the version of it to tell; what is wanted less serves where there is none
        of what is wanted more."""
        groups = self._groups(index, told_now)
        for group, kind, wanted in product(groups, self._kinds(), self._preferences()):
            for number in group:
                versions = [v for v in kind(number) if wanted(number, v)]
                if versions:
                    return number, self._rng.choice(versions)
        return None

    # ── families ──────────────────────────────────────────────────────────────────────────────

    def _groups(self, index: int, told_now: list[int]) -> list[list[int]]:
        """Families in random order, those wanted most in the first group."""
        news = [n for n in self._shuffled(self._seeds) if n not in self._told]
        updates = self._updates(index, told_now)
        if self._rng.random() < self._settings.update_rate:
            return [*updates, *self._news(news)]
        return [*self._news(news), *updates]

    def _news(self, news: list[int]) -> list[list[int]]:
        """New families; one that can change comes first while there is none, at its rate."""
        wants_versioned = self._rng.random() < self._settings.versioned_rate
        if not wants_versioned or any(map(self._can_change, self._told)):
            return [news]
        versioned = [n for n in news if self._can_change(n)]
        return [versioned, [n for n in news if n not in versioned]]

    def _can_change(self, number: int) -> bool:
        return len(self._seeds[number].versions) > 1

    def _updates(self, index: int, told_now: list[int]) -> list[list[int]]:
        """Families that may change now: those on their way to the depth set, and the others."""
        open_ = [n for n in self._shuffled(self._told) if n not in told_now and self._due(n, index)]
        depth = self._settings.update_depth
        if depth is None:
            return [open_]
        begun = [n for n in open_ if 0 < self._told[n].changes < depth]
        return [begun, [n for n in open_ if self._told[n].changes == 0]]

    def _due(self, number: int, index: int) -> bool:
        window = self._settings.update_distance
        return window is None or window[0] <= index - self._told[number].session <= window[1]

    def _shuffled(self, families: dict[int, InstructionSeed] | dict[int, _Told]) -> list[int]:
        return self._rng.sample(list(families), len(families))

    # ── versions ──────────────────────────────────────────────────────────────────────────────

    def _kinds(self) -> list[Callable[[int], list[int]]]:
        """New versions, and earlier ones where they may return."""
        if not self._settings.return_rate:
            return [self._untold]
        kinds: list[Callable[[int], list[int]]] = [self._untold, self._earlier]
        return kinds[::-1] if self._rng.random() < self._settings.return_rate else kinds

    def _untold(self, number: int) -> list[int]:
        told = self._told[number].versions if number in self._told else []
        return [v for v in range(len(self._seeds[number].versions)) if v not in told]

    def _earlier(self, number: int) -> list[int]:
        told = self._told.get(number)
        return sorted({*told.versions} - {told.current.version}) if told else []

    def _preferences(self) -> list[Callable[[int, int], bool]]:
        """What a version must be."""
        clashes = self._settings.clashes
        if clashes == "excluded":
            return [self._fits]
        if clashes == "sought":
            return [lambda number, version: not self._fits(number, version), _any]
        return [_any]

    def _fits(self, number: int, version: int) -> bool:
        """Whether some name can follow the rule and all that hold beside it."""
        rule = self._seeds[number].rule(version)
        others = [
            told.current.rule
            for family, told in self._told.items()
            if family != number and told.current.rule.object == rule.object
        ]
        return not others or _satisfiable((*others, rule))

    def _tell(self, number: int, version: int, index: int) -> PlannedInstruction:
        seed, told = self._seeds[number], self._told.get(number)
        instruction = Instruction(
            family=number,
            version=version,
            rule=seed.rule(version),
            text=seed.text(version) or wording(seed, version, self._phrases).topic,
            eval_query=told.current.eval_query if told else self._rng.choice(seed.queries),
        )
        versions = told.versions if told else []
        self._told[number] = _Told(instruction, index, [*versions, version])
        return PlannedInstruction(
            instruction=instruction,
            replaces=told.current if told else None,
            replaced_session=told.session if told else None,
            returns=version in versions,
        )


def _any(_number: int, _version: int) -> bool:
    return True


@lru_cache(maxsize=4096)
def _satisfiable(rules: tuple[Rule, ...]) -> bool:
    return satisfiable(rules, _SCORER)
