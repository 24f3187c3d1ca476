"""The way from a run to its models: through the cache, if there is one, and past the meter."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from memorycode.errors import ModelError, ModelUnavailable
from memorycode.models.redacted import RedactedModel
from memorycode.plugin_faults import optional, plugin_faults, said
from memorycode.protocols import Completion, Model, Prompt, Usage
from memorycode.running.checks import MODEL_ERROR, kind_of, rebuilt_completion
from memorycode.running.counted_model import usage_of
from memorycode.running.meter import CallCounter

if TYPE_CHECKING:
    from memorycode.models.cached import ResponseCache


class Access(Protocol):
    """How a task reaches a model. `stopped` says why the run stops, empty while it goes on."""

    @property
    def stopped(self) -> str: ...

    def to(self, model: Model, sample: int, /) -> Model:
        """The model as it is to be asked for the sample of that number."""
        ...


class DirectAccess:
    """Asks the model itself."""

    stopped = ""

    def to(self, model: Model, _sample: int, /) -> Model:
        return RedactedModel(model)


class MeteredAccess:
    """Asks past a meter; answers of language models come from a cache where it has them.

    What the cache answers is no call: the meter does not see it.
    """

    def __init__(
        self, meter: CallCounter, count_tokens: Callable[[str], int], cache: ResponseCache | None
    ) -> None:
        self.meter = meter
        self._count_tokens, self._cache = count_tokens, cache

    @property
    def stopped(self) -> str:
        return self.meter.stopped

    def to(self, model: Model, sample: int, /) -> Model:
        metered = MeteredModel(RedactedModel(model), self.meter, self._count_tokens)
        if self._cache is None or not model.is_language_model:
            return metered
        from memorycode.models.cached import CachedModel

        return _CacheFirst(metered, CachedModel(metered, self._cache, sample=sample))


def probe(model: Model) -> None:
    """Ask a model that can tell whether it can be used at all, before anything is asked.

    Raises `ModelUnavailable` where it cannot. Any other failure may be gone by the next call.
    """
    ask = optional(model, "probe", None)
    if ask is None:
        return
    try:
        ask()
    except ModelUnavailable:
        raise
    except plugin_faults():
        return


class MeteredModel:
    """Passes prompts on as long as the meter lets it, and tells it what became of them."""

    def __init__(
        self, model: Model, meter: CallCounter, count_tokens: Callable[[str], int]
    ) -> None:
        self.name, self.is_language_model = model.name, model.is_language_model
        self.options = optional(model, "options", {})
        self._model, self._meter, self._count_tokens = model, meter, count_tokens
        self._sent = 0

    @property
    def sent(self) -> int:
        """How many calls were made."""
        return self._sent

    def generate(self, prompt: Prompt) -> Completion:
        """What the model answers. Raises what it raises, and `Halted` where the run stops."""
        # A stand-in has no tokens that anybody pays for.
        paid = self.is_language_model
        tokens = sum(map(self._count_tokens, prompt.parts)) if paid else 0
        self._meter.send(self.name, tokens)
        self._sent += 1
        try:
            completion = rebuilt_completion(self._model.generate(prompt))
            usage = usage_of(completion, prompt, self._count_tokens) if paid else Usage()
        except ModelError as error:
            self._meter.failed(self.name, tokens, kind_of(error), said(error))
            raise
        except plugin_faults() as error:
            self._meter.failed(self.name, tokens, MODEL_ERROR, said(error))
            raise
        self._meter.answered(self.name, tokens, usage)
        return completion


class _CacheFirst:
    """Asks past the cache; for one task. Where two tasks ask the same at once, both calls are
    sent, one answer is kept for both, and neither of them was at hand."""

    def __init__(self, metered: MeteredModel, cached: Model) -> None:
        self.name, self.is_language_model = metered.name, metered.is_language_model
        self._metered, self._cached = metered, cached

    def generate(self, prompt: Prompt) -> Completion:
        sent = self._metered.sent
        completion = self._cached.generate(prompt)
        if self._metered.sent > sent and completion.cached:
            return completion.model_copy(update={"cached": False})
        return completion
