"""From a name, or ``module:attribute``, to a factory. Nothing is imported before it is used.

A spec is ``NAME[:key=value,…]`` for installed plug-ins (entry points) or
``module:attribute[:key=value,…]`` for any importable class or function. Parameters are the
factory's own, validated against their annotations. A parameter annotated as `Retriever` takes a
retriever's spec, whose own parameters are parted by semicolons:
``rag:k=5,retriever=bm25:k1=1.2;b=0.5``.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError

from memorycode.dialogue import CHECKPOINTS
from memorycode.errors import PLUGIN_FAULTS, MemorycodeError, PluginError, UsageError
from memorycode.protocols import MemoryStrategy, Model, Retriever, StrategyContext

Group = Literal["strategies", "retrievers", "models"]
Factory = Callable[..., Any]

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


def parse_spec(text: str, separator: str = ",") -> Spec:
    """Take a spec apart. Raises `UsageError` where it is not in the form."""
    match = _SPEC.fullmatch(text)
    if not match:
        raise UsageError(f"{text!r} is no plug-in: write NAME or module:attribute, then :key=value")
    pairs = match["parameters"].split(separator) if match["parameters"] else []
    parameters: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not (equals and key):
            raise UsageError(f"{text!r}: {pair!r} is no parameter: write key=value")
        if key in parameters:
            raise UsageError(f"{text!r}: parameter {key!r} is given twice")
        parameters[key] = value
    name = f"{match['name']}:{match['attribute']}" if match["attribute"] else match["name"]
    return Spec(text=text, name=name, parameters=parameters)


# ── factories ─────────────────────────────────────────────────────────────────────────────────


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
    try:
        factory = point.load() if point is not None else _import(name)
    except PLUGIN_FAULTS as error:
        raise PluginError(f"{name}: cannot be imported: {type(error).__name__}: {error}") from error
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
    """The first 12 hexadecimal digits of the SHA-256 of the file a factory is written in: results
    of another version of a plug-in are not mixed with this one's. Empty if there is no file."""
    try:
        file = inspect.getsourcefile(factory)
    except TypeError:
        return ""
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:12] if file else ""


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
    except Exception as error:
        name = getattr(factory, "__qualname__", repr(factory))
        raise PluginError(f"{name}: its signature cannot be read: {error}") from error
    return {
        p.name: Parameter(p.name, hints.get(p.name, str), p.default)
        for p in found[1 if group == "strategies" else 0 :]
        if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
    }


def validated(spec: Spec, known: Mapping[str, Parameter]) -> dict[str, Any]:
    """The values that a spec gives, each as its parameter's type; retrievers as their plug-ins.

    Raises `UsageError` for an unknown parameter, a value that does not fit, a missing one.
    """
    shown = ", ".join(p.shown for p in known.values()) or "none"
    values: dict[str, Any] = {}
    for name in spec.parameters:
        if name not in known:
            raise UsageError(f"{spec.text}: no parameter {name!r}; there are: {shown}")
    for name, parameter in known.items():
        text = spec.parameters.get(name)
        if parameter.is_retriever:
            values[name] = RetrieverPlugin.load(text or DEFAULT_RETRIEVER)
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


def _built(label: str, factory: Factory, *arguments: Any, **values: Any) -> Any:
    try:
        return factory(*arguments, **values)
    except MemorycodeError:
        raise
    except PLUGIN_FAULTS as error:
        raise PluginError(f"{label}: cannot be built: {type(error).__name__}: {error}") from error


# ── the three kinds ───────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class StrategyPlugin:
    """A strategy that can be built once per dialogue."""

    spec: Spec
    factory: Factory
    values: Mapping[str, Any]

    @classmethod
    def load(cls, text: str) -> StrategyPlugin:
        spec = parse_spec(text)
        factory = load_factory(spec.name, "strategies")
        return cls(spec, factory, validated(spec, parameters_of(factory, "strategies")))

    @cached_property
    def source(self) -> str:
        parts = [source_of(self.factory)]
        parts += [v.source for v in self.values.values() if isinstance(v, RetrieverPlugin)]
        return " ".join(parts)

    def build(self, context: StrategyContext) -> MemoryStrategy:
        """A fresh instance. Raises `PluginError` if the factory raises or builds something else."""
        values = {
            name: value.build() if isinstance(value, RetrieverPlugin) else value
            for name, value in self.values.items()
        }
        strategy = _built(self.spec.text, self.factory, context, **values)
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
class RetrieverPlugin:
    """A retriever that can be built once per dialogue."""

    spec: Spec
    factory: Factory
    values: Mapping[str, Any]

    @classmethod
    def load(cls, text: str) -> RetrieverPlugin:
        spec = parse_spec(text, separator=";")
        factory = load_factory(spec.name, "retrievers")
        return cls(spec, factory, validated(spec, parameters_of(factory, "retrievers")))

    @cached_property
    def source(self) -> str:
        return source_of(self.factory)

    def build(self) -> Retriever:
        retriever = _built(self.spec.text, self.factory, **self.values)
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
        """The model; options that are None, or that it does not take, are left out."""
        known = parameters_of(self.factory, "models")
        given = {k: value for k, value in options.items() if value is not None and k in known}
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
