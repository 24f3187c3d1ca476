"""Scores by scorers besides ours, in a table each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table

from memorycode.reporting.cells import COLUMN_TITLES, mean_percent, row_label
from memorycode.reporting.console import plain_table
from memorycode.results.answers import Column
from memorycode.results.summary import ModelReport


def further_tables(
    model: ModelReport, scorers: Sequence[str], columns: tuple[Column, ...]
) -> Iterator[Table]:
    """Per scorer the score by dialogue, and how many answers it did not judge."""
    for scorer in scorers:
        table = plain_table(f"The score by {scorer}, in per cent, mean over dialogues")
        table.add_column("strategy", overflow="fold", min_width=12)
        for column in columns:
            most = max(row.scores[scorer].by_dialogue[column].n for row in model.rows)
            title = f"{COLUMN_TITLES[column]}\nn={most}"
            table.add_column(title, justify="right", no_wrap=True)
        table.add_column("not judged", justify="right", no_wrap=True)
        for row in model.rows:
            scores = row.scores[scorer].by_dialogue
            cells = (mean_percent(scores[column]) for column in columns)
            table.add_row(row_label(row), *cells, f"{row.unjudged[scorer]:,}")
        yield table
