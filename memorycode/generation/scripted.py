"""The offline renderer: puts a template into words with the phrases of the seed pool."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from memorycode.generation.pool import SeedPool
from memorycode.generation.script import Deck, Transcript
from memorycode.generation.settings import Length
from memorycode.generation.template import (
    PlannedFiller,
    PlannedInstruction,
    PlannedSession,
    Template,
)
from memorycode.generation.wording import Wording, wording


class Renderer(Protocol):
    """Writes the conversations of a template."""

    def render(self, template: Template, rng: random.Random) -> Sequence[str]:
        """One transcript per planned session, in order."""
        ...


class ScriptedRenderer:
    """Needs no model. Each phrase of a kind is used once before any comes back in a dialogue."""

    def __init__(self, pool: SeedPool) -> None:
        self._pool = pool

    def render(self, template: Template, rng: random.Random) -> list[str]:
        writer = _Writer(self._pool, template, rng)
        return [writer.session(index) for index in range(len(template.sessions))]


@dataclass(frozen=True)
class _Measure:
    """How much a session of one length says.

    Exchanges of filler talk, exchanges of each conversation about work, and questions about rules or
    habits; then probabilities: that it opens with a greeting, that small talk follows.
    """

    filler: int
    work: tuple[int, ...]
    questions: int
    opening: float
    small_talk: float


_MEASURES: dict[Length, _Measure] = {
    "short": _Measure(filler=1, work=(), questions=0, opening=0.7, small_talk=0.2),
    "medium": _Measure(filler=2, work=(3,), questions=1, opening=1.0, small_talk=0.5),
    "long": _Measure(filler=3, work=(3, 3), questions=2, opening=1.0, small_talk=0.9),
}

# Probabilities that hold for every length.
_MENTOR_OPENS = 0.65
_MENTOR_CLOSES = 0.7
_RULES_FIRST = 0.35
_RULES_ASKED = 0.25
_BOTH_AT_ONCE = 0.25
_LEAD = 0.5
_REASON = 0.6
_REPEAT = 0.6
_QUESTION = 0.7
_MANNER = 0.2


class _Writer:
    """Writes the sessions of one dialogue, in order."""

    def __init__(self, pool: SeedPool, template: Template, rng: random.Random) -> None:
        self._template, self._rng, self._deck = template, rng, Deck(rng)
        self._phrases = pool.phrases
        self._instructions = {seed.number: seed for seed in pool.instructions}
        self._topics = {seed.number: seed for seed in pool.fillers}
        self._habits = {seed.number: seed for seed in pool.filler_instructions}
        speakers = template.context.speakers
        self._others = [
            name for name in pool.people.names if name not in (speakers.mentor, speakers.mentee)
        ]

    def session(self, index: int) -> str:
        planned = self._template.sessions[index]
        measure = _MEASURES[planned.length]
        out = Transcript(self._template.context.speakers)
        self._open(out, index, measure)
        # Conversations about work stand before, between and after what has to be told.
        blocks = [self._conversation(exchanges) for exchanges in measure.work]
        told = self._rng.random() < 0.5
        if blocks and not told:
            self._talk(out, blocks.pop())
        self._body(out, planned, measure)
        for block in blocks:
            self._talk(out, block)
        self._close(out)
        return out.text

    # ── drawing ───────────────────────────────────────────────────────────────────────────────

    def _chance(self, probability: float) -> bool:
        return self._rng.random() < probability

    def _line(self, act: str) -> str:
        lines: tuple[str, ...] = getattr(self._phrases, act)
        return self._deck.deal(act, lines)

    def _pair(self, act: str) -> tuple[str, str]:
        pairs: tuple[tuple[str, str], ...] = getattr(self._phrases, act)
        return self._deck.deal(act, pairs)
