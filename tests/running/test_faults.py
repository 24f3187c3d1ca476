"""What strategies and models do wrong is named, counted, and never scored."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memorycode.dialogue import Dialogue
from memorycode.errors import ModelUnavailable, PluginError, UsageError
from memorycode.evaluation import evaluate, run_experiment
from memorycode.experiment import make_experiment
from memorycode.prompts import DEFAULT_PACK
from memorycode.reporting.tables import report_text
from memorycode.results.found_question import find_question
from memorycode.results.read import report_run
from memorycode.running.execution import Execution
from memorycode.running.folder import RunFolder

RowOf = Callable[..., dict[str, object]]


def test_failures_are_counted_by_kind_and_not_scored(
    row_of: RowOf, small_dialogue: Dialogue, tmp_path: Path
) -> None:
    report = evaluate(
        [small_dialogue], strategies=["full_history"], models=["plugins:Moody"], out=tmp_path
    )
    row = row_of(report)
    assert (row["questions"], row["answered"], row["failed"]) == (2, 1, 1)
    assert row["failures"] == {"server_error": 1}
    assert row["short_history"] == {"mean": 1.0, "se": None, "n": 1}
    assert report.has_failures
    failed = [record for record in RunFolder(tmp_path).records() if record.failed]
    assert [(r.outcome, r.error, dict(r.verdicts)) for r in failed] == [
        ("server_error", "503 from the endpoint", {})
    ]


def test_what_a_model_raises_by_mistake_is_a_failure_too(
    row_of: RowOf, small_dialogue: Dialogue, tmp_path: Path
) -> None:
    report = evaluate([small_dialogue], models=["plugins:Raising"], out=tmp_path)
    assert row_of(report)["failures"] == {"model_error": 2}
    record = next(RunFolder(tmp_path).records())
    assert record.error == "ZeroDivisionError: division by zero"


@pytest.mark.parametrize(
    ("strategy", "doing"),
    [
        ("Breaking", "observing session 2: KeyError: 'session 2 does not suit me' (plugins.py, "),
        ("Forgetful", "recalling after session 3: RuntimeError: what was the question?"),
        ("Chatty", "recalling after session 3: TypeError: recall() must return a Recall, not str"),
        ("Quitting", "recalling after session 3: SystemExit: 0"),
        ("Scribbling", "recalling after session 3: TypeError: the recall's notes are no JSON"),
        ("Unspeakable", "observing session 0: Mute: (its text cannot be had)"),
        ("Turncoat", "observing session 0: PluginError: oracle was False on trial and is True"),
    ],
)
def test_a_strategy_that_raises_loses_its_questions_and_is_named(
    row_of: RowOf, small_dialogue: Dialogue, tmp_path: Path, strategy: str, doing: str
) -> None:
    report = evaluate(
        [small_dialogue], strategies=[f"plugins:{strategy}", "full_history"], out=tmp_path
    )
    assert row_of(report)["failures"] == {"strategy_error": 2}
    assert row_of(report, 1)["failed"] == 0
    failed = [record for record in RunFolder(tmp_path).records() if record.failed]
    assert f"plugins:{strategy}, dialogue 7, {doing}" in failed[0].error
    assert failed[0].error in " ".join(report_text(report).split())


def test_a_model_that_cannot_be_used_stops_the_run(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    dialogues = [small_dialogue.model_copy(update={"number": n}) for n in range(1, 30)]
    with pytest.raises(ModelUnavailable, match="refuses the key"):
        evaluate(dialogues, models=["plugins:Locked"], out=tmp_path, concurrency=2)
    assert list(RunFolder(tmp_path).records()) == []
    # The other thread may have been about to ask; nobody asks after that.
    assert sys.modules["plugins"].Locked.calls <= 2


def test_questions_never_asked_are_missing_from_every_table(
    row_of: RowOf, small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], strategies=["full_history"], out=tmp_path)
    lines = (tmp_path / "asked.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "asked.jsonl").write_bytes(lines[0])
    report = report_run(tmp_path)
    row = row_of(report)
    assert (row["questions"], row["asked"], row["missing"]) == (2, 1, 1)
    assert (row["failed"], row["failures"]) == (0, {})
    assert "1 questions were not asked" in report_text(report)
    assert "UNFINISHED: 1 of 2 questions were asked" in report_text(report)
    coverage = row["coverage"]
    assert isinstance(coverage, dict)
    assert (coverage["questions"], coverage["answered"], coverage["missing"]) == (2, 1, 1)


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        (
            "nothing_such",
            UsageError,
            "no strategy named 'nothing_such'; installed are .*cumulative",
        ),
        ("plugins:Nothing", PluginError, "cannot be imported: AttributeError"),
        ("no.such.module:X", PluginError, "cannot be imported: ModuleNotFoundError"),
        ("plugins:Shapeless", PluginError, "Shapeless is no MemoryStrategy"),
        ("plugins:Diary:most=many", UsageError, "most: int = 3: 'many' does not fit"),
        ("plugins:Diary:least=1", UsageError, "no parameter 'least'; there are: most: int = 3"),
        ("plugins:Undated", PluginError, "ask_after is 'sometimes', want last or every"),
        ("plugins:Explosive", PluginError, "cannot be built: ValueError: boom"),
        ("rag:k=0", UsageError, "k is '0'; it is a whole number from 1 on"),
        ("rag:retriever=nothing", UsageError, "no retriever named 'nothing'; installed are bm25"),
        ("rag:retriever=bm25:k1=much", UsageError, "k1: float = 1.5: 'much' does not fit"),
        ("rag:k=5,k=6", UsageError, "parameter 'k' is given twice"),
    ],
)
def test_a_wrong_spec_is_explained_before_anything_is_asked(
    small_dialogue: Dialogue, tmp_path: Path, spec: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        evaluate([small_dialogue], strategies=[spec], out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_failed_questions_are_asked_again_only_if_wanted(
    row_of: RowOf, small_dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = make_experiment({"models": ["plugins:Recovering"], "strategies": ["no_memory"]})
    report = run_experiment(experiment, [small_dialogue], Execution(out=tmp_path))
    assert row_of(report)["failures"] == {"connection": 2}
    monkeypatch.setenv("ENDPOINT_IS_UP", "yes")
    report = run_experiment(experiment, [small_dialogue], Execution(out=tmp_path))
    assert row_of(report)["failures"] == {"connection": 2}
    report = run_experiment(
        experiment, [small_dialogue], Execution(out=tmp_path, retry_failed=True)
    )
    row = row_of(report)
    assert (row["answered"], row["failures"]) == (2, {})
    assert find_question(tmp_path, "7/3/0").record.outcome == "answered"


def test_calls_that_the_memory_lost_stand_in_the_table(
    row_of: RowOf, small_dialogue: Dialogue, tmp_path: Path
) -> None:
    report = evaluate(
        [small_dialogue], strategies=["plugins:Failing"], models=["plugins:Moody"], out=tmp_path
    )
    memory = row_of(report)["memory"]
    assert isinstance(memory, dict)
    assert (memory["calls"], memory["failures"]) == (4, {"server_error": 4})
    assert report.has_failures
    assert "4 of the memory's own calls failed (4 server_error)" in report_text(report)


def test_thoughts_alone_are_an_answer_neither_to_a_question_nor_to_a_memory(
    row_of: RowOf, small_dialogue: Dialogue, tmp_path: Path
) -> None:
    for _ in range(2):  # the second goes on from the first
        report = evaluate(
            [small_dialogue],
            strategies=["plugins:Failing"],
            models=["plugins:Pensive"],
            out=tmp_path,
        )
        row = row_of(report)
        assert (row["answered"], row["failures"]) == (0, {"empty": 2})
        memory = row["memory"]
        assert isinstance(memory, dict)
        assert memory["failures"] == {"empty": 4}
    assert all(not record.verdicts for record in RunFolder(tmp_path).records())


def test_whatever_a_model_hands_back_is_a_record_that_can_be_read(
    row_of: RowOf, small_dialogue: Dialogue, tmp_path: Path
) -> None:
    dialogues = [small_dialogue.model_copy(update={"number": n}) for n in range(1, 13)]
    # Without a cache: all dialogues are asked the same, and one of them gets an answer.
    report = evaluate(
        dialogues, strategies=["no_memory"], models=["plugins:Odd"], cache=False, out=tmp_path
    )
    assert row_of(report)["failures"] == {
        "bad_response": 2,
        "broken_off": 2,
        "content_filter": 2,
        "empty": 4,
        "model_error": 8,
        "server_error": 2,
        "truncated": 2,
    }
    assert row_of(report)["answered"] == 2
    assert row_of(report_run(tmp_path)) == row_of(report)


def test_a_strategy_cannot_rewrite_the_prompts_of_the_others(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], strategies=["plugins:Rewriting", "full_history"], out=tmp_path)
    for strategy in ("plugins:Rewriting", "full_history"):
        assert "Sing" not in find_question(tmp_path, f"7/3/0/{strategy}").prompt
    assert "Sing" not in DEFAULT_PACK.texts["question"]
