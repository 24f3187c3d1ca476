"""A prompt that a model's context does not hold is not sent, or is cut where that is wanted."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorycode.dialogue import Dialogue
from memorycode.evaluation import evaluate
from memorycode.experiment import Overflow
from memorycode.reporting.comparison import comparison_text
from memorycode.reporting.html.page import write_page
from memorycode.reporting.tables import report_text
from memorycode.results.compare import compare_runs
from memorycode.results.found_question import find_question
from memorycode.results.summary import RunReport
from memorycode.running.folder import RunFolder
from memorycode.running.records import Record
from memorycode.tokens import token_counter


def _run(
    dialogue: Dialogue,
    out: Path,
    *,
    model: str = "plugins:Writing",
    on_overflow: Overflow = "fail",
    limit: int | None = None,
) -> tuple[RunReport, list[Record]]:
    import plugins  # type: ignore[import-not-found]

    plugins.Writing.asked.clear()
    plugins.Narrow.asked.clear()
    report = evaluate(
        [dialogue],
        strategies=["full_history"],
        models=[model],
        context_limit=limit,
        on_overflow=on_overflow,
        out=out,
    )
    return report, list(RunFolder(out).records())


def test_what_does_not_fit_is_a_failure_that_was_not_sent(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    import plugins

    report, records = _run(small_dialogue, tmp_path, limit=100)
    assert {record.outcome for record in records} == {"context_too_long"}
    assert plugins.Writing.asked == []
    assert f"has {records[0].prompt_tokens} tokens" in records[0].error
    assert "leaves 100 for it" in records[0].error
    (row,) = report.rows
    assert row.spending.calls == 0
    assert row.failed == {"context_too_long": 2}


def test_the_oldest_is_cut_until_it_fits(small_dialogue: Dialogue, tmp_path: Path) -> None:
    import plugins

    _, whole = _run(small_dialogue, tmp_path / "whole")
    limit = whole[0].prompt_tokens - 1
    _, records = _run(small_dialogue, tmp_path / "cut", limit=limit, on_overflow="truncate-oldest")
    count = token_counter()
    for record, prompt in zip(records, plugins.Writing.asked, strict=True):
        assert record.outcome == "answered"
        assert record.truncated is not None
        assert record.truncated.passages == 1
        assert sum(map(count, prompt.parts)) == record.prompt_tokens <= limit
        assert "Welcome" not in prompt.text
        assert "Cake" in prompt.text
        assert find_question(tmp_path / "cut", record.id).prompt == prompt.text


def test_what_fits_is_left_alone(small_dialogue: Dialogue, tmp_path: Path) -> None:
    _, whole = _run(small_dialogue, tmp_path / "whole")
    longest = max(record.prompt_tokens for record in whole)
    _, records = _run(
        small_dialogue, tmp_path / "fits", limit=longest, on_overflow="truncate-oldest"
    )
    assert all(record.truncated is None for record in records)
    assert [record.context for record in records] == [record.context for record in whole]


def test_a_question_that_is_too_long_by_itself_fails_all_the_same(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    _, records = _run(small_dialogue, tmp_path, limit=5, on_overflow="truncate-oldest")
    assert {record.outcome for record in records} == {"context_too_long"}


@pytest.mark.parametrize("limit", [None, 100_000])
def test_a_models_own_limit_holds_unless_another_is_given(
    small_dialogue: Dialogue, tmp_path: Path, limit: int | None
) -> None:
    _, records = _run(small_dialogue, tmp_path, model="plugins:Narrow", limit=limit)
    outcome = "answered" if limit else "context_too_long"
    assert {record.outcome for record in records} == {outcome}


def test_the_answer_needs_room_too(small_dialogue: Dialogue, tmp_path: Path) -> None:
    import plugins

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plugins.Writing, "options", {"max_tokens": 900})
        _, records = _run(small_dialogue, tmp_path, limit=1000)
    assert "leaves 100 for it" in records[0].error


def test_recalls_that_were_cut_are_told_wherever_scores_are(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    _, whole = _run(small_dialogue, tmp_path / "whole")
    limit = whole[0].prompt_tokens - 1
    report, _ = _run(small_dialogue, tmp_path / "cut", limit=limit, on_overflow="truncate-oldest")
    told = "full_history: 2 of 2 recalls (100.0 %) were cut, oldest first."
    assert told in " ".join(report_text(report).split())
    write_page([tmp_path / "cut"], tmp_path / "page.html")
    assert told in (tmp_path / "page.html").read_text(encoding="utf-8")
    compared = compare_runs([tmp_path / "whole", tmp_path / "cut"])
    (pair,) = compared.pairs
    assert (pair.first.truncated, pair.second.truncated, pair.second.recalls) == (0, 2, 2)
    assert "2 of 2 recalls (100.0 %) were cut" in comparison_text(compared, 0)
    (row,) = report.rows
    assert report.as_json()["strategies"]["full_history"]["recalls"] == row.recalls == 2
    fits, _ = _run(small_dialogue, tmp_path / "fits", limit=10**6, on_overflow="truncate-oldest")
    assert "were cut" not in report_text(fits)
