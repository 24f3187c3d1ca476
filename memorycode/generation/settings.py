"""What a generated data set is like: counts and rates, and the presets that stand for a name."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Literal

from pydantic import Field

from memorycode.errors import UsageError
from memorycode.frozen import Frozen

Length = Literal["short", "medium", "long"]
"""How much is said in a session, as the release grades it."""

Rate = Annotated[float, Field(ge=0, le=1)]
"""A probability."""

Count = Annotated[int, Field(ge=1)]


class GenerationSettings(Frozen):
    """How dialogues are drawn. The defaults keep to the release's shares.

    Dialogue i has ``n_sessions[i % len(n_sessions)]`` sessions, so that a smaller data set is the
    beginning of a larger one.

    `instruction_share` is the share of a dialogue's sessions that carry an instruction (at least
    one does), `second_rate` the probability that such a session carries two. An instruction is an
    update with `update_rate` where one is possible; else a new family, with `versioned_rate` one
    that can be updated. A session with instructions has a filler with `filler_rate`, one without
    always. A filler is a filler instruction with `filler_instruction_rate`, and comes back from an
    earlier session with `filler_return_rate`.

    Unless `unsatisfiable_rules`, no two rules are active at once that no name can satisfy together
    under the official patterns.
    """

    n_dialogues: Count = 12
    n_sessions: Annotated[tuple[Count, ...], Field(min_length=1)] = (5,)
    instruction_share: Rate = 0.6
    second_rate: Rate = 0.5
    update_rate: Rate = 0.43
    versioned_rate: Rate = 0.5
    filler_rate: Rate = 0.84
    filler_instruction_rate: Rate = 0.5
    filler_return_rate: Rate = 0.4
    lengths: Annotated[tuple[Length, ...], Field(min_length=1)] = ("short", "medium", "long")
    unsatisfiable_rules: bool = False


def preset(name: str) -> GenerationSettings:
    """The settings of that name; raises `UsageError` where there are none."""
    known = _presets()
    if name not in known:
        raise UsageError(f"no preset {name!r}; there are {', '.join(known)}")
    return known[name]


def preset_names() -> tuple[str, ...]:
    return tuple(_presets())


@lru_cache(maxsize=1)
def _presets() -> dict[str, GenerationSettings]:
    text = (files("memorycode.generation") / "presets.toml").read_text(encoding="utf-8")
    return {
        name: GenerationSettings.model_validate(values)
        for name, values in tomllib.loads(text).items()
    }
