"""What a model is built with: the one list of options for all models, and what is one's own."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    JsonValue,
    ValidationError,
    model_validator,
)

from memorycode.errors import UsageError
from memorycode.frozen import Frozen
from memorycode.options import Option, read_body, read_headers, read_pairs
from memorycode.validation_messages import first_problem

LEFT_OUT: Final = "none"
"""As a model's option: nothing is sent, whatever the model's default."""

MAY_BE_LEFT_OUT = ("temperature", "max_tokens")
"""The options that models send unless they are told not to."""

TEMPERATURE, MAX_TOKENS = 0.0, 2048
"""What these models send unless they are told otherwise."""

_UNSET: tuple[object, ...] = (None, "", {})
_OPTIONS_BEGIN = re.compile(r":(?=[a-z_]+=)")
"""In a model's spec, whose name may itself hold colons, as ``qwen2.5:7b`` does."""


def _number(value: object, kind: type[int] | type[float], want: str, least: int) -> object:
    """The number, `LEFT_OUT` or None. Raises `ValueError` for anything else."""
    if value is None or value == LEFT_OUT:
        return value
    try:
        number = kind(f"{value}")
    except ValueError:
        number = math.nan
    if not least <= number < math.inf:
        raise ValueError(f'want {want}, or "{LEFT_OUT}", found {value!r}')
    return number


def _read_temperature(value: object) -> object:
    return _number(value, float, "a number of 0 or more", least=0)


def _read_max_tokens(value: object) -> object:
    return _number(value, int, "a whole number of 1 or more", least=1)


def _can_be_sent(body: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """The object, where it is JSON that UTF-8 can carry. Raises `ValueError` for another one."""
    try:
        json.dumps(dict(body), allow_nan=False, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("it holds half a surrogate pair") from None
    except ValueError:
        raise ValueError("it holds a number that JSON has not, such as NaN") from None
    return body


_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_LABEL = re.compile(r"[\w.@+-][\w./:@+-]{0,99}")


def _names_a_variable(name: str | None) -> str | None:
    """Raises `ValueError`, without the value: it may be the key itself."""
    if name is not None and not _VARIABLE.fullmatch(name):
        raise ValueError("want the name of a variable in capitals, such as MY_API_KEY")
    return name


def _is_a_label(label: str) -> str:
    if label and not _LABEL.fullmatch(label):
        raise ValueError("want up to 100 letters, digits and . / : @ + - _ without space")
    return label


_Temperature = Annotated[float | Literal["none"] | None, BeforeValidator(_read_temperature)]
_MaxTokens = Annotated[int | Literal["none"] | None, BeforeValidator(_read_max_tokens)]

ContextLimit = Annotated[
    int | None,
    Field(ge=1),
    Option("The models' context, answer included.", metavar="TOKENS"),
]


class ModelOptions(Frozen):
    """What models are built with. What is not set is left to the model, and `temperature` or
    `max_tokens` `LEFT_OUT` to the endpoint: none is sent.

    A model is known by its `label`, by default its name: where it runs may change, its label stays.
    """

    label: Annotated[
        str,
        AfterValidator(_is_a_label),
        Option("What the model is called in records and tables. Default: its name."),
    ] = ""
    base_url: Annotated[
        str | None, Option("Endpoint of openai/NAME models. Default: $OPENAI_BASE_URL.")
    ] = None
    key_variable: Annotated[
        str | None,
        AfterValidator(_names_a_variable),
        Option(
            "The variable that holds the key of openai/NAME models. Default: OPENAI_API_KEY.",
            metavar="NAME",
        ),
    ] = None
    temperature: Annotated[
        _Temperature,
        Option(
            "Of language models; none sends none. Default: the model's, 0 as a rule.",
            metavar="NUMBER|none",
            is_text=True,
        ),
    ] = None
    top_p: Annotated[float | None, Option("Sample from the likeliest words of this mass.")] = Field(
        default=None, ge=0, le=1
    )
    max_tokens: Annotated[
        _MaxTokens,
        Option(
            "Of an answer, at most; none sends no limit. Default: the model's, 2048 as a rule.",
            metavar="NUMBER|none",
            is_text=True,
        ),
    ] = None
    model_seed: Annotated[
        int | None, Option("Passed to the endpoint; few promise the same answers for it.")
    ] = None
    reasoning_effort: Annotated[
        str | None, Option("low, medium, high: as the endpoint has it.", metavar="LEVEL")
    ] = None
    headers: Annotated[
        Mapping[str, str],
        Option(
            "Sent with every call; values are never shown. Repeatable.",
            flag="--header",
            metavar="NAME=VALUE",
            read=read_headers,
            is_repeatable=True,
        ),
    ] = {}
    body: Annotated[
        Mapping[str, JsonValue],
        AfterValidator(_can_be_sent),
        Option(
            "An object of further fields for every call; null removes one.",
            metavar="JSON",
            read=read_body,
        ),
    ] = {}
    timeout: Annotated[float | None, Option("Seconds for one attempt, to its end.")] = Field(
        default=None, gt=0, allow_inf_nan=False
    )
    max_retries: Annotated[
        int | None, Option("More attempts after a failure that may pass. Default: 5.")
    ] = Field(default=None, ge=0)
    max_reply_bytes: Annotated[
        int | None,
        Option("Of a reply, decompressed; no more is read. Default: 32 MB.", metavar="BYTES"),
    ] = Field(default=None, ge=1)
    context_limit: ContextLimit = None

    @property
    def given(self) -> dict[str, Any]:
        """Those that are set, by name; None for one that is `LEFT_OUT`. So a class has them that
        takes options as keywords."""
        values = {name: getattr(self, name) for name in ModelOptions.model_fields}
        given = {name: value for name, value in values.items() if value not in _UNSET}
        left_out = [name for name in MAY_BE_LEFT_OUT if given.get(name) == LEFT_OUT]
        return given | dict.fromkeys(left_out)

    @property
    def sampling(self) -> dict[str, JsonValue]:
        """What decides an answer, by the names that endpoints have for it; None is not sent."""
        usual = {"temperature": TEMPERATURE, "max_tokens": MAX_TOKENS} | self.given
        return {
            "temperature": usual["temperature"],
            "top_p": self.top_p,
            "max_tokens": usual["max_tokens"],
            "seed": self.model_seed,
            "reasoning_effort": self.reasoning_effort,
        }

    def over(self, others: ModelOptions) -> ModelOptions:
        """These, and the others' where one of these is not set."""
        names = self.given
        return others.model_copy(update={name: getattr(self, name) for name in names})

    def without(self, names: Collection[str]) -> ModelOptions:
        """The same with some of them not set."""
        fields = ModelOptions.model_fields
        return self.model_copy(update={n: fields[n].default for n in names if n in fields})

    def refuse(self, names: Collection[str], model: str) -> None:
        """Raises `UsageError` where one is set that the model does not have."""
        if lacking := [name for name in self.given if name in names]:
            has = [name for name in ModelOptions.model_fields if name not in names]
            told = f"it has {', '.join(has)}" if has else "it has none"
            raise UsageError(f"{model} has no option {lacking[0]}; {told}")


NONE_GIVEN = ModelOptions()
"""All is left to the model."""


class ModelChoice(ModelOptions):
    """A model by its spec, with the options that are its own: what is set here goes before what is
    set for all models.

    On the command line ``openai/NAME:label=a,base_url=http://HOST/v1``; in a file a text like that
    or a table, which takes `headers` and `body` too.
    """

    spec: str = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: object) -> object:
        if not isinstance(given, str):
            return given
        spec, *options = _OPTIONS_BEGIN.split(given, maxsplit=1)
        return (
            read_pairs(spec, options[0].split(",")) | {"spec": spec} if options else {"spec": spec}
        )

    def __str__(self) -> str:
        return self.spec


def choose_model(text: str) -> ModelChoice:
    """The model that a spec on the command line names. Raises `UsageError`."""
    try:
        return ModelChoice.model_validate(text)
    except ValidationError as error:
        raise UsageError(f"model {text.partition(':')[0]}: {first_problem(error)}") from error
