"""What `memorycode strategies`, `retrievers` and `models` print."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence

from rich.text import Text

from memorycode.frozen import Frozen
from memorycode.model_options import ModelOptions
from memorycode.options import option_fields
from memorycode.plugin_faults import optional
from memorycode.plugins import (
    Factory,
    Group,
    installed,
    load_factory,
    options_lacking,
    parameters_of,
)
from memorycode.reporting.columns.cells import ORACLE, named, words
from memorycode.reporting.columns.table import Column, Table
from memorycode.reporting.console import output
from memorycode.reporting.terminal import drawn


class PluginDescription(Frozen):
    """A plug-in as people see it. `oracle` is that of a strategy without parameters, else None."""

    name: str
    target: str
    summary: str
    oracle: bool | None
    parameters: tuple[str, ...]


_COLUMNS = (
    Column[PluginDescription](
        "name", lambda one: named(one.name, (ORACLE,) if one.oracle else ()), is_number=False
    ),
    Column[PluginDescription]("what it does", lambda one: words(one.summary), is_number=False),
)


def describe_plugins(group: Group, name: str | None) -> list[PluginDescription]:
    """All installed plug-ins of a group, or the one named."""
    names = [name] if name is not None else list(installed(group))
    return [_describe(group, each) for each in names]


def print_plugins(plugins: Sequence[PluginDescription], *, with_parameters: bool) -> None:
    """A table, or one plug-in with its parameters."""
    console = output()
    if with_parameters:
        for plugin in plugins:
            console.print(Text(f"{plugin.name}  ({plugin.target})", style="bold"))
            console.print(Text(plugin.summary))
            for parameter in plugin.parameters or ("no parameters",):
                console.print(Text(f"  {parameter}"))
        return
    console.print(drawn(Table("", _COLUMNS, plugins), console.width))
    if any(plugin.oracle for plugin in plugins):
        console.print(Text(ORACLE.note, style="dim"))


def _describe(group: Group, name: str) -> PluginDescription:
    factory = load_factory(name, group)
    point = installed(group).get(name)
    oracle = optional(factory, "oracle", None)
    return PluginDescription(
        name=name,
        target=point.value if point else name,
        summary=(inspect.getdoc(factory) or "").split("\n\n")[0].replace("\n", " "),
        oracle=oracle if isinstance(oracle, bool) else None,
        parameters=tuple(_parameters(factory, group)),
    )


def _parameters(factory: Factory, group: Group) -> Iterator[str]:
    """Each of a model's options counts as a parameter: a spec gives them alike."""
    for parameter in parameters_of(factory, group).values():
        if parameter.is_model_options:
            lacking = options_lacking(factory)
            for one in option_fields(ModelOptions):
                if one.name not in lacking:
                    yield f"{one.name}: {one.option.help}"
        else:
            yield parameter.shown
