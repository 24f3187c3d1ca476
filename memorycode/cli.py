"""The command line. Thin: each command reads its options, calls the library and prints.

Heavy modules are imported inside the commands, so that `--help` is quick.
"""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, Optional

import typer

from memorycode.errors import MemorycodeError, RunFolderError, UsageError

DONE, FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130

app = typer.Typer(
    help="A testbed for agent memory, around the MemoryCode benchmark (arXiv 2502.13791).",
    epilog="Exit status: 0 done, 1 something failed, 2 wrong use.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from memorycode import __version__

        print(f"memorycode {__version__}")
        raise typer.Exit(DONE)


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Say which.")
    ] = False,
) -> None:
    pass


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines.")]
RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]


def main() -> NoReturn:
    """The entry point: errors meant for people become one message and an exit status."""
    # A user's own module:Class is found in the folder the command is run from; last, so that a
    # file there shadows nothing.
    sys.path.append(str(Path.cwd()))
    for stream in (sys.stdout, sys.stderr):
        # A terminal that knows no ◆ shows it escaped, instead of losing the table.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
        sys.stdout.flush()
    except (UsageError, RunFolderError) as error:
        _complain(error, WRONG_USE)
    except MemorycodeError as error:
        _complain(error, FAILED)
    except BrokenPipeError:
        # The reader of a pipe (`| head`) has gone; there is nobody left to tell.
        _discard_output()
        sys.exit(FAILED)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print(f"memorycode: {place}{error.strerror or error}", file=sys.stderr)
        _discard_output()
        sys.exit(FAILED)
    sys.exit(DONE)


def _discard_output() -> None:
    """What is still buffered cannot be written: keep the interpreter from trying at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(error: MemorycodeError, status: int) -> NoReturn:
    print(f"memorycode: {error}", file=sys.stderr)
    sys.exit(status)


def _print_json(value: Any) -> None:
    print(json.dumps(value))


@app.command()
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
        typer.Option(help="Folder of dialogue_N.json, or a clone's root. Default: generated."),
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
        _print_json(report.as_json())
    else:
        print_report(report)
    if report.has_failures:
        raise typer.Exit(FAILED)


@app.command()
def score(
    dataset: Annotated[Path, typer.Option(help="Folder of dialogue_N.json, or a clone's root.")],
    outputs: Annotated[Path, typer.Option(help="Folder of output_N.json of one model.")],
    scorer: Annotated[
        Literal["official", "strict", "both"],
        typer.Option(help="The paper's, or what the rules say (docs/scorers.md)."),
    ] = "official",
    as_json: Json = False,
) -> None:
    """Score recorded outputs as the paper does."""
    from memorycode.analysis.recorded import score_folders
    from memorycode.reporting.scores import print_scores
    from memorycode.scoring.scorers import SCORER_NAMES, make_scorer

    names = SCORER_NAMES if scorer == "both" else (scorer,)
    found = score_folders(dataset, outputs, map(make_scorer, names))
    if as_json:
        dumped = {name: scores.model_dump(mode="json") for name, scores in found.items()}
        _print_json(dumped if scorer == "both" else dumped[scorer])
    else:
        for scores in found.values():
            print_scores(scores, outputs.name)


@app.command()
def judge(
    cases: Annotated[Path, typer.Argument(help="JSON list of {id, output, object, rule}.")],
    as_json: Json = False,
) -> None:
    """Judge single answers by both scorers.

    Each case may say "query_elicits": true where its question is the rule's own: there the strict
    scorer takes an absent object for a violation.
    """
    from memorycode.analysis.judging import judge_cases, read_cases
    from memorycode.reporting.judgements import print_judgements

    read = read_cases(cases)
    judged = list(judge_cases(read))
    if as_json:
        _print_json([judgement.model_dump() for judgement in judged])
    else:
        print_judgements(read, judged)


@app.command()
def verify(
    dataset: Annotated[
        Path, typer.Option(help="Folder of dialogue_N.json, or a clone's root.")
    ] = Path("MemoryCode"),
    outputs: Annotated[
        Path, typer.Option(help="Folder with the published models' folders, or one of them.")
    ] = Path("MemoryCode/outputs"),
    as_json: Json = False,
) -> None:
    """Compare recorded outputs with the paper's Table 4."""
    from memorycode.reporting.verification import GOOD, print_verification
    from memorycode.reporting.verification import verify as compare

    cells = compare(dataset, outputs)
    if as_json:
        _print_json([cell.model_dump() for cell in cells])
    else:
        print_verification(cells)
    if any(cell.finding not in GOOD for cell in cells):
        raise typer.Exit(FAILED)


@app.command()
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
        _print_json(found.as_json())
    elif attribution:
        print_attribution(found)
    else:
        print_report(found)


@app.command()
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
        _print_json(found.as_json())
    else:
        print_question(found)


@app.command()
def strategies(
    name: Annotated[
        Optional[str], typer.Argument(help="One strategy, with its parameters.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the memory strategies, or one with its parameters."""
    _list_plugins("strategies", name, as_json)


@app.command()
def retrievers(
    name: Annotated[
        Optional[str], typer.Argument(help="One retriever, with its parameters.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the retrievers, for rag:retriever=NAME."""
    _list_plugins("retrievers", name, as_json)


@app.command()
def models(
    name: Annotated[Optional[str], typer.Argument(help="One model, with its parameters.")] = None,
    as_json: Json = False,
) -> None:
    """List the kinds of models."""
    _list_plugins("models", name, as_json)


@app.command()
def detect(
    path: Annotated[
        str, typer.Argument(metavar="PATH|-", help="A text, a data set, or - (stdin).")
    ],
    mentor: Annotated[
        Optional[str], typer.Option(help="Who states the rules, as the turns are labelled.")
    ] = None,
) -> None:
    """Find the coding rules stated in a text or a data set.

    Always JSON: a text gives one list of rules, a data set one line per session. Where a text
    changes a rule, what holds at its end is given.
    """
    from memorycode.reporting.detections import detect_dataset, detect_text, is_dataset

    if path != "-" and is_dataset(Path(path)):
        if mentor is not None:
            raise UsageError("--mentor goes with a text; a data set names its mentors")
        for row in detect_dataset(Path(path)):
            _print_json(row)
    else:
        _print_json(detect_text(path, mentor))


def _list_plugins(
    group: Literal["strategies", "retrievers", "models"], name: str | None, as_json: bool
) -> None:
    from memorycode.reporting.plugins import describe_plugins, print_plugins

    described = describe_plugins(group, name)
    if as_json:
        _print_json([plugin.model_dump() for plugin in described])
    else:
        print_plugins(described, with_parameters=name is not None)
