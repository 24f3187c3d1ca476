"""Parquet and its card lose nothing, are read by `datasets` too, and say so where pyarrow lacks."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from memorycode.datasets import CardFacts, dataset_hash, load_dataset, read_rows, write_parquet
from memorycode.datasets.rows import COLUMNS, dump_row
from memorycode.dialogue import Dialogue
from memorycode.errors import DatasetError, UsageError
from memorycode.generation import SeedPool, generate_dialogues

pytest.importorskip("pyarrow", reason="the extra hf is not installed")


@pytest.fixture(scope="module")
def generated() -> tuple[Dialogue, ...]:
    return tuple(islice(generate_dialogues("demo", seed=3, pool=SeedPool.load()), 5))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The library `datasets`, offline, with its cache in the test's folder."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason="the extra hf is not installed")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    datasets.disable_progress_bars()
    return datasets


def test_generated_dialogues_are_the_same_again(
    generated: tuple[Dialogue, ...], tmp_path: Path
) -> None:
    shuffled = random.Random(1).sample(generated, len(generated))
    file = write_parquet(shuffled, tmp_path / "out")
    assert load_dataset(tmp_path / "out") == generated
    assert load_dataset(file, limit=2) == generated[:2]
    assert [p.name for p in (tmp_path / "out/data").iterdir()] == ["test-00000-of-00001.parquet"]


def test_the_release_is_the_same_again(release: Path, tmp_path: Path) -> None:
    dialogues = load_dataset(release)
    assert len(dialogues) == 300
    write_parquet(dialogues, tmp_path)
    read = load_dataset(tmp_path)
    assert read == dialogues
    assert dataset_hash(read) == dataset_hash(dialogues)


def test_datasets_reads_the_file_and_the_folder(
    generated: tuple[Dialogue, ...], tmp_path: Path, hub: Any
) -> None:
    file = write_parquet(generated, tmp_path / "out")
    cache = str(tmp_path / "cache")
    loaded = hub.load_dataset("parquet", data_files=str(file), split="train", cache_dir=cache)
    assert tuple(loaded.column_names) == COLUMNS
    assert read_rows(loaded) == generated
    # By the folder the card counts: its features, its split, and the number of rows it states.
    folder = hub.load_dataset(str(tmp_path / "out"), cache_dir=cache)
    assert list(folder) == ["test"]
    assert folder["test"].features["sessions"].dtype == "string"
    assert folder["test"].features["n_sessions"].dtype == "int64"
    assert read_rows(folder["test"]) == generated
    with pytest.raises(DatasetError, match="several splits, want one of them: test"):
        read_rows(folder)


@pytest.mark.parametrize("shape", ["numpy", "pandas"])
def test_datasets_in_other_formats_and_as_jsonl_are_read(
    generated: tuple[Dialogue, ...], tmp_path: Path, hub: Any, shape: str
) -> None:
    loaded = hub.Dataset.from_list([dump_row(d) for d in generated])
    assert read_rows(loaded.with_format("numpy")) == generated
    if shape == "pandas":
        assert read_rows(loaded.to_pandas().to_dict("records")) == generated
    loaded.to_json(tmp_path / "rows.jsonl")
    assert load_dataset(tmp_path) == generated


def test_the_card_says_size_licence_and_how_it_was_made(
    generated: tuple[Dialogue, ...], tmp_path: Path
) -> None:
    yaml = pytest.importorskip("yaml", reason="comes with the extra hf")
    facts = CardFacts(title='Ours: "first"', made="By `memorycode generate`.", license="cc0-1.0")
    file = write_parquet(generated, tmp_path, card=facts)
    _, front, body = (tmp_path / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    front = yaml.safe_load(front)
    assert front["license"] == "cc0-1.0"
    assert front["pretty_name"] == 'Ours: "first"'
    assert front["size_categories"] == ["n<1K"]
    assert front["dataset_info"]["splits"][0]["num_examples"] == len(generated)
    assert front["dataset_info"]["download_size"] == file.stat().st_size
    assert [feature["name"] for feature in front["dataset_info"]["features"]] == list(COLUMNS)
    assert all(f"| `{name}` | " in body for name in COLUMNS)
    assert "By `memorycode generate`." in body


def test_a_card_that_is_there_is_not_overwritten(
    generated: tuple[Dialogue, ...], tmp_path: Path
) -> None:
    (tmp_path / "README.md").write_text("Mine.")
    with pytest.raises(UsageError, match="is there already and not empty"):
        write_parquet(generated, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


def test_a_failure_on_the_way_leaves_no_file(
    generated: tuple[Dialogue, ...], tmp_path: Path
) -> None:
    def failing() -> Iterator[Dialogue]:
        yield from generated
        raise RuntimeError("the renderer gave up")

    with pytest.raises(RuntimeError):
        write_parquet(failing(), tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_file_that_is_no_parquet_is_named(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    file.write_bytes(b"PAR1, or so it says")
    with pytest.raises(DatasetError, match=r"rows\.parquet: not a parquet file"):
        load_dataset(file)


def test_a_table_with_other_columns_is_named(tmp_path: Path) -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "rows.parquet"
    parquet.write_table(pyarrow.table({"text": ["a"]}), file)
    with pytest.raises(DatasetError, match=r"row 0\.id: found null, want a whole number"):
        load_dataset(file)


def test_without_pyarrow_the_extra_is_named(
    small_dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "rows.parquet"
    file.touch()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(UsageError, match=r"pip install 'memorycode\[hf\]'"):
        load_dataset(file)
    with pytest.raises(UsageError, match=r"pip install 'memorycode\[hf\]'"):
        write_parquet([small_dialogue], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_pyarrow_is_imported_when_it_is_used_and_not_before() -> None:
    code = "import sys, memorycode.datasets; print('pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
