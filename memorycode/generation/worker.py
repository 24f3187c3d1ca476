"""The worker that makes the dialogues of a folder, one by one: a fault costs its own alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memorycode.errors import MemorycodeError, ModelError, ModelUnavailable
from memorycode.generation.checked_renderer import UNREACHABLE
from memorycode.generation.folder import write_dialogue
from memorycode.generation.generate import plan_dialogue, tell_dialogue
from memorycode.generation.pool import SeedPool
from memorycode.generation.renderers import RendererChoice
from memorycode.generation.settings import GenerationSettings
from memorycode.plugin_faults import named, plugin_faults


@dataclass(frozen=True)
class DialogueOutcome:
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
class GenerationSpec:
    """All that a process needs to make any dialogue."""

    settings: GenerationSettings
    seed: int
    pool: SeedPool
    renderer: RendererChoice


class DialogueWorker:
    """Makes the dialogues of a spec; there is one in each process."""

    def __init__(self, spec: GenerationSpec, folder: Path) -> None:
        self._spec, self._folder = spec, folder
        self._renderer = spec.renderer.build(spec.pool)

    def make(self, number: int) -> DialogueOutcome:
        """Dialogue `number`, which counts from 1; any fault of its renderer is an outcome."""
        try:
            return self._make(number)
        except MemorycodeError as error:
            # As a value: not every exception can be handed from one process to another.
            stop = isinstance(error, ModelUnavailable)
            silent = isinstance(error, ModelError) and error.kind in UNREACHABLE
            return DialogueOutcome(number, str(error), stop, silent)
        except plugin_faults() as error:
            return DialogueOutcome(number, named(error))

    def _make(self, number: int) -> DialogueOutcome:
        spec, index = self._spec, number - 1
        template = plan_dialogue(spec.settings, index, seed=spec.seed, pool=spec.pool)
        dialogue = tell_dialogue(template, index, seed=spec.seed, renderer=self._renderer)
        write_dialogue(self._folder, dialogue)
        return DialogueOutcome(number, shortage=template.shortage)


def dialogue_worker(spec: GenerationSpec, folder: Path) -> Callable[[int], DialogueOutcome]:
    """A function that makes the dialogue of a number; one in each process."""
    return DialogueWorker(spec, folder).make
