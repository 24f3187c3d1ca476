"""A column is said once: what the terminal shows the page shows, and each sentence stands once."""

from __future__ import annotations

import html
import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from memorycode.markup import written
from memorycode.reporting.columns.cells import ORACLE, count, estimated, percent, words
from memorycode.reporting.columns.memory import causes, memory_cost, recalled
from memorycode.reporting.columns.repeats import repeats
from memorycode.reporting.columns.rows import Columns
from memorycode.reporting.columns.scores import questions, scores, verdicts, ways
from memorycode.reporting.columns.spending import seconds, spending
from memorycode.reporting.columns.table import Cell, Column, Table, explained, legend, of_part
from memorycode.reporting.console import show
from memorycode.reporting.html.data_table import data_table
from memorycode.reporting.html.page import write_page
from memorycode.reporting.notes import notes, warnings
from memorycode.reporting.report_rows import ReportRows
from memorycode.reporting.tables import attribution_parts, report_parts
from memorycode.reporting.terminal import drawn
from memorycode.results.means import Estimate
from memorycode.results.read import report_run

RUNS = Path(__file__).parents[1] / "fixtures" / "runs"
WIDE = 400


def _groups(rows: ReportRows) -> Columns:
    return [
        *(*scores(rows), *questions(rows), *verdicts(), *ways(rows), *repeats(rows, "strict")),
        *(*recalled(rows), *memory_cost(), *causes(), *spending(), *seconds()),
    ]


def _terminal(run: Path) -> str:
    text, report = io.StringIO(), report_run(run)
    console = Console(file=text, width=WIDE, color_system=None)
    show([*report_parts(report, WIDE), *attribution_parts(report, WIDE)], console)
    return text.getvalue()


def _page(run: Path, folder: Path) -> str:
    write_page([run], folder / "page.html")
    page = (folder / "page.html").read_text(encoding="utf-8")
    page = re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


# The one with several repeats, and a model that is a language model: no group is empty.
RUN = RUNS / "samples"


def test_every_column_is_in_the_terminal_and_in_the_page(tmp_path: Path) -> None:
    rows = ReportRows([report_run(RUN)])
    terminal, page = _terminal(RUN), _page(RUN, tmp_path)
    for column in _groups(rows):
        for word in column.title.replace("\u00ad", "-\n").split():
            assert word in terminal, column.title
        title = f"{column.title} {column.unit}".strip()
        assert title in page, column.title


def test_every_meaning_stands_once_in_the_notes(tmp_path: Path) -> None:
    report = report_run(RUN)
    terms = explained(_groups(ReportRows([report])))
    terminal = " ".join(_terminal(RUN).split())
    said = " ".join([*notes(report), *warnings(report)])
    for term, meaning in terms.items():
        assert f"{term}: {meaning}" in terminal, term
        assert meaning not in said, term


def test_a_warning_stands_in_the_page_once(tmp_path: Path) -> None:
    page = _page(RUN, tmp_path)
    for line in warnings(report_run(RUN)):
        assert page.count(" ".join(line.split())) == 1, line


def test_a_terminal_leaves_out_what_it_has_no_room_for_and_the_page_nothing() -> None:
    columns = [
        Column[int]("name", lambda n: words(f"row {n}"), is_number=False),
        Column[int]("square root", count, help="of nothing", needs=50),
    ]
    table = Table("A table", columns, [1, 2])
    assert [column.title for column in table.fitting(49)] == ["name"]
    assert [column.title for column in table.fitting(50)] == ["name", "square root"]
    page = written(data_table(table))
    assert ">square root<" in page
    assert "<dd>of nothing</dd>" in page


def test_an_interval_is_worked_out_for_the_page_alone() -> None:
    def extra(_: int) -> str:
        raise ZeroDivisionError

    table = Table("A table", [Column[int]("n", count, extra=extra)], [1])
    assert drawn(table, 80).row_count == 1
    with pytest.raises(ZeroDivisionError):
        data_table(table)


def test_a_mark_is_seen_heard_and_explained() -> None:
    column = Column[str]("strategy", lambda name: Cell(name, marks=(ORACLE,)), is_number=False)
    page = written(data_table(Table("Names", [column], ["<b>rag</b>"])))
    assert "<bdi>&lt;b&gt;rag&lt;/b&gt;</bdi>" in page
    assert "◆" in page
    assert "(oracle)" in page
    assert ORACLE.meaning in page


def test_a_few_dialogues_have_no_error_and_none_have_a_dash() -> None:
    assert estimated(Estimate(mean=0.5, se=0.1, n=4)).error == ""
    assert estimated(Estimate(mean=0.5, se=0.1, n=5)).error == "± 10.0"
    assert percent(None).text == estimated(Estimate(mean=None, se=None, n=0)).text == "–"
    assert percent(0.1234).text == "12.3"


def test_columns_of_a_part_are_the_same_columns() -> None:
    inner = Column[int](
        "a", count, help="b", needs=3, is_number=False, unit="%", over="n", term="t", extra=str
    )
    (outer,) = of_part([inner], len)
    assert outer.cell("four") == count(4)
    assert outer.extra is not None
    assert outer.extra("four") == "4"
    same = ("title", "help", "needs", "is_number", "unit", "over", "term")
    assert all(getattr(outer, name) == getattr(inner, name) for name in same)


def test_a_legend_says_each_term_once() -> None:
    columns = [Column[int](title, count, help="what", term="t") for title in ("t one", "t two")]
    assert legend([*columns, Column[int]("not explained", count)]) == "t: what."
    assert legend([Column[int]("not explained", count)]) == ""
