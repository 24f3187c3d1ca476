"""Strategies, retrievers and models as plug-ins: named by a spec, checked, built when used."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Self

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError

from memorycode.dialogue import CHECKPOINTS
from memorycode.errors import PLUGIN_FAULTS, MemorycodeError, PluginError, UsageError
from memorycode.plugins.factories import (
    DEFAULT_RETRIEVER,
    Factory,
    Group,
    Parameter,
    Target,
    load_factory,
    load_target,
    parameters_of,
    source_of,
)
from memorycode.plugins.spec import Spec, parse_spec
from memorycode.protocols import Embedder, MemoryStrategy, Model, Retriever, StrategyContext

_RUNS_EMBEDDER: Final = object()
"""Stands among a plug-in's values for the embedder that it is handed when it is built."""


def validated(spec: Spec, known: Mapping[str, Parameter]) -> dict[str, Any]:
    """The values that a spec gives, each as its parameter's type; retrievers as their plug-ins.

    Raises `UsageError` for an unknown parameter, a value that does not fit, a missing one.
    """
    shown = ", ".join(p.shown for p in known.values() if p.is_given_by_key) or "none"
    values: dict[str, Any] = {}
    for name in spec.parameters:
        if name not in known or not known[name].is_given_by_key:
            raise UsageError(f"{spec.text}: no parameter {name!r}; there are: {shown}")
    if spec.target and not any(parameter.is_target for parameter in known.values()):
        raise UsageError(f"{spec.text}: {spec.name} is no adapter: it takes no module:attribute")
    for name, parameter in known.items():
        text = spec.parameters.get(name)
        if parameter.is_embedder:
            values[name] = _RUNS_EMBEDDER
        elif parameter.is_target:
            values[name] = _target(spec)
        elif parameter.is_retriever:
            values[name] = RetrieverPlugin.load(DEFAULT_RETRIEVER if text is None else text)
        elif text is not None:
            values[name] = _value(text, parameter, spec)
        elif parameter.default is inspect.Parameter.empty:
            raise UsageError(f"{spec.text}: parameter {name!r} is missing; there are: {shown}")
    return values


def _value(text: str, parameter: Parameter, spec: Spec) -> Any:
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(parameter.annotation)
    except PydanticSchemaGenerationError as error:
        kind = inspect.formatannotation(parameter.annotation)
        raise UsageError(
            f"{spec.text}: {parameter.name}: a {kind} cannot be given as text"
        ) from error
    try:
        return adapter.validate_python(text)
    except ValidationError as error:
        why = error.errors()[0]["msg"]
        raise UsageError(f"{spec.text}: {parameter.shown}: {text!r} does not fit: {why}") from error


def _target(spec: Spec) -> Target:
    if not spec.target:
        raise UsageError(
            f"{spec.text}: say what to adapt: {spec.name}:module:attribute, a function or class "
            "that builds it"
        )
    return load_target(spec.target)


def _built(label: str, factory: Factory, *arguments: Any, **values: Any) -> Any:
    try:
        return factory(*arguments, **values)
    except MemorycodeError:
        raise
    except PLUGIN_FAULTS as error:
        raise PluginError(f"{label}: cannot be built: {type(error).__name__}: {error}") from error


# ── the three kinds ───────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Plugin:
    """A spec, the factory behind it and the values of its parameters."""

    spec: Spec
    factory: Factory
    values: Mapping[str, Any]

    @classmethod
    def _load(cls, text: str, group: Group, separator: str) -> Self:
        spec = parse_spec(text, separator)
        factory = load_factory(spec.name, group)
        return cls(spec, factory, validated(spec, parameters_of(factory, group)))

    @cached_property
    def source(self) -> str:
        """The hashes of the files that the plug-in and what it is handed are written in."""
        parts = [source_of(self.factory)]
        parts += [v.source for v in self.values.values() if isinstance(v, RetrieverPlugin)]
        parts += [source_of(v.factory) for v in self.values.values() if isinstance(v, Target)]
        return " ".join(parts)

    @property
    def embeds(self) -> bool:
        """Whether it is handed the run's embedder, or hands it on."""
        return any(
            value is _RUNS_EMBEDDER or (isinstance(value, RetrieverPlugin) and value.embeds)
            for value in self.values.values()
        )

    def _make(self, embedder: Embedder, *arguments: Any) -> Any:
        values = dict(self.values)
        for name, value in values.items():
            if isinstance(value, RetrieverPlugin):
                values[name] = value.build(embedder)
            elif value is _RUNS_EMBEDDER:
                values[name] = embedder
        return _built(self.spec.text, self.factory, *arguments, **values)


@dataclass(frozen=True)
class StrategyPlugin(_Plugin):
    """A strategy that can be built once per dialogue."""

    @classmethod
    def load(cls, text: str) -> StrategyPlugin:
        return cls._load(text, "strategies", ",")

    def build(self, context: StrategyContext) -> MemoryStrategy:
        """A fresh instance. Raises `PluginError` if the factory raises or builds something else."""
        strategy = self._make(context.embedder, context)
        if not isinstance(strategy, MemoryStrategy):
            raise PluginError(
                f"{self.spec.text}: {type(strategy).__name__} is no MemoryStrategy: "
                "it needs oracle, checkpoints, observe() and recall()"
            )
        self._check_attributes(strategy)
        return strategy

    def _check_attributes(self, strategy: MemoryStrategy) -> None:
        wanted = {
            "oracle": (isinstance(strategy.oracle, bool), "True or False"),
            "checkpoints": (strategy.checkpoints in CHECKPOINTS, " or ".join(CHECKPOINTS)),
            "variant": (isinstance(getattr(strategy, "variant", ""), str), "a string"),
            "note": (isinstance(getattr(strategy, "note", ""), str), "a string"),
        }
        for name, (fits, what) in wanted.items():
            if not fits:
                value = getattr(strategy, name)
                raise PluginError(f"{self.spec.text}: {name} is {value!r}, want {what}")


@dataclass(frozen=True)
class RetrieverPlugin(_Plugin):
    """A retriever that can be built once per dialogue."""

    @classmethod
    def load(cls, text: str) -> RetrieverPlugin:
        return cls._load(text, "retrievers", ";")

    def build(self, embedder: Embedder) -> Retriever:
        """A fresh instance; `embedder` is the run's, for a factory that asks for one."""
        retriever = self._make(embedder)
        if not isinstance(retriever, Retriever):
            raise PluginError(f"{self.spec.text}: no Retriever: it needs add() and search()")
        return retriever


@dataclass(frozen=True)
class ModelPlugin:
    """A model of a spec ``KIND``, ``KIND/NAME`` or ``module:attribute[/NAME]``."""

    text: str
    name: str
    factory: Factory

    @classmethod
    def load(cls, text: str) -> ModelPlugin:
        kind, slash, name = text.partition("/")
        factory = load_factory(kind, "models")
        if _takes_name(factory) and not name:
            raise UsageError(f"model {text!r}: say which one: {kind}/NAME")
        if slash and not _takes_name(factory):
            raise UsageError(f"model {text!r}: {kind} takes no name after the slash")
        return cls(text, name, factory)

    @cached_property
    def source(self) -> str:
        return source_of(self.factory)

    def build(self, options: Mapping[str, Any]) -> Model:
        """The model; options that it does not take are left out."""
        known = parameters_of(self.factory, "models")
        given = {k: value for k, value in options.items() if k in known}
        arguments = (self.name,) if self.name else ()
        model = _built(self.text, self.factory, *arguments, **given)
        if not isinstance(model, Model):
            raise PluginError(
                f"{self.text}: {type(model).__name__} is no Model: "
                "it needs name, is_language_model and generate()"
            )
        if not (isinstance(model.name, str) and model.name.strip()):
            raise PluginError(f"{self.text}: name is {model.name!r}, want a string")
        return model


def _takes_name(factory: Factory) -> bool:
    """A model's factory takes the name after the slash if its first parameter has no default."""
    first = next(iter(parameters_of(factory, "models").values()), None)
    return first is not None and first.default is inspect.Parameter.empty
