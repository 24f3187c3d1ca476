"""Puts rules into the mouths of the speakers."""

from __future__ import annotations

import random
from collections.abc import Sequence

from memorycode.dialogue import Instruction
from memorycode.generation.pool import SeedPool
from memorycode.generation.template import PlannedInstruction
from memorycode.generation.transcript import Deck, Transcript
from memorycode.generation.wording import Wording, wording

_CHANGE_LEAD = 0.5
_REASON = 0.6
_REPEAT = 0.6


class RuleTeller:
    """The mentor states a rule or its change; the mentee acknowledges, often repeating it."""

    def __init__(self, pool: SeedPool, deck: Deck, rng: random.Random) -> None:
        self._phrases, self._deck, self._rng = pool.phrases, deck, rng
        self._seeds = {seed.number: seed for seed in pool.instructions}

    def tell(self, out: Transcript, plan: PlannedInstruction) -> None:
        words = self._wording(plan.instruction)
        if plan.replaces:
            self._change(out, words, self._wording(plan.replaces))
        else:
            self._say(out, words, "state", words.phrases.state)
        if self._rng.random() < _REASON:
            self._say(out, words, "why", words.phrases.why)

    def acknowledge(self, out: Transcript, plans: Sequence[PlannedInstruction]) -> None:
        out.mentee(self._deck.deal("accept_by_mentee", self._phrases.accept_by_mentee))
        if self._rng.random() < _REPEAT:
            for plan in plans:
                words = self._wording(plan.instruction)
                line = self._deck.deal(f"{words.key}/repeat", words.phrases.repeat)
                out.mentee(line, **words.variables)

    def _change(self, out: Transcript, words: Wording, old: Wording) -> None:
        # Without a phrase that names the old version, the lead alone says that this is a change.
        if not words.phrases.change or self._rng.random() < _CHANGE_LEAD:
            out.mentor(self._deck.deal("change_lead", self._phrases.change_lead))
        if words.phrases.change:
            self._say(out, words, "change", words.phrases.change, old=old.word)
        else:
            self._say(out, words, "state", words.phrases.state)

    def _say(
        self, out: Transcript, words: Wording, act: str, lines: Sequence[str], **more: str
    ) -> None:
        line = self._deck.deal(f"{words.key}/{act}", lines)
        out.mentor(line, **words.variables, **more)

    def _wording(self, instruction: Instruction) -> Wording:
        return wording(self._seeds[instruction.family], instruction.version, self._phrases)
