"""Figures show the numbers of their CSV, in the same bytes each time."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from memorycode.errors import UsageError
from memorycode.figures import files
from memorycode.figures.draw import draw
from memorycode.figures.files import write_series
from memorycode.figures.latex import escape, latex
from memorycode.figures.style import (
    COLUMN_WIDTH,
    DAY,
    DAY_OR_NIGHT,
    NIGHT,
    POINTS,
    Colors,
    looks,
    style_sheet,
)
from memorycode.markup import Node
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


def drawn(what: Series) -> Node:
    return draw(what)


def _shapes(figure: Node, tag: str, class_: str) -> list[Node]:
    return [node for node in figure.iter(tag) if class_ in node.get("class", "").split()]


def _marks(figure: Node) -> list[tuple[str, float, float]]:
    """What a mark says of itself, and the middle of what is drawn."""
    found = []
    for node in figure.iter():
        if "mark" in node.get("class", "").split() and (title := node.find("title")) is not None:
            found.append((str(title.text), *_middle(node)))
    return found


def _middle(node: Node) -> tuple[float, float]:
    if node.tag == "circle":
        return float(node.get("cx", "")), float(node.get("cy", ""))
    steps = re.findall(r"[ML]([\d.-]+) ([\d.-]+)", node.get("d", ""))
    xs, ys = ([float(step[at]) for step in steps] for at in (0, 1))
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def _texts(figure: Node) -> list[str]:
    return ["".join(node.itertext()) for node in figure.iter("text")]


def test_lines_are_the_numbers_of_the_csv() -> None:
    what = series(x_scale="linear")
    told = [words for words, _, _ in _marks(drawn(what))]
    assert told == [
        "a_model, 1: 75.0 % (50.0 % to 90.0 %)",
        "a_model, 2: 50.0 % (25.0 % to 62.5 %)",
        "b, 1: 12.5 %",
        "b, 2: 100.0 % (100.0 % to 100.0 %)",
    ]


def test_marks_stand_where_their_numbers_are() -> None:
    marks = _marks(drawn(series(x_scale="linear")))
    heights = [y for _, _, y in marks]
    # A quarter of the score is as high wherever it stands.
    quarter = (heights[1] - heights[0]) / 0.25
    assert heights[2] == pytest.approx(heights[0] + quarter * 0.625, abs=0.3)
    assert heights[3] == pytest.approx(heights[0] - quarter * 0.25, abs=0.3)
    assert len({round(x, 1) for _, x, _ in marks}) == 2


def test_no_line_leads_to_a_point_of_too_few_dialogues() -> None:
    figure = drawn(series())
    hollow = [node for node in figure.iter() if "hollow" in node.get("class", "")]
    assert [node.findtext("title") for node in hollow] == ["b, 1: 12.5 %"]
    legend = [node for node in _shapes(figure, "path", "line") if "d1" in node.get("class", "")]
    assert len(legend) == 1, "b has its line in the legend alone"


def test_bars_are_the_numbers_of_the_csv() -> None:
    bars = [
        bar for bar in _shapes(drawn(series(kind="bars")), "rect", "bar") if bar.findtext("title")
    ]
    heights = [float(bar.get("height", "")) for bar in bars]
    assert [height / heights[3] for height in heights] == pytest.approx(
        [0.75, 0.5, 0.125, 1.0], abs=0.002
    )


def test_stacked_bars_begin_where_the_last_one_ended() -> None:
    figure = drawn(series(kind="stacked", whole=False))
    bars = [bar for bar in _shapes(figure, "rect", "bar") if bar.findtext("title")]
    first, second, third, fourth = (
        (float(bar.get("x", "")), float(bar.get("width", ""))) for bar in bars
    )
    assert sum(first) == pytest.approx(third[0], abs=0.05)
    assert sum(second) == pytest.approx(fourth[0], abs=0.05)
    assert first[1] / fourth[1] == pytest.approx(0.75, abs=0.002)


@pytest.mark.parametrize("kind", ["dots", "scatter"])
def test_points_are_the_numbers_of_the_csv(kind: str) -> None:
    marks = _marks(drawn(series(kind=kind, x_scale="linear")))
    values = [x if kind == "dots" else -y for _, x, y in marks]
    shares = [(value - values[2]) / (values[3] - values[2]) for value in values]
    assert shares == pytest.approx([0.625 / 0.875, 0.375 / 0.875, 0, 1], abs=0.01)


def test_panels_draw_their_own_rows_and_no_more_than_said() -> None:
    figure = drawn(series(kind="dots", panel="label", by="label", most=1))
    assert [words.partition(",")[0] for words, _, _ in _marks(figure)] == ["a_model", "b"]
    titles = ["".join(node.itertext()) for node in _shapes(figure, "text", "title")]
    assert titles[:2] == ["a_model", "b"]


def test_a_category_stands_at_the_same_place_in_every_panel() -> None:
    rows: tuple[tuple[Value, ...], ...] = (
        ("a", "first", 0.1, None, None),
        ("a", "second", 0.2, None, None),
        ("b", "second", 0.3, None, None),
    )
    (_, _, _), (_, above, _), (_, below, _) = _marks(drawn(series(rows, panel="label")))
    assert above == pytest.approx(below, abs=0.1)


def test_a_figure_is_as_wide_as_a_column() -> None:
    _, _, width, _ = drawn(series()).get("viewBox", "").split()
    assert float(width) == pytest.approx(COLUMN_WIDTH * POINTS)


def test_things_compared_differ_in_more_than_colour() -> None:
    for kind, count in (("lines", 10), ("bars", 6)):
        found = looks([f"thing {n}" for n in range(count)])
        if kind == "lines":
            assert len({(look.marker, look.dashes) for look in found.values()}) == count
        else:
            assert len({look.hatch for look in found.values()}) == count


def test_what_has_an_order_gets_shades_from_end_to_end() -> None:
    colors = [look.color for look in looks([1, 5, 10, 100]).values()]
    assert colors == ["s0", "s4", "s7", "s11"]


@pytest.mark.parametrize("colors", [DAY, NIGHT, DAY_OR_NIGHT])
def test_every_class_that_looks_name_has_a_rule(colors: Colors) -> None:
    sheet = style_sheet(colors)
    for look in looks([f"thing {n}" for n in range(20)]).values():
        assert f".{look.color}{{" in sheet
    for look in looks(list(range(30))).values():
        assert f".{look.color}{{" in sheet


@pytest.mark.parametrize("kind", ["lines", "bars", "stacked"])
def test_the_same_numbers_give_the_same_bytes(kind: str, tmp_path: Path) -> None:
    rows = tuple((f"{name} {n}", *rest) for name, *rest in ROWS for n in range(4))
    what = series(rows, kind=kind)
    first = {file.name: file.read_bytes() for file in write_series(what, tmp_path / "0")}
    for again in range(1, 6):
        files = write_series(what, tmp_path / str(again))
        assert {file.name: file.read_bytes() for file in files} == first
    assert sorted(first) == ["one.csv", "one.pdf", "one.png", "one.svg"]
    # Type 3, which journals refuse, would say so; TrueType has its glyphs by character ids.
    assert b"/Type3" not in first["one.pdf"]
    assert b"/CIDFontType2" in first["one.pdf"] or b"/TrueType" in first["one.pdf"]


def test_without_the_converter_there_are_the_csv_and_the_svg(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "can_convert", lambda: False)
    assert [file.name for file in write_series(series(), tmp_path)] == ["one.csv", "one.svg"]


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


def test_a_name_with_dollars_markup_or_a_strange_script_is_drawn(tmp_path: Path) -> None:
    hostile = series(rows=(("$\\frac{$ <b>&\x1b 模型", 1, 0.5, None, None),), panel="label")
    files = write_series(hostile, tmp_path)
    assert len(files) == 4
    ElementTree.fromstring(files[1].read_bytes())  # well-formed


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


def test_the_legend_names_everything_that_is_compared() -> None:
    rows: tuple[tuple[Value, ...], ...] = (
        ("_mine:Memory", 1, 0.5, None, None),
        ("rag ◆", 1, 0.5, None, None),
    )
    figure = drawn(series(rows))
    assert _texts(figure)[-2:] == ["_mine:Memory", "rag"]
    assert len(_shapes(figure, "path", "sign")) == 1, "an oracle's mark is drawn"


def test_categories_stand_in_their_order() -> None:
    rows: tuple[tuple[Value, ...], ...] = (
        ("a", "last", 0.1, None, None),
        ("b", "first", 0.2, None, None),
        ("b", "last", 0.3, None, None),
    )
    what = series(rows).model_copy(update={"order": ("first", "middle", "last")})
    texts = _texts(drawn(what))
    assert texts.index("first") < texts.index("last")
    assert "middle" not in texts


def test_a_point_without_a_score_is_not_drawn_at_nought() -> None:
    rows: tuple[tuple[Value, ...], ...] = (
        ("a", 1, None, None, None),
        ("b", 2, 0.5, None, None),
    )
    figure = drawn(series(rows, kind="scatter", x_scale="linear"))
    assert [words for words, _, _ in _marks(figure)] == ["b, 2: 50.0 %"]


def test_a_logarithmic_axis_has_plain_numbers() -> None:
    rows: tuple[tuple[Value, ...], ...] = (
        ("a", 90, 0.5, None, None),
        ("b", 12_000, 0.6, None, None),
    )
    texts = _texts(drawn(series(rows, kind="scatter", x_scale="log")))
    assert {"100", "1,000", "10,000"} <= set(texts)


def test_nought_on_a_logarithmic_axis_stands_at_its_end() -> None:
    rows: tuple[tuple[Value, ...], ...] = (("a", 0, 0.5, None, None), ("b", 1000, 0.6, None, None))
    marks = _marks(drawn(series(rows, kind="scatter", x_scale="log")))
    assert 0 < marks[0][1] < marks[1][1]


@pytest.mark.parametrize("kind", ["dots", "stacked"])
def test_a_name_of_any_length_leaves_room_for_the_plot(kind: str) -> None:
    spec = "rag:k=2000tokens,query=vocabulary,unit=turn,speaker=mentor"
    rows: tuple[tuple[Value, ...], ...] = (
        (spec, 1, 0.5, None, None),
        ("x" * 400, 1, 0.5, None, None),
    )
    figure = drawn(series(rows, kind=kind, x="label", by="x", panel=""))
    axis = min(_middle(node)[0] for node in _shapes(figure, "path", "axis"))
    assert axis < 0.6 * COLUMN_WIDTH * POINTS
    lines = [words for words in _texts(figure) if words.strip()]
    assert "".join(words.strip() for words in lines).count(spec) == 1
    assert any(words.endswith("…") for words in lines)


def test_labels_without_room_are_turned_and_those_of_numbers_left_out() -> None:
    names = tuple((f"a category of some length {n}", n) for n in range(6))
    rows: tuple[tuple[Value, ...], ...] = tuple(("a", name, 0.5, None, None) for name, _ in names)
    turned = [n for n in drawn(series(rows)).iter("text") if "rotate(-30" in n.get("transform", "")]
    assert len(turned) == 6
    rows = tuple(("a", 1000 + n, 0.5, None, None) for n in range(60))
    numbers = [words for words in _texts(drawn(series(rows, x_scale="linear"))) if "10" in words]
    assert "1059" in numbers and len(numbers) < 30


def test_no_earlier_picture_and_no_half_of_one_stays_beside_new_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_series(series(), tmp_path)
    write_series(series(rows=()), tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["one.csv"]

    def fails(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "write_bytes", fails)
    with pytest.raises(OSError, match="full"):
        write_series(series(), tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["one.csv"]


@pytest.mark.parametrize("kind", ["csv", "svg", "pdf", "png"])
def test_a_picture_or_table_of_somebody_else_is_left_alone(tmp_path: Path, kind: str) -> None:
    theirs = tmp_path / f"one.{kind}"
    theirs.write_bytes({"svg": b'<svg xmlns="http://www.w3.org/2000/svg"/>'}.get(kind, b"mine"))
    before = theirs.read_bytes()
    with pytest.raises(UsageError, match=f"one.{kind}: is there already"):
        write_series(series(), tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [theirs.name]
    assert theirs.read_bytes() == before
    theirs.unlink()
    first = {file.name: file.read_bytes() for file in write_series(series(), tmp_path)}
    again = {file.name: file.read_bytes() for file in write_series(series(), tmp_path)}
    assert again == first


def test_a_picture_that_is_not_drawn_here_is_not_removed(tmp_path: Path) -> None:
    theirs = tmp_path / "one.png"
    theirs.write_bytes(b"mine")
    write_series(series(rows=()), tmp_path)
    assert theirs.read_bytes() == b"mine"


def test_the_pictures_that_name_their_software_can_still_be_read(tmp_path: Path) -> None:
    png = next(file for file in write_series(series(), tmp_path) if file.suffix == ".png")
    data, at, kinds = png.read_bytes(), 8, []
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        kinds.append(data[at + 4 : at + 8])
        checksum = data[at + 8 + length : at + 12 + length]
        assert zlib.crc32(data[at + 4 : at + 8 + length]).to_bytes(4, "big") == checksum
        at += 12 + length
    assert kinds[:2] == [b"IHDR", b"tEXt"]
    assert kinds[-1] == b"IEND"
