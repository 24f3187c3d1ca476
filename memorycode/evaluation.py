"""The whole job in one call: dialogues through strategies and models into a scored run."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memorycode.datasets import dataset_hash
from memorycode.dialogue import Checkpoints, Dialogue, Setting
from memorycode.errors import UsageError
from memorycode.experiment import GENERATED, LEFT_OUT, MAY_BE_LEFT_OUT, Experiment, make_experiment
from memorycode.prices import PRICES_VARIABLE, PriceList, load_prices
from memorycode.prompts import DEFAULT_PACK, load_pack
from memorycode.results.read import report_run
from memorycode.results.summary import RunReport
from memorycode.running.access import MeteredAccess, probe
from memorycode.running.backends import BackendName, make_backend
from memorycode.running.backends.recipe import Recipe
from memorycode.running.budget import Overflow
from memorycode.running.folder import CACHE, RunFolder, RunWriter
from memorycode.running.job import Job, describe_model, describe_strategy
from memorycode.running.log import run_logged
from memorycode.running.manifest import Manifest, RunSettings, make_manifest
from memorycode.running.meter import NO_LIMITS, Limits, Meter
from memorycode.running.parts import load_parts
from memorycode.running.redaction import refuse_secret_names
from memorycode.running.runner import NoProgress, Progress
from memorycode.tokens import TOKENIZER

if TYPE_CHECKING:
    from memorycode.models.cached import ResponseCache

T = TypeVar("T")


def evaluate(
    dialogues: Sequence[Dialogue],
    *,
    strategies: Sequence[str | type] = ("no_memory", "full_history"),
    models: Sequence[str] = ("ideal-mentee",),
    setting: Setting = "history",
    checkpoints: Checkpoints | None = None,
    prompts: str | None = None,
    base_url: str | None = None,
    context_budget: int | None = None,
    embedder: str | None = None,
    seed: int = 0,
    samples: int = 1,
    context_limit: int | None = None,
    on_overflow: Overflow = "fail",
    model_options: Mapping[str, Any] | None = None,
    out: Path | str | None = None,
    concurrency: int | None = None,
    backend: BackendName = "threads",
    ray_address: str | None = None,
    cache: Path | str | bool = True,
    limits: Limits = NO_LIMITS,
    prices: Path | str | None = None,
    dataset: str = "given in memory",
) -> RunReport:
    """Run strategies and models over dialogues and report the scores.

    `strategies` are specs as on the command line, or classes that can be imported; `models` are
    specs. `checkpoints` overrides what the strategies do by default, `prompts` is a folder.
    `context_budget` holds every strategy to so many tokens of recalled context; `embedder` is a
    sentence-transformers model for the strategies that embed. Each question is asked `samples`
    times. Prompts that a context of `context_limit` tokens does not hold fail unsent, or lose the
    oldest parts of their recall (`on_overflow`). `model_options` are an experiment's: temperature,
    top_p, max_tokens, model_seed, reasoning_effort, headers, body, timeout, max_reply_bytes; a
    temperature or max_tokens of None is not sent, whatever the model's default. Answers of language
    models are kept in the run's folder, or in the file `cache`, unless it is False. `limits` end
    the run early; the report then says so. `prices` is a file of prices, for costs.
    Tasks are played by threads, processes or a Ray cluster (`backend`, docs/scaling.md), at
    `ray_address` or else started here, `concurrency` at once: the records are the same.
    `dataset` is what reports call the dialogues. The run's folder is `out`, by default one below
    ``runs`` whose name follows from the settings, so that the same call goes on where it stopped.
    Raises `MemorycodeError` where the call or a plug-in is at fault, `ModelUnavailable` where a
    model cannot be used at all; single failed questions are counted in the report.
    """
    experiment = make_experiment(
        {
            "strategies": tuple(map(_spec, _listed("strategies", strategies))),
            "models": _listed("models", models),
            "setting": setting,
            "checkpoints": checkpoints,
            "prompts": prompts,
            "base_url": base_url,
            "context_budget": context_budget,
            "embedder": embedder,
            "seed": seed,
            "samples": samples,
            "context_limit": context_limit,
            "on_overflow": on_overflow,
            "dataset": dataset,
            **{name: _left_out(name, value) for name, value in (model_options or {}).items()},
        }
    )
    return run_experiment(
        experiment,
        dialogues,
        out=out,
        concurrency=concurrency,
        backend=backend,
        ray_address=ray_address,
        cache=cache,
        limits=limits,
        prices=load_prices(prices),
    )


def run_experiment(
    experiment: Experiment,
    dialogues: Sequence[Dialogue],
    *,
    out: Path | str | None = None,
    concurrency: int | None = None,
    backend: BackendName = "threads",
    ray_address: str | None = None,
    progress: Progress | None = None,
    retry_failed: bool = False,
    cache: Path | str | bool = True,
    limits: Limits = NO_LIMITS,
    prices: PriceList | None = None,
) -> RunReport:
    """Run an experiment over dialogues that were loaded or generated for it.

    Where `limits` or an endpoint that cannot be reached end it early, the report's `stopped` says
    so. Raises `UsageError` for a limit of dollars where a model has no price.
    """
    prices = prices or load_prices()
    chosen = make_backend(backend, ray_address)
    job = prepare_job(experiment, dialogues)
    _check_priced(job, limits, prices)
    manifest = make_manifest(job.settings)
    folder = Path(out) if out is not None else Path("runs") / _default_name(manifest)
    meter = Meter(limits, prices)
    kept_in = cache if any(model.is_language_model for model in job.models) else False
    progress = progress or NoProgress()
    with (
        RunWriter(folder, manifest, dialogues, job.harness.secrets) as writer,
        _opened(kept_in, folder) as kept,
    ):
        meter.add_earlier(RunFolder(folder))
        progress.watch(meter)
        if len(writer.recorded) < job.planned or retry_failed:
            for model in job.models:
                probe(model)
        else:
            chosen = make_backend()  # nothing is left to ask: nothing need be started
        access = MeteredAccess(meter, job.harness.count_tokens, kept)
        recipe = Recipe(experiment, job.settings, kept.file.resolve() if kept else None)
        with chosen.crew(recipe, meter, concurrency) as crew:
            stopped = run_logged(
                replace(job, harness=replace(job.harness, access=access)),
                writer,
                meter,
                crew=crew,
                backend=chosen.name,
                progress=progress,
                retry_failed=retry_failed,
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
        setting=experiment.setting,
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
        context_budget=experiment.context_budget,
        context_limit=experiment.context_limit,
        on_overflow=experiment.on_overflow,
        samples=experiment.samples,
        seed=experiment.seed,
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


def _left_out(option: str, value: Any) -> Any:
    return LEFT_OUT if value is None and option in MAY_BE_LEFT_OUT else value


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
def _opened(cache: Path | str | bool, folder: Path) -> Iterator[ResponseCache | None]:
    """The cache of answers: in the run's folder, in a file that several runs share, or none."""
    if cache is False:
        yield None
        return
    from memorycode.models.cached import ResponseCache

    kept = ResponseCache(folder / CACHE if cache is True else Path(cache))
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
