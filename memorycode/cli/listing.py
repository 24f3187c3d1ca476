"""Commands that list what is installed: strategies, retrievers, models, scorers, embedders."""

from __future__ import annotations

from typing import Annotated, Literal, Optional

import typer

from memorycode.cli.shared import Json, print_json
from memorycode.plugin_process import stdout_to_stderr


def strategies(
    name: Annotated[
        Optional[str], typer.Argument(help="One strategy, with its parameters.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the memory strategies, or one with its parameters."""
    _list_plugins("strategies", name, as_json)


def retrievers(
    name: Annotated[
        Optional[str], typer.Argument(help="One retriever, with its parameters.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the retrievers, for rag:retriever=NAME."""
    _list_plugins("retrievers", name, as_json)


def models(
    name: Annotated[Optional[str], typer.Argument(help="One model, with its parameters.")] = None,
    as_json: Json = False,
) -> None:
    """List the kinds of models."""
    _list_plugins("models", name, as_json)


def scorers(
    name: Annotated[Optional[str], typer.Argument(help="One scorer, with its parameters.")] = None,
    as_json: Json = False,
) -> None:
    """List the scorers, for --scorer."""
    _list_plugins("scorers", name, as_json)


def embedders(
    name: Annotated[
        Optional[str], typer.Argument(help="One embedder, with its parameters.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the embedders, for --embedder."""
    _list_plugins("embedders", name, as_json)


def _list_plugins(
    group: Literal["strategies", "retrievers", "models", "scorers", "embedders"],
    name: str | None,
    as_json: bool,
) -> None:
    from memorycode.reporting.plugins import describe_plugins, print_plugins

    with stdout_to_stderr():
        described = describe_plugins(group, name)
    if as_json:
        print_json([plugin.model_dump() for plugin in described])
    else:
        print_plugins(described, with_parameters=name is not None)
