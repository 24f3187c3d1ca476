"""Draws the plan of a dialogue from the pool, as the settings would have it."""

from __future__ import annotations

import random

from memorycode.dialogue import Context
from memorycode.generation.instruction_drawing import InstructionDrawer
from memorycode.generation.pool import SeedPool
from memorycode.generation.seeds import FillerInstructionSeed, FillerSeed, Persona
from memorycode.generation.settings import LENGTHS, GenerationSettings
from memorycode.generation.template import PlannedFiller, PlannedSession, Template


def draw_template(
    settings: GenerationSettings, n_sessions: int, pool: SeedPool, rng: random.Random
) -> Template:
    """Draw the plan of a dialogue from the pool.

    Where the pool has nothing left to tell, a session carries fewer instructions than planned.

    Args:
        settings: the rates.
        n_sessions: how many sessions it has.
        pool: what is drawn from.
        rng: decides all that is left to chance.

    Returns:
        The plan; its `shortage` says how many instructions are wanting in all.
    """
    mentor, mentee = rng.choice(pool.people.mentor), rng.choice(pool.people.mentee)
    context = _draw_context(pool, mentor, mentee, rng)
    carrying = frozenset(rng.sample(range(n_sessions), _carriers(settings, n_sessions, rng)))
    instructions = InstructionDrawer(settings, pool, rng)
    fillers = _FillerDrawer(settings, pool, rng)
    sessions = []
    for index in range(n_sessions):
        told = instructions.draw_session(index) if index in carrying else ()
        alone = bool(told) and rng.random() < settings.instruction_only_rate
        (length,) = rng.choices(LENGTHS, settings.length_shares.weights)
        filler = None if alone else fillers.draw()
        sessions.append(PlannedSession(length=length, instructions=told, filler=filler))
    return Template(
        context=context,
        mentor=mentor,
        mentee=mentee,
        sessions=tuple(sessions),
        shortage=instructions.shortage,
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


def _carriers(settings: GenerationSettings, n_sessions: int, rng: random.Random) -> int:
    """How many sessions carry instructions."""
    wanted = rng.uniform(*settings.instruction_share) * n_sessions
    return max(1, round(wanted)) if settings.instruction_share[1] else 0


class _FillerDrawer:
    """Draws the fillers of one dialogue; a topic is new once, then returns."""

    def __init__(self, settings: GenerationSettings, pool: SeedPool, rng: random.Random) -> None:
        self._settings, self._rng = settings, rng
        self._topics, self._filler_instructions = pool.fillers, pool.filler_instructions
        self._told: dict[int, int] = {}

    def draw(self) -> PlannedFiller:
        wants_instruction = self._rng.random() < self._settings.filler_instruction_rate
        if wants_instruction and self._filler_instructions:
            return self._filler_instruction()
        return self._topic()

    def _topic(self) -> PlannedFiller:
        returning = self._rng.random() < self._settings.filler_update_rate
        new = [seed for seed in self._topics if seed.number not in self._told]
        back = [
            seed
            for seed in self._topics
            if seed.number in self._told and self._told[seed.number] < len(seed.again)
        ]
        again = [seed for seed in self._topics if seed.number in self._told]
        seed: FillerSeed = self._rng.choice(
            (back or again if returning else new) or new or back or again
        )
        version = self._told.get(seed.number, -1) + 1
        returns = seed.number in self._told
        self._told[seed.number] = version
        return PlannedFiller(
            kind="filler", number=seed.number, version=version, topic=seed.topic, returns=returns
        )

    def _filler_instruction(self) -> PlannedFiller:
        returning = self._rng.random() < self._settings.filler_instruction_update_rate
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
