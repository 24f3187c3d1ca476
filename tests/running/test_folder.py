"""A run's folder is its own: no mixing, no damage unseen, no key in it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from memorycode.dialogue import Dialogue
from memorycode.errors import ModelUnavailable, RunFolderError
from memorycode.evaluation import evaluate
from memorycode.results.found_question import find_question
from memorycode.results.read import report_run
from memorycode.running.folder import RunFolder
from memorycode.running.writer import RunWriter
from tests.run_files import sealed


def test_other_settings_are_refused_with_the_difference(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], strategies=["full_history"], out=tmp_path)
    before = (tmp_path / "asked.jsonl").read_bytes()
    with pytest.raises(RunFolderError, match="seed: 0 in the folder, 5 now"):
        evaluate([small_dialogue], strategies=["full_history"], seed=5, out=tmp_path)
    other = small_dialogue.model_copy(update={"number": 8})
    with pytest.raises(RunFolderError, match="dataset_hash"):
        evaluate([other], strategies=["full_history"], out=tmp_path)
    assert (tmp_path / "asked.jsonl").read_bytes() == before


def test_a_folder_of_something_else_is_left_alone(small_dialogue: Dialogue, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(RunFolderError, match="holds something else"):
        evaluate([small_dialogue], out=tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


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
    with pytest.raises(ModelUnavailable, match="cannot be reached") as raised:
        evaluate(
            [small_dialogue],
            models=["openai/some-model"],
            base_url="http://user:secret-word@127.0.0.1:9/v1",
            strategies=["rolling_summary"],
            out=tmp_path,
        )
    assert "secret-word" not in str(raised.value)
    manifest = RunFolder(tmp_path).manifest
    (model,) = manifest.settings.models
    assert model.options["address"] == "http://127.0.0.1:9/v1"
    assert model.options["temperature"] == 0
    assert manifest.python.startswith("3.")
    assert manifest.packages["memorycode"]
    for file in (file for file in tmp_path.rglob("*") if file.is_file()):
        content = file.read_bytes()
        content = gzip.decompress(content) if file.suffix == ".gz" else content
        assert key.encode() not in content, file
        assert b"secret-word" not in content, file


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("dialogues.jsonl.gz", b"\x1f\x8b garbage", "damaged"),
        ("dialogues.jsonl.gz", gzip.compress(b'{"a": 1}\n'), "damaged: KeyError"),
        ("dialogues.jsonl.gz", gzip.compress(b""), "belongs to no planned question"),
        ("manifest.json", b"{}", "settings: missing"),
        ("asked.jsonl", b'{"id": 3}\n', "line 1: it does not end in a checksum"),
        ("asked.jsonl", sealed({"id": 3}).line, "line 1: id: "),
    ],
    # Named, for the bytes hold the time of compression, and test processes must agree on names.
    ids=["not gzip", "no dialogue", "no line", "no settings", "no checksum", "bad record"],
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
    (tmp_path / "manifest.json").write_text(manifest.replace('"format": 2', '"format": 3'))
    with pytest.raises(RunFolderError, match="format 3; this version reads 1 and 2"):
        report_run(tmp_path)


def test_a_folder_that_lost_its_contexts_gets_them_again(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    strategies = ["full_history", "cumulative"]
    evaluate([small_dialogue], strategies=strategies, out=tmp_path)
    contexts = sorted(context.id for context in RunFolder(tmp_path).contexts())
    (tmp_path / "contexts.jsonl").write_bytes(b"")
    report = evaluate([small_dialogue], strategies=strategies, out=tmp_path)
    assert not report.has_failures
    assert sorted(context.id for context in RunFolder(tmp_path).contexts()) == contexts
    assert find_question(tmp_path, "7/3/0/cumulative").prompt
