"""What `memorycode generate` prints."""

from __future__ import annotations

from rich.text import Text

from memorycode.generation.job import DATASET, GeneratedFolder
from memorycode.reporting.console import output, printable


def print_generated(made: GeneratedFolder) -> None:
    """What was made, what was there, what could not be made and why, and where it all is."""
    console = output()
    kept = f", {len(made.kept):,} were there already" if made.kept else ""
    console.print(Text(f"{len(made.made):,} dialogues generated{kept}."))
    for outcome in made.failed[:20]:
        console.print(Text(printable(f"Dialogue {outcome.number}: {outcome.problem}")))
    if made.failed:
        console.print(Text(f"{len(made.failed):,} dialogues could not be made.", style="bold"))
    if made.shortages:
        console.print(Text(_shortage(made), style="bold"))
    console.print(Text(f"Data set: {made.path / DATASET}", no_wrap=True, overflow="ignore"))


def _shortage(made: GeneratedFolder) -> str:
    """How many instructions there are too few, and which setting gives more."""
    n, total = len(made.shortages), len(made.made) + len(made.kept)
    have = "has" if n == 1 else "have"
    wanting = sum(made.shortages.values())
    return (
        f"{n:,} of {total:,} dialogues {have} fewer instructions than the settings ask for "
        f"({wanting:,} too few in all): nothing is left to tell there. {_remedy(made)}"
    )


def _remedy(made: GeneratedFolder) -> str:
    settings = made.settings
    if not settings.return_rate:
        return (
            "A return_rate above 0 in the settings (--preset FILE.toml) lets earlier versions "
            "of a rule return."
        )
    bounds = {"update_depth": settings.update_depth, "update_distance": settings.update_distance}
    bounding = [name for name, value in bounds.items() if value is not None]
    if bounding:
        return f"Without {' and '.join(bounding)} in the settings more could change."
    return "A pool with more rules would fill them."
