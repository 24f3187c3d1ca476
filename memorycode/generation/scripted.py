"""The offline renderer: puts a template into words with the phrases of the seed pool."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from memorycode.generation.pool import SeedPool
from memorycode.generation.settings import Length
from memorycode.generation.telling import RuleTeller
from memorycode.generation.template import (
    PlannedFiller,
    PlannedInstruction,
    PlannedSession,
    Template,
)
from memorycode.generation.transcript import Deck, Transcript


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

    Conversations about work, exchanges of filler talk, questions about a rule or a filler
    instruction; then the probabilities that it opens with a greeting and that small talk follows.
    """

    work: int
    filler: int
    questions: int
    opening: float
    small_talk: float


_MEASURES: dict[Length, _Measure] = {
    "short": _Measure(work=1, filler=2, questions=1, opening=0.7, small_talk=0.5),
    "medium": _Measure(work=2, filler=2, questions=1, opening=1.0, small_talk=0.5),
    "long": _Measure(work=3, filler=3, questions=2, opening=1.0, small_talk=0.9),
}

# Probabilities that hold for every length.
_MENTOR_OPENS = 0.65
_MENTOR_CLOSES = 0.7
_RULES_BEFORE_FILLER = 0.35
_RULES_ASKED_FOR = 0.25
_BOTH_IN_ONE_BREATH = 0.25
_LEAD = 0.5
_QUESTION = 0.7
_MANNER = 0.25

_COLLEAGUES = 6
"""How many people are spoken of in a dialogue."""

_Segment = Callable[[Transcript, bool], None]
"""Writes one matter into a transcript; the flag says that nothing else came before it."""


class _Writer:
    """Writes the sessions of one dialogue, in order."""

    def __init__(self, pool: SeedPool, template: Template, rng: random.Random) -> None:
        self._template, self._rng, self._deck = template, rng, Deck(rng)
        self._phrases = pool.phrases
        self._teller = RuleTeller(pool, self._deck, rng)
        self._topics = {seed.number: seed for seed in pool.fillers}
        self._filler_instructions = {seed.number: seed for seed in pool.filler_instructions}
        speakers = template.context.speakers
        others = [
            name for name in pool.people.names if name not in (speakers.mentor, speakers.mentee)
        ]
        self._colleagues = rng.sample(others, min(_COLLEAGUES, len(others))) or [speakers.mentor]

    def session(self, index: int) -> str:
        planned = self._template.sessions[index]
        measure = _MEASURES[planned.length]
        out = Transcript(self._template.context.speakers)
        if index == 0:
            self._greet(out, "meeting")
            self._converse(out, "first_day", self._phrases.first_day)
        elif self._chance(measure.opening):
            self._open(out, measure)
        for position, segment in enumerate(self._segments(index, planned, measure)):
            segment(out, position == 0 and index > 0)
        self._close(out)
        return out.text

    def _segments(self, index: int, planned: PlannedSession, measure: _Measure) -> list[_Segment]:
        segments: list[_Segment] = []
        if planned.filler:
            segments.append(partial(self._filler, planned.filler, measure))
        if planned.instructions:
            place = 0 if self._chance(_RULES_BEFORE_FILLER) else len(segments)
            segments.insert(place, partial(self._rules, planned.instructions, measure))
        # On the first day there is no work yet to talk about.
        for _ in range(measure.work if index else 0):
            segments.insert(self._rng.randint(0, len(segments)), self._work)
        return segments

    # ── drawing ───────────────────────────────────────────────────────────────────────────────

    def _chance(self, probability: float) -> bool:
        return self._rng.random() < probability

    def _line(self, act: str) -> str:
        lines: tuple[str, ...] = getattr(self._phrases, act)
        return self._deck.deal(act, lines)

    def _pair(self, act: str) -> tuple[str, str]:
        pairs: tuple[tuple[str, str], ...] = getattr(self._phrases, act)
        return self._deck.deal(act, pairs)

    # ── around what has to be told ────────────────────────────────────────────────────────────

    def _greet(self, out: Transcript, act: str) -> None:
        if self._chance(_MENTOR_OPENS):
            out.exchange(self._pair(act))
        else:
            out.exchange_by_mentee(self._pair(f"{act}_by_mentee"))

    def _open(self, out: Transcript, measure: _Measure) -> None:
        self._greet(out, "opening")
        if self._chance(_MANNER):
            out.mentee(self._deck.deal("mentee", self._template.mentee.in_passing))
        if self._chance(measure.small_talk):
            out.exchange(self._pair("small_talk"))

    def _close(self, out: Transcript) -> None:
        if self._chance(_MANNER):
            out.mentor(self._deck.deal("mentor", self._template.mentor.in_passing))
        if self._chance(_MENTOR_CLOSES):
            out.exchange(self._pair("closing"))
        else:
            out.exchange_by_mentee(self._pair("closing_by_mentee"))

    def _work(self, out: Transcript, first: bool) -> None:
        if not first:
            out.mentor(self._line("work_later"))
        self._converse(out, "work_talk", self._phrases.work_talk)

    def _converse(
        self, out: Transcript, act: str, conversations: Sequence[Sequence[tuple[str, str]]]
    ) -> None:
        words = {name: self._rng.choice(words) for name, words in self._phrases.words.items()}
        words["colleague"] = self._rng.choice(self._colleagues)
        for pair in self._deck.deal(act, conversations):
            out.exchange(pair, **words)

    # ── fillers ───────────────────────────────────────────────────────────────────────────────

    def _filler(
        self, filler: PlannedFiller, measure: _Measure, out: Transcript, first: bool
    ) -> None:
        if filler.kind == "filler-instruction":
            self._filler_instruction(filler, measure, out)
        elif filler.returns:
            seed = self._topics[filler.number]
            out.mentor(self._line("filler_again"), about=seed.about)
            out.exchange(seed.again[(filler.version - 1) % len(seed.again)])
        else:
            if not first or self._chance(_LEAD):
                out.mentor(self._line("filler_first" if first else "filler_later"))
            for pair in self._topics[filler.number].talk[: measure.filler]:
                out.exchange(pair)

    def _filler_instruction(
        self, filler: PlannedFiller, measure: _Measure, out: Transcript
    ) -> None:
        seed = self._filler_instructions[filler.number]
        out.mentor(
            self._line(
                "filler_instruction_change" if filler.returns else "filler_instruction_lead"
            ),
            about=seed.about,
        )
        out.mentor(seed.versions[filler.version].say)
        out.mentee(self._line("filler_instruction_accept_by_mentee"))
        for _ in range(measure.questions):
            if self._chance(_QUESTION):
                out.exchange_by_mentee(
                    self._pair("filler_instruction_question_by_mentee"), about=seed.about
                )

    # ── rules ─────────────────────────────────────────────────────────────────────────────────

    def _rules(
        self,
        plans: Sequence[PlannedInstruction],
        measure: _Measure,
        out: Transcript,
        first: bool,
    ) -> None:
        if self._chance(_RULES_ASKED_FOR):
            out.mentee(self._line("rules_asked_by_mentee"))
        else:
            out.mentor(self._line("rules_first" if first else "rules_later"))
        in_one_breath = self._chance(_BOTH_IN_ONE_BREATH)
        for position, plan in enumerate(plans):
            if position:
                out.mentor(self._line("next_rule"))
            self._teller.tell(out, plan)
            if not in_one_breath:
                self._teller.acknowledge(out, [plan])
        if in_one_breath:
            self._teller.acknowledge(out, plans)
        if self._chance(_MANNER):
            out.mentee(self._deck.deal("mentee of rules", self._template.mentee.of_rules))
        if self._chance(_MANNER):
            out.mentor(self._deck.deal("mentor of rules", self._template.mentor.of_rules))
        for _ in range(measure.questions):
            if self._chance(_QUESTION):
                out.exchange_by_mentee(self._pair("question_by_mentee"))
