"""The run's model as a strategy sees it: its calls are counted as the memory's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from memorycode.errors import Halted, ModelError, ModelUnavailable
from memorycode.messages import texts_of_calls
from memorycode.optional_members import takes_tools
from memorycode.plugin_faults import named, plugin_faults
from memorycode.protocols import Completion, Model, Prompt, Usage
from memorycode.running.checks import MODEL_ERROR, checked_completion, kind_of, was_cached


class CountedModel:
    """Passes prompts on and counts calls, tokens and failures.

    `gone` is the error after which no call can succeed, if there was one: the run stops, or the
    model cannot be used. A strategy may swallow it, but what the memory then has is not what it
    would have had.
    """

    is_language_model = True

    def __init__(self, model: Model, count_tokens: Callable[[str], int]) -> None:
        self.name, self.takes_tools = model.name, takes_tools(model)
        self.calls = self.prompt_tokens = self.completion_tokens = 0
        self.cached_calls = self.saved_prompt_tokens = self.saved_completion_tokens = 0
        self.cached_tokens = self.ended = self.unreadable = 0
        self.failures: Counter[str] = Counter()
        self.gone: ModelUnavailable | None = None
        self._model, self._count_tokens = model, count_tokens

    def generate(self, prompt: Prompt) -> Completion:
        """What the model answers. Raises `ModelError`, whatever the model raised."""
        self.calls += 1
        try:
            if not self.takes_tools:
                prompt.refuse_tools(self.name)
            completion = checked_completion(self._model.generate(prompt), self._model, prompt)
            usage = usage_of(completion, prompt, self._count_tokens)
        except ModelUnavailable as error:
            self.gone = error
            if isinstance(error, Halted):
                self.calls -= 1
            else:
                self.failures[kind_of(error)] += 1
                self.ended += 1
            raise
        except ModelError as error:
            self.failures[kind_of(error)] += 1
            raise
        except plugin_faults() as error:
            self.failures[MODEL_ERROR] += 1
            raise ModelError(named(error), kind=MODEL_ERROR) from error
        self._count(completion, usage)
        return completion

    def count_unreadable(self) -> None:
        """The strategy could make nothing of an answer. It cannot say so of more than it got."""
        self.unreadable = min(self.unreadable + 1, self.calls - self.failures.total())

    @property
    def asked(self) -> Counter[str]:
        """The calls that were answered, and their prompts' tokens."""
        answered = self.calls - self.failures.total()
        return +Counter(calls=answered, prompt_tokens=self.prompt_tokens)

    @property
    def counts(self) -> dict[str, Any]:
        """The fields of a `MemoryCost` that are about calls."""
        return {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cached_calls": self.cached_calls,
            "saved_prompt_tokens": self.saved_prompt_tokens,
            "saved_completion_tokens": self.saved_completion_tokens,
            "cached_tokens": self.cached_tokens,
            "failures": dict(self.failures),
            "ended": self.ended,
            "unreadable": self.unreadable,
        }

    def _count(self, completion: Completion, usage: Usage) -> None:
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        if was_cached(completion):
            self.cached_calls += 1
            self.saved_prompt_tokens += usage.prompt_tokens
            self.saved_completion_tokens += usage.completion_tokens
        else:
            self.cached_tokens += usage.cached_tokens


def usage_of(completion: Completion, prompt: Prompt, count_tokens: Callable[[str], int]) -> Usage:
    """The endpoint's count, or, where it has none, the run's tokenizer's."""
    written = (completion.text, *texts_of_calls(completion.tool_calls))
    return completion.usage or Usage(
        prompt_tokens=sum(map(count_tokens, prompt.parts)),
        completion_tokens=sum(map(count_tokens, written)),
    )
