"""Our own figures: on rows made by hand they say what can be worked out on paper."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memorycode import evaluate
from memorycode.dialogue import Dialogue
from memorycode.errors import UsageError
from memorycode.protocols import Verdict
from memorycode.results.answers import Answer, AskedRule, Source
from memorycode.results.figures.after_update import after_update
from memorycode.results.figures.attribution import attribution
from memorycode.results.figures.evidence import Evidence, from_runs
from memorycode.results.figures.grouping import length_of
from memorycode.results.figures.interaction import interaction
from memorycode.results.figures.ladder import ladder
from memorycode.results.figures.pareto import pareto
from memorycode.results.figures.position import position
from memorycode.results.figures.series import Series
from memorycode.results.figures.settings_table import settings_table
from memorycode.results.figures.stability import stability
from memorycode.rules import ObjectKind, Rule

MakeRow = Callable[..., Answer]


def rule(object_: ObjectKind, *, told: int = 0, rank: int = 0) -> AskedRule:
    return AskedRule(Rule(object=object_, check=True), 1, rank, told, rank)


def column(series: Series, value: str, **where: Any) -> Any:
    """The value of the one row that has these."""
    [row] = [r for r in series.records() if all(r[name] == is_ for name, is_ in where.items())]
    return row[value]


def test_the_ladder_steps_from_rung_to_rung_on_the_same_dialogues(make_row: MakeRow) -> None:
    rows = []
    for dialogue in range(12):
        hard: Verdict = "followed" if dialogue < 3 else "violated"
        easy: Verdict = "followed" if dialogue < 9 else "violated"
        rows.append(make_row(dialogue, (hard,)))
        rows.append(make_row(dialogue, (easy,), source=Source("model", "active_rules", True)))
        rows.append(make_row(dialogue, setting="instruction", session=0))
    # A dialogue that one rung alone has moves its mean and no step.
    rows.append(make_row(99, ("violated",)))
    series = ladder(Evidence((), rows))
    assert column(series, "mean", rung="whole history") == pytest.approx(3 / 13)
    assert column(series, "step", rung="whole history") is None
    assert column(series, "step", rung="rules in force ◆") == pytest.approx(6 / 12)
    assert column(series, "step", rung="one rule alone") == pytest.approx(3 / 12)
    assert 0 < column(series, "step_low", rung="rules in force ◆") < 0.5


def test_one_rung_is_no_ladder(make_row: MakeRow) -> None:
    with pytest.raises(UsageError, match="more than one rung"):
        ladder(Evidence((), [make_row(1)]))


def test_attribution_counts_violated_rules_by_cause(make_row: MakeRow) -> None:
    violated: Verdict = "violated"
    rows = [
        make_row(
            1,
            (violated, violated, "followed", "absent"),
            causes={0: "not_recalled", 1: "stale_recalled"},
        ),
        make_row(2, (violated,), causes={0: "not_recalled"}),
        make_row(2, (violated,), causes={0: "not_recalled"}, session=3),
    ]
    series = attribution(Evidence((), rows))
    assert column(series, "rules", cause="not recalled") == 2
    assert column(series, "share", cause="not recalled") == pytest.approx(2 / 4)
    assert column(series, "share", cause="stale recalled") == pytest.approx(1 / 4)
    assert column(series, "rules", cause="stale obedience") == 0


def test_forgetting_counts_from_the_session_in_which_the_rule_was_told(make_row: MakeRow) -> None:
    rows = [
        make_row(1, rules=(rule("comment", told=2, rank=1),), session=2),
        make_row(1, ("violated",), rules=(rule("comment", told=2, rank=1),), session=6),
        make_row(1, rules=(rule("comment", told=2),), session=5),
    ]
    series = after_update(Evidence((), rows))
    assert column(series, "mean", group="updated, long", sessions_since="0") == 1
    assert column(series, "mean", group="updated, long", sessions_since="3–4") == 0
    assert column(series, "mean", group="new, long", sessions_since="3–4") == 1


def test_forgetting_wants_more_than_the_last_session(make_row: MakeRow) -> None:
    with pytest.raises(UsageError, match="ask-after every"):
        after_update(Evidence((), [make_row(1)]))


def test_position_is_the_tenth_of_the_history(make_row: MakeRow) -> None:
    told = {0: 1, 1: 1, 2: 2, 10: 6, 19: 10}
    for session, tenth in told.items():
        series = position(Evidence((), [make_row(1, rules=(rule("comment", told=session),))]))
        assert series.records()[0]["told_at"] == tenth
    with pytest.raises(UsageError, match="10 sessions"):
        position(Evidence((), [make_row(1, sessions=9)]))


def test_figures_call_a_dialogue_short_up_to_15_sessions(make_row: MakeRow) -> None:
    rows = [make_row(1, sessions=15), make_row(2, ("violated",), sessions=16)]
    assert [length_of(row) for row in rows] == ["short", "long"]
    table = settings_table(Evidence((), rows))
    assert column(table, "mean", setting="short history") == 1
    assert column(table, "mean", setting="long history") == 0


def test_the_frontier_has_what_no_real_memory_beats(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    strategies = ["no_memory", "full_history", "mentor_only", "active_rules"]
    evaluate([small_dialogue], strategies=strategies, out=tmp_path / "run")
    evidence = from_runs([tmp_path / "run"])
    series = pareto(evidence)
    assert {row["label"]: row["frontier"] for row in series.records()} == {
        "no_memory": "yes",
        "active_rules ◆": "",
        "mentor_only": "yes",
        "full_history": "",
    }
    tokens = [row.prompt_tokens for row in evidence.answers if row.source.strategy == "mentor_only"]
    assert column(series, "tokens", label="mentor_only") == sum(tokens) / len(tokens)
    assert column(series, "mean", label="mentor_only") == 1
    assert column(series, "dollars", label="mentor_only") is None


def test_stability_takes_a_tenth_of_the_samples_from_either_end(make_row: MakeRow) -> None:
    scores = ["violated"] * 3 + ["followed"] * 17
    random.Random(3).shuffle(scores)
    rows = [make_row(1, (score,), repeat=n) for n, score in enumerate(scores)]
    rows += [make_row(2, repeat=n) for n in range(20)]
    series = stability(Evidence((), rows))
    assert column(series, "mean", part="best tenth") == 1
    assert column(series, "mean", part="mean") == pytest.approx((17 / 20 + 1) / 2)
    assert column(series, "mean", part="worst tenth") == 0.5
    with pytest.raises(UsageError, match="--repeats"):
        stability(Evidence((), [make_row(1)]))


def _crowded(make_row: MakeRow, *, clash: bool) -> Evidence:
    """Dialogues with three of four families each; with `clash` two of them never go together."""
    objects: list[ObjectKind] = ["comment", "function docstring", "method try", "method docstring"]
    rng = random.Random(1)
    rows = []
    for dialogue in range(160):
        chosen = rng.sample(objects, 2 + dialogue % 2)
        both = {"comment", "method try"} <= set(chosen)
        verdicts: list[Verdict] = []
        for one in chosen:
            is_hurt = clash and both and one == "method try"
            fails = rng.random() < (0.9 if is_hurt else 0.2)
            verdicts.append("violated" if fails else "followed")
        rules = tuple(rule(one) for one in chosen)
        rows.append(make_row(dialogue, tuple(verdicts), rules=rules))
    return Evidence((), rows)


def test_a_pair_that_hurts_is_found_and_no_other(make_row: MakeRow) -> None:
    found = interaction(_crowded(make_row, clash=True)).records()
    assert [row["pair"] for row in found if row["finding"] == "hurt"] == ["comment + method try"]
    [pair] = [row for row in found if row["finding"] == "hurt"]
    assert -0.5 < float(pair["change"] or 0) < -0.2
    assert float(pair["low"] or 0) < float(pair["change"] or 0) < float(pair["high"] or 0) < 0


def test_where_no_pair_hurts_none_is_found(make_row: MakeRow) -> None:
    found = interaction(_crowded(make_row, clash=False)).records()
    assert len(found) == 6
    assert {row["finding"] for row in found} == {"no sign"}


def test_few_dialogues_are_too_few_to_tell(make_row: MakeRow) -> None:
    few = Evidence((), _crowded(make_row, clash=True).answers[:12])
    findings = {row["finding"] for row in interaction(few).records()}
    assert findings == {"too few to tell"}


def test_failed_questions_are_left_out_and_said_to_be(make_row: MakeRow) -> None:
    rows = [make_row(1), make_row(1, (), rules=(rule("comment"),), number=1, failure="timeout")]
    series = position(Evidence((), rows, unasked=3))
    assert column(series, "mean", told_at=1) == 1
    assert any("3 missing, 1 timeout" in note for note in series.notes)


def test_labels_name_what_tells_sources_apart(make_row: MakeRow) -> None:
    def labels(*sources: Source) -> list[str]:
        rows = [make_row(1, source=source) for source in sources]
        return list(Evidence((), rows).labels.values())

    assert labels(Source("m", "rag"), Source("m", "active_rules", True)) == [
        "rag",
        "active_rules ◆",
    ]
    assert labels(Source("m", "rag"), Source("k", "rag")) == ["m", "k"]
    assert labels(Source("m", "rag"), Source("k", "no_memory")) == ["m, rag", "k, no_memory"]
    assert labels(Source("m"), Source("k")) == ["m", "k"]
    assert labels(Source("m", "rag", run="runs/a"), Source("m", "rag", run="runs/b")) == [
        "rag (a)",
        "rag (b)",
    ]


def test_no_two_sources_of_a_setting_share_a_label(make_row: MakeRow) -> None:
    runs = [Source("m", "rag", run=run) for run in ("old/history", "new/history", "new")]
    rows = [make_row(1, source=source) for source in runs]
    assert list(Evidence((), rows).labels.values()) == [
        "rag (old/history)",
        "rag (new/history)",
        "rag (new)",
    ]
    # The parts of one experiment are of one strategy: they ask in different settings.
    parts = [make_row(1, source=runs[0]), make_row(1, source=runs[1], setting="session", session=0)]
    assert set(Evidence((), parts).labels.values()) == {"rag"}
    # A folder's name need not be text, and what is written down has to be.
    assert list(Evidence((), [make_row(1, source=Source("\udcff"))]).labels.values()) == [r"\udcff"]


def test_a_rung_of_the_ladder_is_of_one_run_and_one_memory(make_row: MakeRow) -> None:
    rows = [
        make_row(1),
        make_row(1, setting="session", session=0),
        # A memory that leaves out text is not what one session alone costs.
        make_row(1, ("violated",), setting="session", session=0, source=Source("model", "other")),
    ]
    assert column(ladder(Evidence((), rows)), "mean", rung="one session alone") == 1
    twice = [*rows, make_row(1, ("violated",), source=Source("model", "full_history", run="new"))]
    with pytest.raises(UsageError, match="two runs have whole history of model"):
        ladder(Evidence((), twice))


def test_the_order_of_the_records_decides_nothing(make_row: MakeRow) -> None:
    rows = [
        make_row(dialogue, sessions=sessions, setting=setting, session=sessions - 1)
        for dialogue, sessions in ((1, 20), (2, 3))
        for setting in ("history", "instruction")
    ]
    assert ladder(Evidence((), rows)) == ladder(Evidence((), rows[::-1]))


def test_categories_keep_their_order_where_the_first_group_lacks_some(make_row: MakeRow) -> None:
    rows = [
        make_row(1, rules=(rule("comment", told=told),), session=19, sessions=21)
        for told in (19, 0)  # 0 and 19 sessions ago
    ]
    rows.append(make_row(2, rules=(rule("comment", told=3, rank=1),), session=5, sessions=21))
    assert after_update(Evidence((), rows)).distinct("sessions_since") == ["0", "2", "17–32"]


def test_what_has_no_score_is_on_no_frontier(small_dialogue: Dialogue, tmp_path: Path) -> None:
    evaluate([small_dialogue], strategies=["no_memory", "full_history"], out=tmp_path / "run")
    evidence = from_runs([tmp_path / "run"])
    rows = [
        replace(row, verdicts={"strict": ("absent",)})
        if row.source.strategy == "no_memory"
        else row
        for row in evidence.answers
    ]
    series = pareto(replace(evidence, answers=rows))
    assert column(series, "mean", label="no_memory") is None
    assert column(series, "frontier", label="no_memory") == ""
    assert column(series, "frontier", label="full_history") == "yes"


def test_calls_that_a_memory_lost_are_told(small_dialogue: Dialogue, tmp_path: Path) -> None:
    report = evaluate([small_dialogue], strategies=["full_history"], out=tmp_path / "run")
    [model] = report.models
    [row] = model.rows
    memory = row.memory.model_copy(update={"failures": {"timeout": 2}})
    hurt = model.model_copy(update={"rows": (row.model_copy(update={"memory": memory}),)})
    notes = Evidence((), reports=[report.model_copy(update={"models": (hurt,)})]).notes()
    assert "full_history: 2 of the memory's own calls failed" in " ".join(notes)
    assert "ideal-mentee is no language model" in " ".join(notes)


def test_runs_are_shown_once_and_on_the_same_data(small_dialogue: Dialogue, tmp_path: Path) -> None:
    other = small_dialogue.model_copy(update={"sessions": small_dialogue.sessions[:-1]})
    for name, dialogue in (("one", small_dialogue), ("two", other)):
        evaluate([dialogue], strategies=["no_memory"], out=tmp_path / name)
    with pytest.raises(UsageError, match="named twice"):
        from_runs([tmp_path / "one", tmp_path / "two" / ".." / "one"])
    with pytest.raises(UsageError, match="the same data"):
        from_runs([tmp_path / "one", tmp_path / "two"])


def test_a_line_end_in_a_name_ends_no_line_of_the_csv(make_row: MakeRow) -> None:
    names = [Source("m", f"a{end}b") for end in ("\r", "\n", "\r\n")] + [Source("m", "plain")]
    series = attribution(Evidence((), [make_row(1, source=source) for source in names]))
    header, *rows = csv.reader(io.StringIO(series.csv(), newline=""))
    assert header == list(series.columns)
    assert {row[0] for row in rows} == {source.strategy for source in names}
