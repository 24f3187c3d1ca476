"""Commands on runs: run, report, show."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Optional

import typer

from memorycode.cli import run_options as options
from memorycode.cli.shared import FAILED, INTERRUPTED, Json, RunPath, print_json

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
    temperature: options.Temperature = None,
    top_p: options.TopP = None,
    max_tokens: options.MaxTokens = None,
    model_seed: options.ModelSeed = None,
    reasoning_effort: options.ReasoningEffort = None,
    header: options.Header = None,
    body: options.Body = None,
    timeout: options.CallTimeout = None,
    samples: options.Samples = None,
    context_limit: options.ContextLimit = None,
    on_overflow: options.OnOverflow = None,
    max_calls: options.MaxCalls = None,
    max_cost: options.MaxCost = None,
    prices: options.Prices = None,
    cache: options.Cache = None,
    no_cache: options.NoCache = False,
    dry_run: options.DryRun = False,
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
        samples=samples,
        context_limit=context_limit,
        on_overflow=on_overflow,
    )
    known_prices = load_prices(prices)
    if dry_run:
        _forecast(chosen, known_prices, as_json)
        return
    try:
        with RunProgress() as progress:
            report = run_experiment(
                chosen,
                dialogues_for(chosen),
                out=out,
                concurrency=concurrency,
                progress=progress,
                retry_failed=retry_failed,
                cache=cache or not no_cache,
                limits=make_limits(max_calls, max_cost),
                prices=known_prices,
            )
    except KeyboardInterrupt:
        print("memorycode: stopped; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    _tell(report, as_json)


def _forecast(experiment: Experiment, prices: PriceList, as_json: bool) -> None:
    from memorycode.evaluation import prepare_job
    from memorycode.reporting.forecasts import print_forecasts
    from memorycode.running.forecast import forecast
    from memorycode.sources import dialogues_for

    job = prepare_job(experiment, dialogues_for(experiment))
    found = list(forecast(job, prices, experiment.max_tokens))
    if as_json:
        print_json([one.model_dump() | {"calls": one.calls} for one in found])
    else:
        print_forecasts(found, prices, experiment.max_tokens)


def _tell(report: RunReport, as_json: bool) -> None:
    """The comparison on standard output; why the run stopped early, if it did, on the other one."""
    from memorycode.reporting.tables import print_report

    if as_json:
        print_json(report.as_json())
    else:
        print_report(report)
    if report.stopped:
        print(f"memorycode: stopped: {report.stopped}", file=sys.stderr)
    if report.has_failures:
        raise typer.Exit(FAILED)


def report(
    run: RunPath,
    attribution: Annotated[
        bool, typer.Option("--attribution", help="Where violated rules were lost instead.")
    ] = False,
    prices: options.Prices = None,
    as_json: Json = False,
) -> None:
    """Print the comparison table of a run again."""
    from memorycode.analysis.run_report import report_run
    from memorycode.prices import load_prices
    from memorycode.reporting.attribution import print_attribution
    from memorycode.reporting.tables import print_report

    found = report_run(run, load_prices(prices))
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
