"""The seed pool: what the generator draws from, read from a folder of TOML files.

`SeedPool.load()` reads the seeds shipped with the project; a folder of the same five files may
stand in for them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from memorycode.errors import SeedError
from memorycode.frozen import Frozen
from memorycode.generation.seed_faults import faults
from memorycode.generation.seeds import (
    FillerInstructionSeed,
    FillerSeed,
    InstructionSeed,
    People,
    Phrases,
)

FILES = {
    "instructions": "instructions.toml",
    "fillers": "fillers.toml",
    "filler_instructions": "filler_instructions.toml",
    "people": "people.toml",
    "phrases": "phrases.toml",
}
"""Part of the pool to file. Files that are lists of tables name their table in the singular."""


class SeedPool(Frozen):
    """Everything that a dialogue may be made of.

    Seeds are found by their numbers, which are unique within a file.
    """

    instructions: Annotated[tuple[InstructionSeed, ...], Field(min_length=1)]
    fillers: Annotated[tuple[FillerSeed, ...], Field(min_length=1)]
    filler_instructions: tuple[FillerInstructionSeed, ...]
    people: People
    phrases: Phrases

    @classmethod
    def load(cls, folder: Path | None = None) -> SeedPool:
        """Read the five files of `folder`, or the project's own.

        Raises `SeedError`, which names the file and the key.
        """
        folder = folder or _packaged_seeds()
        decoded = {part: _read(folder / name) for part, name in FILES.items()}
        try:
            pool = cls.model_validate(
                {part: _tables(part, table) for part, table in decoded.items()}
            )
        except ValidationError as error:
            raise _seed_error(error, folder) from None
        for fault in faults(pool):
            raise SeedError(fault.problem, file=folder / FILES[fault.part], key=fault.key)
        return pool


def _packaged_seeds() -> Path:
    # The sibling of the package, in a checkout as in an installed wheel. Asking importlib for
    # "seeds" would as well find a user's folder of that name in the working directory.
    return Path(__file__).resolve().parents[2] / "seeds"


# ── reading ───────────────────────────────────────────────────────────────────────────────────


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        wanted = ", ".join(FILES.values())
        raise SeedError(f"no such file; a seed folder holds {wanted}", file=file) from None
    except OSError as error:
        raise SeedError(f"cannot be read: {error.strerror}", file=file) from None
    except UnicodeDecodeError as error:
        raise SeedError(f"not UTF-8 at byte {error.start}", file=file) from None
    except tomllib.TOMLDecodeError as error:
        raise SeedError(f"not TOML: {error}", file=file) from None
    except RecursionError:
        raise SeedError("nested too deeply", file=file) from None


def _table_name(part: str) -> str | None:
    """The name of the tables in a file that is a list of them, else None."""
    return None if part in ("people", "phrases") else part.removesuffix("s")


def _tables(part: str, decoded: dict[str, Any]) -> Any:
    name = _table_name(part)
    if name is None:
        return decoded
    # A file with anything besides its tables is handed on whole, for the error to name it.
    return decoded[name] if list(decoded) == [name] else decoded or []


def _seed_error(error: ValidationError, folder: Path) -> SeedError:
    first = error.errors()[0]
    part = str(first["loc"][0])
    name = _table_name(part)
    key = _dotted((name, *first["loc"][1:]) if name else first["loc"][1:])
    problem = str(first["msg"]).removeprefix("Value error, ")
    if name and first["type"] == "tuple_type":
        problem = f"want tables [[{name}]] and nothing else"
    elif not isinstance(first["input"], dict | list | tuple | BaseModel):
        problem += f", found {first['input']!r}"
    more = error.error_count() - 1
    return SeedError(
        problem + (f" (and {more} more)" if more else ""), file=folder / FILES[part], key=key
    )


def _dotted(loc: Iterable[int | str | None]) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in loc)
    return text.removeprefix(".")
