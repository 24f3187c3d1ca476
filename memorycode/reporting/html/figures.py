"""The figures of a page: those of the files, drawn by the same code, with their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memorycode.errors import UsageError
from memorycode.figures.draw import draw
from memorycode.figures.style import DAY_OR_NIGHT, style_sheet
from memorycode.markup import Node, element, untrusted
from memorycode.reporting.columns.cells import words
from memorycode.reporting.columns.table import Column, Table
from memorycode.reporting.html.data_table import data_table
from memorycode.reporting.notes import notes, warnings
from memorycode.results.figures.catalogue import FIGURES
from memorycode.results.figures.evidence import Evidence, evidence_of
from memorycode.results.figures.pivot import pivoted
from memorycode.results.figures.series import Series
from memorycode.results.read import Run
from memorycode.results.summary import RunReport

WIDTH = 480.0
"""Of a drawing in the page, in the points of its fonts: wider than in a paper's column."""

_MOST_LINES = 400
"""Of a table of numbers; what is beyond stands in the CSV that ``memorycode figures`` writes."""

NO_FIGURES = "Nothing to draw: no question has a score."

STYLE = style_sheet(DAY_OR_NIGHT, "svg.drawn")


def page_figures(runs: Sequence[Run], reports: Sequence[RunReport]) -> Iterator[Node]:
    """Every figure that the runs have something to show in, in the order of the catalogue."""
    try:
        evidence = evidence_of(runs, reports)
    except UsageError as error:
        yield element("p", f"No figures: {error}.", class_="note")
        return
    # What goes for a run is said with its tables, what goes for several figures with the first.
    said = {line for report in reports for line in (*notes(report), *warnings(report))}
    drawn = list(_series(evidence))
    for series in drawn:
        yield _figure(series, [note for note in series.notes if note not in said])
        said.update(series.notes)
    if not drawn:
        yield element("p", NO_FIGURES, class_="note")


def _series(evidence: Evidence) -> Iterator[Series]:
    """What can be drawn: a figure may want what these runs do not have, such as several repeats."""
    if not evidence.answers:
        return
    for figure in FIGURES.values():
        if figure.needs == "dialogues":
            continue
        try:
            series = figure.compute(evidence)
        except UsageError:
            continue
        if series.drawing is not None and series.rows:
            yield series


def _figure(series: Series, said_here: Sequence[str]) -> Node:
    numbers = element("summary", f"Numbers of “{series.title}” as a table")
    return element(
        "figure",
        element("figcaption", element("h3", series.title), *map(_note, said_here)),
        element(
            "div",
            draw(series, WIDTH),
            class_="scroll",
            tabindex="0",
            role="region",
            aria_label=f"Figure: {series.title}",
        ),
        element("details", numbers, _table(series)),
        id=f"figure-{series.name}",
    )


def _note(words: str) -> Node:
    return element("p", untrusted(words), class_="note")


def _table(series: Series) -> Node:
    table = pivoted(series)
    columns = [_column(n, title, n >= table.names) for n, title in enumerate(table.titles)]
    return data_table(Table(series.title, columns, table.lines[:_MOST_LINES]))


def _column(place: int, title: str, is_number: bool) -> Column[tuple[str, ...]]:
    return Column(title, lambda line: words(line[place]), is_number=is_number)
