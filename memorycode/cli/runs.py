"""Commands on runs: run, report, show."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from memorycode.cli.drawing import (
    draw_runs,
    draw_without_a_run,
    needs_no_answers,
    print_drawn,
    series_json,
)
from memorycode.cli.options import Latex, Prices, with_options
from memorycode.cli.rescoring import Scorers, further_scorers
from memorycode.cli.shared import FAILED, INTERRUPTED, Json, RunPath, print_json
from memorycode.errors import UsageError
from memorycode.experiment import FORMER_NAMES, Experiment, load_experiment
from memorycode.options import given_of
from memorycode.plugin_process import stdout_to_stderr
from memorycode.prices import load_prices
from memorycode.running.execution import Execution, make_execution

if TYPE_CHECKING:
    from memorycode.experiment import Experiment
    from memorycode.prices import PriceList
    from memorycode.results.summary import RunReport

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


@with_options(Experiment, Execution, former=FORMER_NAMES)
def run(
    experiment: Annotated[
        Optional[str],
        typer.Argument(
            metavar="[EXPERIMENT]",
            help="A TOML file, or the bare name of an experiment that comes with memorycode.",
        ),
    ] = None,
    *,
    no_cache: NoCache = False,
    dry_run: DryRun = False,
    replay: Replay = None,
    latex: Latex = False,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Run memory strategies over dialogues and compare them.

    An existing --out folder is resumed: what was asked is not asked again, except, with
    --retry-failed, the questions that failed.
    """
    chosen = load_experiment(experiment) if experiment else Experiment()
    chosen = chosen.with_options(**given_of(Experiment, options))
    if no_cache and options["cache"] is not None:
        raise UsageError("--cache and --no-cache do not go together")
    execution = make_execution({"cache": not no_cache} | given_of(Execution, options))
    _check(chosen, options, latex=latex, dry_run=dry_run, replay=bool(replay))
    if replay or needs_no_answers(chosen):
        out = execution.out
        draw_without_a_run(chosen, experiment, replay or (), out, latex=latex, as_json=as_json)
    elif dry_run:
        _forecast(chosen, load_prices(execution.prices), as_json)
    else:
        reports = _run_all(chosen, execution)
        _tell(chosen, reports, execution, latex=latex, as_json=as_json)


def _check(
    experiment: Experiment, options: Mapping[str, Any], *, latex: bool, dry_run: bool, replay: bool
) -> None:
    """Raises `UsageError` for options that do not go together."""
    asks = ("models", "strategies", "setting", "ask_after", "repeats", "context_budget")
    if experiment.parts and any(options[name] for name in asks[1:4]):
        raise UsageError("the experiment's parts say which strategies, settings and checkpoints")
    if latex and not experiment.figures:
        raise UsageError("--latex prints an experiment's figures, and this one names none")
    if replay and (dry_run or any(options[name] for name in asks)):
        raise UsageError(
            "--replay asks nobody: it goes with no --model, --strategy, --setting, --ask-after, "
            "--repeats, --context-budget or --dry-run"
        )
    if dry_run and needs_no_answers(experiment):
        raise UsageError("--dry-run: this experiment is about its dialogues and asks nobody")


def _run_all(experiment: Experiment, execution: Execution) -> list[RunReport]:
    """Run every part, until one stops early."""
    from memorycode.evaluation import run_experiment
    from memorycode.reporting.progress import RunProgress
    from memorycode.running.components import load_plugins
    from memorycode.sources import dialogues_for

    parts = experiment.runs()
    with stdout_to_stderr():
        for _, later in parts[1:]:  # the first one looks for what it needs by itself
            load_plugins(later)
    reports: list[RunReport] = []
    try:
        for name, part in parts:
            out = execution.out / name if execution.out else None
            own = execution.model_copy(update={"out": out})
            with stdout_to_stderr(), RunProgress() as progress:
                reports.append(run_experiment(part, dialogues_for(part), own, progress))
            if reports[-1].stopped:
                break
    except KeyboardInterrupt:
        print("memorycode: stopped; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    return reports


def _forecast(experiment: Experiment, prices: PriceList, as_json: bool) -> None:
    from memorycode.evaluation import prepare_job
    from memorycode.reporting.forecasts import print_forecasts
    from memorycode.running.forecast import forecast
    from memorycode.sources import dialogues_for

    with stdout_to_stderr():
        jobs = [prepare_job(part, dialogues_for(part)) for _, part in experiment.runs()]
        prices = prices.for_labels(
            {k: v for job in jobs for k, v in job.settings.names_by_label.items()}
        )
        found = [one for job in jobs for one in forecast(job, prices, experiment)]
    if as_json:
        print_json([one.model_dump() | {"calls": one.calls} for one in found])
    else:
        print_forecasts(found, prices)


def _tell(
    experiment: Experiment,
    reports: Sequence[RunReport],
    execution: Execution,
    *,
    latex: bool,
    as_json: bool,
) -> None:
    """The comparison and the figures on standard output; why the run stopped early, if it did, on
    the other one."""
    from memorycode.reporting.console import printable
    from memorycode.reporting.tables import print_report

    stopped = reports[-1].stopped
    if not as_json:
        for report in reports:
            print_report(report)
    told = [report.as_json() for report in reports] if as_json else []
    found = told[0] if len(told) == 1 else {"parts": told}
    try:
        drawn = [] if stopped else draw_runs(experiment, reports, execution)
    except UsageError:
        # What these dialogues cannot show takes nothing from what was asked.
        if as_json:
            print_json(found)
        raise
    if as_json:
        print_json({**found, **series_json(drawn)})
    else:
        print_drawn(drawn, latex=latex)
    if stopped:
        print(f"memorycode: stopped: {printable(stopped)}", file=sys.stderr)
    if stopped or any(report.has_failures for report in reports):
        raise typer.Exit(FAILED)


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN", help="Folders of runs; one after the other.")
    ],
    attribution: Annotated[
        bool, typer.Option("--attribution", help="Where violated rules were lost instead.")
    ] = False,
    html: Annotated[
        Optional[Path],
        typer.Option(
            metavar="FILE",
            help="Write one page to look at in a browser instead: tables, figures and every "
            "question; with two runs the flipped questions too (docs/report.md).",
        ),
    ] = None,
    scorer: Scorers = None,
    prices: Prices = None,
    as_json: Json = False,
) -> None:
    """Print the comparison table of a run again, or make a page of it.

    The page is one file that needs no network. It shows what was run and where that departs from
    the paper, the scores with their intervals, where rules were lost, what it cost, and each
    question: what was recalled, the prompt, the answer, and the line that broke a rule.
    """
    from memorycode.prices import load_prices
    from memorycode.reporting.tables import print_attribution, print_report
    from memorycode.results.read import report_run

    if html is not None:
        if attribution or as_json:
            raise UsageError("--html writes a page, with the attribution in it, and prints no JSON")
        _write_page(runs, html, load_prices(prices), further_scorers(runs, scorer or ()))
        return
    known, further = load_prices(prices), further_scorers(runs, scorer or ())
    found = [report_run(run, known, further) for run in runs]
    if as_json:
        printed = [one.as_json() for one in found]
        print_json(printed[0] if len(printed) == 1 else {"runs": printed})
        return
    for one in found:
        if attribution:
            print_attribution(one)
        else:
            print_report(one)


def _write_page(
    runs: Sequence[Path], file: Path, prices: PriceList, further: Sequence[str]
) -> None:
    from memorycode.reporting.html.page import write_page
    from memorycode.reporting.progress import GridProgress

    with GridProgress() as progress:
        write_page(runs, file, prices=prices, further=further, progress=progress.measuring)
    print(f"{file}: {file.stat().st_size / 1e6:,.1f} MB, to be opened in a browser")


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
    from memorycode.results.found_question import find_question

    found = find_question(run, question)
    if as_json:
        print_json(found.as_json())
    else:
        print_question(found)
