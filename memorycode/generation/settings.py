"""What a generated data set is like: counts and rates, and the presets that stand for a name."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from memorycode.errors import Unreadable, UsageError
from memorycode.frozen import Frozen
from memorycode.text_files import read_toml
from memorycode.validation_messages import first_problem

Length = Literal["short", "medium", "long"]
"""How much is said in a session, as the release grades it."""

LENGTHS: tuple[Length, ...] = get_args(Length)

Clashes = Literal["excluded", "allowed", "sought"]
"""Whether rules may be active together that no name can satisfy under the official patterns:
never, as chance has it (the release), or wherever there is such a pair to tell."""

Rate = Annotated[float, Field(ge=0, le=1, strict=True, allow_inf_nan=False)]
"""A probability."""

Count = Annotated[int, Field(ge=1, le=1_000_000, strict=True)]

Few = Annotated[int, Field(ge=1, le=50, strict=True)]

Weight = Annotated[float, Field(ge=0, le=1_000_000, strict=True, allow_inf_nan=False)]


def _pair(value: Any) -> Any:
    """A single number stands for a range that begins and ends with it."""
    return (value, value) if isinstance(value, int | float) else value


Share = Annotated[tuple[Rate, Rate], BeforeValidator(_pair)]
"""The lowest and the highest share; each dialogue draws its own between them."""

Window = Annotated[tuple[Count, Count], BeforeValidator(_pair)]
"""The lowest and the highest number, both included."""


class LengthShares(Frozen):
    """How often each session length comes up; the shares need not add up to one."""

    short: Weight = 1
    medium: Weight = 1
    long: Weight = 1

    @model_validator(mode="after")
    def _some(self) -> LengthShares:
        if not any(self.weights):
            raise ValueError("one of short, medium and long must be above 0")
        return self

    @property
    def weights(self) -> tuple[float, ...]:
        return tuple(getattr(self, length) for length in LENGTHS)


class GenerationSettings(Frozen):
    """How dialogues are drawn. The defaults keep to the release's shares.

    *Dialogues.* `block` dialogues in a row have as many sessions, then come those of the next of
    `n_sessions`, and after the last the first again; so a smaller data set is the beginning of a
    larger one.

    *Instructions.* `instruction_share` is the share of a dialogue's sessions that carry some (at
    least one does, unless it is 0); such a session carries one of `instruction_counts`, and no
    filler with `instruction_only_rate`. An instruction is an update with `update_rate` where one
    is possible; else a new family: while none has been told that can change, one that can with
    `versioned_rate`, later any.

    *Updates.* An update tells a version that was not told before, or with `return_rate` an earlier
    one again. `update_depth` is how often a rule that changes does: such rules change on until
    they have, before others begin, and no more after that. An update comes at least and at most
    so many sessions after what it replaces as `update_distance` says. Without these two chance
    decides.

    *Fillers.* A filler is a filler instruction with `filler_instruction_rate`, else a topic; it
    comes back from an earlier session with the update rate of its sort.
    """

    n_dialogues: Count = 12
    n_sessions: Annotated[tuple[Count, ...], Field(min_length=1)] = (5,)
    block: Count = 1
    instruction_share: Share = (0.5, 0.66)
    instruction_counts: Annotated[tuple[Few, ...], Field(min_length=1)] = (1, 2)
    instruction_only_rate: Rate = 0.16
    update_rate: Rate = 0.45
    versioned_rate: Rate = 0.6
    update_depth: Count | None = None
    update_distance: Window | None = None
    return_rate: Rate = 0
    clashes: Clashes = "excluded"
    filler_instruction_rate: Rate = 0.42
    filler_update_rate: Rate = 0.37
    filler_instruction_update_rate: Rate = 0.57
    length_shares: LengthShares = LengthShares()

    @model_validator(mode="after")
    def _ordered(self) -> GenerationSettings:
        for name in ("instruction_share", "update_distance"):
            value = getattr(self, name)
            if value and value[0] > value[1]:
                raise ValueError(f"{name}: from {value[0]} to {value[1]}; the lower comes first")
        return self

    def sessions_of(self, index: int) -> int:
        """The number of sessions of the dialogue at `index`, which counts from 0."""
        return self.n_sessions[index // self.block % len(self.n_sessions)]


def preset(name: str) -> GenerationSettings:
    """The settings of that name; raises `UsageError` where there are none."""
    known = _presets()
    if name not in known:
        raise UsageError(f"no preset {name!r}; there are {', '.join(known)}")
    return known[name]


def preset_names() -> tuple[str, ...]:
    return tuple(_presets())


def load_settings(name: str) -> GenerationSettings:
    """The settings of a preset, or of a TOML file, whose keys are those of `GenerationSettings`.

    Raises `UsageError`, which names the file and the key.
    """
    file = Path(name)
    if name in _presets() or not (file.suffix == ".toml" or file.exists()):
        return preset(name)
    if file.is_dir():
        known = ", ".join(_presets())
        raise UsageError(f"{file}: a folder; want a TOML file of settings, or one of {known}")
    try:
        return GenerationSettings.model_validate(read_toml(file))
    except Unreadable as error:
        raise UsageError(f"{file}: {error}") from error
    except ValidationError as error:
        raise UsageError(f"{file}: {first_problem(error)}") from error


@lru_cache(maxsize=1)
def _presets() -> dict[str, GenerationSettings]:
    text = (files("memorycode.generation") / "presets.toml").read_text(encoding="utf-8")
    return {
        name: GenerationSettings.model_validate(values)
        for name, values in tomllib.loads(text).items()
    }
