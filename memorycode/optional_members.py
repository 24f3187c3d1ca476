"""What a plug-in may have beside what it must have: read without trusting it.

A member that breaks when it is read is taken for one that is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from pydantic import JsonValue

from memorycode.plugin_faults import plugin_faults
from memorycode.protocols import (
    ADDRESS,
    HasContextLimit,
    HasNote,
    HasOptions,
    HasVariant,
    TakesTools,
)

Member = TypeVar("Member")


def options_of(model: object) -> Mapping[str, JsonValue]:
    """All that decides a model's answers, as far as it says."""
    return _read(lambda: dict(model.options) if isinstance(model, HasOptions) else {}, {})


def address_of(model: object) -> str:
    """Where a model runs, as people may see it; empty where it does not say."""
    address = options_of(model).get(ADDRESS)
    return address if isinstance(address, str) else ""


def context_limit_of(model: object) -> int | None:
    """The tokens that a model reads and writes in one call, where it knows."""
    limit = _read(lambda: model.context_limit if isinstance(model, HasContextLimit) else None, None)
    return limit if isinstance(limit, int) else None


def takes_tools(model: object) -> bool:
    """Whether a model says that it can call the tools of a prompt."""
    return _read(lambda: isinstance(model, TakesTools) and model.takes_tools is True, False)


def note_of(plugin: object) -> str:
    """The sentence that tables put below."""
    return _read(lambda: plugin.note if isinstance(plugin, HasNote) else "", "")


def variant_of(strategy: object) -> str:
    """Which of its ways a strategy goes."""
    return _read(lambda: strategy.variant if isinstance(strategy, HasVariant) else "", "")


def _read(read: Callable[[], Member], default: Member) -> Member:
    try:
        return read()
    except plugin_faults():
        return default
