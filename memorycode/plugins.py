"""From a name, or ``module:attribute``, to a factory. Nothing is imported before it is used.

A spec is ``NAME[:key=value,…]`` for installed plug-ins (entry points) or
``module:attribute[:key=value,…]`` for any importable class or function. Parameters are the
factory's own keyword parameters, validated against their annotations.
"""

from __future__ import annotations

import importlib
import inspect
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from memorycode.errors import MemorycodeError, PluginError, UsageError
from memorycode.protocols import MemoryStrategy, Model, Retriever, StrategyContext

Group = Literal["strategies", "retrievers", "models"]

_SINGULAR: dict[Group, str] = {
    "strategies": "strategy",
    "retrievers": "retriever",
    "models": "model",
}

DEFAULT_RETRIEVER = "bm25"
"""What a strategy that retrieves is handed where the spec names no retriever."""

_SPEC = re.compile(
    r"(?P<name>[^:=,\s]+)(?::(?P<attribute>[^:=,\s]+)(?=:|\Z))?(?::(?P<parameters>.+))?", re.DOTALL
)


@dataclass(frozen=True)
class Spec:
    """A parsed spec; `name` is an entry point's name or ``module:attribute``."""

    text: str
    name: str
    parameters: Mapping[str, str] = field(default_factory=dict)


def parse_spec(text: str) -> Spec:
    """Take a spec apart. Raises `UsageError` where it is not in the form."""
    match = _SPEC.fullmatch(text)
    if not match:
        raise UsageError(f"{text!r} is no plug-in: write NAME or module:attribute, then :key=value")
    pairs = match["parameters"].split(",") if match["parameters"] else []
    parameters = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (equals and key.strip()):
            raise UsageError(f"{text!r}: {pair!r} is no parameter: write key=value")
        parameters[key.strip()] = value.strip()
    name = f"{match['name']}:{match['attribute']}" if match["attribute"] else match["name"]
    return Spec(text=text, name=name, parameters=parameters)


def installed(group: Group) -> dict[str, EntryPoint]:
    """The entry points of a group by name, in alphabetical order; none of them is imported."""
    points = entry_points(group=f"memorycode.{group}")
    return {point.name: point for point in sorted(points, key=lambda point: point.name)}


def load_factory(name: str, group: Group) -> Callable[..., Any]:
    """Import what a name stands for. Raises `UsageError` for an unknown name."""
    point = installed(group).get(name)
    if point is None and ":" not in name:
        known = ", ".join(installed(group)) or "none"
        raise UsageError(
            f"no {_SINGULAR[group]} named {name!r}; installed are {known}; "
            "your own class is named module:attribute"
        )
    try:
        if point is not None:
            factory = point.load()
        else:
            module, _, attribute = name.partition(":")
            factory = _attribute(importlib.import_module(module), attribute)
    except Exception as error:
        raise PluginError(f"{name}: cannot be imported: {type(error).__name__}: {error}") from error
    if not callable(factory):
        raise PluginError(f"{name} is {type(factory).__name__}, not a class or a function")
    return typing.cast("Callable[..., Any]", factory)


def _attribute(module: object, dotted: str) -> Any:
    for part in dotted.split("."):
        module = getattr(module, part)
    return module


@dataclass(frozen=True)
class Parameter:
    """One keyword parameter of a factory; `default` is `inspect.Parameter.empty` if required."""

    name: str
    annotation: Any
    default: Any

    @property
    def is_retriever(self) -> bool:
        return self.annotation is Retriever

    @property
    def shown(self) -> str:
        """``name: type = default`` for people."""
        kind = inspect.formatannotation(self.annotation).replace("typing.", "")
        if self.is_retriever:
            return f"{self.name}: a retriever's name = {DEFAULT_RETRIEVER}"
        tail = "" if self.default is inspect.Parameter.empty else f" = {self.default!r}"
        return f"{self.name}: {kind}{tail}"


def parameters_of(factory: Callable[..., Any], group: Group) -> dict[str, Parameter]:
    """The parameters of a factory; a strategy's context, which comes first, is none of them."""
    target = factory.__init__ if inspect.isclass(factory) else factory
    try:
        hints = typing.get_type_hints(target, include_extras=True)
    except Exception as error:
        raise PluginError(f"{_name(factory)}: annotations cannot be read: {error}") from error
    found = inspect.signature(factory).parameters.values()
    return {
        p.name: Parameter(p.name, hints.get(p.name, str), p.default)
        for p in list(found)[1 if group == "strategies" else 0 :]
        if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
    }


def _name(factory: object) -> str:
    return getattr(factory, "__qualname__", repr(factory))


@dataclass(frozen=True)
class StrategyPlugin:
    """A strategy that can be built once per dialogue."""

    spec: Spec
    factory: Callable[..., Any]

    @classmethod
    def load(cls, text: str) -> StrategyPlugin:
        spec = parse_spec(text)
        plugin = cls(spec, load_factory(spec.name, "strategies"))
        _ = plugin.values
        return plugin

    @cached_property
    def values(self) -> dict[str, Any]:
        """The parameters given, validated; a retriever stands here as its `RetrieverPlugin`."""
        known = parameters_of(self.factory, "strategies")
        values: dict[str, Any] = {
            name: RetrieverPlugin.load(self.spec.parameters.get(name, DEFAULT_RETRIEVER))
            for name, parameter in known.items()
            if parameter.is_retriever
        }
        for name, text in self.spec.parameters.items():
            if name not in known:
                shown = ", ".join(p.shown for p in known.values()) or "none"
                raise UsageError(f"{self.spec.text}: no parameter {name!r}; there are: {shown}")
            if not known[name].is_retriever:
                values[name] = _validated(text, known[name], self.spec)
        return values

    def build(self, context: StrategyContext) -> MemoryStrategy:
        """A fresh instance. Raises `PluginError` if the factory raises or builds something else."""
        values = {
            name: value.build() if isinstance(value, RetrieverPlugin) else value
            for name, value in self.values.items()
        }
        try:
            strategy = self.factory(context, **values)
        except MemorycodeError:
            raise
        except Exception as error:
            raise PluginError(
                f"{self.spec.text}: cannot be built: {type(error).__name__}: {error}"
            ) from error
        if not isinstance(strategy, MemoryStrategy):
            raise PluginError(
                f"{self.spec.text}: {type(strategy).__name__} is no MemoryStrategy: "
                "it needs oracle, checkpoints, observe() and recall()"
            )
        return strategy


@dataclass(frozen=True)
class RetrieverPlugin:
    """A retriever that can be built once per dialogue."""

    spec: Spec
    factory: Callable[..., Any]

    @classmethod
    def load(cls, text: str) -> RetrieverPlugin:
        spec = parse_spec(text)
        return cls(spec, load_factory(spec.name, "retrievers"))

    def build(self) -> Retriever:
        retriever = self.factory()
        if not isinstance(retriever, Retriever):
            raise PluginError(f"{self.spec.text}: no Retriever: it needs add() and search()")
        return retriever


def build_model(text: str, options: Mapping[str, Any]) -> Model:
    """The model of a spec ``KIND`` or ``KIND/NAME``; options it does not take are left out."""
    kind, slash, rest = text.partition("/")
    factory = load_factory(kind, "models") if ":" not in kind else load_factory(text, "models")
    taken = inspect.signature(factory).parameters
    wants_name = any(
        p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty
        for p in taken.values()
    )
    if wants_name and not rest:
        raise UsageError(f"model {text!r}: say which one: {kind}/NAME")
    if slash and not wants_name:
        raise UsageError(f"model {text!r}: {kind} takes no name after the slash")
    given = {key: value for key, value in options.items() if value is not None and key in taken}
    model = factory(rest, **given) if wants_name else factory(**given)
    if not isinstance(model, Model):
        raise PluginError(f"{text}: {type(model).__name__} is no Model")
    return model


def _validated(text: str, parameter: Parameter, spec: Spec) -> Any:
    try:
        return TypeAdapter(parameter.annotation).validate_python(text)
    except ValidationError as error:
        why = error.errors()[0]["msg"]
        raise UsageError(f"{spec.text}: {parameter.shown}: {text!r} does not fit: {why}") from error
