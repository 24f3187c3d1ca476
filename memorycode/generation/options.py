"""What a call of the generator is told: the command's options, the keywords of `generate_folder`
and the table of the docs follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from memorycode.errors import UsageError
from memorycode.frozen import Frozen
from memorycode.generation.style import Difficulty
from memorycode.options import Option
from memorycode.validation_messages import first_problem

SCRIPTED = "scripted"
"""The renderer that needs no model."""

ATTEMPTS = 5
"""How often a session is rendered unless the caller says otherwise."""


def read_numbers(text: str) -> tuple[int, ...]:
    """Numbers of sessions from ``1,2,5``. Raises `UsageError`."""
    try:
        numbers = tuple(int(part) for part in text.split(",")) if text else ()
    except ValueError:
        raise UsageError(f"--sessions {text!r}: write whole numbers with commas: 1,2,5") from None
    if any(number < 1 for number in numbers):
        raise UsageError(f"--sessions {text!r}: a dialogue has at least one session")
    return numbers


def read_rates(text: str) -> dict[str, float]:
    """Rates by name from ``hedge_rate=0.5,…``. Raises `UsageError`."""
    try:
        pairs = [pair.split("=") for pair in text.split(",")] if text else []
        return {key.strip(): float(value) for key, value in pairs}
    except ValueError:
        raise UsageError(f"--style {text!r}: write rates with commas: hedge_rate=0.5") from None


class GenerationOptions(Frozen):
    """Everything that decides the dialogues of a folder, as people say it.

    `dialogues` and `sessions` stand in place of the preset's, `style` has rates of `Style`.
    `difficulty` and `style` are the scripted renderer's, `base_url` and `prompts` a model's.
    """

    preset: Annotated[
        str, Option("paper, demo or stress, or a TOML file of settings. Default: demo.")
    ] = "demo"
    dialogues: Annotated[int | None, Option("How many. Default: the preset's.")] = Field(
        default=None, ge=1, le=10**6
    )
    sessions: Annotated[
        tuple[int, ...],
        Option("Numbers of sessions, in turn: 1,2,5. Default: the preset's.", read=read_numbers),
    ] = ()
    seed: Annotated[int, Option("For all that is random. Default: 0.")] = 0
    pool: Annotated[
        Path | None,
        Option("Your own seeds: a folder, or a topics.json. Default: the project's."),
    ] = None
    renderer: Annotated[
        str, Option("scripted (offline), or a model such as openai/NAME. Default: scripted.")
    ] = SCRIPTED
    difficulty: Annotated[
        Difficulty,
        Option("How plainly the scripted renderer states the rules. Default: explicit."),
    ] = "explicit"
    base_url: Annotated[
        str | None, Option("Endpoint of openai/NAME. Default: $OPENAI_BASE_URL.")
    ] = None
    style: Annotated[
        Mapping[str, float],
        Option(
            "Shares of the scripted renderer: reference_rate=0.5,hedge_rate=0,"
            "correction_rate=0.1,repeat_rate=0.6.",
            read=read_rates,
        ),
    ] = {}
    attempts: Annotated[
        int, Option("How often a session is tried that fails the check. Default: 5.")
    ] = Field(default=ATTEMPTS, ge=1, le=1000)
    prompts: Annotated[Path | None, Option("Folder with your own render_*.txt, for a model.")] = (
        None
    )


def make_generation_options(options: Mapping[str, Any]) -> GenerationOptions:
    """Raises `UsageError` for options that do not fit."""
    try:
        return GenerationOptions.model_validate(options)
    except ValidationError as error:
        raise UsageError(first_problem(error)) from error
