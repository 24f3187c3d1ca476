"""The verbalizer: puts rules into the mouths of the speakers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal

from memorycode.dialogue import Instruction
from memorycode.generation.pool import SeedPool
from memorycode.generation.rules_in_force import RulesInForce
from memorycode.generation.style import Style, lines_at
from memorycode.generation.template import PlannedInstruction, Template
from memorycode.generation.transcript import Deck, Transcript
from memorycode.generation.wording import Wording, object_noun, phrase_key, plural, wording

_CHANGE_LEAD = 0.5
_REASON = 0.6
_SAME = 0.5
_GONE = 0.5
_REMEMBERED = 0.4
_HEDGE_FIRST = 0.5

_RECENTLY = 5
"""Sessions back that still count as recent."""
_EARLY = 3
"""Sessions that count as the beginning of a dialogue."""

When = Literal["first", "last", "recent", "early", "old"]


class RuleVerbalizer:
    """The mentor states a rule or its change; the mentee acknowledges, often repeating it."""

    def __init__(
        self, pool: SeedPool, template: Template, deck: Deck, rng: random.Random, style: Style
    ) -> None:
        """The verbalizer of one dialogue.

        Args:
            pool: has the phrases.
            template: the plan of the dialogue.
            deck: deals the phrases, shared with whatever else is said in the dialogue.
            rng: decides all that is left to chance.
            style: how rules are told.
        """
        self._phrases, self._deck, self._rng, self._style = pool.phrases, deck, rng, style
        self._seeds = {seed.number: seed for seed in pool.instructions}
        self._in_force = RulesInForce(template)

    def tell(self, out: Transcript, plan: PlannedInstruction, session: int) -> None:
        words = self._wording(plan.instruction)
        hedged = self._chance(self._style.hedge_rate)
        hedged_first = hedged and self._chance(_HEDGE_FIRST)
        if hedged_first:
            self._aside(out, "hedge_before")
        if not self._tell_wrongly(out, plan):
            if plan.replaces:
                self._change(out, plan, plan.replaces, session)
            else:
                self._state(out, words, plan.instruction, session)
        if hedged and not hedged_first:
            self._aside(out, "hedge")
        elif self._style.difficulty != "implicit" and self._chance(_REASON):
            # A reason tells too much of a rule that is to be inferred.
            self._say(out, words, "why", words.phrases.why)

    def acknowledge(self, out: Transcript, plans: Sequence[PlannedInstruction]) -> None:
        out.mentee(self._deck.deal("accept_by_mentee", self._phrases.accept_by_mentee))
        if self._style.difficulty == "explicit" and self._chance(self._style.repeat_rate):
            for plan in plans:
                words = self._wording(plan.instruction)
                line = self._deck.deal(f"{words.key}/repeat", words.phrases.repeat)
                out.mentee(line, **words.variables)

    # ── a new rule ────────────────────────────────────────────────────────────────────────────

    def _state(
        self, out: Transcript, words: Wording, instruction: Instruction, session: int
    ) -> None:
        may_refer = self._style.difficulty == "implicit" and words.phrases.same
        others = self._held_alike(instruction, session) if may_refer else []
        if others and self._chance(_SAME):
            other = plural(object_noun(self._rng.choice(others).rule))
            self._say(out, words, "same", words.phrases.same, others=other)
        else:
            self._say(out, words, *self._level(words))

    def _level(self, words: Wording) -> tuple[str, tuple[str, ...]]:
        return lines_at(words.phrases, self._style.difficulty)

    def _held_alike(self, instruction: Instruction, session: int) -> list[Instruction]:
        """Rules in force that say the same of another thing."""
        rule = instruction.rule
        return [
            told
            for told in self._in_force.before(session)
            if told.rule.constraint == rule.constraint
            and phrase_key(told.rule) == phrase_key(rule)
            and object_noun(told.rule) != object_noun(rule)
        ]

    # ── a change ──────────────────────────────────────────────────────────────────────────────

    def _change(
        self, out: Transcript, plan: PlannedInstruction, replaced: Instruction, session: int
    ) -> None:
        words, old = self._wording(plan.instruction), self._wording(replaced).word
        lines = words.phrases
        plain = self._style.difficulty == "explicit"
        refers = self._chance(self._style.reference_rate)
        when = self._when(plan, session)
        if refers and plain and lines.gone and self._chance(_GONE):
            self._say(out, words, "gone", lines.gone, old=old, when=when)
            return
        if refers:
            self._refer(out, words, when)
        elif plan.returns:
            self._aside(out, "change_return")
        elif not (plain and lines.change) or self._chance(_CHANGE_LEAD):
            self._aside(out, "change_lead")
        if plain and lines.change:
            self._say(out, words, "change", lines.change, old=old)
        else:
            self._say(out, words, "change_old", self._phrases.change_old, old=old)
            self._say(out, words, *self._level(words))

    def _refer(self, out: Transcript, words: Wording, when: str) -> None:
        """Point back to when the old version was told."""
        if not self._phrases.change_reference:
            return
        self._say(out, words, "change_reference", self._phrases.change_reference, when=when)
        if self._phrases.remember_by_mentee and self._chance(_REMEMBERED):
            out.mentee(self._deck.deal("remember_by_mentee", self._phrases.remember_by_mentee))

    def _when(self, plan: PlannedInstruction, session: int) -> str:
        """How the session that told the old version is spoken of."""
        told_in = session if plan.replaced_session is None else plan.replaced_session
        when: When = "old"
        if session - told_in <= 1:
            when = "last"
        elif session - told_in <= _RECENTLY:
            when = "recent"
        elif told_in == 0:
            when = "first"
        elif told_in < _EARLY:
            when = "early"
        return self._deck.deal(f"when/{when}", self._phrases.when.get(when, ("before",)))

    # ── corrections within a session ──────────────────────────────────────────────────────────

    def _tell_wrongly(self, out: Transcript, plan: PlannedInstruction) -> bool:
        """Tell another version first and put it right; False where this one is told straight."""
        wrong = self._wrong(plan)
        if plan.replaces or wrong is None or not self._chance(self._style.correction_rate):
            return False
        words, wrong_words = self._wording(plan.instruction), self._seeded(plan, wrong)
        act, lines = self._level(words)
        wrong_act, wrong_lines = self._level(wrong_words)
        misheard = words.phrases.misheard_by_mentee
        if act == "state" and misheard and self._chance(0.5):
            self._say(out, words, act, lines)
            asked, answered = self._deck.deal(f"{words.key}/misheard", misheard)
            out.mentee(asked, **words.variables, wrong=wrong_words.word)
            out.mentor(answered, **words.variables, wrong=wrong_words.word)
            return True
        self._say(out, wrong_words, wrong_act, wrong_lines)
        self._aside(out, "slip")
        if act == "state" and words.phrases.correction:
            lines = words.phrases.correction
            self._say(out, words, "correction", lines, wrong=wrong_words.word)
        else:
            self._say(out, words, act, lines)
        return True

    def _wrong(self, plan: PlannedInstruction) -> int | None:
        """A version that one could take for the one to tell."""
        told = plan.instruction
        others = [v for v in range(len(self._seeds[told.family].versions)) if v != told.version]
        return self._rng.choice(others) if others and self._phrases.slip else None

    # ── drawing ───────────────────────────────────────────────────────────────────────────────

    def _chance(self, probability: float) -> bool:
        return self._rng.random() < probability

    def _aside(self, out: Transcript, act: str) -> None:
        """A line of the mentor's that needs no rule; nothing where the pool has none."""
        lines: tuple[str, ...] = getattr(self._phrases, act)
        if lines:
            out.mentor(self._deck.deal(act, lines))

    def _say(
        self, out: Transcript, words: Wording, act: str, lines: Sequence[str], **more: str
    ) -> None:
        if lines:
            line = self._deck.deal(f"{words.key}/{act}", lines)
            out.mentor(line, **words.variables, **more)

    def _wording(self, instruction: Instruction) -> Wording:
        return wording(self._seeds[instruction.family], instruction.version, self._phrases)

    def _seeded(self, plan: PlannedInstruction, version: int) -> Wording:
        return wording(self._seeds[plan.instruction.family], version, self._phrases)
