"""Commands on data sets: generate, audit, export."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal, Optional

import typer

from memorycode.cli.shared import FAILED, INTERRUPTED, Json, print_json
from memorycode.errors import UsageError
from memorycode.plugin_process import stdout_to_stderr

DatasetPath = Annotated[
    Path,
    typer.Argument(
        metavar="DATASET",
        help="Folder of dialogue_N.json, a clone's root, one file, or rows (.parquet, .jsonl).",
    ),
]


def generate(
    out: Annotated[Path, typer.Option(help="The folder to write; gone on with if it exists.")],
    preset: Annotated[
        str, typer.Option(help="paper, demo or stress, or a TOML file of settings.")
    ] = "demo",
    dialogues: Annotated[
        Optional[int], typer.Option(min=1, max=10**6, help="How many. Default: the preset's.")
    ] = None,
    sessions: Annotated[
        Optional[str],
        typer.Option(help="Numbers of sessions, in turn: 1,2,5. Default: the preset's."),
    ] = None,
    seed: Annotated[int, typer.Option(help="For all that is random.")] = 0,
    pool: Annotated[
        Optional[Path], typer.Option(help="Your own seeds: a folder, or a topics.json.")
    ] = None,
    renderer: Annotated[
        str, typer.Option(help="scripted (offline), or a model such as openai/NAME.")
    ] = "scripted",
    difficulty: Annotated[
        Literal["explicit", "paraphrased", "implicit"],
        typer.Option(help="How plainly the scripted renderer states the rules."),
    ] = "explicit",
    base_url: Annotated[
        Optional[str], typer.Option(help="Endpoint of openai/NAME. Default: $OPENAI_BASE_URL.")
    ] = None,
    style: Annotated[
        Optional[str],
        typer.Option(
            help="Shares of the scripted renderer: reference_rate=0.5,hedge_rate=0,"
            "correction_rate=0.1,repeat_rate=0.6."
        ),
    ] = None,
    attempts: Annotated[
        int,
        typer.Option(min=1, max=1000, help="How often a session is tried that fails the check."),
    ] = 5,
    prompts: Annotated[
        Optional[Path], typer.Option(help="Folder with your own render_*.txt, for a model.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=1000, help="Processes.")] = 1,
) -> None:
    """Generate a fresh benchmark in the release's layout.

    The same seed gives the same bytes; a dialogue does not depend on how many others there are.
    """
    try:
        from memorycode.generation.job import generate_folder
        from memorycode.reporting.generation import print_generated
        from memorycode.reporting.progress import GenerationProgress

        with stdout_to_stderr(), GenerationProgress() as progress:
            made = generate_folder(
                out,
                preset=preset,
                dialogues=dialogues,
                sessions=_numbers(sessions),
                seed=seed,
                pool=pool,
                renderer=renderer,
                difficulty=difficulty,
                base_url=base_url,
                prompts=prompts,
                style=_rates(style),
                attempts=attempts,
                workers=workers,
                progress=progress,
            )
    except KeyboardInterrupt:
        print("memorycode: stopped; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    print_generated(made)
    if made.failed:
        raise typer.Exit(FAILED)


def audit(dataset: DatasetPath, as_json: Json = False) -> None:
    """Say what is wrong with a data set, and its ceiling.

    Of data that was generated to be paraphrased or implicit, rules that the text merely hints at
    are told from those that it lacks (docs/audit.md).
    """
    from memorycode.audit import audit_dataset
    from memorycode.reporting.audit import print_audit

    report = audit_dataset(dataset)
    if as_json:
        print_json(report.as_json())
    else:
        print_audit(report)


def export(
    dataset: DatasetPath,
    out: Annotated[Path, typer.Option(help="A new folder for the parquet file and its card.")],
) -> None:
    """Write a data set as parquet with a card."""
    from memorycode.datasets import load_dataset, write_parquet

    print(write_parquet(load_dataset(dataset), out))


def _numbers(text: str | None) -> tuple[int, ...]:
    try:
        numbers = tuple(int(part) for part in text.split(",")) if text else ()
    except ValueError:
        raise UsageError(f"--sessions {text!r}: write whole numbers with commas: 1,2,5") from None
    if any(number < 1 for number in numbers):
        raise UsageError(f"--sessions {text!r}: a dialogue has at least one session")
    return numbers


def _rates(text: str | None) -> dict[str, float]:
    try:
        pairs = [pair.split("=") for pair in text.split(",")] if text else []
        return {key.strip(): float(value) for key, value in pairs}
    except ValueError:
        raise UsageError(f"--style {text!r}: write rates with commas: hedge_rate=0.5") from None
