"""A grid's lists: what is wrong is named together with what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memorycode.ablation.grid import Grid, load_grid, make_grid
from memorycode.errors import UsageError
from memorycode.experiment import GRID, read_tables, shipped_experiments


def test_the_default_is_the_papers_cell() -> None:
    (only,) = make_grid({}).rankings()
    assert (only.retriever, only.query, only.unit, only.speaker) == (
        "bm25",
        "task",
        "session",
        "all",
    )
    assert make_grid({}).k == ("dynamic",)


def test_rankings_are_all_combinations_but_of_k() -> None:
    grid = make_grid({"query": ("task", "multi"), "unit": ("turn", "session"), "k": ("1", "2")})
    assert [(one.query, one.unit) for one in grid.rankings()] == [
        ("task", "turn"),
        ("task", "session"),
        ("multi", "turn"),
        ("multi", "session"),
    ]


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ({"query": ("tasks",)}, r"query\[0\]: want 'task', 'guidelines'.*found 'tasks'"),
        ({"unit": ("session", "page")}, r"unit is 'page'; it is session, exchange, turn or"),
        ({"speaker": ("mentee",)}, r"speaker\[0\]: want 'all' or 'mentor', found 'mentee'"),
        ({"k": ("5", "most")}, r"k is 'most'; it is a whole number from 1 on, a share"),
        ({"k": ()}, r"k: want at least 1"),
        ({"retriever": "bm25"}, r"retriever: want a list"),
        ({"size": ("5",)}, r"size: there is no such list; there are retriever, query, unit"),
        ({"query": ("model",)}, r"'model' asks a language model.*rag:query=model"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_allowed(lists: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make_grid(lists)


def test_options_replace_whole_lists_and_empty_ones_do_not() -> None:
    grid = make_grid({"query": ("task", "multi"), "k": ("1",)})
    changed = grid.with_options(k=("5", "cliff"), query=())
    assert changed == grid.model_copy(update={"k": ("5", "cliff")})


def test_a_grid_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[grid]\nquery = ["multi"]\nk = ["5"]\n')
    assert load_grid(str(file)) == Grid(query=("multi",), k=("5",))
    file.write_text('[grid]\nk = ["none"]\n')
    with pytest.raises(UsageError, match=r"mine\.toml: grid\.k is 'none'"):
        load_grid(str(file))
    file.write_text("[grid]\nk = [5]\n")
    assert load_grid(str(file)).k == ("5",)
    file.write_text('strategies = ["rag"]\n')
    with pytest.raises(UsageError, match=r"mine\.toml: there is no table \[grid\] in it"):
        load_grid(str(file))


@pytest.mark.parametrize("name", [n for n in shipped_experiments() if GRID in read_tables(n)])
def test_the_shipped_grids_can_be_measured(name: str) -> None:
    assert list(load_grid(name).rankings())
