"""A model whose answers and failures hold no secret, whoever wrote the model."""

from __future__ import annotations

from memorycode.errors import ModelError, ModelUnavailable
from memorycode.models.secrets import Secrets
from memorycode.optional_members import options_of
from memorycode.plugin_faults import optional, said
from memorycode.protocols import Completion, Model, Prompt


class RedactedModel:
    """Stands before a model, below the cache: what the environment and the model itself know as
    secret is in nothing that comes back, but for exceptions that are no `ModelError`.
    """

    def __init__(self, model: Model) -> None:
        self.name, self.is_language_model = model.name, model.is_language_model
        self.options = options_of(model)
        self._model, self._secrets = model, Secrets.known_to(model)

    def generate(self, prompt: Prompt) -> Completion:
        """What the model answers; a plug-in may hand back anything, and that is passed on."""
        failure = None
        try:
            completion = self._model.generate(prompt)
        except ModelError as error:
            failure = redacted_error(error, self._secrets)
            if failure is None:
                raise
        if failure is not None:
            # Raised here, so that the one with the secret does not hang on to it.
            raise failure
        if not isinstance(completion, Completion):
            return completion
        return self._secrets.removed_from_model(completion)


def redacted_error(error: ModelError, secrets: Secrets) -> ModelError | None:
    """The error without a secret; None where it holds none."""
    text, kind = said(error), f"{optional(error, 'kind', '')}"
    told, clean_kind = map(secrets.removed_from, (text, kind))
    if (told, clean_kind) == (text, kind):
        return None
    made = ModelUnavailable if isinstance(error, ModelUnavailable) else ModelError
    return made(told, kind=clean_kind)
