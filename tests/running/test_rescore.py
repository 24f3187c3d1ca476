"""A finished run is judged again: no record changes, no model is asked, nothing is half written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memorycode.dialogue import Dialogue
from memorycode.errors import MemorycodeError, PluginError, RunFolderError, UsageError
from memorycode.evaluation import evaluate
from memorycode.plugins import load_scorers
from memorycode.reporting.html.page import write_page
from memorycode.results.compare import compare_runs
from memorycode.results.frames import LEVELS
from memorycode.results.read import read_run, report_run
from memorycode.running.lock import lock_folder
from memorycode.running.rescoring import Rescored, rescore
from memorycode.scoring.scorers import SCORER_NAMES, make_scorer
from tests.run_files import change_asked, read_lines

OWN = '''
import os, time
from pathlib import Path

class Short:
    """An answer of few characters follows every rule."""
    name, revision = "short", 1
    def __init__(self, most: int = 100000):
        self.most = most
    def judge(self, answer, rules, elicited):
        verdict = "followed" if len(answer) <= self.most else "violated"
        return [verdict] * len(rules)

class Later(Short):
    revision = 2

class Slow(Short):
    def judge(self, answer, rules, elicited):
        if Path("slow").exists():
            Path("begun").touch()
            time.sleep(60)
        return super().judge(answer, rules, elicited)

class Raising(Short):
    calls = 0
    def judge(self, answer, rules, elicited):
        self.calls += 1
        if self.calls > 3:
            raise KeyError("gone")
        return super().judge(answer, rules, elicited)

class Exiting(Short):
    def judge(self, answer, rules, elicited):
        raise SystemExit(0)

class Few(Short):
    def judge(self, answer, rules, elicited):
        return []

class Odd(Short):
    def judge(self, answer, rules, elicited):
        return [True] * len(rules)

class Ours(Short):
    name = "strict"

class Nameless(Short):
    name = ""

class HalfRevised(Short):
    revision = "1"

class Nothing:
    pass
'''


class _Counted:
    """How much was announced, and how much was done."""

    def __init__(self) -> None:
        self.total = self.done = 0

    def start(self, total: int, done: int) -> None:
        self.total = total

    def advance(self) -> None:
        self.done += 1


@pytest.fixture
def run(small_dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A finished run one of whose questions failed, beside a file of scorers of one's own."""
    (tmp_path / "own_scorers.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "own_scorers", raising=False)
    evaluate(
        [small_dialogue],
        strategies=["cumulative", "plugins:Forgetful"],
        models=["plugins:Counting"],
        out=tmp_path / "run",
    )
    return tmp_path / "run"


def _rescore(run: Path, *specs: str) -> list[Rescored]:
    return rescore(run, load_scorers(specs), _Counted())


def _bytes(run: Path) -> dict[str, bytes]:
    files = (file for file in run.rglob("*") if file.is_file() and file.name != "lock")
    return {str(file.relative_to(run)): file.read_bytes() for file in files}


def test_a_scorer_of_one_s_own_judges_and_nothing_else_changes(run: Path) -> None:
    before, asked = _bytes(run), len(sys.modules["plugins"].Counting.asked)
    progress = _Counted()
    (written,) = rescore(run, load_scorers(["own_scorers:Short"]), progress)
    assert len(sys.modules["plugins"].Counting.asked) == asked
    after = _bytes(run)
    assert after.pop("judged/short@1.jsonl")
    assert after == before
    answered = [line for line in read_lines(run / "asked.jsonl") if "answer" in line]
    assert written.answers == progress.total == progress.done == len(answered)
    _, *lines = read_lines(run / written.file)
    assert [line["id"] for line in lines] == [line["id"] for line in answered]
    assert all(set(line["verdicts"]) == {"followed"} for line in lines)


REVISIONS: dict[str, int] = {name: make_scorer(name).revision for name in SCORER_NAMES}


def test_our_own_scorers_say_again_what_they_said(run: Path) -> None:
    def said() -> dict[str, list[str]]:
        return {
            name: sorted(map(json.dumps, read_lines(run / f"judged/{name}@{revision}.jsonl")))
            for name, revision in REVISIONS.items()
        }

    before = said()
    for name in before:
        (run / f"judged/{name}@{REVISIONS[name]}.jsonl").unlink()
    _rescore(run, "official", "strict")
    assert said() == before


def test_why_a_rule_was_lost_is_found_for_it_too(run: Path) -> None:
    _rescore(run, "own_scorers:Short:most=0")
    _, *lines = read_lines(run / "judged/short@1.jsonl")
    assert all(len(line["causes"]) == len(line["verdicts"]) for line in lines)


def test_the_report_shows_it_beside_ours_where_it_is_asked_for(run: Path) -> None:
    before = report_run(run).as_json()
    _rescore(run, "own_scorers:Short")
    assert report_run(run).as_json() == before
    found = report_run(run, further=["short"]).as_json()
    assert found["scorers"] == ["official", "strict", "short"]
    row = found["strategies"]["cumulative"]["further"]["short"]
    assert row["short_history"]["mean"] == 1.0
    assert row["unjudged"] == 0
    with pytest.raises(UsageError, match=r"not judged by other, only by official, short, strict"):
        report_run(run, further=["other"])


def test_comparison_page_and_tables_show_it_where_it_is_asked_for(
    run: Path, tmp_path: Path
) -> None:
    _rescore(run, "own_scorers:Short")
    (pair,) = compare_runs([run], further=["short"]).pairs
    assert set(pair.scores) == {"official", "strict", "short"}
    assert pair.scores["short"].keys() == pair.scores["strict"].keys()
    read = read_run(run)
    tables = {level: read.table(level, further=["short"]) for level in LEVELS}
    names = {level: [column.name for column in table.columns] for level, table in tables.items()}
    assert {"verdict_short", "score_short", "cause_short"} <= set(names["rules"])
    assert {"score_short", "perfect_short"} <= set(names["questions"])
    assert "score_short_short_history_low" in names["strategies"]
    place = names["rules"].index("verdict_short")
    said = {row[place] for row in tables["rules"].rows}
    assert said <= {"followed", None}
    assert "followed" in said
    write_page([run], tmp_path / "page.html", further=["short"])
    assert "The score by short" in (tmp_path / "page.html").read_text()
    for ask in (
        lambda: compare_runs([run], further=["other"]),
        lambda: read.table("rules", further=["other"]),
        lambda: write_page([run], tmp_path / "none.html", further=["other"]),
    ):
        with pytest.raises(UsageError, match="not judged by other"):
            ask()
    assert not (tmp_path / "none.html").exists()


def test_an_answer_that_it_did_not_judge_is_counted_and_costs_ours_nothing(run: Path) -> None:
    before = report_run(run).as_json()
    _rescore(run, "own_scorers:Short")
    file = run / "judged/short@1.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:1]))
    assert report_run(run).as_json() == before
    rows = report_run(run, further=["short"]).rows
    assert all(row.unjudged["short"] == row.scores["short"].coverage.answered for row in rows)


def test_a_run_is_judged_by_it_from_the_start_and_when_it_is_taken_up_again(
    small_dialogue: Dialogue, run: Path, tmp_path: Path
) -> None:
    for out in (run, tmp_path / "new"):
        report = evaluate(
            [small_dialogue],
            strategies=["cumulative", "plugins:Forgetful"],
            models=["plugins:Counting"],
            scorers=["own_scorers:Short"],
            out=out,
        )
        assert report.further == ("short",)
        assert all(row.unjudged == {"short": 0} for row in report.rows)
    file = tmp_path / "new" / "judged/short@1.jsonl"
    judged = sorted(map(json.dumps, read_lines(file)))
    _rescore(tmp_path / "new", "own_scorers:Short")
    assert sorted(map(json.dumps, read_lines(file))) == judged


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Raising", r"^\d+/\d+/.*own_scorers:Raising: judge\(\) raised KeyError: 'gone'"),
        ("Exiting", "own_scorers:Exiting: judge.. raised SystemExit"),
        ("Few", "judge.. gave 0 verdicts on"),
        ("Odd", "judge.. returns any of followed, violated"),
        ("Ours", "name is 'strict', which is memorycode's own"),
        ("Nameless", "name is '', want a word"),
        ("HalfRevised", "revision is '1', want a whole number"),
        ("Nothing", "Nothing is no Scorer: it needs name, revision and judge"),
    ],
)
def test_what_is_wrong_with_a_scorer_is_said_and_nothing_is_written(
    run: Path, name: str, problem: str
) -> None:
    before = _bytes(run)
    with pytest.raises(PluginError, match=problem):
        _rescore(run, f"own_scorers:{name}")
    assert _bytes(run) == before


def test_two_scorers_of_one_name_are_refused(run: Path) -> None:
    with pytest.raises(UsageError, match="both named short"):
        _rescore(run, "own_scorers:Short", "own_scorers:Later")


def test_an_earlier_revision_does_not_judge_what_a_later_one_has(run: Path) -> None:
    _rescore(run, "own_scorers:Later")
    with pytest.raises(UsageError, match="revision 2 of short has judged this run, and counts"):
        _rescore(run, "own_scorers:Short")


def _tamper_asked(run: Path) -> None:
    file = run / "asked.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"answer":"', b'"answer":"#', 1))


def _tamper_context(run: Path) -> None:
    file = run / "contexts.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"passages":[', b'"passages":[0,', 1))


def _tamper_manifest(run: Path) -> None:
    file = run / "manifest.json"
    manifest = json.loads(file.read_text())
    manifest["settings"]["dataset_hash"] = "0" * 64
    file.write_text(json.dumps(manifest))


def _ask_something_else(run: Path) -> None:
    change_asked(run, lambda line: [line | {"id": line["id"].replace("/0/", "/77/", 1)}])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (_tamper_asked, r"asked.jsonl, line \d+: the checksum does not fit"),
        (_tamper_context, r"contexts.jsonl, line \d+: the checksum does not fit"),
        (_tamper_manifest, "not the dialogues that the run was made with"),
        (_ask_something_else, "belongs to no planned question"),
        (lambda run: (run / "manifest.json").unlink(), "no run here"),
    ],
)
def test_changed_data_are_refused_before_anything_is_written(
    run: Path, change: Callable[[Path], None], problem: str
) -> None:
    change(run)
    before = _bytes(run)
    with pytest.raises(RunFolderError, match=problem):
        _rescore(run, "own_scorers:Short", "official")
    assert _bytes(run) == before


def test_a_folder_of_format_1_is_refused_and_told_what_to_do(run: Path) -> None:
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps(manifest | {"format": 1}))
    with pytest.raises(RunFolderError, match=r"format 1, .* cannot be scored again; run it anew"):
        _rescore(run, "official")


def test_a_run_that_is_being_written_is_left_alone(run: Path) -> None:
    with lock_folder(run), pytest.raises(RunFolderError, match="another run is writing here"):
        _rescore(run, "official")


def test_a_kill_leaves_a_readable_run_and_the_same_command_does_it(
    run: Path, tmp_path: Path
) -> None:
    before = report_run(run).as_json()
    (tmp_path / "slow").touch()
    command = [sys.executable, "-m", "memorycode", "rescore", "run", "--scorer", "own_scorers:Slow"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        while not (tmp_path / "begun").exists():
            assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
    assert not (run / "judged/short@1.jsonl").exists()
    assert report_run(run).as_json() == before
    (tmp_path / "slow").unlink()
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "answers judged by short" in done.stdout
    assert not list(run.rglob("*.new"))
    assert report_run(run, further=["short"]).as_json()["strategies"]["cumulative"]["further"]


def test_every_error_is_one_meant_for_people(run: Path) -> None:
    for spec in ("own_scorers:Absent", "absent:Scorer", "nobody", "own_scorers:Short:most=x"):
        with pytest.raises(MemorycodeError, match=spec.partition(":")[0]):
            _rescore(run, spec)
