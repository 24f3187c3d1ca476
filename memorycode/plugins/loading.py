"""Strategies, retrievers and models as plug-ins: named by a spec, checked, built when used.

What scorers and embedders share with them is here too; they have modules of their own.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Final, Self

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError

from memorycode.dialogue import ASK_AFTER
from memorycode.errors import MemorycodeError, PluginError, UsageError
from memorycode.extras import Needs, check_installed
from memorycode.model_options import NONE_GIVEN, ModelChoice, ModelOptions
from memorycode.plugin_faults import named, optional, plugin_faults
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
from memorycode.plugins.traits import StrategyTraits, traits_of_class
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


@contextmanager
def blaming(label: str, problem: str) -> Iterator[None]:
    """What a plug-in raises becomes a `PluginError` that names it; our own errors pass."""
    try:
        yield
    except MemorycodeError:
        raise
    except plugin_faults() as error:
        raise PluginError(f"{label}: {problem}: {named(error)}") from error


def built(label: str, factory: Factory, *arguments: Any, **values: Any) -> Any:
    """What the factory makes. Raises `PluginError` where it cannot."""
    with blaming(label, "cannot be built"):
        return factory(*arguments, **values)


def _declared(label: str, factory: Factory) -> Needs:
    with blaming(label, "what it needs cannot be read"):
        return {
            str(extra): (modules,) if isinstance(modules, str) else tuple(map(str, modules))
            for extra, modules in dict(getattr(factory, "needs", {})).items()
        }


def _merged(*found: Needs) -> Needs:
    merged: dict[str, tuple[str, ...]] = {}
    for needs in found:
        for extra, modules in needs.items():
            merged[extra] = tuple(dict.fromkeys((*merged.get(extra, ()), *modules)))
    return merged


def check_plugins(
    strategies: Iterable[StrategyPlugin | RetrieverPlugin],
    models: Iterable[ModelPlugin],
    embedder: Embedder,
) -> None:
    """Look for all that they need before they are built.

    Raises `PluginError` where something is missing, with the extras that bring it.
    """
    embeds: Needs = optional(embedder, "needs", {})
    needs_of = {plugin.text: plugin.needs for plugin in models}
    for plugin in strategies:
        found = (plugin.needs, embeds) if plugin.surely_embeds else (plugin.needs,)
        needs_of[plugin.spec.text] = _merged(*found)
    check_installed(needs_of)


# ── the three kinds ───────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Plugin:
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
    def specs(self) -> list[Spec]:
        """Its own and those of the retrievers that it is handed."""
        inner = (v.specs for v in self.values.values() if isinstance(v, RetrieverPlugin))
        return [self.spec, *chain.from_iterable(inner)]

    @property
    def embeds(self) -> bool:
        """Whether it is handed the run's embedder, or hands it on."""
        return any(
            value is _RUNS_EMBEDDER or (isinstance(value, RetrieverPlugin) and value.embeds)
            for value in self.values.values()
        )

    @property
    def needs(self) -> Needs:
        """What it and the retrievers that it is handed say that they need."""
        return _merged(
            _declared(self.spec.text, self.factory),
            *(v.needs for v in self.values.values() if isinstance(v, RetrieverPlugin)),
        )

    @property
    def surely_embeds(self) -> bool:
        """Whether it, or a retriever that it is handed, cannot do without the run's embedder. It
        says so (`embeds`), or it has a parameter for it and says nothing."""
        has_parameter = any(value is _RUNS_EMBEDDER for value in self.values.values())
        return bool(optional(self.factory, "embeds", has_parameter)) or any(
            value.surely_embeds
            for value in self.values.values()
            if isinstance(value, RetrieverPlugin)
        )

    @property
    def own_values(self) -> dict[str, Any]:
        """The values for a factory that is handed nothing of the run's. Raises `UsageError` for one
        that wants an embedder or a retriever."""
        for name, value in self.values.items():
            if value is _RUNS_EMBEDDER or isinstance(value, RetrieverPlugin):
                raise UsageError(
                    f"{self.spec.text}: {name}: strategies alone are handed the run's embedder and "
                    "retrievers"
                )
        return dict(self.values)

    def _make(self, embedder: Embedder, *arguments: Any) -> Any:
        values = dict(self.values)
        for name, value in values.items():
            if isinstance(value, RetrieverPlugin):
                values[name] = value.build(embedder)
            elif value is _RUNS_EMBEDDER:
                values[name] = embedder
        return built(self.spec.text, self.factory, *arguments, **values)


@dataclass(frozen=True)
class StrategyPlugin(Plugin):
    """A strategy that can be built once per dialogue."""

    @classmethod
    def load(cls, text: str) -> StrategyPlugin:
        return cls._load(text, "strategies", ",")

    @property
    def stated_traits(self) -> StrategyTraits | None:
        """What its class says of every instance; None where one has to be built to learn that.

        One that is given parameters has to be: it alone can say that they do not suit it.
        """
        is_given = self.spec.parameters or self.spec.target
        return None if is_given else traits_of_class(self.factory)

    def build(self, context: StrategyContext) -> MemoryStrategy:
        """A fresh instance. Raises `PluginError` if the factory raises or builds something else."""
        strategy = self._make(context.embedder, context)
        with blaming(self.spec.text, "cannot be used"):
            _take_former_name(strategy, self.spec.text)
            if not isinstance(strategy, MemoryStrategy):
                raise PluginError(
                    f"{self.spec.text}: {type(strategy).__name__} is no MemoryStrategy: "
                    "it needs oracle, ask_after, observe() and recall()"
                )
            self._check_attributes(strategy)
            self._check_stated(strategy)
        return strategy

    def check_readable(self, strategy: MemoryStrategy) -> None:
        """Raises `PluginError` where it breaks at being asked for what it may have.

        On trial that is let pass: it shall cost this strategy's questions, and not the run.
        """
        for name in ("variant", "note"):
            with blaming(self.spec.text, f"{name} cannot be read"):
                getattr(strategy, name, "")

    def _check_stated(self, strategy: MemoryStrategy) -> None:
        for name, stated in self.stated_traits or ():
            if (own := getattr(strategy, name, "")) != stated:
                raise PluginError(
                    f"{self.spec.text}: {name} is {stated!r} in the class and {own!r} in an "
                    "instance; where instances choose it, the class declares it without a value"
                )

    def _check_attributes(self, strategy: MemoryStrategy) -> None:
        wanted = {
            "oracle": (isinstance(strategy.oracle, bool), "True or False"),
            "ask_after": (strategy.ask_after in ASK_AFTER, " or ".join(ASK_AFTER)),
            "variant": (isinstance(optional(strategy, "variant", ""), str), "a string"),
            "note": (isinstance(optional(strategy, "note", ""), str), "a string"),
        }
        for name, (fits, what) in wanted.items():
            if not fits:
                value = getattr(strategy, name)
                raise PluginError(f"{self.spec.text}: {name} is {value!r}, want {what}")


@dataclass(frozen=True)
class RetrieverPlugin(Plugin):
    """A retriever that can be built once per dialogue."""

    @classmethod
    def load(cls, text: str) -> RetrieverPlugin:
        return cls._load(text, "retrievers", ";")

    def build(self, embedder: Embedder) -> Retriever:
        """A fresh instance; `embedder` is the run's, for a factory that asks for one."""
        retriever = self._make(embedder)
        with blaming(self.spec.text, "cannot be used"):
            if not isinstance(retriever, Retriever):
                raise PluginError(f"{self.spec.text}: no Retriever: it needs add() and search()")
        return retriever


@dataclass(frozen=True)
class ModelPlugin:
    """A model of a spec ``KIND``, ``KIND/NAME`` or ``module:attribute[/NAME]``; `own` are the
    options that are this one's alone."""

    text: str
    name: str
    factory: Factory
    own: ModelOptions

    @classmethod
    def load(cls, choice: ModelChoice) -> ModelPlugin:
        """Import it. Raises `UsageError` where it has a name or options of its own that it does not
        take, or lacks a name."""
        text = choice.spec
        kind, slash, name = text.partition("/")
        factory = load_factory(kind, "models")
        if _takes_name(factory) and not name:
            raise UsageError(f"model {text!r}: say which one: {kind}/NAME")
        if slash and not _takes_name(factory):
            raise UsageError(f"model {text!r}: {kind} takes no name after the slash")
        choice.refuse(options_lacking(factory), text)
        return cls(text, name, factory, choice)

    @cached_property
    def source(self) -> str:
        return source_of(self.factory)

    @property
    def needs(self) -> Needs:
        """What it says that it needs."""
        return _declared(self.text, self.factory)

    def build(self, options: ModelOptions = NONE_GIVEN) -> Model:
        """The model. `options` are those of all models: what it does not take of them is left out,
        and its own go before them."""
        chosen = self.own.over(options.without(options_lacking(self.factory)))
        known = parameters_of(self.factory, "models")
        given = {name: value for name, value in chosen.given.items() if name in known}
        whole = {name: chosen for name, one in known.items() if one.is_model_options}
        arguments = (self.name,) if self.name else ()
        model = built(self.text, self.factory, *arguments, **given, **whole)
        with blaming(self.text, "cannot be used"):
            if not isinstance(model, Model):
                raise PluginError(
                    f"{self.text}: {type(model).__name__} is no Model: "
                    "it needs name, is_language_model and generate()"
                )
            if not (isinstance(model.name, str) and model.name.strip()):
                raise PluginError(f"{self.text}: name is {model.name!r}, want a string")
        return model


def options_lacking(factory: Factory) -> Collection[str]:
    """The model options that a model's factory does not take: what it says itself (`lacks_options`)
    if it takes them as one object, else those that are none of its parameters."""
    known = parameters_of(factory, "models")
    if any(parameter.is_model_options for parameter in known.values()):
        lacking: Collection[str] = optional(factory, "lacks_options", frozenset())
        return lacking
    return ModelOptions.model_fields.keys() - known.keys()


def _takes_name(factory: Factory) -> bool:
    """A model's factory takes the name after the slash if its first parameter has no default."""
    first = next(iter(parameters_of(factory, "models").values()), None)
    return first is not None and first.default is inspect.Parameter.empty


def _take_former_name(strategy: Any, spec: str) -> None:
    """Let `checkpoints` stand for `ask_after`, which was called so before, and say so."""
    if not hasattr(strategy, "ask_after") and hasattr(strategy, "checkpoints"):
        warnings.warn(
            f"{spec}: `checkpoints` is called `ask_after` now; the next version takes only that",
            FutureWarning,  # the kind that is shown to users
            stacklevel=2,
        )
        strategy.ask_after = strategy.checkpoints
