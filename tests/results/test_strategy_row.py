"""A row's headline is of the last checkpoint, whatever was asked before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memorycode import evaluate
from memorycode.results.strategy_row import StrategyRow
from tests.conftest import make_dialogue

BUDGET = 30
"""Holds little more than the latest session: at the first checkpoint nothing is cut or lost, at the
last one both rules are, so that counts over all checkpoints are others than those of the last."""


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[StrategyRow, StrategyRow]]:
    """The whole transcript, asked for after every session and after the last one alone."""
    out: Path = tmp_path_factory.mktemp("run") / "run"
    report = evaluate(
        [make_dialogue(number) for number in (1, 2, 3)],
        strategies=["cumulative", "full_history"],
        context_budget=BUDGET,
        out=out,
    )
    every, last = report.rows
    assert every.questions > last.questions
    yield every, last


def test_tokens_are_those_of_the_last_checkpoint(
    rows: tuple[StrategyRow, StrategyRow],
) -> None:
    every, last = rows
    assert last.context_tokens_mean is not None
    assert every.context_tokens_mean == last.context_tokens_mean > 0


def test_what_was_cut_and_recalled_is_that_of_the_last_checkpoint(
    rows: tuple[StrategyRow, StrategyRow],
) -> None:
    every, last = rows
    assert every.truncated == last.truncated == last.questions
    assert every.recalled == last.recalled
    assert last.recalled.current["short_history"].mean == 0


def test_causes_are_those_of_the_last_checkpoint(rows: tuple[StrategyRow, StrategyRow]) -> None:
    every, last = rows
    assert every.causes == last.causes
    assert last.causes["strict"]["not_recalled"] > 0


def test_scores_and_shares_are_those_of_the_last_checkpoint(
    rows: tuple[StrategyRow, StrategyRow],
) -> None:
    every, last = rows
    assert every.scores == last.scores
    assert every.counts == last.counts
    assert len(every.curve) == 4
    assert last.curve == {}
