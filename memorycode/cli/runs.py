"""Commands on runs: run, report, show."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Optional

import typer

from memorycode.cli import run_options as options
from memorycode.cli.drawing import (
    draw_runs,
    draw_without_a_run,
    needs_no_answers,
    print_drawn,
    series_json,
)
from memorycode.cli.shared import FAILED, INTERRUPTED, Json, RunPath, print_json
from memorycode.errors import UsageError

if TYPE_CHECKING:
    from memorycode.analysis.run_report import RunReport
    from memorycode.experiment import Experiment
    from memorycode.prices import PriceList


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
        typer.Option(
            help="ideal-mentee, openai/NAME, langchain/PROVIDER:NAME, local/smollm2, "
            "local/FILE.gguf or replay/DIR; repeatable."
        ),
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
            help="Tasks (a dialogue with a strategy) at once. Default: of threads 1, or 8 with a "
            "language model; of processes and ray as many as there are CPUs.",
        ),
    ] = None,
    backend: options.Backend = "threads",
    ray_address: options.RayAddress = None,
    seed: Annotated[Optional[int], typer.Option(help="For all that is random. Default: 0.")] = None,
    base_url: Annotated[
        Optional[str],
        typer.Option(help="Endpoint of openai/NAME models. Default: $OPENAI_BASE_URL."),
    ] = None,
    prompts: Annotated[
        Optional[str], typer.Option(help="Folder with your own prompt texts (NAME.txt).")
    ] = None,
    temperature: options.Temperature = None,
    top_p: options.TopP = None,
    max_tokens: options.MaxTokens = None,
    model_seed: options.ModelSeed = None,
    reasoning_effort: options.ReasoningEffort = None,
    header: options.Header = None,
    body: options.Body = None,
    timeout: options.CallTimeout = None,
    max_reply_bytes: options.MaxReplyBytes = None,
    samples: options.Samples = None,
    context_limit: options.ContextLimit = None,
    on_overflow: options.OnOverflow = None,
    max_calls: options.MaxCalls = None,
    max_cost: options.MaxCost = None,
    prices: options.Prices = None,
    cache: options.Cache = None,
    no_cache: options.NoCache = False,
    dry_run: options.DryRun = False,
    replay: options.Replay = None,
    latex: options.Latex = False,
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
    from memorycode.prices import load_prices
    from memorycode.reporting.progress import RunProgress
    from memorycode.running.meter import make_limits
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
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        model_seed=model_seed,
        reasoning_effort=reasoning_effort,
        headers=options.read_headers(header),
        body=options.read_body(body),
        timeout=timeout,
        max_reply_bytes=max_reply_bytes,
        samples=samples,
        context_limit=context_limit,
        on_overflow=on_overflow,
    )
    if chosen.parts and (strategy or setting or checkpoints):
        raise UsageError("the experiment's parts say which strategies, settings and checkpoints")
    known_prices = load_prices(prices)
    if latex and not chosen.figures:
        raise UsageError("--latex prints an experiment's figures, and this one names none")
    asks = model or strategy or setting or checkpoints or samples or context_budget or dry_run
    if replay and asks:
        raise UsageError(
            "--replay asks nobody: it goes with no --model, --strategy, --setting, --checkpoints, "
            "--samples, --context-budget or --dry-run"
        )
    if dry_run and needs_no_answers(chosen):
        raise UsageError("--dry-run: this experiment is about its dialogues and asks nobody")
    if replay or needs_no_answers(chosen):
        draw_without_a_run(chosen, experiment, replay or (), out, latex=latex, as_json=as_json)
        return
    if dry_run:
        _forecast(chosen, known_prices, as_json)
        return
    reports = []
    try:
        for name, part in chosen.runs():
            with RunProgress() as progress:
                report = run_experiment(
                    part,
                    dialogues_for(part),
                    out=out / name if out else None,
                    concurrency=concurrency,
                    backend=backend,
                    ray_address=ray_address,
                    progress=progress,
                    retry_failed=retry_failed,
                    cache=cache or not no_cache,
                    limits=make_limits(max_calls, max_cost),
                    prices=known_prices,
                )
            reports.append(report)
            if report.stopped:
                break
    except KeyboardInterrupt:
        print("memorycode: stopped; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    _tell(chosen, reports, out, known_prices, latex=latex, as_json=as_json)


def _forecast(experiment: Experiment, prices: PriceList, as_json: bool) -> None:
    from memorycode.evaluation import prepare_job
    from memorycode.models.window import answer_limit
    from memorycode.reporting.forecasts import print_forecasts
    from memorycode.running.forecast import forecast
    from memorycode.sources import dialogues_for

    jobs = [prepare_job(part, dialogues_for(part)) for _, part in experiment.runs()]
    limit = answer_limit(experiment.model_options)
    found = [one for job in jobs for one in forecast(job, prices, limit)]
    if as_json:
        print_json([one.model_dump() | {"calls": one.calls} for one in found])
    else:
        print_forecasts(found, prices, limit)


def _tell(
    experiment: Experiment,
    reports: Sequence[RunReport],
    out: Path | None,
    prices: PriceList,
    *,
    latex: bool,
    as_json: bool,
) -> None:
    """The comparison and the figures on standard output; why the run stopped early, if it did, on
    the other one."""
    from memorycode.reporting.tables import print_report

    stopped = reports[-1].stopped
    if not as_json:
        for report in reports:
            print_report(report)
    told = [report.as_json() for report in reports] if as_json else []
    found = told[0] if len(told) == 1 else {"parts": told}
    try:
        drawn = [] if stopped else draw_runs(experiment, reports, out, prices)
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
        print(f"memorycode: stopped: {stopped}", file=sys.stderr)
    if any(report.has_failures for report in reports):
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
    prices: options.Prices = None,
    as_json: Json = False,
) -> None:
    """Print the comparison table of a run again, or make a page of it.

    The page is one file that needs no network. It shows what was run and where that departs from
    the paper, the scores with their intervals, where rules were lost, what it cost, and each
    question: what was recalled, the prompt, the answer, and the line that broke a rule.
    """
    from memorycode.analysis.run_report import report_run
    from memorycode.prices import load_prices
    from memorycode.reporting.tables import print_attribution, print_report

    if html is not None:
        if attribution or as_json:
            raise UsageError("--html writes a page, with the attribution in it, and prints no JSON")
        _write_page(runs, html, load_prices(prices))
        return
    found = [report_run(run, load_prices(prices)) for run in runs]
    if as_json:
        printed = [one.as_json() for one in found]
        print_json(printed[0] if len(printed) == 1 else {"runs": printed})
        return
    for one in found:
        if attribution:
            print_attribution(one)
        else:
            print_report(one)


def _write_page(runs: Sequence[Path], file: Path, prices: PriceList) -> None:
    from memorycode.reporting.html.page import write_page
    from memorycode.reporting.progress import GridProgress

    with GridProgress() as progress:
        write_page(runs, file, prices=prices, progress=progress.measuring)
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
    from memorycode.running.lookup import find_question

    found = find_question(run, question)
    if as_json:
        print_json(found.as_json())
    else:
        print_question(found)
