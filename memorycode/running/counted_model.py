"""The run's model as a strategy sees it: its calls are counted as the memory's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from memorycode.errors import ModelError
from memorycode.protocols import Completion, Model, Prompt


class CountedModel:
    """Passes prompts on and counts calls, tokens and failures."""

    is_language_model = True

    def __init__(self, model: Model, count_tokens: Callable[[str], int]) -> None:
        self.name = model.name
        self.calls = self.prompt_tokens = self.completion_tokens = 0
        self.failures: Counter[str] = Counter()
        self._model, self._count_tokens = model, count_tokens

    def generate(self, prompt: Prompt) -> Completion:
        """What the model answers; what it raises goes to the strategy."""
        self.calls += 1
        try:
            completion = self._model.generate(prompt)
        except ModelError as error:
            self.failures[error.kind] += 1
            raise
        except Exception:
            self.failures["model_error"] += 1
            raise
        if completion.usage:
            self.prompt_tokens += completion.usage.prompt_tokens
            self.completion_tokens += completion.usage.completion_tokens
        else:
            self.prompt_tokens += sum(map(self._count_tokens, prompt.parts))
            self.completion_tokens += self._count_tokens(completion.text)
        return completion
