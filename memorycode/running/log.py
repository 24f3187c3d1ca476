"""A run with a log of it: when it began, with what, what failed, why it ended, what it took.

No prompt, no answer and no text of an error stands there, for any of them could hold a key.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memorycode.running.job import Job
from memorycode.running.manifest import RunSettings
from memorycode.running.meter import Meter
from memorycode.running.writer import RunWriter


@contextmanager
def logged(job: Job, writer: RunWriter, meter: Meter, *, on: str) -> Iterator[None]:
    """The log of a run that is under way in the ``with`` block; `on` says what plays its tasks.
    What the block raises is logged by its name."""
    writer.log(f"start {_summary(job.settings)}, {on}")
    if writer.recorded:
        failed = sum(writer.recorded.values())
        writer.log(f"resumed {len(writer.recorded)} questions were there, {failed} of them failed")
    end = "stopped by an error"
    try:
        yield
        end = "stopped early" if meter.stopped else "done"
    except BaseException as error:
        end = f"stopped by {type(error).__name__}"
        raise
    finally:
        writer.log(f"{end}{_why(meter)}; {_totals(meter)}")


def _summary(settings: RunSettings) -> str:
    strategies = " ".join(entry.spec for entry in settings.strategies)
    models = " ".join(entry.name for entry in settings.models)
    return (
        f"setting {settings.setting}, {settings.dialogues} dialogues ({settings.dataset_hash}), "
        f"strategies {strategies}, models {models}, repeats {settings.repeats}, "
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
        + (f"; {meter.left_behind} threads left behind" if meter.left_behind else "")
    )
