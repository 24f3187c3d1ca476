"""The whole job in one call: dialogues through strategies and models into a scored run."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import chdir, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memorycode.datasets import dataset_hash
from memorycode.dialogue import Dialogue
from memorycode.errors import UsageError
from memorycode.experiment import GENERATED, Experiment, RunOptions, make_experiment
from memorycode.model_options import LEFT_OUT, MAY_BE_LEFT_OUT
from memorycode.models.secrets import Secrets, secrets_named
from memorycode.options import refuse_unknown, takes_options
from memorycode.plugin_process import kept_alive
from memorycode.prices import PRICES_VARIABLE, PriceList, load_prices
from memorycode.prompts import DEFAULT_PACK, load_pack
from memorycode.results.read import report_run
from memorycode.results.summary import RunReport
from memorycode.running.backends import make_backend
from memorycode.running.backends.specs import RunSpec
from memorycode.running.components import load_components
from memorycode.running.execution import ON_THREADS, Execution, Limits, make_execution
from memorycode.running.folder import RunFolder
from memorycode.running.job import Job, describe_model, describe_strategy
from memorycode.running.judged import heads_of
from memorycode.running.judging import judge_unjudged
from memorycode.running.log import logged
from memorycode.running.manifest import Manifest, RunSettings, make_manifest
from memorycode.running.meter import Meter
from memorycode.running.model_stack import ModelStack, probe
from memorycode.running.redaction import refuse_secret_names
from memorycode.running.runner import NO_PROGRESS, Progress, run_job
from memorycode.running.store import CACHE
from memorycode.running.writer import RunWriter
from memorycode.scoring.scorers import SCORER_NAMES
from memorycode.tokens import TOKENIZER

if TYPE_CHECKING:
    from memorycode.models.cached import ResponseCache

T = TypeVar("T")


@takes_options(Experiment, Execution)
def evaluate(dialogues: Sequence[Dialogue], **options: Any) -> RunReport:
    """Run strategies and models over dialogues and report the scores.

    The options are those of an experiment and of its execution, by the names that they have in a
    file (docs/running.md). Besides, plug-ins may be classes that can be imported, and a
    `temperature` or `max_tokens` of None is not sent, whatever the model's default. `dataset` is
    what reports call the dialogues.

    Args:
        dialogues: what is played to each strategy.
        options: see ``help(evaluate)`` for the names, their types and defaults.

    Returns:
        The report; failed questions are counted in it. `stopped` says why it ended early.

    Raises:
        MemorycodeError: the call or a plug-in is at fault.
        ModelUnavailable: a model cannot be used at all, and nothing was answered yet.
    """
    refuse_unknown(options, Experiment, Execution)
    own = {name: value for name, value in options.items() if name in Execution.model_fields}
    what = {name: value for name, value in options.items() if name not in own}
    for name in ("strategies", "models", "scorers"):
        if name in what:
            what[name] = tuple(map(_spec, _listed(name, what[name])))
    if isinstance(what.get("embedder"), type):
        what["embedder"] = _spec(what["embedder"])
    for name in MAY_BE_LEFT_OUT:
        if name in what and what[name] is None:
            what[name] = LEFT_OUT
    experiment = make_experiment({"dataset": "given in memory"} | what)
    return run_experiment(experiment, dialogues[experiment.taken], make_execution(own))


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
    with chdir("."):  # a plug-in may go to another folder, but paths are of this one
        job = prepare_job(experiment, dialogues)
    known = prices.for_labels(job.settings.names_by_label)
    _check_priced(job, limits, known)
    manifest = make_manifest(job.settings)
    folder = execution.out or Path("runs") / _default_name(manifest)
    meter = Meter(limits, known)
    kept_in = execution.cache if any(model.is_language_model for model in job.models) else False
    judged = heads_of(job.context.scorers, job.context.reader)
    with (
        chdir("."),
        RunWriter(folder, manifest, dialogues, judged, job.context.secrets) as writer,
        _opened(kept_in, folder, execution.cache_across_addresses) as kept,
    ):
        _count_earlier(meter, RunFolder(folder))
        judge_unjudged(job, writer)
        progress.watch(meter)
        for line in writer.moved:
            progress.tell(line)
            writer.log(line)
        if len(writer.recorded) < job.planned or execution.retry_failed:
            for model in job.models:
                probe(model)
        else:
            chosen = make_backend()  # nothing is left to ask: nothing need be started
        stack = ModelStack(meter, job.context.count_tokens, kept)
        file = kept.file.resolve() if kept else None
        run_spec = RunSpec(experiment, job.settings, file, execution.cache_across_addresses)
        with (
            chosen.executor(run_spec, meter, stack, execution.concurrency) as executor,
            logged(job, writer, meter, on=f"{chosen.name} {executor.size}"),
        ):
            run_job(
                job,
                writer,
                meter,
                executor=executor,
                progress=progress,
                retry_failed=execution.retry_failed,
            )
        judge_unjudged(job, writer)  # a worker may have died in between
    further = [s.name for s in job.context.scorers if s.name not in SCORER_NAMES]
    return report_run(folder, prices, further).model_copy(update={"stopped": meter.stopped})


def prepare_job(experiment: Experiment, dialogues: Sequence[Dialogue]) -> Job:
    """Load every plug-in that the experiment names and settle what will be asked."""
    _refuse_twice("strategy", experiment.strategies)
    _refuse_twice("dialogue", [dialogue.number for dialogue in dialogues])
    pack = load_pack(experiment.prompts) if experiment.prompts else DEFAULT_PACK
    components = load_components(experiment, pack)
    models = components.models
    specs = [spec for plugin in components.strategies for spec in plugin.specs]
    keys = Secrets(key for spec in specs for key in secrets_named(spec.parameters))
    context = replace(components.context, secrets=components.context.secrets | keys)
    _refuse_twice("model", [model.name for model in models], "; NAME:label=OTHER tells them apart")
    refuse_secret_names(context.secrets, "strategy", [*experiment.strategies])
    refuse_secret_names(context.secrets, "scorer", [s.name for s in context.scorers])
    refuse_secret_names(context.secrets, "embedder", [context.embedder.name])
    refuse_secret_names(
        context.secrets, "model", [*map(str, experiment.models), *(m.name for m in models)]
    )
    settings = RunSettings(
        dataset=context.secrets.removed_from(experiment.dataset or GENERATED),
        dataset_hash=dataset_hash(dialogues),
        dialogues=len(dialogues),
        strategies=tuple(
            describe_strategy(
                plugin,
                dialogues,
                setting=experiment.setting,
                ask_after=experiment.ask_after,
                context=context,
                models=models,
                repeats=experiment.repeats,
            )
            for plugin in components.strategies
        ),
        models=tuple(map(describe_model, components.model_plugins, models)),
        prompts=pack,
        prompts_hash=pack.hash,
        tokenizer=TOKENIZER,
        embedder=context.embedder.name,
        **{name: getattr(experiment, name) for name in RunOptions.model_fields},
    )
    job = Job(dialogues, components.strategies, models, context, settings)
    if not job.planned:
        raise UsageError(f"the data has no question in the setting {settings.setting}")
    return job


def _listed(what: str, given: Sequence[T]) -> tuple[T, ...]:
    """Refuse a lone string, whose letters would be taken for names, and what is no list."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise UsageError(f"{what} is a list of names: write [{given!r}]")
    return tuple(given)


def _spec(plugin: T) -> T | str:
    """Of a class the name that it is imported by."""
    return f"{plugin.__module__}:{plugin.__qualname__}" if isinstance(plugin, type) else plugin


def _count_earlier(meter: Meter, folder: RunFolder) -> None:
    for record in folder.attempts():
        meter.add_earlier(record.model, record.was_sent, record.spent)
    for task in folder.tasks():
        meter.add_earlier(task.model, task.memory.sent_calls, task.memory.spent)


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
def _opened(
    cache: Path | bool, folder: Path, across_addresses: bool
) -> Iterator[ResponseCache | None]:
    """The cache of answers: in the run's folder, in a file that several runs share, or none."""
    if cache is False:
        yield None
        return
    from memorycode.models.cached import ResponseCache

    kept = ResponseCache(folder / CACHE if cache is True else cache, across_addresses)
    with closing(kept):
        yield kept


def _refuse_twice(what: str, names: Sequence[object], advice: str = "") -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise UsageError(f"{what} {name!r} is named twice{advice}")


def _default_name(manifest: Manifest) -> str:
    """The same for every run that could go on in the folder, another for any other."""
    identity = json.dumps(manifest.identity, sort_keys=True, default=str)
    digest = hashlib.sha256(identity.encode()).hexdigest()
    return f"{manifest.settings.setting}-{digest[:8]}"
