"""From a name to the class or function behind it, and what parameters that takes.

Nothing is imported before it is used.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from memorycode.errors import PluginError, UsageError
from memorycode.model_options import ModelOptions
from memorycode.plugin_faults import named, optional, plugin_faults
from memorycode.protocols import Embedder, Retriever

Group = Literal["strategies", "retrievers", "models", "scorers", "embedders"]
Factory = Callable[..., Any]

_SINGULAR: dict[Group, str] = {
    "strategies": "strategy",
    "retrievers": "retriever",
    "models": "model",
    "scorers": "scorer",
    "embedders": "embedder",
}

DEFAULT_RETRIEVER = "bm25"
"""What a strategy that retrieves is handed where the spec names no retriever."""


@dataclass(frozen=True)
class Target:
    """What an adapter adapts: a factory of somebody else's, found by ``module:attribute``.

    A factory that has a parameter of this type is named ``NAME:module:attribute``.
    """

    name: str
    factory: Factory


def installed(group: Group) -> dict[str, EntryPoint]:
    """The entry points of a group by name, in alphabetical order; none of them is imported."""
    points = entry_points(group=f"memorycode.{group}")
    return {point.name: point for point in sorted(points, key=lambda point: point.name)}


def load_factory(name: str, group: Group) -> Factory:
    """Import what a name stands for.

    Raises `UsageError` for an unknown name, `PluginError` for one that cannot be imported.
    """
    point = installed(group).get(name)
    if point is None and ":" not in name:
        known = ", ".join(installed(group)) or "none"
        raise UsageError(
            f"no {_SINGULAR[group]} named {name!r}; installed are {known}; "
            "your own class is named module:attribute"
        )
    first, _, rest = name.partition(":")
    if point is None and first in installed(group):
        raise UsageError(f"{name}: {rest!r} is no parameter of {first}: write {first}:key=value")
    return _callable(name, point.load if point is not None else lambda: _import(name))


def load_target(name: str) -> Target:
    """Import what an adapter is to adapt. Raises `PluginError` where that cannot be done."""
    return Target(name, _callable(name, lambda: _import(name)))


def _callable(name: str, load: Callable[[], Any]) -> Factory:
    try:
        factory = load()
    except plugin_faults() as error:
        raise PluginError(f"{name}: cannot be imported: {named(error)}") from error
    if not callable(factory):
        raise PluginError(f"{name} is {type(factory).__name__}, not a class or a function")
    return typing.cast("Factory", factory)


def _import(name: str) -> Any:
    module, _, dotted = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in dotted.split("."):
        found = getattr(found, part)
    return found


def source_of(factory: Factory) -> str:
    """The first 12 hexadecimal digits of the SHA-256 of the files a factory is written in: results
    of another version of a plug-in are not mixed with this one's. Empty if there is no file.

    Those are its own file and what that imports from its own package, at any remove; memorycode's
    own modules go by its version.
    """
    module = sys.modules.get(_module_name(factory))
    if module is None or not getattr(module, "__file__", None):
        return ""
    files = {Path(str(found.__file__)) for found in _of_one_package(module)}
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:12]


def _of_one_package(module: ModuleType) -> set[ModuleType]:
    package = module.__name__.partition(".")[0]
    found, waiting = {module}, [module]
    while waiting and package != "memorycode":
        for value in vars(waiting.pop()).values():
            name = value.__name__ if isinstance(value, ModuleType) else _module_name(value)
            used = sys.modules.get(name) if name.partition(".")[0] == package else None
            if used is not None and used not in found and getattr(used, "__file__", None):
                found.add(used)
                waiting.append(used)
    return found


def _module_name(value: object) -> str:
    name = optional(value, "__module__", None)
    return name if isinstance(name, str) else ""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a factory; `default` is `inspect.Parameter.empty` if it is required."""

    name: str
    annotation: Any
    default: Any

    @property
    def is_retriever(self) -> bool:
        return self.annotation is Retriever

    @property
    def is_embedder(self) -> bool:
        return self.annotation is Embedder

    @property
    def is_target(self) -> bool:
        return self.annotation is Target

    @property
    def is_model_options(self) -> bool:
        return self.annotation is ModelOptions

    @property
    def is_given_by_key(self) -> bool:
        """Whether a spec gives it as ``key=value``."""
        return not (self.is_embedder or self.is_target)

    @property
    def shown(self) -> str:
        """``name: type = default`` for people."""
        if self.is_retriever:
            return f"{self.name}: a retriever's name = {DEFAULT_RETRIEVER}"
        kind = inspect.formatannotation(self.annotation).replace("typing.", "")
        tail = "" if self.default is inspect.Parameter.empty else f" = {self.default!r}"
        return f"{self.name}: {kind}{tail}"


def parameters_of(factory: Factory, group: Group) -> dict[str, Parameter]:
    """The parameters of a factory; a strategy's context, which comes first, is none of them."""
    target = factory.__init__ if inspect.isclass(factory) else factory
    try:
        hints = typing.get_type_hints(target)
        found = list(inspect.signature(factory).parameters.values())
    except plugin_faults() as error:
        name = optional(factory, "__qualname__", type(factory).__name__)
        raise PluginError(f"{name}: its signature cannot be read: {named(error)}") from error
    return {
        p.name: Parameter(p.name, hints.get(p.name, str), p.default)
        for p in found[1 if group == "strategies" else 0 :]
        if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
    }
