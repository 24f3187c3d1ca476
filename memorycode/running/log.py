"""A run with a log of it: when it began, with what, what failed, why it ended, what it took.

No prompt, no answer and no text of an error stands there, for any of them could hold a key.
"""

from __future__ import annotations

from memorycode.running.backends import Executor
from memorycode.running.job import Job
from memorycode.running.manifest import RunSettings
from memorycode.running.meter import Meter
from memorycode.running.runner import Progress, run_job
from memorycode.running.writer import RunWriter


def run_logged(
    job: Job,
    writer: RunWriter,
    meter: Meter,
    *,
    executor: Executor,
    backend: str,
    progress: Progress,
    retry_failed: bool,
) -> str:
    """Run the job; what it raises is logged by its name. Why it stopped early, or ""."""
    writer.log(f"start {_summary(job.settings)}, {backend} {executor.size}")
    if writer.recorded:
        failed = sum(writer.recorded.values())
        writer.log(f"resumed {len(writer.recorded)} questions were there, {failed} of them failed")
    end = "stopped by an error"
    try:
        stopped = run_job(
            job, writer, meter, executor=executor, progress=progress, retry_failed=retry_failed
        )
        end = "stopped early" if stopped else "done"
    except BaseException as error:
        end = f"stopped by {type(error).__name__}"
        raise
    finally:
        writer.log(f"{end}{_why(meter)}; {_totals(meter)}")
    return stopped


def _summary(settings: RunSettings) -> str:
    strategies = " ".join(entry.spec for entry in settings.strategies)
    models = " ".join(entry.name for entry in settings.models)
    return (
        f"setting {settings.setting}, {settings.dialogues} dialogues ({settings.dataset_hash}), "
        f"strategies {strategies}, models {models}, samples {settings.samples}, "
        f"seed {settings.seed}"
    )


def _why(meter: Meter) -> str:
    return f" ({meter.reason})" if meter.reason else ""


def _totals(meter: Meter) -> str:
    spent = meter.spent
    failures = ", ".join(f"{count} {kind}" for kind, count in sorted(meter.failures.items()))
    return (
        f"in all {spent.calls} calls sent, {spent.prompt_tokens} prompt tokens, "
        f"{spent.completion_tokens} completion tokens, ${spent.dollars:.4f} where a price is "
        f"known; failed calls this time: {failures or 'none'}"
    )
