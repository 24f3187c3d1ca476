"""How a run is carried out, apart from what is run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from memorycode.errors import UsageError
from memorycode.frozen import Frozen
from memorycode.options import Option
from memorycode.validation_messages import first_problem

BackendName = Literal["threads", "processes", "ray"]


class Limits(Frozen):
    """What a run may send: calls, and dollars' worth of tokens. None is no limit.

    What was sent before a run was taken up again counts.
    """

    max_calls: int | None = Field(default=None, ge=1)
    max_cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)


class Execution(Frozen):
    """Where a run is kept, what plays its tasks, when it stops early. None of it decides what comes
    out: a run is resumed with any other.

    `out` is the run's folder, by default one below ``runs`` whose name follows from the settings,
    so that the same call goes on where it stopped. `cache` True keeps answers of language models in
    the run's folder, False nowhere.
    """

    out: Annotated[
        Path | None,
        Option("The run's folder; resumed if it exists. Default: below ./runs."),
    ] = None
    concurrency: Annotated[
        int | None,
        Option(
            "Tasks (a dialogue with a strategy) at once. Default: of threads 1, or 8 with a "
            "language model; of processes and ray as many as there are CPUs."
        ),
    ] = Field(default=None, ge=1)
    backend: Annotated[
        BackendName,
        Option(
            "What plays the tasks: threads where a model is waited for, processes for work bound "
            "by the CPU, ray for a cluster (docs/scaling.md). The records are the same."
        ),
    ] = "threads"
    ray_address: Annotated[
        str | None,
        Option(
            "Of a Ray cluster, for --backend ray. Default: $RAY_ADDRESS, else one started here.",
            metavar="ADDRESS",
        ),
    ] = None
    max_calls: Annotated[int | None, Option("Stop once the run has sent so many calls.")] = Field(
        default=None, ge=1
    )
    max_cost: Annotated[
        float | None,
        Option("Stop once the run's calls have cost so much.", metavar="DOLLARS"),
    ] = Field(default=None, gt=0, allow_inf_nan=False)
    prices: Annotated[Path | None, Option("TOML file of prices. Default: $MEMORYCODE_PRICES.")] = (
        None
    )
    cache: Annotated[
        Path | bool,
        Option(
            "Keep answers in this file, for several runs. Default: the run's folder.",
            metavar="FILE",
            is_text=True,
        ),
    ] = True
    cache_across_addresses: Annotated[
        bool,
        Option("Take answers that the cache has from where a model of the same label was before."),
    ] = False
    retry_failed: Annotated[bool, Option("Ask again what failed before.")] = False

    @property
    def limits(self) -> Limits:
        """When the run stops early."""
        return Limits(max_calls=self.max_calls, max_cost=self.max_cost)


ON_THREADS = Execution()
"""As a run is carried out unless told otherwise."""


def make_execution(options: Mapping[str, Any]) -> Execution:
    """Raises `UsageError` for options that do not fit."""
    try:
        return Execution.model_validate(options)
    except ValidationError as error:
        raise UsageError(first_problem(error)) from error
