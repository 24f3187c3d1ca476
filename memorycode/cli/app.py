"""Puts the commands together; the entry point."""

from __future__ import annotations

import atexit
import io
import os
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from memorycode.cli.building import check, new_strategy
from memorycode.cli.caching import cache_app
from memorycode.cli.comparing import compare
from memorycode.cli.data import audit, dataset_app, generate
from memorycode.cli.drawing import figures
from memorycode.cli.exporting import export
from memorycode.cli.judging import detect, judge, score, verify
from memorycode.cli.listing import embedders, models, retrievers, scorers, strategies
from memorycode.cli.rescoring import rescore
from memorycode.cli.retrieval import retrieve
from memorycode.cli.runs import report, run, show
from memorycode.cli.shared import DONE, FAILED, WRONG_USE
from memorycode.errors import MemorycodeError, RunFolderError, UsageError
from memorycode.plugin_faults import MOST_SHOWN
from memorycode.plugin_process import keep_alive_for_good, redirect_stdout_for_good

_COMMANDS = (
    *(run, report, rescore, show, compare, figures, export),
    *(retrieve,),
    *(score, judge, verify, detect),
    *(generate, audit),
    *(strategies, retrievers, models, scorers, embedders),
    *(check, new_strategy),
)


def make_app() -> typer.Typer:
    """The application with all commands, in the order in which `--help` lists them."""
    app = typer.Typer(
        help="A testbed for agent memory, around the MemoryCode benchmark (arXiv 2502.13791).",
        epilog="Exit status: 0 done, 1 something failed, 2 wrong use.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_options)
    for command in _COMMANDS:
        app.command()(command)
    app.add_typer(dataset_app, name="dataset")
    app.add_typer(cache_app, name="cache")
    return app


def main() -> NoReturn:
    """The entry point: errors meant for people become one message and an exit status."""
    # A user's own module:Class is found in the folder the command is run from; last, so that a
    # file there shadows nothing.
    sys.path.append(str(Path.cwd()))
    for stream in (sys.stdout, sys.stderr):
        # A terminal that knows no ◆ shows it escaped, instead of losing the table.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    keep_alive_for_good()
    try:
        make_app()()
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
        _tell(f"{place}{error.strerror or error}")
        _discard_output()
        sys.exit(FAILED)
    finally:
        # What plug-ins print when they are taken down, which comes after this.
        atexit.register(redirect_stdout_for_good)
    sys.exit(DONE)


def _discard_output() -> None:
    """What is still buffered cannot be written: keep the interpreter from trying at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(error: MemorycodeError, status: int) -> NoReturn:
    _tell(f"{error}")
    sys.exit(status)


def _tell(problem: str) -> None:
    """An error may repeat what a plug-in's client was sent, key and all."""
    from memorycode.models.secrets import Secrets
    from memorycode.reporting.console import printable

    told = Secrets.known_to().removed_from(problem)[:MOST_SHOWN]
    print(f"memorycode: {printable(told)}", file=sys.stderr)


def _print_version(wanted: bool) -> None:
    if wanted:
        from memorycode import __version__

        print(f"memorycode {__version__}")
        raise typer.Exit(DONE)


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Say which.")
    ] = False,
) -> None:
    from memorycode.models.key_file import read_keys

    del version  # its callback has told it
    read_keys(Path.cwd())
