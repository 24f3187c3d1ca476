"""Options of commands: those that several have, and those that follow from settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Optional, TypeVar

import typer
from pydantic import BaseModel

from memorycode.errors import UsageError
from memorycode.options import OptionField, option_fields

Command = TypeVar("Command", bound=Callable[..., None])

Prices = Annotated[
    Optional[Path], typer.Option(help="TOML file of prices. Default: $MEMORYCODE_PRICES.")
]
Latex = Annotated[bool, typer.Option("--latex", help="Print the figures' numbers as LaTeX tables.")]


def with_options(
    *models: type[BaseModel], former: Mapping[str, str] = MappingProxyType({})
) -> Callable[[Command], Command]:
    """A command that takes every field of the models that people can set, in place of its
    ``**options``; what was not given is None, and a switch False. `former` are fields that had
    another name: their options say what to write instead."""

    def add(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True).parameters.values()
        named = [one for one in own if one.kind is not inspect.Parameter.VAR_KEYWORD]
        first, later = named[:1], named[1:]
        fields = [_parameter(one) for one in option_fields(*models)]
        renamed = [_former(name, instead) for name, instead in former.items()]
        parameters = [*first, *fields, *later, *renamed]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        return command

    return add


def _parameter(one: OptionField) -> inspect.Parameter:
    is_switch = one.plain_type is bool
    option = typer.Option(
        one.flag,
        help=one.option.help,
        metavar=one.option.metavar,
        min=one.bound("ge", "gt"),
        max=one.bound("le"),
    )
    kind = bool if is_switch else Optional[_given_as(one)]
    return inspect.Parameter(
        one.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if is_switch else None,
        annotation=Annotated[kind, option],
    )


def _former(name: str, instead: str) -> inspect.Parameter:
    """A hidden option that is refused with what to write instead."""

    def refuse(value: str | None) -> None:
        if value is not None:
            raise UsageError(f"--{name} has another name now: --{instead.replace('_', '-')}")

    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[Optional[str], typer.Option(hidden=True, callback=refuse)],
    )


def _given_as(one: OptionField) -> Any:
    """The type of what stands on the command line."""
    if one.option.is_repeatable:
        return list[str]
    return str if one.option.is_text or one.option.read else one.plain_type
