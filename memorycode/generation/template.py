"""The plan of a dialogue: who meets, and what is told in which session. No prose yet."""

from __future__ import annotations

import random
from typing import Literal

from memorycode.dialogue import Context, Instruction
from memorycode.frozen import Frozen
from memorycode.generation.pool import SeedPool
from memorycode.generation.seeds import FillerInstructionSeed, FillerSeed, Persona
from memorycode.generation.settings import GenerationSettings, Length
from memorycode.generation.wording import wording
from memorycode.scoring.compatibility import satisfiable
from memorycode.scoring.official import OfficialScorer

FillerKind = Literal["filler", "filler-instruction"]

_SCORER = OfficialScorer()
"""Whose reading of two rules decides whether they can hold together: the stricter one there."""

_INSTRUCTIONS_PER_SESSION = 2


class PlannedInstruction(Frozen):
    """An instruction to tell, and the one of its family that it replaces, if any."""

    instruction: Instruction
    replaces: Instruction | None = None

    @property
    def type(self) -> str:
        return "instruction-update" if self.replaces else "instruction-add"


class PlannedFiller(Frozen):
    """A filler to talk about.

    `version` is the version of a filler instruction; of a topic it counts how often it came back.
    `returns` says that it was told before.
    """

    kind: FillerKind
    number: int
    version: int
    topic: str
    returns: bool = False

    @property
    def type(self) -> str:
        return f"{self.kind}-{'update' if self.returns else 'add'}"


class PlannedSession(Frozen):
    """What one session has to carry."""

    length: Length
    instructions: tuple[PlannedInstruction, ...] = ()
    filler: PlannedFiller | None = None


class Template(Frozen):
    """The plan of one dialogue, all that a renderer is told."""

    context: Context
    mentor: Persona
    mentee: Persona
    sessions: tuple[PlannedSession, ...]


def draw_template(
    settings: GenerationSettings, n_sessions: int, pool: SeedPool, rng: random.Random
) -> Template:
    """Draw a plan of `n_sessions` sessions from the pool.

    Where the pool has nothing left to tell, a session carries fewer instructions than planned.
    """
    mentor, mentee = rng.choice(pool.people.mentor), rng.choice(pool.people.mentee)
    context = _draw_context(pool, mentor, mentee, rng)
    carriers = max(1, round(settings.instruction_share * n_sessions))
    carrying = rng.sample(range(n_sessions), carriers) if settings.instruction_share else []
    instructions = _InstructionDrawer(settings, pool, rng)
    fillers = _FillerDrawer(settings, pool, rng)
    sessions = []
    for index in range(n_sessions):
        told = instructions.draw_session() if index in carrying else ()
        filler = fillers.draw() if not told or rng.random() < settings.filler_rate else None
        length = rng.choice(settings.lengths)
        sessions.append(PlannedSession(length=length, instructions=told, filler=filler))
    return Template(
        context=context,
        mentor=mentor,
        mentee=mentee,
        sessions=tuple(sessions),
    )


def _draw_context(pool: SeedPool, mentor: Persona, mentee: Persona, rng: random.Random) -> Context:
    mentor_name, mentee_name = rng.sample(pool.people.names, 2)
    return Context(
        mentor=mentor_name,
        mentee=mentee_name,
        company=rng.choice(pool.people.companies),
        mentor_persona=mentor.text.format(name=mentor_name),
        mentee_persona=mentee.text.format(name=mentee_name),
    )


class _InstructionDrawer:
    """Draws the instructions of one dialogue; remembers what holds and what is untold."""

    def __init__(self, settings: GenerationSettings, pool: SeedPool, rng: random.Random) -> None:
        self._settings, self._phrases, self._rng = settings, pool.phrases, rng
        self._seeds = {seed.number: seed for seed in pool.instructions}
        self._active: dict[int, Instruction] = {}
        self._untold = {seed.number: list(range(len(seed.versions))) for seed in pool.instructions}

    def draw_session(self) -> tuple[PlannedInstruction, ...]:
        wanted = _INSTRUCTIONS_PER_SESSION if self._rng.random() < self._settings.second_rate else 1
        told: list[PlannedInstruction] = []
        for _ in range(wanted):
            planned = self._draw([plan.instruction.family for plan in told])
            if planned:
                told.append(planned)
        return tuple(told)

    def _draw(self, told_now: list[int]) -> PlannedInstruction | None:
        for group in self._groups(told_now):
            for number in self._rng.sample(group, len(group)):
                versions = [v for v in self._untold[number] if self._fits(number, v)]
                if versions:
                    return self._tell(number, self._rng.choice(versions))
        return None

    def _groups(self, told_now: list[int]) -> list[list[int]]:
        """Families by what is wanted most: the next group serves where one has nothing to tell."""
        updates = [n for n in self._active if n not in told_now]
        news = [n for n in self._seeds if n not in self._active]
        versioned = [n for n in news if len(self._seeds[n].versions) > 1]
        single = [n for n in news if len(self._seeds[n].versions) == 1]
        wants_update = self._rng.random() < self._settings.update_rate
        wants_versioned = self._rng.random() < self._settings.versioned_rate
        new_groups = [versioned, single] if wants_versioned else [single, versioned]
        return [updates, *new_groups] if wants_update else [*new_groups, updates]

    def _fits(self, number: int, version: int) -> bool:
        if self._settings.unsatisfiable_rules:
            return True
        rule = self._seeds[number].rule(version)
        others = [
            active.rule
            for family, active in self._active.items()
            if family != number and active.rule.object == rule.object
        ]
        return not others or satisfiable([*others, rule], _SCORER)

    def _tell(self, number: int, version: int) -> PlannedInstruction:
        seed = self._seeds[number]
        replaces = self._active.get(number)
        instruction = Instruction(
            family=number,
            version=version,
            rule=seed.rule(version),
            text=wording(seed, version, self._phrases).topic,
            eval_query=replaces.eval_query if replaces else self._rng.choice(seed.queries),
        )
        self._untold[number].remove(version)
        self._active[number] = instruction
        return PlannedInstruction(instruction=instruction, replaces=replaces)


class _FillerDrawer:
    """Draws the fillers of one dialogue; a topic is new once, then returns."""

    def __init__(self, settings: GenerationSettings, pool: SeedPool, rng: random.Random) -> None:
        self._settings, self._rng = settings, rng
        self._topics, self._filler_instructions = pool.fillers, pool.filler_instructions
        self._told: dict[int, int] = {}

    def draw(self) -> PlannedFiller:
        wants_instruction = self._rng.random() < self._settings.filler_instruction_rate
        returning = self._rng.random() < self._settings.filler_return_rate
        if wants_instruction and self._filler_instructions:
            return self._filler_instruction(returning)
        return self._topic(returning)

    def _topic(self, returning: bool) -> PlannedFiller:
        new = [seed for seed in self._topics if seed.number not in self._told]
        back = [
            seed
            for seed in self._topics
            if seed.number in self._told and self._told[seed.number] < len(seed.again)
        ]
        seed: FillerSeed = self._rng.choice(
            (back if returning else new) or new or back or self._topics
        )
        version = self._told.get(seed.number, -1) + 1
        returns = seed.number in self._told
        self._told[seed.number] = version
        return PlannedFiller(
            kind="filler", number=seed.number, version=version, topic=seed.topic, returns=returns
        )

    def _filler_instruction(self, returning: bool) -> PlannedFiller:
        new = [seed for seed in self._filler_instructions if seed.number not in self._told]
        back = [
            seed
            for seed in self._filler_instructions
            if seed.number in self._told and len(seed.versions) > 1
        ]
        seed: FillerInstructionSeed = self._rng.choice(
            (back if returning else new) or new or back or self._filler_instructions
        )
        current = self._told.get(seed.number)
        others = [version for version in range(len(seed.versions)) if version != current]
        version = self._rng.choice(others or [0])
        self._told[seed.number] = version
        return PlannedFiller(
            kind="filler-instruction",
            number=seed.number,
            version=version,
            topic=seed.versions[version].text,
            returns=current is not None,
        )
