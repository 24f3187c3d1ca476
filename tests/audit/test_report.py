"""The audit of whole data sets: counts, ceilings, notes, generated dialogues, every format."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memorycode.audit import audit_dataset, audit_dialogues
from memorycode.datasets import load_dataset, write_dataset, write_parquet
from memorycode.datasets.rows import dump_row
from memorycode.errors import DatasetError
from memorycode.generation import generate_folder
from memorycode.reporting.audit import print_audit
from tests.audit.making import COMMENT, GOOD, Q_, W_, dialogue_of, session, told


def test_counts_tokens_and_clashes() -> None:
    digit = told(45, check=r".*\d$", text="always include a digit in method names", query="q")
    suffix = told(12, check=".*_k$", text="always end method names with '_k'", query="r")
    odd = told(
        99, object_="function", check="^(get|set)_", text="a rule in nobody's words", query="s"
    )
    report = audit_dialogues([dialogue_of(*map(session, range(3), (digit, suffix, odd)))])
    (problem,) = report.problems
    assert (problem.kind, problem.session) == ("clash", None)
    assert problem.detail.startswith("official: at most 1 of 2")
    assert report.ceiling["official"].short_history == pytest.approx(2 / 3)
    assert report.ceiling["strict"].short_history == 1.0
    assert report.counts["instructions"] == report.counts["history_rules"] == 3
    assert report.counts["unreadable_instructions"] == 1
    assert report.counts["conflict_method"] == 1
    tokens = report.session_tokens
    assert 0 < tokens.shortest <= tokens.mean <= tokens.longest < tokens.total
    assert report.dialogue_tokens.total == tokens.total == report.dialogues[0].tokens
    assert report.dialogues[0].problems == 1


def test_json_has_the_keys_that_machines_read() -> None:
    decoded = json.loads(json.dumps(audit_dialogues([GOOD, dialogue_of(session(0, W_))]).as_json()))
    assert decoded["counts"]["sessions"] == 4
    assert decoded["ceiling"]["official"] == {
        "short_history": 1.0,
        "long_history": None,
        "session": 1.0,
    }
    assert {"official", "strict"} == decoded["ceiling"].keys()
    assert all(p.keys() == {"dialogue", "session", "kind", "detail"} for p in decoded["problems"])


def test_the_table_shows_problems_and_no_control_characters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    evil = session(0, COMMENT).model_copy(update={"text": "\x1b[2J\n\nAda: Hello.\n\nBen: Hi."})
    print_audit(audit_dialogues([dialogue_of(evil)]))
    printed = capsys.readouterr().out
    assert "never_stated" in printed
    assert "1/0" in printed
    assert "\x1b" not in printed
    print_audit(audit_dialogues([GOOD]))
    assert "No problems found" in capsys.readouterr().out


def test_what_is_no_data_set_is_said(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"dialogue_N\.json"):
        audit_dataset(tmp_path)


def test_the_report_does_not_depend_on_hashing(tmp_path: Path) -> None:
    shared = COMMENT.model_copy(update={"eval_query": Q_.eval_query})
    odd = dialogue_of(session(0, Q_), session(1, shared), history_queries=("b", "a", "c"))
    write_dataset([odd], tmp_path)
    code = (
        "import json, sys; from memorycode.audit import audit_dataset; "
        "print(json.dumps(audit_dataset(sys.argv[1]).as_json()))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize("seed", [0, 1])
def test_generated_dialogues_say_what_gold_says(seed: int) -> None:
    from memorycode.generation import generate_dialogues
    from memorycode.generation.pool import SeedPool

    dialogues = tuple(generate_dialogues("demo", seed=seed, pool=SeedPool.load()))
    report = audit_dialogues(dialogues)
    assert report.text_problems == ()
    assert report.counts["unreadable_instructions"] == 0


@pytest.mark.parametrize("difficulty", ["explicit", "paraphrased", "implicit"])
def test_generated_dialogues_are_judged_by_what_they_mean_to_be(
    tmp_path: Path, difficulty: str
) -> None:
    generate_folder(tmp_path, dialogues=2, sessions=(10,), seed=3, difficulty=difficulty)
    report = audit_dataset(tmp_path)
    kinds = {problem.kind for problem in report.text_problems}
    notes = [note for note in report.notes if difficulty in note]
    if difficulty == "explicit":
        assert (kinds, notes) == (set(), [])
    else:
        assert (kinds, len(notes)) == ({"hinted"}, 1)
        assert audit_dataset(tmp_path / "dataset" / "dialogue_1.json").notes == report.notes


def test_a_rule_cut_out_of_an_implicit_session_is_never_stated(tmp_path: Path) -> None:
    generate_folder(tmp_path, dialogues=1, sessions=(10,), seed=3, difficulty="implicit")
    (dialogue,) = load_dataset(tmp_path)
    cut = next(
        s
        for s in dialogue.sessions
        if len(s.instructions) == 1
        and s.instructions[0].rule.constraint.value in s.text
        and s.instructions[0].rule.constraint.kind in ("prefix", "suffix", "contains")
    )
    value = cut.instructions[0].rule.constraint.value
    sentences = re.split(r"(?<=[.?!]) ", cut.text)
    left = " ".join(sentence for sentence in sentences if value not in sentence)
    sessions = [
        s if s is not cut else s.model_copy(update={"text": left}) for s in dialogue.sessions
    ]
    (tmp_path / "dataset" / "dialogue_1.json").unlink()  # it is not written over
    write_dataset([dialogue.model_copy(update={"sessions": tuple(sessions)})], tmp_path / "dataset")
    found = {p.session: p.kind for p in audit_dataset(tmp_path).text_problems}
    assert found[cut.index] == "never_stated"
    assert {kind for index, kind in found.items() if index != cut.index} == {"hinted"}


def test_a_ceiling_that_may_be_too_low_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    digits = [f"^{'a_' * n}1b.*" for n in range(1, 30)] + [f".*1{'_a' * n}$" for n in range(1, 30)]
    instructions = [told(n, n, check=check, query=str(n)) for n, check in enumerate(digits)]
    instructions.append(told(99, check=r".*\d$", query="digit"))
    report = audit_dialogues([dialogue_of(*map(session, range(59), instructions))])
    (note,) = report.notes
    assert note.startswith("The strict ceiling may be too low: in 1 dialogues")
    (detail,) = [p.detail for p in report.problems if p.detail.startswith("strict: ")]
    assert detail.startswith("strict: 2 of 59 can hold together, perhaps more: ")
    print_audit(report)
    assert "may be too low" in capsys.readouterr().out


@pytest.mark.parametrize("format_", ["parquet", "jsonl"])
def test_rows_are_audited_as_the_folder_is(tmp_path: Path, format_: str) -> None:
    faulty = dialogue_of(session(0, W_).model_copy(update={"text": "Ada: Hello."}), number=2)
    write_dataset([GOOD, faulty], tmp_path / "folder")
    rows = tmp_path / f"rows.{format_}"
    if format_ == "parquet":
        write_parquet([GOOD, faulty], rows)
    else:
        lines = [json.dumps(dump_row(dialogue)) for dialogue in (GOOD, faulty)]
        rows.write_text("\n".join(lines), encoding="utf-8")
    report = audit_dataset(rows)
    assert report == audit_dataset(tmp_path / "folder")
    assert [problem.kind for problem in report.problems] == ["never_stated"]
