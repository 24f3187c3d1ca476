"""What has to be known of a strategy before it plays: said by its class, or by an instance."""

from __future__ import annotations

import inspect
from typing import Any

from pydantic import ValidationError

from memorycode.dialogue import AskAfter
from memorycode.frozen import Frozen


class StrategyTraits(Frozen):
    """Whether it sees gold labels, when it is asked, which of its ways it goes, and what tables say
    below."""

    oracle: bool
    ask_after: AskAfter
    variant: str
    note: str


def traits_of_class(factory: object) -> StrategyTraits | None:
    """What a class says of all its instances. None where they have to be asked: the class leaves a
    trait out, or declares it without a value."""
    if not inspect.isclass(factory):
        return None
    said: dict[str, Any] = {}
    for name in StrategyTraits.model_fields:
        for ancestor in factory.__mro__:
            if name in vars(ancestor):
                said[name] = vars(ancestor)[name]
                break
            if name in inspect.get_annotations(ancestor):
                return None
    try:
        return StrategyTraits.model_validate(said, strict=True)
    except ValidationError:  # something is missing, or is a property, say
        return None
