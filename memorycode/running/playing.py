"""A dialogue played to a strategy, up to the prompt that a model is asked."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from memorycode.dialogue import Dialogue, Session
from memorycode.errors import PluginError
from memorycode.plugins import StrategyPlugin
from memorycode.protocols import MemoryStrategy, Model, Passage, Prompt, Recall
from memorycode.running.budget import Cut, cut_to_budget
from memorycode.running.checks import checked_recall
from memorycode.running.counted_embedder import CountedEmbedder
from memorycode.running.harness import Harness
from memorycode.running.plan import Question
from memorycode.running.prompting import PromptBuilder
from memorycode.running.redaction import redacted_recall


@dataclass(frozen=True)
class Asking:
    """A question as it is put to a model: what was recalled, what was cut of that, the prompt and
    its length. `overlong` says how it is over what the model takes, empty where it fits."""

    recall: Recall
    cut: Cut | None
    prompt: Prompt
    context_tokens: int
    prompt_tokens: int
    overlong: str = ""


class Player:
    """Plays one dialogue to fresh instances of a strategy, and makes prompts of what they recall.

    `memory_model` is what the strategy may ask. `room` bounds a prompt, in tokens.
    """

    def __init__(
        self,
        harness: Harness,
        strategy: StrategyPlugin,
        oracle: bool,
        dialogue: Dialogue,
        *,
        memory_model: Model | None,
        room: int | None,
    ) -> None:
        self.harness, self.strategy, self.oracle = harness, strategy, oracle
        self.dialogue, self.memory_model, self.room = dialogue, memory_model, room
        self.seconds = 0.0
        self.embedder = CountedEmbedder(harness.embedder, harness.count_tokens)
        self._builder = PromptBuilder(harness.prompts, dialogue.context.speakers)
        self._bounded: tuple[Recall, int, tuple[Recall, Cut | None]] | None = None

    def build(self, episode: int) -> MemoryStrategy:
        """A fresh instance for the episode of that number."""
        seed = f"{self.harness.seed}/{self.strategy.spec.text}/{self.dialogue.number}/{episode}"
        context = self.harness.context(
            self.dialogue, self.memory_model, self.embedder, random.Random(seed)
        )
        with self._clock():
            strategy = self.strategy.build(context)
        if strategy.oracle != self.oracle:
            raise PluginError(f"oracle was {self.oracle} on trial and is {strategy.oracle} here")
        self.strategy.check_readable(strategy)
        return strategy

    def observe(self, strategy: MemoryStrategy, session: Session) -> None:
        speakers = self.dialogue.context.speakers
        view = session.oracle_view(speakers) if self.oracle else session.view(speakers)
        with self._clock():
            strategy.observe(view)

    def ask(self, strategy: MemoryStrategy, question: Question) -> Asking:
        """What the strategy recalls for the question, within the budget and the model's limit."""
        with self._clock():
            given = checked_recall(strategy.recall(question.query))
        recalled = redacted_recall(given, self.dialogue, self.harness.secrets)
        asking = self._asking(recalled, question, self.harness.context_budget)
        over = 0 if self.room is None else asking.prompt_tokens - self.room
        if over > 0 and self.harness.on_overflow == "truncate-oldest":
            # The recall has to do with what opening and question leave of the room.
            left = max(0, asking.context_tokens - over)
            asking = self._asking(recalled, question, left)
        return asking

    def _asking(self, recalled: Recall, question: Question, budget: int | None) -> Asking:
        recall, cut = self._within(recalled, budget)
        prompt = self._builder.prompt(recall, question.query, question.ref)
        first, *middle, last = map(self.harness.count_tokens, prompt.parts)
        tokens = first + sum(middle) + last
        overlong = (
            f"the prompt has {tokens:,} tokens; the model's context leaves {self.room:,} for it"
            if self.room is not None and tokens > self.room
            else ""
        )
        context_tokens = sum(middle) if recall.passages else 0
        return Asking(recall, cut, prompt, context_tokens, tokens, overlong)

    def _within(self, recall: Recall, budget: int | None) -> tuple[Recall, Cut | None]:
        """The recall as far as the budget holds it; one recall is cut once for all questions."""
        if budget is None:
            return recall, None
        if self._bounded is None or self._bounded[0] is not recall or self._bounded[1] != budget:
            self._bounded = recall, budget, cut_to_budget(recall, budget, self._cost)
        return self._bounded[2]

    def _cost(self, passage: Passage) -> int:
        return self.harness.count_tokens(self._builder.part(passage))

    @contextmanager
    def _clock(self) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - started
