"""The audit of whole data sets: fields, repetitions, the published release, generated dialogues."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from memorycode.analysis.audit import AuditReport, audit_dataset, audit_dialogues
from memorycode.datasets import write_dataset
from memorycode.dialogue import Context, Dialogue, Instruction, Session
from memorycode.errors import DatasetError
from memorycode.reporting.audit import print_audit
from memorycode.rules import Check, ObjectKind, Rule

FACTS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "dataset_facts.json").read_text(encoding="utf-8")
)
RELEASE = os.environ.get("MEMORYCODE_RELEASE", "")
needs_release = pytest.mark.skipif(not RELEASE, reason="MEMORYCODE_RELEASE names no folder")

FALSE_ALARMS = {(125, 0), (289, 3)}
"""Findings that a reader rejects or may reject; docs/audit.md says why."""

BEYOND_THE_LISTS = {
    *((113, 0), (223, 9), (231, 9), (279, 37), (339, 17), (347, 27)),  # stated, not in gold
    *((331, 27), (350, 36), (351, 57)),  # the object is the mentee's
    *((242, 16), (333, 16), (335, 89)),  # optional; member variables; a verb is missing
}
"""Findings that stand in no list and that a reader confirms."""


@lru_cache(maxsize=1)
def release_report() -> AuditReport:
    return audit_dataset(Path(RELEASE) / "dataset")


def told(
    family: int,
    version: int = 0,
    *,
    object_: ObjectKind = "method",
    check: Check = "^q_.*",
    text: str = "always start method names with 'q_'",
    query: str = "class with a method",
) -> Instruction:
    return Instruction(
        family=family,
        version=version,
        rule=Rule(object=object_, check=check),
        text=text,
        eval_query=query,
    )


Q_ = told(7)
W_ = told(7, 1, check="^w_.*", text="always start method names with 'w_'")
COMMENT = told(
    30,
    object_="comment",
    check=True,
    text="always add comments in your code",
    query="function that adds",
)


def session(index: int, instruction: Instruction, *types: str, filler: int = -1) -> Session:
    text = f"Ada: On day {index}, {instruction.text} from now on.\n\nBen: I will."
    kinds = types or ("instruction-add",)
    topics = tuple(instruction.text if kind[0] == "i" else "talk" for kind in kinds)
    return Session(
        index=index,
        text=text.replace("always", "please always"),
        instructions=(instruction,),
        types=kinds,
        topics=topics,
        filler=filler,
        length="short",
    )


def dialogue_of(*sessions: Session, number: int = 1, **fields: Any) -> Dialogue:
    told_last = {i.family: i for s in sessions for i in s.instructions}.values()
    history = {
        "history_rules": tuple(i.rule for i in told_last),
        "history_queries": tuple(dict.fromkeys(i.eval_query for i in told_last)),
    }
    return Dialogue(
        number=number,
        context=Context(mentor="Ada", mentee="Ben"),
        sessions=sessions,
        **history | fields,
    )


GOOD = dialogue_of(
    session(0, Q_, "filler-add", "instruction-add", filler=4),
    session(1, W_, "filler-update", "instruction-update", filler=4),
    session(2, COMMENT),
)


def found(*dialogues: Dialogue) -> list[tuple[int, int | None, str]]:
    return [(p.dialogue, p.session, p.kind) for p in audit_dialogues(dialogues).problems]


def test_a_sound_dialogue_has_no_problem() -> None:
    assert audit_dialogues([GOOD]).problems == ()


@pytest.mark.parametrize(
    ("dialogue", "place", "words"),
    [
        (dialogue_of(session(0, Q_, "instruction-update")), 0, "not told before"),
        (dialogue_of(session(0, Q_), session(1, W_)), 1, "told before"),
        (
            dialogue_of(session(0, Q_), session(1, Q_, "instruction-update")),
            1,
            "to the version that holds",
        ),
        (dialogue_of(session(0, Q_, filler=3)), 0, "its types are none"),
        (dialogue_of(session(0, Q_, "filler-add", "instruction-add")), 0, "filler -1"),
        (
            dialogue_of(session(0, Q_, "filler-update", "instruction-add", filler=3)),
            0,
            "filler 3, which was not told before",
        ),
        (
            dialogue_of(
                session(0, Q_, "filler-add", "instruction-add", filler=3),
                session(1, COMMENT, "filler-add", "instruction-add", filler=3),
            ),
            1,
            "filler 3, which was told before",
        ),
        (dialogue_of(session(0, Q_), history_rules=()), None, ""),
        (
            dialogue_of(session(0, Q_), session(1, COMMENT), history_rules=(Q_.rule,)),
            1,
            "lack the active comment",
        ),
        (
            dialogue_of(session(0, Q_), history_rules=(Q_.rule, COMMENT.rule)),
            0,
            "hold comment, which is not active",
        ),
        (dialogue_of(session(0, Q_), history_queries=()), 0, "lack 'class with a method'"),
        (
            dialogue_of(session(0, Q_), history_queries=(Q_.eval_query, "a poem")),
            0,
            "hold 'a poem' of no active rule",
        ),
        (dialogue_of(session(0, Q_), history_queries=(Q_.eval_query,) * 2), 0, "more than once"),
    ],
)
def test_fields_that_contradict_one_another(
    dialogue: Dialogue, place: int | None, words: str
) -> None:
    problems = audit_dialogues([dialogue]).problems
    if not words:
        assert problems == ()  # no history rules: they follow from the instructions
        return
    (problem,) = problems
    assert (problem.kind, problem.session) == ("contradiction", place)
    assert words in problem.detail


def test_a_line_that_asks_for_another_check() -> None:
    odd = Q_.model_copy(update={"text": W_.text})
    problems = audit_dialogues([dialogue_of(session(0, odd))]).problems
    assert [p.kind for p in problems if "the check for another" in p.detail] == ["contradiction"]


def test_a_question_that_two_families_share() -> None:
    shared = COMMENT.model_copy(update={"eval_query": Q_.eval_query})
    assert found(dialogue_of(session(0, Q_), session(1, shared))) == [(1, None, "shared_question")]


def test_a_version_with_another_check_elsewhere() -> None:
    other = W_.model_copy(update={"version": Q_.version})
    first, second = dialogue_of(session(0, Q_)), dialogue_of(session(0, other), number=2)
    assert found(first, second) == [(2, 0, "contradiction")]


def test_repetitions() -> None:
    again = GOOD.model_copy(update={"number": 2})
    assert found(GOOD, again) == [(2, None, "duplicate")]
    longer = dialogue_of(*GOOD.sessions[:2], number=2)
    assert found(GOOD, longer) == [(2, 0, "duplicate"), (2, 1, "duplicate")]


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
        "import json, sys; from memorycode.analysis.audit import audit_dataset; "
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


# ── the published release ─────────────────────────────────────────────────────────────────────


def places(name: str) -> set[tuple[int, int]]:
    return {(entry["dialogue"], entry["session"]) for entry in FACTS[name]}


def release_places(wanted: Callable[[str], bool]) -> set[tuple[int, int | None]]:
    return {(p.dialogue, p.session) for p in release_report().problems if wanted(p.kind)}


@needs_release
def test_release_counts() -> None:
    counts = release_report().counts
    assert {name: counts[name] for name in FACTS["counts"]} == FACTS["counts"]


@needs_release
def test_release_ceilings() -> None:
    wanted = FACTS["ceiling_official_when_every_object_occurs"]
    found = release_report().ceiling["official"].model_dump()
    for name in ("short_history", "long_history", "session"):
        assert found[name] == pytest.approx(wanted[name], abs=0.002)


@needs_release
def test_release_dialogues_whose_rules_clash() -> None:
    clashing = [d.dialogue for d in release_report().dialogues if (d.ceiling["official"] or 0) < 1]
    assert clashing == FACTS["dialogues_with_unsatisfiable_rules_under_official"]


@needs_release
def test_release_dialogues_with_shared_questions_have_fewer_of_them() -> None:
    shared = {d for d, _ in release_places(lambda kind: kind == "shared_question")}
    assert sorted(shared) == FACTS["dialogues_with_fewer_queries_than_rules"]


@needs_release
def test_release_sessions_that_garble_or_miss_their_rule() -> None:
    """By the text alone: other kinds of problem may fall on the same session."""
    texts = {(p.dialogue, p.session) for p in release_report().text_problems}
    beyond = release_places(lambda kind: kind == "not_in_gold")
    missed = places("anomalous_sessions") - (texts - beyond)
    assert len(missed) <= 2, missed


@needs_release
def test_release_rules_beyond_gold() -> None:
    found = release_places(lambda kind: kind == "not_in_gold")
    assert len(places("stated_not_in_gold") & found) >= 22


@needs_release
def test_release_labels() -> None:
    assert places("odd_labels") <= release_places(lambda kind: kind == "odd_label")


@needs_release
def test_release_findings_beyond_the_lists_have_been_read() -> None:
    """A new finding is to be read, and put in one of the two sets (and the docs)."""
    texts = {(p.dialogue, p.session) for p in release_report().text_problems}
    unlisted = texts - places("anomalous_sessions") - places("stated_not_in_gold")
    assert unlisted == BEYOND_THE_LISTS | FALSE_ALARMS
    assert len(FALSE_ALARMS) <= 5
