"""A run asks every planned question once and writes it down."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memorycode.dialogue import Dialogue
from memorycode.errors import UsageError
from memorycode.evaluation import evaluate
from memorycode.results.found_question import find_question
from memorycode.running.folder import RunFolder

RowOf = Callable[..., dict[str, object]]


def test_each_question_once_with_its_verdicts(small_dialogue: Dialogue, tmp_path: Path) -> None:
    report = evaluate([small_dialogue], strategies=["full_history", "cumulative"], out=tmp_path)
    records = list(RunFolder(tmp_path).records())
    assert len(records) == len({record.id for record in records}) == 2 + 6
    assert all(len(r.verdicts["official"]) >= 1 for r in records)
    assert not report.has_failures


def test_cumulative_equals_full_history_at_the_last_session(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], strategies=["full_history", "cumulative"], out=tmp_path)
    last = [record for record in RunFolder(tmp_path).records() if record.session == 3]
    by_strategy = {
        name: [(r.number, r.context, r.answer, r.verdicts) for r in last if r.strategy == name]
        for name in ("full_history", "cumulative")
    }
    assert len(by_strategy["cumulative"]) == 2
    assert by_strategy["cumulative"] == by_strategy["full_history"]


def test_a_strategy_sees_gold_only_if_it_is_an_oracle(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], strategies=["plugins:Diary"], out=tmp_path)
    assert {str(r.notes["views"]) for r in RunFolder(tmp_path).records()} == {"['SessionView']"}


def test_parameters_reach_the_strategy(small_dialogue: Dialogue, tmp_path: Path) -> None:
    evaluate([small_dialogue], strategies=["plugins:Diary:most=1"], out=tmp_path)
    contexts = list(RunFolder(tmp_path).contexts())
    assert [context.passages for context in contexts] == [(3,)]


def test_the_memorys_own_calls_are_counted_apart(
    row_of: RowOf, small_dialogue: Dialogue, tmp_path: Path
) -> None:
    report = evaluate(
        [small_dialogue], strategies=["plugins:Writer"], models=["plugins:Moody"], out=tmp_path
    )
    memory = row_of(report)["memory"]
    assert isinstance(memory, dict)
    assert memory["calls"] == 4
    assert memory["prompt_tokens"] > 50


@pytest.mark.parametrize("setting", ["session", "instruction"])
def test_other_settings_fill_their_own_column(
    row_of: RowOf, small_dialogue: Dialogue, tmp_path: Path, setting: str
) -> None:
    report = evaluate(
        [small_dialogue],
        strategies=["full_history"],
        setting=setting,
        out=tmp_path,
    )
    row = row_of(report)
    assert row["questions"] == 3
    assert setting in row
    assert "short_history" not in row


def test_several_models_make_several_tables(small_dialogue: Dialogue, tmp_path: Path) -> None:
    report = evaluate([small_dialogue], models=["ideal-mentee", "plugins:Moody"], out=tmp_path)
    json = report.as_json()
    assert list(json["models"]) == ["ideal-mentee", "plugins:Moody"]
    assert json["models"]["plugins:Moody"]["is_language_model"]


def test_the_prompt_is_rebuilt_to_the_byte(small_dialogue: Dialogue, tmp_path: Path) -> None:
    seen: dict[str, str] = {}
    from memorycode.models.ideal_mentee import IdealMentee

    original = IdealMentee.generate

    def spying(self: IdealMentee, prompt):  # type: ignore[no-untyped-def]
        seen[f"{prompt.ref.session}/{prompt.ref.number}"] = prompt.text
        return original(self, prompt)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(IdealMentee, "generate", spying)
        evaluate([small_dialogue], strategies=["cumulative"], out=tmp_path)
    assert len(seen) == 6
    for place, prompt in seen.items():
        assert find_question(tmp_path, f"7/{place}").prompt == prompt


def test_a_question_is_found_by_the_beginning_of_its_id(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], out=tmp_path)
    assert find_question(tmp_path, "7/3/1/full_history").record.number == 1
    with pytest.raises(UsageError, match="2 questions begin with '7/3/1'"):
        find_question(tmp_path, "7/3/1")
    with pytest.raises(UsageError, match="no question '8/0/0'"):
        find_question(tmp_path, "8/0/0")


def test_a_strategy_or_model_named_twice_is_refused(small_dialogue: Dialogue) -> None:
    with pytest.raises(UsageError, match="strategy 'rag' is named twice"):
        evaluate([small_dialogue], strategies=["rag", "rag"])


def test_a_dialogue_number_must_be_its_own(small_dialogue: Dialogue) -> None:
    with pytest.raises(UsageError, match="dialogue 7 is named twice"):
        evaluate([small_dialogue, small_dialogue])


def test_a_lone_string_is_no_list_of_strategies(small_dialogue: Dialogue) -> None:
    with pytest.raises(UsageError, match=r"write \['rag'\]"):
        evaluate([small_dialogue], strategies="rag")


def test_a_class_will_do_for_a_strategy(small_dialogue: Dialogue, tmp_path: Path) -> None:
    import plugins  # type: ignore[import-not-found]

    report = evaluate([small_dialogue], strategies=[plugins.Diary], out=tmp_path)
    assert list(report.as_json()["strategies"]) == ["plugins:Diary"]


def test_records_do_not_depend_on_the_number_of_threads(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    dialogues = [small_dialogue.model_copy(update={"number": n}) for n in range(1, 7)]
    strategies = ["rag:k=2", "cumulative", "rolling_summary"]
    found = []
    for concurrency in (1, 7):
        out = tmp_path / str(concurrency)
        evaluate(dialogues, strategies=strategies, out=out, concurrency=concurrency)
        records = RunFolder(out).records()
        found.append(sorted(record.model_dump_json(exclude={"latency"}) for record in records))
    assert found[0] == found[1]


def test_long_texts_are_counted(row_of: RowOf, small_dialogue: Dialogue, tmp_path: Path) -> None:
    long = small_dialogue.sessions[3].model_copy(update={"text": "Ada: " + "ha " * 600_000})
    sessions = (*small_dialogue.sessions[:3], long)
    dialogue = small_dialogue.model_copy(update={"sessions": sessions})
    report = evaluate([dialogue], strategies=["full_history"], out=tmp_path)
    assert not report.has_failures
    tokens = row_of(report)["context_tokens_mean"]
    assert isinstance(tokens, float)
    assert tokens > 500_000
