"""Commands on runs: run, report, show."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal, Optional

import typer

from memorycode.cli.shared import FAILED, INTERRUPTED, Json, RunPath, print_json


def run(
    experiment: Annotated[
        Optional[str],
        typer.Argument(
            metavar="[EXPERIMENT]",
            help="A TOML file, or the bare name of an experiment that comes with memorycode.",
        ),
    ] = None,
    dataset: Annotated[
        Optional[str],
        typer.Option(help="dialogue_N.json files, a clone, or rows. Default: generated."),
    ] = None,
    strategy: Annotated[
        Optional[list[str]],
        typer.Option(
            help="Memory strategy NAME[:key=value,…] or module:Class[:key=value,…]; repeatable."
        ),
    ] = None,
    model: Annotated[
        Optional[list[str]],
        typer.Option(help="ideal-mentee, openai/NAME or replay/DIR; repeatable."),
    ] = None,
    setting: Annotated[
        Optional[Literal["history", "session", "instruction"]],
        typer.Option(help="What is asked: after many sessions, one session alone, one rule alone."),
    ] = None,
    checkpoints: Annotated[
        Optional[Literal["last", "every"]],
        typer.Option(help="Ask after the last or after every session. Default: the strategy's."),
    ] = None,
    context_budget: Annotated[
        Optional[int],
        typer.Option(
            min=1,
            metavar="TOKENS",
            help="The same for all: longer recalls are cut, oldest first. Default: no bound.",
        ),
    ] = None,
    embedder: Annotated[
        Optional[str],
        typer.Option(
            help="sentence-transformers model or folder, for strategies that embed. "
            "Default: all-MiniLM-L6-v2."
        ),
    ] = None,
    limit: Annotated[
        Optional[int], typer.Option(min=1, max=10**9, help="Only the first N dialogues.")
    ] = None,
    out: Annotated[
        Optional[Path],
        typer.Option(help="The run's folder; resumed if it exists. Default: below ./runs."),
    ] = None,
    concurrency: Annotated[
        Optional[int],
        typer.Option(
            min=1,
            help="Tasks (a dialogue with a strategy) at once. Default: 8 with a language model.",
        ),
    ] = None,
    seed: Annotated[Optional[int], typer.Option(help="For all that is random. Default: 0.")] = None,
    base_url: Annotated[
        Optional[str],
        typer.Option(help="Endpoint of openai/NAME models. Default: $OPENAI_BASE_URL."),
    ] = None,
    prompts: Annotated[
        Optional[str], typer.Option(help="Folder with your own prompt texts (NAME.txt).")
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again what failed before.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run memory strategies over dialogues and compare them.

    An existing --out folder is resumed: what was asked is not asked again, except, with
    --retry-failed, the questions that failed.
    """
    from memorycode.evaluation import run_experiment
    from memorycode.experiment import Experiment, load_experiment
    from memorycode.reporting.progress import RunProgress
    from memorycode.reporting.tables import print_report
    from memorycode.sources import dialogues_for

    chosen = load_experiment(experiment) if experiment else Experiment()
    chosen = chosen.with_options(
        dataset=dataset,
        strategies=strategy,
        models=model,
        setting=setting,
        checkpoints=checkpoints,
        context_budget=context_budget,
        embedder=embedder,
        limit=limit,
        seed=seed,
        base_url=base_url,
        prompts=prompts,
    )
    try:
        with RunProgress() as progress:
            report = run_experiment(
                chosen,
                dialogues_for(chosen),
                out=out,
                concurrency=concurrency,
                progress=progress,
                retry_failed=retry_failed,
            )
    except KeyboardInterrupt:
        print("memorycode: stopped; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        print_json(report.as_json())
    else:
        print_report(report)
    if report.has_failures:
        raise typer.Exit(FAILED)


def report(
    run: RunPath,
    attribution: Annotated[
        bool, typer.Option("--attribution", help="Where violated rules were lost instead.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print the comparison table of a run again."""
    from memorycode.analysis.run_report import report_run
    from memorycode.reporting.attribution import print_attribution
    from memorycode.reporting.tables import print_report

    found = report_run(run)
    if as_json:
        print_json(found.as_json())
    elif attribution:
        print_attribution(found)
    else:
        print_report(found)


def show(
    run: RunPath,
    question: Annotated[
        str,
        typer.Option(help="dialogue/session/number[/strategy[/model]], as in the records."),
    ],
    as_json: Json = False,
) -> None:
    """Show one question of a run: prompt, answer, verdicts."""
    from memorycode.reporting.question import print_question
    from memorycode.running.lookup import find_question

    found = find_question(run, question)
    if as_json:
        print_json(found.as_json())
    else:
        print_question(found)
