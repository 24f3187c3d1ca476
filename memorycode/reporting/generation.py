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
    console.print(Text(f"Data set: {made.path / DATASET}", no_wrap=True, overflow="ignore"))
