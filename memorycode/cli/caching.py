"""Commands on a cache of models' answers: stats, clear."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from memorycode.cli.shared import Json, print_json

if TYPE_CHECKING:
    from memorycode.models.cached import ResponseCache

cache_app = typer.Typer(
    help="The cache of models' answers.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

CacheFile = Annotated[
    Optional[Path],
    typer.Argument(
        metavar="[RUN|FILE]",
        help="A run's folder, or a cache's file. "
        "Default: responses.sqlite in the folder of caches ($MEMORYCODE_CACHE).",
    ),
]


@cache_app.command()
def stats(file: CacheFile = None, as_json: Json = False) -> None:
    """Say where a cache is, how large, and how many answers it holds of each model."""
    from contextlib import closing

    with closing(_existing(file)) as cache:
        counts, size = cache.counts(), cache.file.stat().st_size
    answers = sum(counts.values())
    if as_json:
        path = str(cache.file)
        print_json({"file": path, "bytes": size, "answers": answers, "models": counts})
        return
    print(f"{cache.file}: {answers} answers, {size / 1e6:.1f} MB")
    for name, number in counts.items():
        print(f"{number:>8}  {name}")


@cache_app.command()
def clear(file: CacheFile = None, as_json: Json = False) -> None:
    """Forget all answers of a cache."""
    from contextlib import closing

    with closing(_existing(file)) as cache:
        removed = cache.clear()
    if as_json:
        print_json({"file": str(cache.file), "removed": removed})
    else:
        print(f"{cache.file}: {removed} answers removed")


def _existing(file: Path | None) -> ResponseCache:
    """The cache in a file that is there; a mistyped name must not make a new one."""
    from memorycode.errors import UsageError
    from memorycode.models.cached import ResponseCache

    if file is not None and file.is_dir():
        file = file / "cache.sqlite"
    if file is not None and not file.is_file():
        raise UsageError(f"{file}: there is no cache of answers here")
    return ResponseCache(file)
