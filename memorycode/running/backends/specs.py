"""What is sent to another process so that it can play tasks: data, and names of plug-ins.

Nothing of the user's is pickled: plug-ins are found by their names there as they are here.
"""

from __future__ import annotations

import sys
import uuid
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from memorycode.dialogue import Dialogue
from memorycode.errors import MemorycodeError, ModelError
from memorycode.experiment import Experiment
from memorycode.models.secrets import Secrets
from memorycode.running.manifest import RunSettings
from memorycode.running.records import TaskRecord


@dataclass(frozen=True)
class RunSpec:
    """All that the tasks of a run share. Two of them are equal if they are of one run.

    `cache` is the file that answers are kept in, and looked for `across_addresses` or not, `folder`
    where relative paths begin, and `path` where Python looks for modules.
    """

    experiment: Experiment = field(compare=False)
    settings: RunSettings = field(compare=False)
    cache: Path | None = field(compare=False, default=None)
    across_addresses: bool = field(compare=False, default=False)
    folder: Path = field(compare=False, default_factory=Path.cwd)
    path: tuple[str, ...] = field(compare=False, default_factory=lambda: tuple(sys.path))
    run: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def waits(self) -> bool:
        """Whether a model has to be waited for."""
        return any(model.is_language_model for model in self.settings.models)


@dataclass(frozen=True)
class TaskSpec:
    """One task: a dialogue, and by their names the strategy and the model. `done` are the ids of
    its questions that need not be asked."""

    dialogue: Dialogue
    strategy: str
    model: str
    done: frozenset[str]


@dataclass(frozen=True)
class WorkerProblem:
    """An error that a task ended by, without the exception: some cannot be pickled."""

    text: str
    kind: type[MemorycodeError] | None
    word: str = ""
    """Of a `ModelError`."""

    @classmethod
    def of(cls, error: BaseException, trace: str) -> WorkerProblem:
        """`trace` tells people what no `MemorycodeError` does: there a program is wrong."""
        clean = Secrets.known_to().removed_from
        if not isinstance(error, MemorycodeError):
            return cls(clean(trace), None)
        # A class of a plug-in's need not be known where the run was started.
        ours = (kind for kind in type(error).__mro__ if kind.__module__.startswith("memorycode."))
        word = error.kind if isinstance(error, ModelError) else ""
        return cls(clean(str(error)), next(ours), word)

    def error(self) -> Exception:
        """The error again, or the nearest to it that a text is enough for."""
        if self.kind is None:
            return RuntimeError(f"a worker failed:\n{self.text}")
        for more in ({"kind": self.word}, {}):
            with suppress(TypeError):
                return self.kind(self.text, **more)
        # It wants to know more: a file, a place. They stand in the text.
        return MemorycodeError(self.text)


@dataclass(frozen=True)
class Ended:
    """The last that is heard of a task: what it took, None where nothing was played, and the
    problem that it ended by, if it did."""

    task: TaskRecord | None
    problem: WorkerProblem | None = None
