"""Settings and how people give them: a field of a model says it once, and the command line, the
keywords of Python and the table of the docs follow from it.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from memorycode.errors import Unreadable, UsageError
from memorycode.text_files import parse_json

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """Stands in a field's annotation: what people are told of it, and how the command line has it.

    `flag` is its name there, by default the field's with hyphens. `read` makes the field's value of
    what is given there: of one text or, where the option may be repeated, of several. A field that
    reads a text itself has `is_text`.
    """

    help: str
    flag: str = ""
    metavar: str | None = None
    read: Callable[[Any], Any] | None = None
    is_text: bool = False
    is_repeatable: bool = False

    def flag_of(self, name: str) -> str:
        return self.flag or f"--{name.replace('_', '-')}"


@dataclass(frozen=True)
class OptionField:
    """One field that people can set."""

    name: str
    field: FieldInfo
    option: Option

    @property
    def flag(self) -> str:
        return self.option.flag_of(self.name)

    @property
    def plain_type(self) -> Any:
        """The field's type without the None that stands for what nobody has set."""
        annotation = self.field.annotation
        if get_origin(annotation) not in (Union, types.UnionType):
            return annotation
        kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
        return kinds[0] if len(kinds) == 1 else annotation

    def bound(self, *names: str) -> float | None:
        """The least or greatest value that the field admits, by pydantic's names for it."""
        found = (getattr(item, name, None) for item in self.field.metadata for name in names)
        return next((value for value in found if value is not None), None)


def option_fields(*models: type[BaseModel]) -> Iterator[OptionField]:
    """The fields of models that people can set, a model's own before those that it inherits."""
    for model in models:
        fields = model.model_fields
        for name in sorted(fields, key=lambda name: name not in inspect.get_annotations(model)):
            for item in fields[name].metadata:
                if isinstance(item, Option):
                    yield OptionField(name, fields[name], item)


def keywords_of(*models: type[BaseModel]) -> list[inspect.Parameter]:
    """The same as keywords of a Python function, with their types and defaults."""
    return [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=one.field.get_default(call_default_factory=True),
            annotation=one.field.annotation,
        )
        for one in option_fields(*models)
    ]


def takes_options(*models: type[BaseModel]) -> Callable[[Function], Function]:
    """A function whose ``**options`` are the fields of the models: ``help`` shows them by name."""

    def add(function: Function) -> Function:
        own = inspect.signature(function).parameters.values()
        named = [one for one in own if one.kind is not inspect.Parameter.VAR_KEYWORD]
        parameters = [*named, *keywords_of(*models)]
        function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return function

    return add


def given_of(model: type[BaseModel], options: Mapping[str, Any]) -> dict[str, Any]:
    """Of what the command line was given, the fields of the model: read, and only those that are
    neither None nor empty. Raises `UsageError` where a reader cannot read one."""
    given = {}
    for one in option_fields(model):
        value = options.get(one.name)
        if value in (None, (), [], {}):
            continue
        given[one.name] = one.option.read(value) if one.option.read else value
    return given


def table_of(*models: type[BaseModel], named: str = "in a file and in Python") -> str:
    """The Markdown table of the docs: flag, name (the column `named`), default, meaning."""
    lines = [f"| option | {named} | default | |", "|---|---|---|---|"]
    for one in option_fields(*models):
        default = one.field.get_default(call_default_factory=True)
        shown = "" if default in (None, (), {}) else f"`{_plain(default)}`"
        told = one.option.help.replace("|", "\\|")
        lines.append(f"| `{one.flag}` | `{one.name}` | {shown} | {told} |")
    return "\n".join(lines) + "\n"


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value).lower()


# ── readers of what stands on the command line ────────────────────────────────────────────────


def read_headers(given: Sequence[str]) -> dict[str, str]:
    """Headers by name from ``NAME=VALUE``. Raises `UsageError`, without the value in it."""
    headers = {}
    for place, text in enumerate(given, start=1):
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--header number {place}: want NAME=VALUE")
        headers[name.strip()] = value.strip()
    return headers


def read_body(given: str) -> dict[str, Any]:
    """The object that a JSON text holds. Raises `UsageError` for another one."""
    try:
        body = parse_json(given)
    except Unreadable as error:
        raise UsageError(f"--body: {error}") from error
    if not isinstance(body, dict):
        raise UsageError("--body: want a JSON object, such as '{\"top_k\": 20}'")
    return body


def read_pairs(spec: str, pairs: Iterable[str]) -> dict[str, str]:
    """The values by key of ``key=value`` pairs. Raises `UsageError`; `spec` is what they are of."""
    values: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not (equals and key):
            raise UsageError(f"{spec!r}: {pair!r} is no parameter: write key=value")
        if key in values:
            raise UsageError(f"{spec!r}: parameter {key!r} is given twice")
        values[key] = value
    return values


def refuse_unknown(options: Iterable[str], *models: type[BaseModel]) -> None:
    """Raises `UsageError` for a keyword that is no field of the models."""
    known = [one.name for one in option_fields(*models)]
    for name in options:
        if name not in known:
            raise UsageError(f"{name}: there is no such option; there are {', '.join(known)}")
