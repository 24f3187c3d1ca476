"""Options of `run` about models, samples, costs and limits, and where tasks are played."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Optional

import typer

from memorycode.errors import UsageError

Temperature = Annotated[
    Optional[str],
    typer.Option(
        metavar="NUMBER|none",
        help="Of language models; none sends none. Default: the model's, 0 as a rule.",
    ),
]
TopP = Annotated[
    Optional[float],
    typer.Option(min=0, max=1, help="Sample from the likeliest words of this mass."),
]
MaxTokens = Annotated[
    Optional[str],
    typer.Option(
        metavar="NUMBER|none",
        help="Of an answer, at most; none sends no limit. Default: the model's, 2048 as a rule.",
    ),
]
ModelSeed = Annotated[
    Optional[int], typer.Option(help="Passed to the endpoint; few promise the same answers for it.")
]
ReasoningEffort = Annotated[
    Optional[str], typer.Option(metavar="LEVEL", help="low, medium, high: as the endpoint has it.")
]
Header = Annotated[
    Optional[list[str]],
    typer.Option(
        metavar="NAME=VALUE", help="Sent with every call; values are never shown. Repeatable."
    ),
]
Body = Annotated[
    Optional[str],
    typer.Option(
        metavar="JSON", help="An object of further fields for every call; null removes one."
    ),
]
CallTimeout = Annotated[
    Optional[float],
    typer.Option("--timeout", min=0.001, help="Seconds for one attempt, to its end."),
]
MaxReplyBytes = Annotated[
    Optional[int],
    typer.Option(
        min=1, metavar="BYTES", help="Of a reply, decompressed; no more is read. Default: 32 MB."
    ),
]
Samples = Annotated[
    Optional[int], typer.Option(min=1, max=1000, help="Ask every question so often. Default: 1.")
]
ContextLimit = Annotated[
    Optional[int],
    typer.Option(min=1, metavar="TOKENS", help="The models' context, answer included."),
]
OnOverflow = Annotated[
    Optional[Literal["fail", "truncate-oldest"]],
    typer.Option(
        help="What becomes of a prompt that the context does not hold. Default: fail, unsent."
    ),
]
MaxCalls = Annotated[
    Optional[int], typer.Option(min=1, help="Stop once the run has sent so many calls.")
]
MaxCost = Annotated[
    Optional[float],
    typer.Option(min=0, metavar="DOLLARS", help="Stop once the run's calls have cost so much."),
]
Prices = Annotated[
    Optional[Path], typer.Option(help="TOML file of prices. Default: $MEMORYCODE_PRICES.")
]
Cache = Annotated[
    Optional[Path],
    typer.Option(help="Keep answers in this file, for several runs. Default: the run's folder."),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Ask again what was answered before.")]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Say what would be sent and what that costs; send nothing."),
]

Replay = Annotated[
    Optional[list[Path]],
    typer.Option(
        metavar="DIR",
        help="Draw the experiment's figures from recorded outputs (output_N.json) and ask nobody; "
        "a model's folder or a folder of such, repeatable.",
    ),
]
Latex = Annotated[bool, typer.Option("--latex", help="Print the figures' numbers as LaTeX tables.")]

Backend = Annotated[
    Literal["threads", "processes", "ray"],
    typer.Option(
        help="What plays the tasks: threads where a model is waited for, processes for work bound "
        "by the CPU, ray for a cluster (docs/scaling.md). The records are the same."
    ),
]
RayAddress = Annotated[
    Optional[str],
    typer.Option(
        metavar="ADDRESS",
        help="Of a Ray cluster, for --backend ray. Default: $RAY_ADDRESS, else one started here.",
    ),
]


def read_headers(given: Sequence[str] | None) -> dict[str, str]:
    """Headers by name from ``NAME=VALUE``. Raises `UsageError`, without the value in it."""
    headers = {}
    for place, text in enumerate(given or (), start=1):
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--header number {place}: want NAME=VALUE")
        headers[name.strip()] = value.strip()
    return headers


def read_body(given: str | None) -> dict[str, Any]:
    """The object that a JSON text holds. Raises `UsageError` for another one."""
    if given is None:
        return {}
    try:
        body = json.loads(given)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--body: not JSON: {error}") from error
    if not isinstance(body, dict):
        raise UsageError("--body: want a JSON object, such as '{\"top_k\": 20}'")
    return body
