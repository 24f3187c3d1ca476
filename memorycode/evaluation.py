"""The whole job in one call: dialogues through strategies and models into a scored run."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memorycode.datasets import dataset_hash
from memorycode.dialogue import Dialogue
from memorycode.errors import UsageError
from memorycode.experiment import (
    GENERATED,
    LEFT_OUT,
    MAY_BE_LEFT_OUT,
    Experiment,
    RunOptions,
    make_experiment,
)
from memorycode.options import keywords_of, refuse_unknown
from memorycode.plugin_process import kept_alive
from memorycode.prices import PRICES_VARIABLE, PriceList, load_prices
from memorycode.prompts import DEFAULT_PACK, load_pack
from memorycode.results.summary import RunReport, report_run
from memorycode.running.access import MeteredAccess, probe
from memorycode.running.backends import make_backend
from memorycode.running.backends.recipe import Recipe
from memorycode.running.execution import ON_THREADS, Execution, Limits, make_execution
from memorycode.running.folder import CACHE, RunFolder, RunWriter
from memorycode.running.job import Job, describe_model, describe_strategy
from memorycode.running.log import run_logged
from memorycode.running.manifest import Manifest, RunSettings, make_manifest
from memorycode.running.meter import Meter
from memorycode.running.parts import load_parts
from memorycode.running.redaction import refuse_secret_names
from memorycode.running.runner import NO_PROGRESS, Progress
from memorycode.tokens import TOKENIZER

if TYPE_CHECKING:
    from memorycode.models.cached import ResponseCache

T = TypeVar("T")


def evaluate(dialogues: Sequence[Dialogue], **options: Any) -> RunReport:
    """Run strategies and models over dialogues and report the scores.

    The options are those of an experiment and of its execution, by the names that they have in a
    file (docs/running.md). Besides, `strategies` may be classes that can be imported, and a
    `temperature` or `max_tokens` of None is not sent, whatever the model's default. `dataset` is
    what reports call the dialogues.

    Args:
        dialogues: what is played to each strategy.
        options: see ``help(evaluate)`` for the names, their types and defaults.

    Returns:
        The report; failed questions are counted in it. `stopped` says why it ended early.

    Raises:
        MemorycodeError: the call or a plug-in is at fault.
        ModelUnavailable: a model cannot be used at all.
    """
    refuse_unknown(options, Experiment, Execution)
    own = {name: value for name, value in options.items() if name in Execution.model_fields}
    what = {name: value for name, value in options.items() if name not in own}
    for name in ("strategies", "models"):
        if name in what:
            what[name] = tuple(map(_spec, _listed(name, what[name])))
    for name in MAY_BE_LEFT_OUT:
        if name in what and what[name] is None:
            what[name] = LEFT_OUT
    experiment = make_experiment({"dataset": "given in memory"} | what)
    return run_experiment(experiment, dialogues, make_execution(own))


evaluate.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        inspect.Parameter("dialogues", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        *keywords_of(Experiment, Execution),
    ]
)


@kept_alive()
def run_experiment(
    experiment: Experiment,
    dialogues: Sequence[Dialogue],
    execution: Execution = ON_THREADS,
    progress: Progress = NO_PROGRESS,
) -> RunReport:
    """Run an experiment over dialogues that were loaded or generated for it.

    Where a limit or an endpoint that cannot be reached end it early, the report's `stopped` says
    so. Raises `UsageError` for a limit of dollars where a model has no price.
    """
    prices, limits = load_prices(execution.prices), execution.limits
    chosen = make_backend(execution.backend, execution.ray_address)
    job = prepare_job(experiment, dialogues)
    _check_priced(job, limits, prices)
    manifest = make_manifest(job.settings)
    folder = execution.out or Path("runs") / _default_name(manifest)
    meter = Meter(limits, prices)
    kept_in = execution.cache if any(model.is_language_model for model in job.models) else False
    with (
        RunWriter(folder, manifest, dialogues, job.harness.secrets) as writer,
        _opened(kept_in, folder) as kept,
    ):
        meter.add_earlier(RunFolder(folder))
        progress.watch(meter)
        if len(writer.recorded) < job.planned or execution.retry_failed:
            for model in job.models:
                probe(model)
        else:
            chosen = make_backend()  # nothing is left to ask: nothing need be started
        access = MeteredAccess(meter, job.harness.count_tokens, kept)
        recipe = Recipe(experiment, job.settings, kept.file.resolve() if kept else None)
        with chosen.crew(recipe, meter, execution.concurrency) as crew:
            stopped = run_logged(
                replace(job, harness=replace(job.harness, access=access)),
                writer,
                meter,
                crew=crew,
                backend=chosen.name,
                progress=progress,
                retry_failed=execution.retry_failed,
            )
    return report_run(folder, prices).model_copy(update={"stopped": stopped})


def prepare_job(experiment: Experiment, dialogues: Sequence[Dialogue]) -> Job:
    """Load every plug-in that the experiment names and settle what will be asked."""
    _refuse_twice("strategy", experiment.strategies)
    _refuse_twice("dialogue", [dialogue.number for dialogue in dialogues])
    pack = load_pack(experiment.prompts) if experiment.prompts else DEFAULT_PACK
    parts = load_parts(experiment, pack)
    models, harness = parts.models, parts.harness
    _refuse_twice("model", [model.name for model in models])
    refuse_secret_names(harness.secrets, "strategy", [*experiment.strategies])
    refuse_secret_names(harness.secrets, "model", [*experiment.models, *(m.name for m in models)])
    settings = RunSettings(
        dataset=harness.secrets.removed_from(experiment.dataset or GENERATED),
        dataset_hash=dataset_hash(dialogues),
        dialogues=len(dialogues),
        strategies=tuple(
            describe_strategy(
                plugin,
                dialogues,
                setting=experiment.setting,
                checkpoints=experiment.checkpoints,
                harness=harness,
                models=models,
                samples=experiment.samples,
            )
            for plugin in parts.strategies
        ),
        models=tuple(map(describe_model, parts.model_plugins, models)),
        prompts=pack,
        prompts_hash=pack.hash,
        tokenizer=TOKENIZER,
        embedder=harness.embedder.name,
        **{name: getattr(experiment, name) for name in RunOptions.model_fields},
    )
    job = Job(dialogues, parts.strategies, models, harness, settings)
    if not job.planned:
        raise UsageError(f"the data has no question in the setting {settings.setting}")
    return job


def _listed(what: str, given: Sequence[T]) -> tuple[T, ...]:
    """Refuse a lone string, whose letters would be taken for names."""
    if isinstance(given, str):
        raise UsageError(f"{what} is a list of names: write [{given!r}]")
    return tuple(given)


def _spec(strategy: str | type) -> str:
    if isinstance(strategy, str):
        return strategy
    return f"{strategy.__module__}:{strategy.__qualname__}"


def _check_priced(job: Job, limits: Limits, prices: PriceList) -> None:
    if limits.max_cost is None:
        return
    for model in job.models:
        if model.is_language_model and prices.of(model.name) is None:
            raise UsageError(
                f"--max-cost: nobody knows what {model.name} costs; name a file of prices that "
                f"does (--prices, {PRICES_VARIABLE}; docs/cost.md), or limit --max-calls"
            )


@contextmanager
def _opened(cache: Path | bool, folder: Path) -> Iterator[ResponseCache | None]:
    """The cache of answers: in the run's folder, in a file that several runs share, or none."""
    if cache is False:
        yield None
        return
    from memorycode.models.cached import ResponseCache

    kept = ResponseCache(folder / CACHE if cache is True else cache)
    with closing(kept):
        yield kept


def _refuse_twice(what: str, names: Sequence[object]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise UsageError(f"{what} {name!r} is named twice")


def _default_name(manifest: Manifest) -> str:
    """The same for every run that could go on in the folder, another for any other."""
    identity = json.dumps(manifest.identity, sort_keys=True, default=str)
    digest = hashlib.sha256(identity.encode()).hexdigest()
    return f"{manifest.settings.setting}-{digest[:8]}"
