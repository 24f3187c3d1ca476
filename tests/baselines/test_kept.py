"""Kept rankings are replayed for the same units and query, and for no others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from baselines.kept import Kept
from memorycode.errors import PluginError, UsageError
from memorycode.protocols import Hit, Retriever, Unit
from memorycode.retrieval.gold import sees_gold
from memorycode.retrieval.saved_rankings import SavedRanking, UnitsHash, rankings_writer

UNITS = [Unit("oak", 0), Unit("ash", 0), Unit("elm", 1)]
HITS = [Hit(2, 3.0), Hit(0, 0.1 + 0.2), Hit(1, -1.0)]


def keep(
    folder: Path, hits: Sequence[Hit], retriever: str = "bm25", *, oracle: bool = False
) -> None:
    digest = UnitsHash()
    digest.add(UNITS)
    with rankings_writer(folder) as write:
        write([SavedRanking(retriever, oracle, str(digest), "q", hits)])


def filled(folder: Path, units: Sequence[Unit] = UNITS) -> Kept:
    retriever = Kept(folder=folder)
    for unit in units:
        retriever.add([unit])
    return retriever


def test_the_same_units_and_query_get_the_ranking_back(tmp_path: Path) -> None:
    keep(tmp_path, HITS)
    retriever = filled(tmp_path)
    assert isinstance(retriever, Retriever)
    assert [retriever.search("q", k) for k in (-1, 0, 2, 9)] == [[], [], HITS[:2], HITS]


@pytest.mark.parametrize("oracle", [True, False])
def test_what_an_oracle_ranked_stays_an_oracles(tmp_path: Path, oracle: bool) -> None:
    keep(tmp_path, HITS, oracle=oracle)
    assert sees_gold(filled(tmp_path)) is oracle


@pytest.mark.parametrize("units", [UNITS[:2], UNITS[::-1], [Unit("oak ash", 0), UNITS[2]], []])
def test_other_units_have_none(tmp_path: Path, units: list[Unit]) -> None:
    keep(tmp_path, HITS)
    with pytest.raises(PluginError, match=r"no ranking of these units for 'q'; they were made of"):
        filled(tmp_path, units).search("q", 1)


def test_another_query_has_none(tmp_path: Path) -> None:
    keep(tmp_path, HITS)
    with pytest.raises(PluginError, match="no ranking of these units for 'Q'"):
        filled(tmp_path).search("Q", 1)


def test_a_folder_that_is_written_again_is_read_again(tmp_path: Path) -> None:
    keep(tmp_path, HITS)
    assert filled(tmp_path).search("q", 1) == HITS[:1]
    import os

    keep(tmp_path, HITS[::-1])
    os.utime(tmp_path / "rankings.jsonl", ns=(1, 1))
    assert filled(tmp_path).search("q", 1) == HITS[2:]


def test_a_folder_without_rankings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"rankings\.jsonl: cannot be read"):
        Kept(folder=tmp_path / "nowhere")
