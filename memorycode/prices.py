"""What tokens cost: a dated list of prices, which a file of the user's extends."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, ValidationError

from memorycode.errors import Unreadable, UsageError
from memorycode.frozen import Frozen
from memorycode.protocols import Usage
from memorycode.text_files import read_toml
from memorycode.validation_messages import first_problem

PRICES_VARIABLE = "MEMORYCODE_PRICES"
"""Names a file of prices that is read besides the one that comes with the project."""

_PACKAGED = Path(__file__).parent / "prices.toml"
_DATED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8})$")
"""Vendors put the day of a model's making behind its name; it costs what the undated one does."""


class Price(Frozen):
    """Dollars per million tokens, and where and when that was said.

    `cached_input` is for tokens of the prompt that the endpoint had in its own cache; None where
    they cost what others do.
    """

    input: float = Field(ge=0, allow_inf_nan=False)
    cached_input: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    as_of: str = ""
    source: str = ""

    def dollars(self, usage: Usage) -> float:
        """What the tokens cost. Those of reasoning are among the completion's."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        cached_price = self.input if self.cached_input is None else self.cached_input
        spent = (
            (usage.prompt_tokens - cached) * self.input
            + cached * cached_price
            + usage.completion_tokens * self.output
        )
        return spent / 1_000_000


class PriceList(Frozen):
    """Prices by the name that an endpoint knows the model by.

    `as_of` is the day of all prices of a file that name none of their own.
    """

    as_of: str = ""
    models: Mapping[str, Price] = {}

    def of(self, model: str) -> Price | None:
        """The price of a model ``KIND/NAME``; None where the list does not have it.

        The whole name is looked up first, then what follows a slash or a colon, then the same
        without the day at its end.
        """
        names = [model, *(model[m.end() :] for m in re.finditer("[/:]", model))]
        names += [_DATED.sub("", name) for name in names]
        return next((self.models[name] for name in names if name in self.models), None)

    def for_labels(self, models: Mapping[str, str]) -> PriceList:
        """The same with the prices of models that are known by a label: `models` has the name of
        each by its label. A price of the label's own stays."""
        found = {label: price for label, model in models.items() if (price := self.of(model))}
        return self.model_copy(update={"models": found | dict(self.models)})


def load_prices(file: Path | str | None = None) -> PriceList:
    """The prices that come with the project, over them those of the file that the variable
    MEMORYCODE_PRICES names, over them those of `file`. Raises `UsageError` for a file that is
    none of prices."""
    files: list[Path | str] = [_PACKAGED, os.environ.get(PRICES_VARIABLE, ""), file or ""]
    models: dict[str, Price] = {}
    for given in files:
        if given:
            models |= _read(Path(given)).models
    return PriceList(models=models)


def _read(file: Path) -> PriceList:
    try:
        found = PriceList.model_validate(read_toml(file))
    except Unreadable as error:
        raise UsageError(f"{file}: {error}") from error
    except ValidationError as error:
        raise UsageError(f"{file}: {first_problem(error)}") from error
    dated = {
        name: price.model_copy(update={"as_of": price.as_of or found.as_of})
        for name, price in found.models.items()
    }
    return found.model_copy(update={"models": dated})
