"""The whole job in one call: dialogues through strategies and models into a scored run."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from memorycode.analysis.run_report import RunReport, report_run
from memorycode.datasets import dataset_hash
from memorycode.dialogue import Checkpoints, Dialogue, Setting
from memorycode.embedding import PACKAGED, load_embedder
from memorycode.errors import UsageError
from memorycode.experiment import GENERATED, Experiment, make_experiment
from memorycode.plugins import ModelPlugin, StrategyPlugin
from memorycode.prompts import DEFAULT_PACK, load_pack
from memorycode.running.folder import RunWriter
from memorycode.running.job import Job, describe_model, describe_strategy
from memorycode.running.manifest import Manifest, RunSettings, make_manifest
from memorycode.running.runner import NoProgress, Progress, run_job
from memorycode.running.task import Harness
from memorycode.scoring.scorers import SCORER_NAMES, make_scorer
from memorycode.tokens import TOKENIZER, token_counter

T = TypeVar("T")

ENDPOINT_CONCURRENCY = 8
"""How many tasks are under way at once, unless the caller says otherwise, where a model has to be
waited for. A stand-in computes in this process, where threads only get in each other's way."""


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
    out: Path | str | None = None,
    concurrency: int | None = None,
    dataset: str = "given in memory",
) -> RunReport:
    """Run strategies and models over dialogues and report the scores.

    `strategies` are specs as on the command line, or classes that can be imported; `models` are
    specs. `checkpoints` overrides what the strategies do by default, `prompts` is a folder.
    `context_budget` holds every strategy to so many tokens of recalled context; `embedder` is a
    sentence-transformers model for the strategies that embed.
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
            "dataset": dataset,
        }
    )
    return run_experiment(experiment, dialogues, out=out, concurrency=concurrency)


def run_experiment(
    experiment: Experiment,
    dialogues: Sequence[Dialogue],
    *,
    out: Path | str | None = None,
    concurrency: int | None = None,
    progress: Progress | None = None,
    retry_failed: bool = False,
) -> RunReport:
    """Run an experiment over dialogues that were loaded or generated for it."""
    job = prepare_job(experiment, dialogues)
    manifest = make_manifest(job.settings)
    folder = Path(out) if out is not None else Path("runs") / _default_name(manifest)
    with RunWriter(folder, manifest, dialogues) as writer:
        run_job(
            job,
            writer,
            concurrency=concurrency or _default_concurrency(job),
            progress=progress or NoProgress(),
            retry_failed=retry_failed,
        )
    return report_run(folder)


def prepare_job(experiment: Experiment, dialogues: Sequence[Dialogue]) -> Job:
    """Load every plug-in that the experiment names and settle what will be asked."""
    _refuse_twice("strategy", experiment.strategies)
    _refuse_twice("dialogue", [dialogue.number for dialogue in dialogues])
    plugins = [StrategyPlugin.load(spec) for spec in experiment.strategies]
    model_plugins = [ModelPlugin.load(spec) for spec in experiment.models]
    options = {"base_url": experiment.base_url}
    models = [plugin.build(options) for plugin in model_plugins]
    _refuse_twice("model", [model.name for model in models])
    pack = load_pack(experiment.prompts) if experiment.prompts else DEFAULT_PACK
    harness = Harness(
        pack,
        token_counter(),
        tuple(map(make_scorer, SCORER_NAMES)),
        load_embedder(experiment.embedder or PACKAGED),
        experiment.seed,
        experiment.context_budget,
    )
    settings = RunSettings(
        dataset=experiment.dataset or GENERATED,
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
            )
            for plugin in plugins
        ),
        models=tuple(map(describe_model, model_plugins, models)),
        prompts=pack,
        prompts_hash=pack.hash,
        tokenizer=TOKENIZER,
        embedder=harness.embedder.name,
        context_budget=experiment.context_budget,
        seed=experiment.seed,
    )
    job = Job(dialogues, plugins, models, harness, settings)
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


def _default_concurrency(job: Job) -> int:
    waits = any(model.is_language_model for model in job.models)
    return ENDPOINT_CONCURRENCY if waits else 1


def _refuse_twice(what: str, names: Sequence[object]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise UsageError(f"{what} {name!r} is named twice")


def _default_name(manifest: Manifest) -> str:
    """The same for every run that could go on in the folder, another for any other."""
    identity = json.dumps(manifest.identity, sort_keys=True, default=str)
    digest = hashlib.sha256(identity.encode()).hexdigest()
    return f"{manifest.settings.setting}-{digest[:8]}"
