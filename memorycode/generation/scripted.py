"""The offline renderer: puts a template into words with the phrases of the seed pool."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from memorycode.generation.pool import SeedPool
from memorycode.generation.seeds import Exchange
from memorycode.generation.settings import Length
from memorycode.generation.style import Style
from memorycode.generation.template import (
    PlannedFiller,
    PlannedSession,
    Template,
)
from memorycode.generation.transcript import Deck, Transcript
from memorycode.generation.verbalizer import RuleVerbalizer


class ScriptedRenderer:
    """Needs no model. Each phrase of a kind is used once before any comes back in a dialogue."""

    def __init__(self, pool: SeedPool, style: Style | None = None) -> None:
        self._pool, self._style = pool, style or Style()

    def begin(self, template: Template, rng: random.Random) -> ScriptedWriter:
        return ScriptedWriter(self._pool, template, rng, self._style)

    def render(self, template: Template, rng: random.Random) -> list[str]:
        writer = self.begin(template, rng)
        return [writer.write(index) for index in range(len(template.sessions))]


@dataclass(frozen=True)
class _Measure:
    """How much a session of one length says.

    Conversations about work (in a first session about the place), exchanges of filler talk,
    questions about a rule or a filler instruction; then the probabilities that it opens with a
    greeting and that small talk follows.
    """

    work: int
    first_day: int
    filler: int
    questions: int
    opening: float
    small_talk: float


_MEASURES: dict[Length, _Measure] = {
    "short": _Measure(work=2, first_day=1, filler=2, questions=1, opening=0.7, small_talk=0.5),
    "medium": _Measure(work=3, first_day=2, filler=2, questions=1, opening=1.0, small_talk=0.3),
    "long": _Measure(work=4, first_day=3, filler=3, questions=2, opening=1.0, small_talk=0.9),
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
_WRITTEN_WHOLE = 0.5
_SECOND_MIDDLE = 0.4
_TROUBLE = 0.6

_PASSING = ("day", "number", "chore")
"""Words that change within a conversation that is put together."""

_COLLEAGUES = 6
"""How many people are spoken of in a dialogue."""

_Segment = Callable[[Transcript, bool], None]
"""Writes one matter into a transcript; the flag says that nothing else came before it."""


class ScriptedWriter:
    """Writes the sessions of one dialogue."""

    def __init__(
        self, pool: SeedPool, template: Template, rng: random.Random, style: Style
    ) -> None:
        """A writer that has written nothing yet.

        Args:
            pool: has the phrases.
            template: the plan of the dialogue.
            rng: decides all that is left to chance.
            style: how rules are told.
        """
        self._template, self._rng, self._deck = template, rng, Deck(rng)
        self._phrases = phrases = pool.phrases
        self._verbalizer = RuleVerbalizer(pool, template, self._deck, rng, style)
        self._topics = {seed.number: seed for seed in pool.fillers}
        self._filler_instructions = {seed.number: seed for seed in pool.filler_instructions}
        speakers = template.context.speakers
        others = [
            name for name in pool.people.names if name not in (speakers.mentor, speakers.mentee)
        ]
        starts = phrases.work_start and phrases.task_start
        middles = phrases.work_middle and phrases.trouble_middle
        self._can_compose = bool(starts and middles and phrases.work_end)
        self._colleagues = rng.sample(others, min(_COLLEAGUES, len(others))) or [speakers.mentor]

    def write(self, index: int) -> str:
        planned = self._template.sessions[index]
        measure = _MEASURES[planned.length]
        out = Transcript(self._template.context.speakers)
        if index == 0:
            self._greet(out, "meeting")
            for _ in range(measure.first_day):
                self._converse(out, self._deck.deal("first_day", self._phrases.first_day))
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
            segments.insert(place, partial(self._rules, index, measure))
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

    def _show_manner(self, say: Callable[[str], None], key: str, lines: Sequence[str]) -> bool:
        """Say a line of a persona, or none; whether one was said."""
        shows = bool(lines) and self._chance(_MANNER)
        if shows:
            say(self._deck.deal(key, lines))
        return shows

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
        self._show_manner(out.mentee, "mentee in passing", self._template.mentee.in_passing)
        if self._chance(measure.small_talk):
            out.exchange(self._pair("small_talk"))

    def _close(self, out: Transcript) -> None:
        self._show_manner(out.mentor, "mentor in passing", self._template.mentor.in_passing)
        if self._chance(_MENTOR_CLOSES):
            out.exchange(self._pair("closing"))
        else:
            out.exchange_by_mentee(self._pair("closing_by_mentee"))

    def _work(self, out: Transcript, first: bool) -> None:
        if not first:
            out.mentor(self._line("work_later"))
        # Conversations that were written as one, and as often, and when those are used up, others.
        is_new = self._deck.has_new("work_talk") and self._chance(_WRITTEN_WHOLE)
        if is_new or not self._can_compose:
            self._converse(out, self._deck.deal("work_talk", self._phrases.work_talk))
        else:
            self._compose(out)

    def _compose(self, out: Transcript) -> None:
        """Talk of work that is put together of parts."""
        of_trouble = self._chance(_TROUBLE)
        acts = ["work_start" if of_trouble else "task_start", "work_middle"]
        if of_trouble and self._chance(_TROUBLE):
            acts[1] = "trouble_middle"
        if self._chance(_SECOND_MIDDLE):
            acts.append("work_middle")
        words = self._words()
        for act in (*acts, "work_end"):
            passing = {name: word for name, word in self._words().items() if name in _PASSING}
            out.exchange(self._pair(act), **words | passing)

    def _converse(self, out: Transcript, conversation: Sequence[Exchange]) -> None:
        words = self._words()
        for pair in conversation:
            out.exchange(pair, **words)

    def _words(self) -> dict[str, str]:
        """One of each list of words."""
        words = {
            name: self._deck.deal(f"word/{name}", words)
            for name, words in self._phrases.words.items()
        }
        return words | {"colleague": self._rng.choice(self._colleagues)}

    # ── fillers ───────────────────────────────────────────────────────────────────────────────

    def _filler(
        self, filler: PlannedFiller, measure: _Measure, out: Transcript, first: bool
    ) -> None:
        if filler.kind == "filler-instruction":
            self._filler_instruction(filler, measure, out)
        elif filler.returns:
            self._topic_again(filler, out)
        else:
            if not first or self._chance(_LEAD):
                out.mentor(self._line("filler_first" if first else "filler_later"))
            seed = self._topics[filler.number]
            talk = seed.talk or self._deck.deal("filler_talk", self._phrases.filler_talk)
            for pair in talk[: measure.filler]:
                out.exchange(pair, about=seed.about)

    def _topic_again(self, filler: PlannedFiller, out: Transcript) -> None:
        seed = self._topics[filler.number]
        out.mentor(self._line("filler_again"), about=seed.about)
        if seed.again:
            out.exchange(seed.again[(filler.version - 1) % len(seed.again)])
        else:
            out.exchange(self._pair("filler_again_talk"), about=seed.about)

    def _filler_instruction(
        self, filler: PlannedFiller, measure: _Measure, out: Transcript
    ) -> None:
        seed = self._filler_instructions[filler.number]
        lead = "filler_instruction_change" if filler.returns else "filler_instruction_lead"
        out.mentor(self._line(lead), about=seed.about)
        out.mentor(seed.versions[filler.version].say)
        out.mentee(self._line("filler_instruction_accept_by_mentee"))
        for _ in range(measure.questions):
            if self._chance(_QUESTION):
                out.exchange_by_mentee(
                    self._pair("filler_instruction_question_by_mentee"), about=seed.about
                )

    # ── rules ─────────────────────────────────────────────────────────────────────────────────

    def _rules(self, index: int, measure: _Measure, out: Transcript, first: bool) -> None:
        plans = self._template.sessions[index].instructions
        if self._chance(_RULES_ASKED_FOR):
            out.mentee(self._line("rules_asked_by_mentee"))
        else:
            out.mentor(self._line("rules_first" if first else "rules_later"))
        in_one_breath = self._chance(_BOTH_IN_ONE_BREATH)
        for position, plan in enumerate(plans):
            if position:
                out.mentor(self._line("next_rule"))
            self._verbalizer.tell(out, plan, index)
            if not in_one_breath:
                self._verbalizer.acknowledge(out, [plan])
        if in_one_breath:
            self._verbalizer.acknowledge(out, plans)
        mentor, mentee = self._template.mentor, self._template.mentee
        if not self._show_manner(out.mentee, "mentee of rules", mentee.of_rules):
            self._show_manner(out.mentor, "mentor of rules", mentor.of_rules)
        for _ in range(measure.questions):
            if self._chance(_QUESTION):
                out.exchange_by_mentee(self._pair("question_by_mentee"))
