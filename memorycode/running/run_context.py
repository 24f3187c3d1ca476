"""What all tasks of a run share."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from memorycode.dialogue import Dialogue
from memorycode.experiment import Overflow
from memorycode.models.secrets import Secrets
from memorycode.models.window import answer_limit
from memorycode.optional_members import context_limit_of, options_of
from memorycode.prompts import PromptPack
from memorycode.protocols import Embedder, Model, RuleReader, Scorer, StrategyContext


@dataclass(frozen=True)
class RunContext:
    """What all tasks of a run share.

    `context_limit`, the tokens that a model reads and writes in one call, goes before what a model
    says of itself. `strategy_timeout` is what a call of a strategy may take, in seconds. `secrets`
    are what no record may hold.
    """

    prompts: PromptPack
    count_tokens: Callable[[str], int]
    scorers: Sequence[Scorer]
    reader: RuleReader
    embedder: Embedder
    seed: int
    context_budget: int | None = None
    context_limit: int | None = None
    on_overflow: Overflow = "fail"
    strategy_timeout: float | None = None
    secrets: Secrets = field(default_factory=Secrets.known_to)

    def strategy_context(
        self, dialogue: Dialogue, model: Model | None, embedder: Embedder, rng: random.Random
    ) -> StrategyContext:
        """What a strategy is built with for a dialogue."""
        return StrategyContext(
            speakers=dialogue.context.speakers,
            model=model,
            embedder=embedder,
            count_tokens=self.count_tokens,
            token_budget=self.context_budget,
            rng=rng,
            # A copy: what a strategy does to it must not reach the others' prompts.
            prompts=self.prompts.model_copy(deep=True),
        )

    def room_of(self, model: Model) -> int | None:
        """The tokens that a prompt for the model may have: what the longest answer leaves of the
        model's context. None where nobody knows that."""
        limit = self.context_limit or context_limit_of(model)
        if limit is None:
            return None
        return max(0, limit - (answer_limit(options_of(model)) or 0))
