"""An experiment: everything that decides a run, as one TOML file or one set of options."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError

from memorycode.dialogue import AskAfter, Setting
from memorycode.errors import Unreadable, UsageError
from memorycode.frozen import Frozen
from memorycode.model_options import ContextLimit, ModelChoice, ModelOptions
from memorycode.options import Option
from memorycode.scoring.scorers import SCORER_NAMES
from memorycode.text_files import read_toml
from memorycode.validation_messages import first_problem

# A folder beside this package in a checkout and in an installed wheel alike. Not looked up by
# name, for a user may well have a folder named experiments of their own.
_FOLDER = Path(__file__).resolve().parents[1] / "experiments"

GRID = "grid"
"""The table of an experiment's file that retrieval is measured by."""

GENERATED = "generated here"
"""What reports call a data set that the project made itself."""


DatasetPath = Annotated[
    str | None, Option("dialogue_N.json files, a clone, or rows. Default: generated.")
]
DialogueLimit = Annotated[int | None, Field(ge=1, le=10**9), Option("Only the first N dialogues.")]

Overflow = Literal["fail", "truncate-oldest"]
"""What becomes of a prompt that is over the model's limit: a failure that is not sent, or a
shorter prompt without the oldest parts of the recall."""


class RunOptions(Frozen):
    """What decides how questions are asked, besides who is asked about what. A run's manifest has
    these too: a run is resumed with equal ones."""

    setting: Annotated[
        Setting,
        Option("What is asked: after many sessions, one session alone, one rule alone."),
    ] = "history"
    context_budget: Annotated[
        int | None,
        Option(
            "The same for all: longer recalls are cut, oldest first. Default: no bound.",
            metavar="TOKENS",
        ),
    ] = Field(default=None, ge=1)
    context_limit: ContextLimit = None
    on_overflow: Annotated[
        Overflow,
        Option("What becomes of a prompt that the context does not hold. Default: fail, unsent."),
    ] = "fail"
    repeats: Annotated[int, Option("Ask every question so often. Default: 1.")] = Field(
        default=1, ge=1, le=1000
    )
    seed: Annotated[int, Option("For all that is random. Default: 0.")] = 0
    strategy_timeout: Annotated[
        float | None,
        Option(
            "What one observe or recall of a strategy may take. Default: no bound.",
            metavar="SECONDS",
        ),
    ] = Field(default=None, gt=0, le=10**6)


def _with_own(scorers: tuple[str, ...]) -> tuple[str, ...]:
    """Both of ours come first, whatever is named: tables are made of them."""
    return tuple(dict.fromkeys((*SCORER_NAMES, *scorers)))


class Part(Frozen):
    """A part of an experiment that is run in a folder of its own; what is None is the whole's.

    `name` is the folder's, by default the setting.
    """

    setting: Setting
    name: str = Field(default="", pattern=r"^[\w-]*$")
    strategies: tuple[str, ...] | None = Field(default=None, min_length=1)
    ask_after: AskAfter | None = None

    @property
    def folder(self) -> str:
        return self.name or self.setting


class Experiment(ModelOptions, RunOptions):
    """What to run: the one list of all that decides what comes out. The options of the command
    line, the keywords of `evaluate`, the keys of a file and the table of the docs follow from it.

    `dataset` is a path, or None for dialogues that the project generates. `figures` are drawn from
    what came out, by their names in experiments/README.md; `parts` are run one after the other
    where one setting will not do.
    """

    description: str = ""
    dataset: DatasetPath = None
    strategies: Annotated[
        tuple[str, ...],
        Option(
            "Memory strategy NAME[:key=value,…] or module:Class[:key=value,…]; repeatable.",
            flag="--strategy",
            is_repeatable=True,
        ),
    ] = Field(default=("no_memory", "full_history"), min_length=1)
    models: Annotated[
        tuple[ModelChoice, ...],
        Option(
            "ideal-mentee, openai/NAME, langchain/PROVIDER:NAME, local/smollm2, "
            "local/FILE.gguf or replay/DIR, and :key=value,… for its own options; repeatable.",
            flag="--model",
            is_repeatable=True,
        ),
    ] = Field(default=(ModelChoice(spec="ideal-mentee"),), min_length=1)
    ask_after: Annotated[
        AskAfter | None,
        Option("Ask after the last or after every session. Default: the strategy's."),
    ] = None
    limit: DialogueLimit = None
    every: Annotated[int, Option("Only each Nth dialogue. Default: 1.")] = Field(default=1, ge=1)
    embedder: Annotated[
        str | None,
        Option(
            "sentence-transformers model or folder, or module:Class, for strategies that embed. "
            "Default: all-MiniLM-L6-v2."
        ),
    ] = None
    scorers: Annotated[
        tuple[str, ...],
        AfterValidator(_with_own),
        Option(
            "A further scorer NAME or module:Class[:key=value,…], beside official and strict; "
            "repeatable.",
            flag="--scorer",
            is_repeatable=True,
        ),
    ] = SCORER_NAMES
    prompts: Annotated[str | None, Option("Folder with your own prompt texts (NAME.txt).")] = None
    figures: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def taken(self) -> slice:
        """Which of a data set's dialogues, in their order: the first `limit` of each `every`th."""
        return slice(None, self.limit and self.limit * self.every, self.every)

    def runs(self) -> list[tuple[str, Experiment]]:
        """What is run, each with the name of its folder; the whole, without a name, where there are
        no parts. Raises `UsageError` for two parts of one name."""
        if not self.parts:
            return [("", self)]
        names = [part.folder for part in self.parts]
        if twice := [name for name in names if names.count(name) > 1]:
            raise UsageError(f"two parts are named {twice[0]}; give one of them another name")
        return [(part.folder, self._part(part)) for part in self.parts]

    def _part(self, part: Part) -> Experiment:
        own = part.model_dump(exclude={"name"}, exclude_none=True)
        return make_experiment(self.model_dump(exclude={"parts"}) | own)

    @property
    def model_options(self) -> ModelOptions:
        """What all its models are built with, but for what is one's own."""
        return ModelOptions(**{name: getattr(self, name) for name in ModelOptions.model_fields})

    def with_options(self, **options: Any) -> Experiment:
        """The same experiment with the options that are not None in place."""
        given = {key: value for key, value in options.items() if value is not None}
        return make_experiment(self.model_dump() | given)


FORMER_NAMES = {
    "checkpoints": "ask_after (last or every session)",
    "samples": "repeats (so often each question is asked); limit and every choose dialogues",
}
"""What options were called before, with what to write instead."""


def make_experiment(settings: Mapping[str, Any], *, where: str = "") -> Experiment:
    """An experiment of these settings. Raises `UsageError` for one that does not fit; `where`
    says where it stands."""
    if unknown := sorted(settings.keys() - Experiment.model_fields.keys()):
        if former := FORMER_NAMES.get(unknown[0]):
            raise UsageError(f"{where}{unknown[0]} has another name now: {former}")
        known = ", ".join(Experiment.model_fields)
        raise UsageError(f"{where}{unknown[0]}: there is no such setting; there are {known}")
    try:
        return Experiment.model_validate(settings)
    except ValidationError as error:
        raise UsageError(f"{where}{first_problem(error)}") from error


def load_experiment(name: str) -> Experiment:
    """An experiment from a TOML file, or by the bare name of one that the project ships.

    A table ``[grid]`` beside its settings is for `memorycode retrieve`.
    """
    settings = {key: value for key, value in read_tables(name).items() if key != GRID}
    return make_experiment(settings, where=f"{name}: ")


def read_tables(name: str) -> dict[str, Any]:
    """All that a TOML file says, or one that the project ships by its bare name."""
    file = Path(name)
    if file.suffix != ".toml" and (file.is_dir() or not file.exists()):
        file = _shipped(name)
    try:
        return read_toml(file)
    except Unreadable as error:
        raise UsageError(f"{file}: {error}") from error


def shipped_experiments() -> list[str]:
    """The bare names of the experiments that the project ships."""
    return sorted(file.stem for file in _FOLDER.glob("*.toml"))


def _shipped(name: str) -> Path:
    names = shipped_experiments()
    if name not in names:
        raise UsageError(
            f"{name!r} is neither a TOML file nor an experiment that comes with memorycode; "
            f"those are: {', '.join(names)}"
        )
    return _FOLDER / f"{name}.toml"
