"""The paper's figures from recorded outputs: equal to the reference, and to a plain recomputation
from the release's own files.

Those of two models, and with ``MEMORYCODE_SLOW=1`` of all.
"""

from __future__ import annotations

import json
import os
import re
import statistics
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memorycode import load_dataset
from memorycode.dialogue import Dialogue
from memorycode.results.figures.by_instruction import by_instruction, by_update
from memorycode.results.figures.by_sessions import by_sessions
from memorycode.results.figures.by_update_rank import by_update_rank
from memorycode.results.figures.dataset_table import dataset_table
from memorycode.results.figures.evidence import Evidence, from_outputs
from memorycode.results.figures.family_names import family_name
from memorycode.results.figures.settings_table import settings_table
from memorycode.rules import Rule
from memorycode.scoring.official import OfficialScorer

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "golden" / "official_scores.json").read_text(encoding="utf-8")
)
FACTS: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "golden" / "dataset_facts.json").read_text(encoding="utf-8")
)
RECOMPUTED = "command-r-plus"
MODELS = (
    sorted(GOLDEN)
    if os.environ.get("MEMORYCODE_SLOW")
    else [RECOMPUTED, "Meta-Llama-3.1-8B-Instruct-Turbo"]
)


@pytest.fixture(scope="module")
def dialogues(release: Path) -> tuple[Dialogue, ...]:
    return load_dataset(release / "dataset")


@pytest.fixture(scope="module")
def evidence(release: Path, dialogues: tuple[Dialogue, ...]) -> Evidence:
    """The models' answers to the questions after the last session."""
    folders = [release / "outputs" / model for model in MODELS]
    return from_outputs(dialogues, folders, settings=("history",))


def digits(value: float | None) -> Any:
    return pytest.approx(value, abs=1e-12, rel=0)


def test_figure_4_is_the_reference(evidence: Evidence) -> None:
    rows = by_sessions(evidence).records()
    assert {row["label"] for row in rows} == {*MODELS}
    for model in MODELS:
        wanted: dict[int, list[float]] = defaultdict(list)
        for scores in GOLDEN[model]["dialogues"].values():
            if scores["history"][-1] is not None:
                wanted[len(scores["history"])].append(scores["history"][-1])
        found = {row["sessions"]: row for row in rows if row["label"] == model}
        assert found.keys() == wanted.keys()
        for length, values in wanted.items():
            assert found[length]["mean"] == digits(statistics.fmean(values))
            assert found[length]["dialogues"] == len(values)


def test_table_4_is_the_reference(release: Path, dialogues: tuple[Dialogue, ...]) -> None:
    some = dialogues[::6]  # of every length; all of them take their time
    found = from_outputs(some, [release / "outputs" / RECOMPUTED])
    golden = [GOLDEN[RECOMPUTED]["dialogues"][str(dialogue.number)] for dialogue in some]
    wanted: dict[str, list[float]] = {
        setting: [_mean(scores[setting]) for scores in golden]
        for setting in ("instruction", "session")
    }
    last = [scores["history"] for scores in golden]
    wanted["short history"] = [one[-1] for one in last if len(one) <= 15 and one[-1] is not None]
    wanted["long history"] = [one[-1] for one in last if len(one) > 15 and one[-1] is not None]
    rows = {row["setting"]: row for row in settings_table(found).records()}
    assert rows.keys() == wanted.keys()
    for setting, values in wanted.items():
        se = statistics.stdev(values) / len(values) ** 0.5
        assert rows[setting]["mean"] == digits(statistics.fmean(values))
        assert rows[setting]["se"] == digits(se)
        assert rows[setting]["dialogues"] == len(values)


def _mean(scores: list[float | None]) -> float:
    return statistics.fmean(score for score in scores if score is not None)


def test_several_processes_judge_as_one_does(
    release: Path, dialogues: tuple[Dialogue, ...]
) -> None:
    folders = [release / "outputs" / model for model in sorted(GOLDEN)[:2]]
    one, two = (from_outputs(dialogues[:25], folders, workers=workers) for workers in (1, 2))
    assert one.answers == two.answers
    assert [one.labels, two.labels] == [{row.source: row.source.model for row in one.answers}] * 2


class Followed(NamedTuple):
    """One rule of one history answer, worked out from the release's JSON alone."""

    dialogue: int
    sessions: int
    name: str
    rank: int
    score: float


def _shape(rule: list[Any]) -> tuple[str, str]:
    """What stays the same when a rule is updated: the object and the form of its pattern."""
    kind, check = rule
    if not isinstance(check, str):
        return kind, str(check)
    for form, pattern in (
        ("digit", r"\.\*\\d\$"),
        ("prefix", r"\^\w+\.\*"),
        ("suffix", r"\.\*\w+\$"),
        ("infix", r"\.\*\w+\.\*"),
    ):
        if re.fullmatch(pattern, check):
            return kind, form
    return kind, "case"


@pytest.fixture(scope="module")
def followed(release: Path) -> list[Followed]:
    return list(_followed(release))


def _followed(release: Path) -> Iterator[Followed]:
    scorer = OfficialScorer()
    for file in sorted((release / "dataset").glob("dialogue_*.json")):
        number = int(file.stem.split("_")[1])
        sessions = json.loads(file.read_text(encoding="utf-8"))["sessions"]
        output = release / "outputs" / RECOMPUTED / f"output_{number}.json"
        answers = json.loads(output.read_text(encoding="utf-8"))["sessions"][-1]
        told: dict[tuple[str, str], int] = defaultdict(int)
        for session in sessions:
            for rule in session["session_regex"]:
                told[_shape(rule)] += 1
        checked = sessions[-1]["history_regex"]
        rules = [
            Rule(object=kind, check=tuple(check) if isinstance(check, list) else check)
            for kind, check in checked
        ]
        for answer in answers["history_model_output"]:
            verdicts = scorer.judge(answer, rules, [False] * len(rules))
            for raw, rule, verdict in zip(checked, rules, verdicts, strict=True):
                if verdict != "absent":
                    yield Followed(
                        number,
                        len(sessions),
                        family_name(rule),
                        told[_shape(raw)] - 1,
                        float(verdict == "followed"),
                    )


def _mean_of_dialogues(followed: list[Followed]) -> tuple[Any, int]:
    by_number: dict[int, list[float]] = defaultdict(list)
    for one in followed:
        by_number[one.dialogue].append(one.score)
    return digits(statistics.fmean(map(statistics.fmean, by_number.values()))), len(by_number)


def test_figure_6_is_what_its_definition_gives(
    evidence: Evidence, followed: list[Followed]
) -> None:
    wanted = {
        (sessions, rank): _mean_of_dialogues(
            [one for one in followed if (one.sessions, one.rank) == (sessions, rank)]
        )
        for sessions, rank in {(one.sessions, one.rank) for one in followed}
    }
    assert max(rank for _, rank in wanted) >= 5
    found = {
        (row["sessions"], row["update_rank"]): (row["mean"], row["dialogues"])
        for row in by_update_rank(evidence).records()
        if row["label"] == RECOMPUTED
    }
    assert found == wanted


def test_appendix_e_is_what_its_definition_gives(
    evidence: Evidence, followed: list[Followed]
) -> None:
    for series, is_update in ((by_instruction(evidence), False), (by_update(evidence), True)):
        own = [one for one in followed if (one.rank > 0) is is_update]
        wanted = {
            name: _mean_of_dialogues([one for one in own if one.name == name])
            for name in {one.name for one in own}
        }
        found = {
            row["instruction"]: (row["mean"], row["dialogues"])
            for row in series.records()
            if row["label"] == RECOMPUTED
        }
        assert found == wanted
        assert len(found) == (11 if is_update else 51)


def test_table_2_counts_what_the_reference_counts(
    dialogues: tuple[Dialogue, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Tokens take their time and are no part of the reference.
    monkeypatch.setattr("memorycode.results.figures.dataset_table.token_counter", lambda: len)
    totals: dict[str, float] = defaultdict(float)
    for row in dataset_table(Evidence(dialogues)).records():
        totals[str(row["parameter"])] += float(row["mean"] or 0) * int(row["dialogues"] or 0)
    counts = FACTS["counts"]
    fillers = ("filler-add", "filler-update", "filler-instruction-add", "filler-instruction-update")
    assert totals["sessions"] == pytest.approx(counts["sessions"])
    assert totals["instructions added"] == pytest.approx(counts["instruction-add"])
    assert totals["instructions updated"] == pytest.approx(counts["instruction-update"])
    assert totals["sessions with instructions"] == pytest.approx(
        counts["sessions_with_instructions"]
    )
    assert totals["fillers"] == pytest.approx(sum(counts[kind] for kind in fillers))
