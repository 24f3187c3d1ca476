"""Which renderer is used, as data that can be handed to other processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import Field, JsonValue, ValidationError

from memorycode.errors import UsageError
from memorycode.frozen import Frozen
from memorycode.generation.checked_renderer import CheckedRenderer
from memorycode.generation.model_renderer import TEMPERATURE, ModelRenderer
from memorycode.generation.options import ATTEMPTS, SCRIPTED, GenerationOptions
from memorycode.generation.pool import SeedPool
from memorycode.generation.rendering import Renderer
from memorycode.generation.scripted import ScriptedRenderer
from memorycode.generation.seed_faults import SeedFault
from memorycode.generation.session_check import SessionCheck, ToldInPoolsWords, states_its_rules
from memorycode.generation.style import Style
from memorycode.generation.unreachable_rules import unreachable_rules
from memorycode.model_options import ModelOptions, choose_model
from memorycode.prompts import DEFAULT_PACK, PromptPack, load_pack
from memorycode.validation_messages import first_problem


class RendererChoice(Frozen):
    """A renderer and how it is set: ``scripted``, or a model's spec such as ``openai/NAME``.

    `style` is the scripted renderer's, `base_url` the model's endpoint, `prompts` has the texts
    that a model is asked with. A session is tried `attempts` times.
    """

    spec: str = SCRIPTED
    style: Style = Style()
    attempts: Annotated[int, Field(ge=1, le=1000)] = ATTEMPTS
    base_url: str | None = None
    prompts: PromptPack = DEFAULT_PACK

    @property
    def options(self) -> Mapping[str, JsonValue]:
        """What decides the texts, for a manifest. An endpoint's address does not."""
        if self.spec == SCRIPTED:
            return self.style.model_dump() | {"attempts": self.attempts}
        return {
            "temperature": TEMPERATURE,
            "prompts": self.prompts.hash,
            "attempts": self.attempts,
        }

    def build(self, pool: SeedPool) -> Renderer:
        """A renderer whose every session is checked against its plan.

        Raises `UsageError` for one that there is not, `PluginError` for one that does not build.
        """
        if self.spec != SCRIPTED:
            return self._model_renderer()
        scripted = ScriptedRenderer(pool, self.style)
        return CheckedRenderer(scripted, self._check(pool), attempts=self.attempts)

    def unreachable_rules(self, pool: SeedPool) -> Iterator[SeedFault]:
        """The rules of a pool that this renderer could never tell.

        What a model writes is not known beforehand; that the pool's own words tell a rule shows
        that the rule can be told.
        """
        return unreachable_rules(pool, self.style.difficulty, self._check(pool))

    def _check(self, pool: SeedPool) -> SessionCheck:
        return states_its_rules if self.style.difficulty == "explicit" else ToldInPoolsWords(pool)

    def _model_renderer(self) -> Renderer:
        from memorycode.plugins import ModelPlugin

        if self.style != Style():
            raise UsageError(
                f"difficulty and style are those of the {SCRIPTED} renderer; "
                "a model's wording is its own"
            )
        options = ModelOptions(temperature=TEMPERATURE, base_url=self.base_url)
        model = ModelPlugin.load(choose_model(self.spec)).build(options)
        return CheckedRenderer(ModelRenderer(model, self.prompts), attempts=self.attempts)


def choose_renderer(options: GenerationOptions) -> RendererChoice:
    """The choice that the options are; raises `UsageError` for a style that makes no sense."""
    if unknown := sorted(options.style.keys() - Style.model_fields.keys()):
        known = ", ".join(Style.model_fields)
        raise UsageError(f"style: no {unknown[0]!r}; there are {known}")
    try:
        style = Style.model_validate({**options.style, "difficulty": options.difficulty})
    except ValidationError as error:
        raise UsageError(f"style: {first_problem(error)}") from None
    return RendererChoice(
        spec=options.renderer,
        style=style,
        attempts=options.attempts,
        base_url=options.base_url,
        prompts=load_pack(options.prompts) if options.prompts is not None else DEFAULT_PACK,
    )
