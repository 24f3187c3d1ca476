"""The command that judges a run again: rescore."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Optional

import typer

from memorycode.cli.shared import Json, RunPath, print_json
from memorycode.plugin_process import stdout_to_stderr

Scorers = Annotated[
    Optional[list[str]],
    typer.Option(
        "--scorer",
        metavar="NAME",
        help="Show a further scorer that has judged the run, too: its name or module:Class; "
        "repeatable.",
    ),
]


def rescore(
    run: RunPath,
    scorer: Annotated[
        list[str],
        typer.Option(
            metavar="SPEC",
            help="official, strict, an installed one or module:Class[:key=value,…]; repeatable.",
        ),
    ],
    as_json: Json = False,
) -> None:
    """Judge a run's answers again, by any scorer. No model is asked.

    Writes judged/NAME@REVISION.jsonl and changes nothing else. It may be stopped at any time: the
    run stays as it was, and the same command does it.
    """
    from memorycode.plugins import load_scorers
    from memorycode.reporting.progress import RescoringProgress
    from memorycode.running.rescoring import rescore as judge_again

    with stdout_to_stderr():
        scorers = load_scorers(scorer)
        with RescoringProgress() as progress:
            written = judge_again(run, scorers, progress)
    if as_json:
        print_json([one.model_dump() for one in written])
        return
    for one in written:
        print(f"{run / one.file}: {one.answers:,} answers judged by {one.scorer}")


def further_scorers(runs: Sequence[Path], given: Sequence[str]) -> tuple[str, ...]:
    """The names of the scorers besides ours: each given by its name, where it has judged one of the
    runs, or by what stands for it."""
    from memorycode.plugins import load_scorers
    from memorycode.running.judged import judged_by
    from memorycode.scoring.scorers import SCORER_NAMES

    known = {*SCORER_NAMES, *(name for run in runs for name in judged_by(run))}
    with stdout_to_stderr():
        names = [one if one in known else load_scorers([one])[0].name for one in given]
    return tuple(name for name in dict.fromkeys(names) if name not in SCORER_NAMES)
