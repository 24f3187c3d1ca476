"""The seed pool: what the generator draws from, read from a folder of TOML files.

`SeedPool.load()` reads the seeds shipped with the project; a folder of the same five files, or the
release's ``topics.json``, may stand in for them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field, ValidationError

from memorycode.errors import SeedError, Unreadable
from memorycode.frozen import Frozen
from memorycode.generation.seed_faults import SeedFault, faults
from memorycode.generation.seeds import (
    FillerInstructionSeed,
    FillerSeed,
    InstructionSeed,
    People,
    Phrases,
)
from memorycode.generation.topics_file import TOPICS, read_topics, topics_key
from memorycode.text_files import read_toml
from memorycode.validation_messages import dotted, problem_of

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
    def load(cls, path: Path | None = None) -> SeedPool:
        """Read the five files of a folder, or the project's own.

        `path` may also be a ``topics.json`` of the release, or a folder that holds one; it is put
        into words with the project's own phrases.

        Raises `SeedError`, which names the file and the key.
        """
        return load_pool(path).pool

    @property
    def hash(self) -> str:
        """SHA-256 of all that is in it, as 64 hexadecimal digits, wherever it was read from."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()


class LoadedPool(NamedTuple):
    """A pool and the file that each part of it stands in."""

    pool: SeedPool
    files: Mapping[str, Path]

    def refuse(self, found: Iterable[SeedFault]) -> None:
        """Raises `SeedError` for the first fault, if there is one."""
        for fault in found:
            file = self.files[fault.part]
            raise SeedError(fault.problem, file=file, key=_key_in(file, fault.key))


def load_pool(path: Path | None = None) -> LoadedPool:
    """As `SeedPool.load`, for a caller with more to ask of the pool."""
    source = _source(path or _packaged_seeds())
    try:
        loaded = LoadedPool(SeedPool.model_validate(source.data), source.files)
    except ValidationError as error:
        raise _seed_error(error, source) from None
    loaded.refuse(faults(loaded.pool))
    return loaded


def _packaged_seeds() -> Path:
    # The sibling of the package, in a checkout as in an installed wheel. Asking importlib for
    # "seeds" would as well find a user's folder of that name in the working directory.
    return Path(__file__).resolve().parents[2] / "seeds"


# ── reading ───────────────────────────────────────────────────────────────────────────────────


class _Source(NamedTuple):
    """A pool as it was read, not yet checked, and the file that each part stands in."""

    data: dict[str, Any]
    files: dict[str, Path]


def _source(path: Path) -> _Source:
    if path.exists() and not path.is_dir():
        return _topics_source(path)
    if (path / TOPICS).is_file() and not (path / FILES["instructions"]).exists():
        return _topics_source(path / TOPICS)
    files = {part: path / name for part, name in FILES.items()}
    return _Source({part: _tables(part, _read(file)) for part, file in files.items()}, files)


def _topics_source(file: Path) -> _Source:
    phrases = _packaged_seeds() / FILES["phrases"]
    data = read_topics(file) | {"phrases": _read(phrases)}
    return _Source(data, dict.fromkeys(FILES, file) | {"phrases": phrases})


def _read(file: Path) -> dict[str, Any]:
    if not file.exists():
        wanted = ", ".join(FILES.values())
        raise SeedError(f"no such file; a seed folder holds {wanted}", file=file)
    try:
        return read_toml(file)
    except Unreadable as error:
        raise SeedError(error.problem, file=file) from None


def _table_name(part: str) -> str | None:
    """The name of the tables in a file that is a list of them, else None."""
    return None if part in ("people", "phrases") else part.removesuffix("s")


def _tables(part: str, decoded: dict[str, Any]) -> Any:
    name = _table_name(part)
    if name is None:
        return decoded
    # A file with anything besides its tables is handed on whole, for the error to name it.
    return decoded[name] if list(decoded) == [name] else decoded or []


def _seed_error(error: ValidationError, source: _Source) -> SeedError:
    first = error.errors(include_url=False)[0]
    part = str(first["loc"][0])
    file = source.files[part]
    name = _table_name(part) or ("people" if file.suffix == ".json" else None)
    key = dotted((name, *first["loc"][1:]) if name else first["loc"][1:])
    problem = problem_of(first)
    if name and first["type"] == "tuple_type" and len(first["loc"]) == 1:
        problem = f"want tables [[{name}]] and nothing else"
    more = error.error_count() - 1
    return SeedError(
        problem + (f" (and {more} more)" if more else ""), file=file, key=_key_in(file, key)
    )


def _key_in(file: Path, key: str) -> str:
    return topics_key(key) if file.suffix == ".json" else key
