"""The way from a run to its models: the cache, if there is one, then the meter."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from memorycode.errors import ModelError, ModelUnavailable
from memorycode.models.redacted import redacted_error
from memorycode.models.secrets import Secrets
from memorycode.optional_members import options_of, takes_tools
from memorycode.plugin_faults import plugin_faults, said
from memorycode.protocols import CanProbe, Completion, Model, Prompt, Usage
from memorycode.running.checks import MODEL_ERROR, kind_of, rebuilt_completion
from memorycode.running.counted_model import usage_of
from memorycode.running.meter import CallCounter

if TYPE_CHECKING:
    from memorycode.models.cached import ResponseCache


class ModelStack:
    """How the tasks of a run reach a model: answers of language models come from a cache where it
    has them; what it does not answer goes past the meter to the model itself.

    What the cache answers is no call: the meter does not see it.
    """

    def __init__(
        self,
        meter: CallCounter,
        count_tokens: Callable[[str], int],
        cache: ResponseCache | None = None,
    ) -> None:
        self.meter = meter
        self._count_tokens, self._cache = count_tokens, cache
        self._metered: dict[int, MeteredModel] = {}
        self._reached: dict[tuple[int, int], Model] = {}

    def reach(self, model: Model, repeat: int) -> Model:
        """The model as it is to be asked for the repeat of that number."""
        # Asked for with every question: a cache writes down at which address a model was reached.
        reached = self._reached.get((id(model), repeat))
        if reached is None:
            reached = self._reached[id(model), repeat] = self._stacked(model, repeat)
        return reached

    def _stacked(self, model: Model, repeat: int) -> Model:
        # Looking for secrets in the environment takes longer than many a stand-in's answer.
        metered = self._metered.get(id(model))
        if metered is None:
            metered = MeteredModel(model, self.meter, self._count_tokens)
            self._metered[id(model)] = metered
        if self._cache is None or not model.is_language_model:
            return metered
        from memorycode.models.cached import CachedModel

        return CachedModel(metered, self._cache, repeat=repeat)


def probe(model: Model) -> None:
    """Ask a model that can tell whether it can be used at all, before anything is asked.

    Raises `ModelUnavailable` where it cannot. Any other failure may be gone by the next call.
    """
    try:
        if isinstance(model, CanProbe):
            model.probe()
    except ModelUnavailable:
        raise
    except plugin_faults():
        return


class MeteredModel:
    """Passes prompts on as long as the meter lets it, and tells it what became of them. No answer
    and no failure that comes back holds a secret."""

    def __init__(
        self, model: Model, meter: CallCounter, count_tokens: Callable[[str], int]
    ) -> None:
        self.name, self.is_language_model = model.name, model.is_language_model
        self.options, self.takes_tools = options_of(model), takes_tools(model)
        self._model, self._meter, self._count_tokens = model, meter, count_tokens
        self._secrets = Secrets.known_to(model)

    def generate(self, prompt: Prompt) -> Completion:
        """What the model answers. Raises what it raises, and `Halted` where the run stops."""
        # A stand-in has no tokens that anybody pays for.
        paid = self.is_language_model
        tokens = sum(map(self._count_tokens, prompt.parts)) if paid else 0
        self._meter.send(self.name, tokens)
        failure = None
        try:
            given = rebuilt_completion(self._model.generate(prompt))
            completion = self._secrets.removed_from_model(given)
            usage = usage_of(completion, prompt, self._count_tokens) if paid else Usage()
        except ModelError as error:
            failure = redacted_error(error, self._secrets)
            self._meter.failed(self.name, tokens, kind_of(failure or error), said(failure or error))
            if failure is None:
                raise
        except plugin_faults() as error:
            problem = self._secrets.removed_from(said(error))
            self._meter.failed(self.name, tokens, MODEL_ERROR, problem)
            raise
        if failure is not None:
            # Raised here, so that the one with the secret does not hang on to it.
            raise failure
        self._meter.answered(self.name, tokens, usage)
        return completion
