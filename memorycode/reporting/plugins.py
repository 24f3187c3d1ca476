"""What `memorycode strategies`, `retrievers` and `models` print."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

from rich.text import Text

from memorycode.frozen import Frozen
from memorycode.plugin_faults import optional
from memorycode.plugins import Group, installed, load_factory, parameters_of
from memorycode.reporting.cells import ORACLE_MARK
from memorycode.reporting.console import output, plain_table
from memorycode.reporting.tables import ORACLE_NOTE


class PluginDescription(Frozen):
    """A plug-in as people see it. `oracle` is that of a strategy without parameters, else None."""

    name: str
    target: str
    summary: str
    oracle: bool | None
    parameters: tuple[str, ...]


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
    table = plain_table(None)
    for title in ("name", "what it does"):
        table.add_column(title, overflow="fold")
    for plugin in plugins:
        mark = ORACLE_MARK if plugin.oracle else ""
        table.add_row(Text(f"{plugin.name}{mark}"), Text(plugin.summary))
    console.print(table)
    if any(plugin.oracle for plugin in plugins):
        console.print(Text(ORACLE_NOTE, style="dim"))


def _describe(group: Group, name: str) -> PluginDescription:
    factory = load_factory(name, group)
    point = installed(group).get(name)
    oracle = optional(factory, "oracle", None)
    return PluginDescription(
        name=name,
        target=point.value if point else name,
        summary=(inspect.getdoc(factory) or "").split("\n\n")[0].replace("\n", " "),
        oracle=oracle if isinstance(oracle, bool) else None,
        parameters=tuple(p.shown for p in parameters_of(factory, group).values()),
    )
