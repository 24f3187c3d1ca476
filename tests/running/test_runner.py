"""A run asks every planned question once, writes it down, and never scores a failure."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest

from memorycode.analysis.run_report import RunReport, report_run
from memorycode.dialogue import Dialogue
from memorycode.errors import ModelUnavailable, PluginError, RunFolderError, UsageError
from memorycode.evaluation import evaluate, run_experiment
from memorycode.experiment import make_experiment
from memorycode.prompts import DEFAULT_PACK
from memorycode.reporting.tables import report_text
from memorycode.running.folder import RunFolder, RunWriter
from memorycode.running.lookup import find_question


@pytest.fixture(autouse=True)
def plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test plug-ins, importable as ``plugins:NAME``, as a user's own file would be."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.delitem(sys.modules, "plugins", raising=False)


def _row(report: RunReport, number: int = 0) -> dict[str, object]:
    json = report.as_json()
    row: dict[str, object] = list(json["strategies"].values())[number]
    return row


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


def test_failures_are_counted_by_kind_and_not_scored(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    report = evaluate(
        [small_dialogue], strategies=["full_history"], models=["plugins:Moody"], out=tmp_path
    )
    row = _row(report)
    assert (row["questions"], row["answered"], row["failed"]) == (2, 1, 1)
    assert row["failures"] == {"server_error": 1}
    assert row["short_history"] == {"mean": 1.0, "se": None, "n": 1}
    assert report.has_failures
    failed = [record for record in RunFolder(tmp_path).records() if record.failed]
    assert [(r.outcome, r.error, dict(r.verdicts)) for r in failed] == [
        ("server_error", "503 from the endpoint", {})
    ]


def test_what_a_model_raises_by_mistake_is_a_failure_too(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    report = evaluate([small_dialogue], models=["plugins:Raising"], out=tmp_path)
    assert _row(report)["failures"] == {"model_error": 2}
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
    small_dialogue: Dialogue, tmp_path: Path, strategy: str, doing: str
) -> None:
    report = evaluate(
        [small_dialogue], strategies=[f"plugins:{strategy}", "full_history"], out=tmp_path
    )
    assert _row(report)["failures"] == {"strategy_error": 2}
    assert _row(report, 1)["failed"] == 0
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


def test_the_memorys_own_calls_are_counted_apart(small_dialogue: Dialogue, tmp_path: Path) -> None:
    report = evaluate(
        [small_dialogue], strategies=["plugins:Writer"], models=["plugins:Moody"], out=tmp_path
    )
    memory = _row(report)["memory"]
    assert isinstance(memory, dict)
    assert memory["calls"] == 4
    assert memory["prompt_tokens"] > 50


def test_questions_never_asked_are_missing_from_every_table(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], strategies=["full_history"], out=tmp_path)
    lines = (tmp_path / "records.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "records.jsonl").write_bytes(lines[0])
    report = report_run(tmp_path)
    row = _row(report)
    assert (row["questions"], row["failed"], row["failures"]) == (2, 1, {"missing": 1})
    assert "1 missing" in report_text(report)
    assert "UNFINISHED: 1 of 2 questions were asked" in report_text(report)
    coverage = row["coverage"]
    assert isinstance(coverage, dict)
    assert (coverage["questions"], coverage["answered"], coverage["missing"]) == (2, 1, 1)


@pytest.mark.parametrize("setting", ["session", "instruction"])
def test_other_settings_fill_their_own_column(
    small_dialogue: Dialogue, tmp_path: Path, setting: str
) -> None:
    report = evaluate(
        [small_dialogue],
        strategies=["full_history"],
        setting=setting,  # type: ignore[arg-type]
        out=tmp_path,
    )
    row = _row(report)
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


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("nothing_such", UsageError, "no strategy named 'nothing_such'; installed are cumulative"),
        ("plugins:Nothing", PluginError, "cannot be imported: AttributeError"),
        ("no.such.module:X", PluginError, "cannot be imported: ModuleNotFoundError"),
        ("plugins:Shapeless", PluginError, "Shapeless is no MemoryStrategy"),
        ("plugins:Diary:most=many", UsageError, "most: int = 3: 'many' does not fit"),
        ("plugins:Diary:least=1", UsageError, "no parameter 'least'; there are: most: int = 3"),
        ("plugins:Undated", PluginError, "checkpoints is 'sometimes', want last or every"),
        ("plugins:Explosive", PluginError, "cannot be built: ValueError: boom"),
        ("rag:k=0", UsageError, "k is 'dynamic' or a whole number from 1 on, not 0"),
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


def test_other_settings_are_refused_with_the_difference(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], strategies=["full_history"], out=tmp_path)
    before = (tmp_path / "records.jsonl").read_bytes()
    with pytest.raises(RunFolderError, match="seed: 0 in the folder, 5 now"):
        evaluate([small_dialogue], strategies=["full_history"], seed=5, out=tmp_path)
    other = small_dialogue.model_copy(update={"number": 8})
    with pytest.raises(RunFolderError, match="dataset_hash"):
        evaluate([other], strategies=["full_history"], out=tmp_path)
    assert (tmp_path / "records.jsonl").read_bytes() == before


def test_a_folder_of_something_else_is_left_alone(small_dialogue: Dialogue, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(RunFolderError, match="holds something else"):
        evaluate([small_dialogue], out=tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


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


def test_failed_questions_are_asked_again_only_if_wanted(
    small_dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = make_experiment({"models": ["plugins:Recovering"], "strategies": ["no_memory"]})
    report = run_experiment(experiment, [small_dialogue], out=tmp_path)
    assert _row(report)["failures"] == {"connection": 2}
    monkeypatch.setenv("ENDPOINT_IS_UP", "yes")
    report = run_experiment(experiment, [small_dialogue], out=tmp_path)
    assert _row(report)["failures"] == {"connection": 2}
    report = run_experiment(experiment, [small_dialogue], out=tmp_path, retry_failed=True)
    row = _row(report)
    assert (row["answered"], row["failures"]) == (2, {})
    assert find_question(tmp_path, "7/3/0").record.outcome == "answered"


def test_calls_that_the_memory_lost_stand_in_the_table(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    report = evaluate(
        [small_dialogue], strategies=["plugins:Failing"], models=["plugins:Moody"], out=tmp_path
    )
    memory = _row(report)["memory"]
    assert isinstance(memory, dict)
    assert (memory["calls"], memory["failures"]) == (4, {"server_error": 4})
    assert report.has_failures
    assert "4 of the memory's own calls failed (4 server_error)" in report_text(report)


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


def test_a_changed_plugin_is_another_run(small_dialogue: Dialogue, tmp_path: Path) -> None:
    source = (Path(__file__).parent / "plugins.py").read_text()
    out = tmp_path / "run"
    (tmp_path / "mine_first.py").write_text(source)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        evaluate([small_dialogue], strategies=["mine_first:Diary"], out=out)
        (tmp_path / "mine_first.py").write_text(source + "\n# changed\n")
        with pytest.raises(RunFolderError, match="strategy mine_first:Diary: source "):
            evaluate([small_dialogue], strategies=["mine_first:Diary"], out=out)


def test_a_second_run_in_the_folder_is_refused(small_dialogue: Dialogue, tmp_path: Path) -> None:
    evaluate([small_dialogue], out=tmp_path)
    manifest = RunFolder(tmp_path).manifest
    with (
        RunWriter(tmp_path, manifest, [small_dialogue]),
        pytest.raises(RunFolderError, match="another run is writing here"),
    ):
        evaluate([small_dialogue], out=tmp_path)
    evaluate([small_dialogue], out=tmp_path)


@pytest.mark.parametrize("left", ["lock", "dialogues.jsonl.gz", "manifest.json.new"])
def test_a_folder_whose_making_was_cut_short_is_begun_again(
    small_dialogue: Dialogue, tmp_path: Path, left: str
) -> None:
    (tmp_path / left).write_bytes(b"half")
    report = evaluate([small_dialogue], out=tmp_path)
    assert not report.has_failures


def test_the_manifest_says_with_what_and_never_the_key(
    small_dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-planted-5f2c9e"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    evaluate(
        [small_dialogue],
        models=["openai/some-model"],
        base_url="http://user:secret-word@127.0.0.1:9/v1",
        strategies=["rolling_summary"],
        out=tmp_path,
    )
    manifest = RunFolder(tmp_path).manifest
    (model,) = manifest.settings.models
    assert model.options["address"] == "http://127.0.0.1:9/v1"
    assert model.options["temperature"] == 0
    assert manifest.python.startswith("3.")
    assert manifest.packages["memorycode"]
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        content = gzip.decompress(content) if file.suffix == ".gz" else content
        assert key.encode() not in content, file
        assert b"secret-word" not in content, file


def test_whatever_a_model_hands_back_is_a_record_that_can_be_read(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    dialogues = [small_dialogue.model_copy(update={"number": n}) for n in range(1, 9)]
    report = evaluate(dialogues, strategies=["no_memory"], models=["plugins:Odd"], out=tmp_path)
    assert _row(report)["failures"] == {
        "bad_response": 2,
        "empty": 2,
        "model_error": 8,
        "truncated": 2,
    }
    assert _row(report)["answered"] == 2
    assert _row(report_run(tmp_path)) == _row(report)


def test_a_strategy_cannot_rewrite_the_prompts_of_the_others(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], strategies=["plugins:Rewriting", "full_history"], out=tmp_path)
    for strategy in ("plugins:Rewriting", "full_history"):
        assert "Sing" not in find_question(tmp_path, f"7/3/0/{strategy}").prompt
    assert "Sing" not in DEFAULT_PACK.texts["question"]


def test_long_texts_are_counted(small_dialogue: Dialogue, tmp_path: Path) -> None:
    long = small_dialogue.sessions[3].model_copy(update={"text": "Ada: " + "ha " * 600_000})
    sessions = (*small_dialogue.sessions[:3], long)
    dialogue = small_dialogue.model_copy(update={"sessions": sessions})
    report = evaluate([dialogue], strategies=["full_history"], out=tmp_path)
    assert not report.has_failures
    tokens = _row(report)["context_tokens_mean"]
    assert isinstance(tokens, float)
    assert tokens > 500_000


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("dialogues.jsonl.gz", b"\x1f\x8b garbage", "damaged"),
        ("dialogues.jsonl.gz", gzip.compress(b'{"a": 1}\n'), "damaged: KeyError"),
        ("dialogues.jsonl.gz", gzip.compress(b""), "belongs to no planned question"),
        ("manifest.json", b"{}", "settings: Field required"),
        ("records.jsonl", b'{"id": 3}\n', "line 1: id: "),
    ],
)
def test_a_damaged_folder_is_named(
    small_dialogue: Dialogue, tmp_path: Path, file: str, content: bytes, message: str
) -> None:
    evaluate([small_dialogue], out=tmp_path)
    (tmp_path / file).write_bytes(content)
    with pytest.raises(RunFolderError, match=message):
        report_run(tmp_path)


def test_a_folder_of_another_format_is_refused(small_dialogue: Dialogue, tmp_path: Path) -> None:
    evaluate([small_dialogue], out=tmp_path)
    manifest = (tmp_path / "manifest.json").read_text()
    (tmp_path / "manifest.json").write_text(manifest.replace('"format": 1', '"format": 2'))
    with pytest.raises(RunFolderError, match="format 2; this version reads 1"):
        report_run(tmp_path)


def test_a_folder_that_lost_its_contexts_is_not_added_to(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], out=tmp_path)
    (tmp_path / "contexts.jsonl").write_bytes(b"")
    with pytest.raises(RunFolderError, match="lacks the context"):
        evaluate([small_dialogue], out=tmp_path)
