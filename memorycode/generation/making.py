"""Making the dialogues of a folder, one by one, so that a fault costs no more than its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memorycode.errors import MemorycodeError, ModelError, ModelUnavailable
from memorycode.generation.checked import UNREACHABLE
from memorycode.generation.folder import write_dialogue
from memorycode.generation.generate import plan_dialogue, tell_dialogue
from memorycode.generation.pool import SeedPool
from memorycode.generation.renderers import RendererChoice
from memorycode.generation.settings import GenerationSettings
from memorycode.plugin_faults import named, plugin_faults


@dataclass(frozen=True)
class Outcome:
    """What became of one dialogue: it is written where there is no problem.

    `stop` says that with this problem none of the others can be made either, `unreachable` that
    its model gave no answer. `shortage` is its template's.
    """

    number: int
    problem: str = ""
    stop: bool = False
    unreachable: bool = False
    shortage: int = 0


@dataclass(frozen=True)
class Recipe:
    """All that a process needs to make any dialogue."""

    settings: GenerationSettings
    seed: int
    pool: SeedPool
    renderer: RendererChoice


class Maker:
    """Makes dialogues of a recipe; one in each process."""

    def __init__(self, recipe: Recipe, folder: Path) -> None:
        self._recipe, self._folder = recipe, folder
        self._renderer = recipe.renderer.build(recipe.pool)

    def make(self, number: int) -> Outcome:
        """Dialogue `number`, which counts from 1; any fault of its renderer is an outcome."""
        try:
            return self._make(number)
        except MemorycodeError as error:
            # As a value: not every exception can be handed from one process to another.
            stop = isinstance(error, ModelUnavailable)
            silent = isinstance(error, ModelError) and error.kind in UNREACHABLE
            return Outcome(number, str(error), stop, silent)
        except plugin_faults() as error:
            return Outcome(number, named(error))

    def _make(self, number: int) -> Outcome:
        recipe, index = self._recipe, number - 1
        template = plan_dialogue(recipe.settings, index, seed=recipe.seed, pool=recipe.pool)
        dialogue = tell_dialogue(template, index, seed=recipe.seed, renderer=self._renderer)
        write_dialogue(self._folder, dialogue)
        return Outcome(number, shortage=template.shortage)


def maker(recipe: Recipe, folder: Path) -> Callable[[int], Outcome]:
    """A function that makes the dialogue of a number; one in each process."""
    return Maker(recipe, folder).make
