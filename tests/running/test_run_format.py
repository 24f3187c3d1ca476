"""Run format 2: what was asked is never changed unseen, what was judged can be made again."""

from __future__ import annotations

import random
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from memorycode.dialogue import Dialogue
from memorycode.errors import RunFolderError
from memorycode.evaluation import evaluate, run_experiment
from memorycode.experiment import make_experiment
from memorycode.results.read import report_run
from memorycode.running.execution import Execution
from memorycode.running.folder import RunFolder
from memorycode.running.judged import JudgedHead, replace_judged
from memorycode.running.records import UNJUDGED, Record
from memorycode.scoring.rule_cache import WordingReader
from memorycode.scoring.strict import StrictScorer
from tests.run_files import read_lines, write_lines

OFFICIAL, STRICT = "judged/official@1.jsonl", "judged/strict@2.jsonl"
RECALLED = "recalled/wording@1.jsonl"
MADE_AGAIN = [OFFICIAL, STRICT, RECALLED]


@pytest.fixture
def run(small_dialogue: Dialogue, tmp_path: Path) -> Path:
    """One of whose questions fails."""
    _go_on(small_dialogue, tmp_path / "run")
    return tmp_path / "run"


def _go_on(dialogue: Dialogue, out: Path, **options: Any) -> int:
    """Run, or take up again; how many questions the model was asked."""
    asked = sys.modules["plugins"].Counting.asked if "plugins" in sys.modules else []
    before = len(asked)
    evaluate(
        [dialogue],
        strategies=["cumulative", "plugins:Forgetful"],
        models=["plugins:Counting"],
        cache=False,
        out=out,
        **options,
    )
    return len(sys.modules["plugins"].Counting.asked) - before


def _records(run: Path) -> dict[str, Record]:
    return {record.id: record for record in RunFolder(run).records()}


def test_an_asked_line_holds_no_verdict_and_nothing_that_is_as_ever(run: Path) -> None:
    lines = read_lines(run / "asked.jsonl")
    answered = next(line for line in lines if "answer" in line)
    assert not {"verdicts", "causes", "found", "judged"} & answered.keys()
    assert not {"scope", "repeat", "round", "attempt", "outcome", "cached"} & answered.keys()
    assert all(b',"checksum":"' in line for line in (run / "asked.jsonl").read_bytes().splitlines())


def test_a_judged_file_says_who_judged_and_each_line_what_it_is_about(run: Path) -> None:
    head, *lines = read_lines(run / STRICT)
    assert head.keys() == JudgedHead.model_fields.keys() - {"source"}  # a plug-in's alone
    assert (head["scorer"], head["revision"], head["reader"]) == ("strict", 2, "wording")
    assert head["python"] == ".".join(map(str, sys.version_info[:3]))
    answered = {record.id for record in _records(run).values() if not record.failed}
    assert {line["id"] for line in lines} == answered
    recalled = {record.id for record in _records(run).values() if record.context}
    assert answered < recalled  # the model failed, the memory did not
    assert {line["id"] for line in read_lines(run / RECALLED)[1:]} == recalled


@pytest.mark.parametrize("name", ["asked.jsonl", "contexts.jsonl", "tasks.jsonl", *MADE_AGAIN])
@pytest.mark.parametrize("damage", ["changed", "without checksum"])
def test_a_line_that_was_changed_is_an_error_with_file_and_line(
    run: Path, name: str, damage: str
) -> None:
    lines = (run / name).read_bytes().splitlines(keepends=True)
    if damage == "changed":
        place = lines[1].index(b'":') + 3
        other = b"8" if lines[1][place : place + 1] == b"7" else b"7"
        lines[1] = lines[1][:place] + other + lines[1][place + 1 :]
        message = "the checksum does not fit"
    else:
        lines[1] = lines[1].rpartition(b',"checksum"')[0] + b"}\n"
        message = "it does not end in a checksum"
    (run / name).write_bytes(b"".join(lines))
    with pytest.raises(RunFolderError, match=rf"{Path(name).name}, line 2: {message}") as raised:
        folder = RunFolder(run)
        list(folder.attempts()), list(folder.contexts()), list(folder.tasks())
    assert ("it can be deleted" in str(raised.value)) is (name in MADE_AGAIN)


def test_damage_is_seen_in_a_single_line_too(run: Path) -> None:
    file = run / "asked.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"number":0', b'"number":1', 1))
    with pytest.raises(RunFolderError, match=r"asked.jsonl, byte 0: the checksum does not fit"):
        list(RunFolder(run).attempts_at([0]))


def test_what_was_judged_is_made_again_and_nobody_is_asked(
    small_dialogue: Dialogue, run: Path
) -> None:
    before, asked = _records(run), (run / "asked.jsonl").read_bytes()
    files = {name: sorted((run / name).read_bytes().splitlines()) for name in MADE_AGAIN}
    shutil.rmtree(run / "judged")
    shutil.rmtree(run / "recalled")
    assert _go_on(small_dialogue, run) == 0
    assert _records(run) == before
    assert (run / "asked.jsonl").read_bytes() == asked
    made = {name: sorted((run / name).read_bytes().splitlines()) for name in MADE_AGAIN}
    assert made == files


@pytest.mark.parametrize("name", MADE_AGAIN)
def test_what_a_killed_run_did_not_judge_counts_as_unjudged_until_it_goes_on(
    small_dialogue: Dialogue, run: Path, name: str
) -> None:
    """The last line is half written: its writer was killed between asking and judging."""
    before, whole = _records(run), (run / name).read_bytes()
    (run / name).write_bytes(whole[:-20])
    unjudged = {id_ for id_, record in _records(run).items() if record.outcome == UNJUDGED}
    assert len(unjudged) == (0 if name == RECALLED else 1)
    (row, _) = report_run(run).rows
    assert row.failed.get(UNJUDGED, 0) == len(unjudged)
    assert row.scores["official"].coverage.followed == (2 if not unjudged else 0)
    spent = sum(record.spent.prompt_tokens for record in before.values())
    assert sum(record.spent.prompt_tokens for record in _records(run).values()) == spent
    assert _go_on(small_dialogue, run) == 0
    assert _records(run) == before
    assert (run / name).read_bytes() == whole


def test_without_any_verdict_nothing_counts_as_answered(run: Path) -> None:
    shutil.rmtree(run / "judged")
    outcomes = {record.outcome for record in _records(run).values()}
    assert UNJUDGED in outcomes
    assert "answered" not in outcomes


def test_the_order_of_judged_lines_means_nothing(run: Path) -> None:
    before = _records(run)
    for name in MADE_AGAIN:
        head, *lines = read_lines(run / name)
        random.Random(3).shuffle(lines)
        lines.append(lines[0] | {"id": "7/0/0/gone/model", "asked": "0" * 16})
        write_lines(run / name, [head, *lines])
    assert _records(run) == before
    contexts = RunFolder(run).contexts_by_dialogue()
    assert {c.id for c in contexts.of(7)} == {c.id for c in RunFolder(run).contexts()}
    assert list(contexts.of(8)) == []


def test_another_revision_judges_in_a_file_of_its_own_and_the_highest_counts(
    small_dialogue: Dialogue, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = (run / STRICT).read_bytes()

    def all_follow(self: StrictScorer, answer: str, rules: list[Any], elicited: Any) -> list[str]:
        return ["followed"] * len(rules)

    monkeypatch.setattr(StrictScorer, "revision", 10)
    monkeypatch.setattr(StrictScorer, "judge", all_follow)
    assert _go_on(small_dialogue, run) == 0
    assert (run / STRICT).read_bytes() == old
    for record in _records(run).values():
        assert set(record.verdicts.get("strict", ())) <= {"followed"}
    (run / "judged/strict@9.jsonl").write_bytes(old)
    assert all("violated" not in r.verdicts.get("strict", ()) for r in _records(run).values())


def test_a_file_of_another_reader_is_begun_anew(
    small_dialogue: Dialogue, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Causes rest on what the reader finds, so that a scorer's file has its revision too."""
    monkeypatch.setattr(WordingReader, "revision", 2)
    assert _go_on(small_dialogue, run) == 0
    head, *lines = read_lines(run / STRICT)
    assert head["reader_revision"] == 2
    assert len(lines) == sum(not record.failed for record in _records(run).values())
    assert (run / "recalled/wording@2.jsonl").exists()


def test_a_judged_file_is_replaced_whole(run: Path) -> None:
    file = run / STRICT
    head = JudgedHead.model_validate(read_lines(file)[0])

    def lines() -> Any:
        yield from ()
        raise KeyboardInterrupt

    before = file.read_bytes()
    with pytest.raises(KeyboardInterrupt):
        replace_judged(file, head, lines())
    assert file.read_bytes() == before
    assert UNJUDGED not in {record.outcome for record in _records(run).values()}
    replace_judged(file, head)
    assert read_lines(file) == [head.model_dump(exclude_defaults=True)]


def test_the_name_of_a_scorer_leaves_its_folder_alone() -> None:
    head = JudgedHead(
        scorer="../my:Scorer", reader="wording", reader_revision=1, python="3.11.0", memorycode="1"
    )
    assert str(head.file) == "judged/..%2Fmy%3AScorer@0.jsonl"


def test_a_question_that_is_asked_again_has_another_line(
    small_dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = make_experiment(
        {"models": ["plugins:Recovering"], "strategies": ["full_history"], "dataset": "small"}
    )
    execution = Execution(out=tmp_path, cache=False, retry_failed=True)
    for _ in range(2):  # it fails, and fails again in the same words
        run_experiment(experiment, [small_dialogue], execution)
    monkeypatch.setenv("ENDPOINT_IS_UP", "1")
    run_experiment(experiment, [small_dialogue], execution)
    attempts = [(r.attempt, r.outcome) for r in RunFolder(tmp_path).attempts() if r.number == 0]
    assert attempts == [(0, "connection"), (1, "connection"), (2, "answered")]
    assert [record.outcome for record in RunFolder(tmp_path).records()] == ["answered"] * 2
    lines = (tmp_path / "asked.jsonl").read_bytes().splitlines()
    assert len(set(lines)) == len(lines) == 6
