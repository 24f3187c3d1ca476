"""Which renderer is used, as data that can be handed to other processes."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue, ValidationError

from memorycode.errors import UsageError
from memorycode.frozen import Frozen
from memorycode.generation.checked import CheckedRenderer
from memorycode.generation.model_renderer import TEMPERATURE, ModelRenderer
from memorycode.generation.pool import SeedPool
from memorycode.generation.rendering import Renderer
from memorycode.generation.scripted import ScriptedRenderer
from memorycode.generation.session_check import SessionCheck, ToldInPoolsWords, states_its_rules
from memorycode.generation.style import DIFFICULTIES, Difficulty, Style
from memorycode.prompts import DEFAULT_PACK, PromptPack

SCRIPTED = "scripted"


class RendererChoice(Frozen):
    """A renderer and how it is set: ``scripted``, or a model's spec such as ``openai/NAME``.

    `difficulty` is the scripted renderer's, `base_url` the model's endpoint, `prompts` has the
    texts that a model is asked with.
    """

    spec: str = SCRIPTED
    difficulty: Difficulty = "explicit"
    base_url: str | None = None
    prompts: PromptPack = DEFAULT_PACK

    @property
    def options(self) -> Mapping[str, JsonValue]:
        """What decides the texts, for a manifest. An endpoint's address does not."""
        if self.spec == SCRIPTED:
            return {"difficulty": self.difficulty}
        return {"temperature": TEMPERATURE, "prompts": self.prompts.hash}

    def build(self, pool: SeedPool) -> Renderer:
        """A renderer whose every session is checked against its plan.

        Raises `UsageError` for one that there is not, `PluginError` for one that does not build.
        """
        if self.spec != SCRIPTED:
            return self._model_renderer()
        plain = self.difficulty == "explicit"
        check: SessionCheck = states_its_rules if plain else ToldInPoolsWords(pool)
        return CheckedRenderer(ScriptedRenderer(pool, Style(difficulty=self.difficulty)), check)

    def _model_renderer(self) -> Renderer:
        from memorycode.plugins import ModelPlugin

        if self.difficulty != "explicit":
            raise UsageError(
                f"difficulty {self.difficulty}: a model's wording is its own; "
                f"levels of difficulty are those of the {SCRIPTED} renderer"
            )
        options = {"temperature": TEMPERATURE, "base_url": self.base_url}
        model = ModelPlugin.load(self.spec).build(options)
        return CheckedRenderer(ModelRenderer(model, self.prompts))


def choose_renderer(
    spec: str = SCRIPTED,
    difficulty: str = "explicit",
    base_url: str | None = None,
    prompts: PromptPack = DEFAULT_PACK,
) -> RendererChoice:
    """The choice of these; raises `UsageError` for a difficulty that there is not."""
    try:
        return RendererChoice.model_validate(
            {"spec": spec, "difficulty": difficulty, "base_url": base_url, "prompts": prompts}
        )
    except ValidationError:
        known = ", ".join(DIFFICULTIES)
        raise UsageError(f"no difficulty {difficulty!r}; there are {known}") from None
