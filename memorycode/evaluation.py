"""The whole job in one call: dialogues through strategies and models into a scored run."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from memorycode.analysis.run_report import RunReport, report_run
from memorycode.datasets import dataset_hash
from memorycode.dialogue import Dialogue, Setting
from memorycode.errors import UsageError
from memorycode.experiment import Experiment
from memorycode.plugins import StrategyPlugin, build_model
from memorycode.prompts import DEFAULT_PACK, load_pack
from memorycode.running.folder import RunWriter
from memorycode.running.job import Job, describe_model, describe_strategy
from memorycode.running.manifest import RunSettings, make_manifest
from memorycode.running.plan import Checkpoints
from memorycode.running.runner import NoProgress, Progress, run_job
from memorycode.running.tokens import TOKENIZER, token_counter
from memorycode.running.unit import Harness
from memorycode.scoring.official import OfficialScorer

ENDPOINT_CONCURRENCY = 8
"""How many units of work are under way at once, unless the caller says otherwise, where a model
has to be waited for. A stand-in computes in this process, where threads only get in each other's
way."""


def evaluate(
    dialogues: Sequence[Dialogue],
    *,
    strategies: Sequence[str] = ("no_memory", "full_history"),
    models: Sequence[str] = ("ideal-mentee",),
    setting: Setting = "history",
    checkpoints: Checkpoints | None = None,
    out: Path | str | None = None,
    concurrency: int | None = None,
    seed: int = 0,
) -> RunReport:
    """Run strategies and models over dialogues and report the scores.

    `strategies` and `models` are specs as on the command line; `checkpoints` overrides what the
    strategies do by default. The run's folder is `out`, by default one below ``runs`` whose name
    follows from the settings, so that the same call goes on where it stopped. Raises
    `MemorycodeError` where the call or a plug-in is at fault, `ModelUnavailable` where a model
    cannot be used at all; single failed questions are counted in the report.
    """
    experiment = Experiment(
        strategies=tuple(strategies),
        models=tuple(models),
        setting=setting,
        checkpoints=checkpoints,
        seed=seed,
    )
    return run_experiment(experiment, dialogues, out=out, concurrency=concurrency)


def run_experiment(
    experiment: Experiment,
    dialogues: Sequence[Dialogue],
    *,
    out: Path | str | None = None,
    concurrency: int | None = None,
    progress: Progress | None = None,
) -> RunReport:
    """Run an experiment over dialogues that were loaded or generated for it."""
    job = prepare_job(experiment, dialogues)
    folder = Path(out) if out is not None else Path("runs") / _default_name(job.settings)
    with RunWriter.create(folder, make_manifest(job.settings), dialogues) as writer:
        run_job(
            job,
            writer,
            concurrency=concurrency or _default_concurrency(job),
            progress=progress or NoProgress(),
        )
    return report_run(folder)


def prepare_job(experiment: Experiment, dialogues: Sequence[Dialogue]) -> Job:
    """Load every plug-in that the experiment names and settle what will be asked."""
    _refuse_twice("strategy", experiment.strategies)
    plugins = [StrategyPlugin.load(spec) for spec in experiment.strategies]
    options = {"base_url": experiment.base_url}
    models = [build_model(spec, options) for spec in experiment.models]
    _refuse_twice("model", [model.name for model in models])
    pack = load_pack(experiment.prompts) if experiment.prompts else DEFAULT_PACK
    harness = Harness(pack, token_counter(), (OfficialScorer(),), experiment.seed)
    setting = experiment.setting
    settings = RunSettings(
        dataset=experiment.dataset or "generated here",
        dataset_hash=dataset_hash(dialogues),
        dialogues=len(dialogues),
        setting=setting,
        strategies=tuple(
            describe_strategy(
                plugin,
                dialogues,
                setting=setting,
                checkpoints=experiment.checkpoints,
                harness=harness,
                models=models,
            )
            for plugin in plugins
        ),
        models=tuple(
            describe_model(spec, model, options)
            for spec, model in zip(experiment.models, models, strict=True)
        ),
        prompts=pack,
        prompts_hash=pack.hash,
        tokenizer=TOKENIZER,
        seed=experiment.seed,
    )
    return Job(dialogues, plugins, models, harness, settings)


def _default_concurrency(job: Job) -> int:
    waits = any(model.is_language_model for model in job.models)
    return ENDPOINT_CONCURRENCY if waits else 1


def _refuse_twice(what: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{what} {name!r} is named twice")


def _default_name(settings: RunSettings) -> str:
    digest = hashlib.sha256(settings.model_dump_json(exclude={"dataset"}).encode()).hexdigest()
    return f"{settings.setting}-{digest[:8]}"
