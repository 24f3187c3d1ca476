"""Figures show the numbers of their CSV, in the same bytes each time."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from memorycode.errors import UsageError
from memorycode.figures import files
from memorycode.figures.files import write_series
from memorycode.figures.latex import escape, latex
from memorycode.figures.panels import draw
from memorycode.figures.style import COLUMN_WIDTH, OKABE_ITO, house_style
from memorycode.results.figures.series import Drawing, Layout, Series, Value

COLUMNS = ("label", "x", "mean", "low", "high")
ROWS: tuple[tuple[Value, ...], ...] = (
    ("a_model", 1, 0.75, 0.5, 0.9),
    ("a_model", 2, 0.5, 0.25, 0.625),
    ("b", 1, 0.125, None, None),
    ("b", 2, 1.0, 1.0, 1.0),
)


def series(rows: tuple[tuple[Value, ...], ...] = ROWS, **drawing: Any) -> Series:
    settings = {
        "kind": "lines",
        "x": "x",
        "y": "mean",
        "low": "low",
        "high": "high",
        "by": "label",
        "x_label": "sessions",
        "y_label": "score",
    }
    return Series(
        name="one",
        title="Scores & such",
        columns=COLUMNS,
        rows=rows,
        layout=Layout(index=("x",), across="label", value="mean", low="low", high="high"),
        drawing=Drawing.model_validate(settings | drawing),
        notes=("100 % ours.",),
    )


def drawn(what: Series) -> Figure:
    with house_style():
        return draw(what)


def _shown(figure: Figure) -> list[tuple[float, float]]:
    lines: list[Any] = list(figure.axes[0].lines)
    return sorted(
        (float(x), float(y))
        for line in lines
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
        if not math.isnan(y)
    )


def test_lines_are_the_numbers_of_the_csv() -> None:
    what = series(x_scale="log")
    table = list(csv.DictReader(io.StringIO(what.csv())))
    assert _shown(drawn(what)) == sorted((float(row["x"]), float(row["mean"])) for row in table)


def test_no_line_leads_to_a_point_of_too_few_dialogues() -> None:
    lines: list[Any] = list(drawn(series()).axes[0].lines)
    hollow = [line for line in lines if line.get_linestyle() == "None"]
    assert [list(line.get_ydata()) for line in hollow] == [[], [0.125]]
    assert {line.get_markerfacecolor() for line in hollow} == {"none"}


def test_bars_are_the_numbers_of_the_csv() -> None:
    bars: list[Any] = list(drawn(series(kind="bars")).axes[0].patches)
    assert [bar.get_height() for bar in bars] == [0.75, 0.5, 0.125, 1.0]


def test_stacked_bars_begin_where_the_last_one_ended() -> None:
    bars: list[Any] = list(drawn(series(kind="stacked", whole=False)).axes[0].patches)
    assert [(bar.get_x(), bar.get_width()) for bar in bars] == [
        (0, 0.75),
        (0, 0.5),
        (0.75, 0.125),
        (0.5, 1.0),
    ]


@pytest.mark.parametrize("kind", ["dots", "scatter"])
def test_points_are_the_numbers_of_the_csv(kind: str) -> None:
    axes = drawn(series(kind=kind)).axes[0]
    values = "get_xdata" if kind == "dots" else "get_ydata"
    points = [
        float(value)
        for line in axes.lines
        if line.get_linestyle() == "None" and line.get_marker() not in ("|", "_")
        for value in getattr(line, values)()
    ]
    assert points == [0.75, 0.5, 0.125, 1.0]


def test_panels_draw_their_own_rows_and_no_more_than_said() -> None:
    axes = drawn(series(kind="dots", panel="label", by="label", most=1)).axes
    assert [one.get_title(loc="right") for one in axes] == ["a_model", "b"]
    assert [len(one.get_yticks()) for one in axes] == [1, 1]


def test_a_category_stands_at_the_same_place_in_every_panel() -> None:
    rows: tuple[tuple[Value, ...], ...] = (
        ("a", "first", 0.1, None, None),
        ("a", "second", 0.2, None, None),
        ("b", "second", 0.3, None, None),
    )
    figure = drawn(series(rows, panel="label"))
    below: list[Any] = list(figure.axes[1].lines)
    assert [x for line in below for x in line.get_xdata()] == [1.0]
    assert [label.get_text() for label in figure.axes[1].get_xticklabels()] == ["first", "second"]


def test_a_figure_is_as_wide_as_a_column() -> None:
    assert drawn(series()).get_size_inches()[0] == pytest.approx(COLUMN_WIDTH)


def test_things_compared_differ_in_more_than_colour() -> None:
    lines = [line for line in drawn(series()).axes[0].lines if line.get_label() in ("a_model", "b")]
    assert [line.get_color() for line in lines] == list(OKABE_ITO[:2])
    assert len({line.get_marker() for line in lines}) == 2
    assert len({line.get_linestyle() for line in lines}) == 2


def test_the_same_numbers_give_the_same_bytes(tmp_path: Path) -> None:
    first = {file.name: file.read_bytes() for file in write_series(series(), tmp_path / "1")}
    second = {file.name: file.read_bytes() for file in write_series(series(), tmp_path / "2")}
    assert first == second
    assert sorted(first) == ["one.csv", "one.pdf", "one.png"]
    assert b"CreationDate" not in first["one.pdf"]
    # Type 3, which journals refuse, would say so; TrueType has its glyphs by character ids.
    assert b"/Type3" not in first["one.pdf"]
    assert b"/CIDFontType2" in first["one.pdf"] or b"/TrueType" in first["one.pdf"]


def test_matplotlibs_settings_are_as_before(tmp_path: Path) -> None:
    mpl.rcParams["font.size"] = 13
    try:
        write_series(series(), tmp_path)
        assert mpl.rcParams["font.size"] == 13
    finally:
        mpl.rcdefaults()


def test_without_matplotlib_there_is_the_csv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "can_draw", lambda: False)
    assert [file.name for file in write_series(series(), tmp_path)] == ["one.csv"]


def test_nothing_to_draw_is_a_csv_with_a_header(tmp_path: Path) -> None:
    [file] = write_series(series(rows=()), tmp_path)
    assert file.read_text(encoding="utf-8") == "label,x,mean,low,high\n"


def test_figures_go_to_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="is a file"):
        write_series(series(), tmp_path / "file")


def test_latex_has_every_cell_and_means_what_it_says() -> None:
    assert latex(series()).splitlines() == [
        "% Scores & such. 100 % ours.",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"x & a\_model & b \\",
        r"\midrule",
        r"1 & 75.0 [50.0, 90.0] & 12.5 \\",
        r"2 & 50.0 [25.0, 62.5] & 100.0 [100.0, 100.0] \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_a_name_with_dollars_or_a_strange_script_is_drawn(tmp_path: Path) -> None:
    hostile = series(rows=(("$\\frac{$ \x1b 模型", 1, 0.5, None, None),), panel="label")
    assert len(write_series(hostile, tmp_path)) == 3


def test_hostile_labels_cannot_speak_to_latex() -> None:
    assert escape("\\input{x}\n%_&$#^~\x1b") == (
        r"\textbackslash{}input\{x\}\%\_\&\$\#\textasciicircum{}\textasciitilde{}"
    )
    hostile = series(rows=(("$\\alpha_{", 1, 0.5, None, None),))
    assert r"\$\textbackslash{}alpha\_\{" in latex(hostile)


def test_a_line_of_latex_begins_with_no_option_and_a_comment_is_one_line() -> None:
    hostile = series(rows=(("[1ex]", "*", 0.5, None, None),)).model_copy(
        update={"layout": Layout(index=("label",), across="x", value="mean")}
    )
    noted = hostile.model_copy(update={"notes": ("1 time\n\\\\input{x}",)})
    lines = latex(noted).splitlines()
    assert lines[0] == r"% Scores & such. 1 time\\input{x}"
    assert r"{}[1ex] & 50.0 \\" in lines
    assert [line for line in lines if line.startswith(("[", "*"))] == []


def test_a_name_with_an_underscore_in_front_stands_in_the_legend() -> None:
    rows: tuple[tuple[Value, ...], ...] = (
        ("_mine:Memory", 1, 0.5, None, None),
        ("b", 1, 0.5, None, None),
    )
    [legend] = drawn(series(rows)).legends
    assert [text.get_text().strip() for text in legend.get_texts()] == ["_mine:Memory", "b"]


def test_categories_stand_in_their_order() -> None:
    rows: tuple[tuple[Value, ...], ...] = (
        ("a", "last", 0.1, None, None),
        ("b", "first", 0.2, None, None),
        ("b", "last", 0.3, None, None),
    )
    what = series(rows).model_copy(update={"order": ("first", "middle", "last")})
    labels = drawn(what).axes[0].get_xticklabels()
    assert [label.get_text() for label in labels] == ["first", "last"]


def test_a_point_without_a_score_is_not_drawn_at_nought() -> None:
    rows: tuple[tuple[Value, ...], ...] = (
        ("a", 1, None, None, None),
        ("b", 2, 0.5, None, None),
    )
    lines: list[Any] = list(drawn(series(rows, kind="scatter")).axes[0].lines)
    values = [float(y) for line in lines for y in line.get_ydata()]
    assert 0.0 not in values and 0.5 in values


@pytest.mark.parametrize("kind", ["dots", "stacked"])
def test_a_name_of_any_length_leaves_room_for_the_plot(kind: str, tmp_path: Path) -> None:
    spec = "rag:k=2000tokens,query=vocabulary,unit=turn,speaker=mentor"
    rows: tuple[tuple[Value, ...], ...] = (
        (spec, 1, 0.5, None, None),
        ("x" * 400, 1, 0.5, None, None),
    )
    what = series(rows, kind=kind, x="label", by="x", panel="label")
    # matplotlib warns of axes that have collapsed, and warnings are errors.
    assert len(write_series(what, tmp_path)) == 3
    labels = [label.get_text() for axes in drawn(what).axes for label in axes.get_yticklabels()]
    assert labels[0].replace("\n  ", "") == spec
    assert max(len(line) for label in labels for line in label.splitlines()) <= 50
    assert labels[1].endswith("…")


def test_no_earlier_picture_and_no_half_of_one_stays_beside_new_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_series(series(), tmp_path)
    write_series(series(rows=()), tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["one.csv"]

    def fails(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Figure, "savefig", fails)
    with pytest.raises(OSError, match="full"):
        write_series(series(), tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["one.csv"]
