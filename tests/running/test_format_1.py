"""Folders of the first format: read as ever, under today's names, and never appended to."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memorycode.errors import RunFolderError
from memorycode.results.read import report_run
from memorycode.running.folder import RunFolder
from memorycode.running.judged import JudgedHead
from memorycode.running.manifest import FORMAT
from memorycode.running.records import AskedRecord, Judgement, Record
from memorycode.running.writer import RunWriter

RUNS = Path(__file__).parents[1] / "fixtures" / "runs"
NAMES = sorted(folder.name for folder in RUNS.iterdir() if folder.is_dir())


def _heads() -> list[JudgedHead]:
    head = JudgedHead(reader="wording", reader_revision=1, python="3.11.7", memorycode="0.1.0")
    scorers = ("official", "strict")
    return [*(head.model_copy(update={"scorer": name, "revision": 1}) for name in scorers), head]


def _written_again(run: Path, out: Path) -> RunFolder:
    """The folder with all that stands in it, in today's format."""
    folder = RunFolder(run)
    manifest = folder.manifest.model_copy(update={"format": FORMAT})
    with RunWriter(out, manifest, folder.dialogues(), _heads()) as writer:
        for context in folder.contexts():
            writer.add_context(context)
        for record in folder.attempts():
            parts = dict(record)
            judged = {name: parts.pop(name) for name in ("verdicts", "causes", "found")}
            writer.add_asked(AskedRecord(**parts))
            writer.add_judgement(Judgement(id=record.id, **judged))
        for task in folder.tasks():
            writer.add_task(task)
    return RunFolder(out)


def _without_attempts(records: Iterator[Record]) -> list[Record]:
    """Only today's format counts them."""
    return [record.model_copy(update={"attempt": 0}) for record in records]


@pytest.mark.parametrize("name", NAMES)
def test_both_formats_say_the_same(name: str, tmp_path: Path) -> None:
    """Records, tables and what the page reads, be there failures, retries or nothing yet."""
    old, new = RunFolder(RUNS / name), _written_again(RUNS / name, tmp_path / "new")
    assert _without_attempts(new.attempts()) == list(old.attempts())
    assert list(new.tasks()) == list(old.tasks())
    assert list(new.contexts()) == list(old.contexts())
    reports = [report_run(run).as_json() for run in (old.path, new.path)]
    assert [report.pop("run") for report in reports] == [str(old.path), str(new.path)]
    assert reports[0] == reports[1]
    for dialogue in old.dialogues():
        contexts = [list(run.contexts_by_dialogue().of(dialogue.number)) for run in (old, new)]
        assert contexts[0] == contexts[1]
    for run in (old, new):
        located = list(run.located_attempts())
        again = list(run.attempts_at(offset for offset, _ in located))
        assert [record.answer for record in again] == [record.answer for _, record in located]


def test_names_of_the_first_version_are_translated(tmp_path: Path) -> None:
    shutil.copytree(RUNS / "history", tmp_path / "run")
    file = tmp_path / "run" / "records.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    cut = {"passages": 1, "tokens": 5}
    lines[0] |= {"sample": 2, "cut": cut, "causes": {"strict": {"0": "never_stated"}}}
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    record = next(RunFolder(tmp_path / "run").attempts())
    assert record.repeat == 2
    assert record.truncated
    assert record.truncated.tokens == 5
    assert record.causes == {"strict": {0: "not_told"}}


@pytest.mark.parametrize(
    "line", ["[]", "7", '{"causes": 3}', '{"id": "x"}', "{", '{"causes": {"a": []}}']
)
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    shutil.copytree(RUNS / "history", tmp_path / "run")
    (tmp_path / "run" / "records.jsonl").write_text(f"{line}\n")
    with pytest.raises(RunFolderError, match=r"records\.jsonl, line 1: "):
        list(RunFolder(tmp_path / "run").records())


def test_nothing_is_appended_and_what_to_do_is_told(tmp_path: Path) -> None:
    shutil.copytree(RUNS / "samples", run := tmp_path / "run")
    before = {file.name: file.read_bytes() for file in run.iterdir()}
    folder = RunFolder(run)
    with pytest.raises(RunFolderError, match=r"in format 1, .* choose another --out") as raised:
        RunWriter(run, folder.manifest, folder.dialogues())
    assert f"--cache {run / 'cache.sqlite'}" in str(raised.value)
    (run / "lock").unlink()
    assert {file.name: file.read_bytes() for file in run.iterdir()} == before
