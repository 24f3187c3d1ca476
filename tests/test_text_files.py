"""Every reader of a file that a user brings takes the same files and refuses the same ones: none
hangs, shows a traceback or reads half of a file."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memorycode import text_files
from memorycode.audit import audit_dataset
from memorycode.cli.app import main
from memorycode.datasets import dump_dialogue, load_dataset
from memorycode.datasets.outputs import load_outputs
from memorycode.datasets.rows import dump_row
from memorycode.dialogue import Dialogue
from memorycode.errors import DatasetError, MemorycodeError
from memorycode.experiment import read_tables
from memorycode.generation.pool import load_pool
from memorycode.generation.settings import load_settings
from memorycode.models.key_file import read_keys
from memorycode.prices import load_prices
from memorycode.prompts import load_pack
from memorycode.retrieval.saved_rankings import read_rankings
from memorycode.scoring.cases import read_cases
from memorycode.scoring.detections import detect_text
from tests.conftest import make_dialogue

SEEDS = Path(__file__).parents[1] / "seeds"

TOLD = "Ann: always start function names with 'k_'.\r\nBob: fine.\r\n"
CASE = {"id": "é", "output": "def k_a(): pass", "object": "function", "rule": "^k_.*"}
RANKING = {
    "retriever": "bm25",
    "oracle": False,
    "units": "u",
    "query": "é",
    "positions": [0],
    "scores": [1.0],
}
OUTPUT = {"sessions": [{"history_model_output": ["x = 'é'"]}]}


def read_env(file: Path) -> str | None:
    os.environ.pop("SOME_API_KEY", None)
    try:
        read_keys(file.parent)
        return os.environ.get("SOME_API_KEY")
    finally:
        os.environ.pop("SOME_API_KEY", None)


def read_people(file: Path) -> object:
    for seeds in SEEDS.glob("*.toml"):
        if seeds.name != file.name:
            shutil.copy(seeds, file.parent)
    return load_pool(file.parent)


class Reader(NamedTuple):
    """A file's name, what stands in it, and who reads it."""

    name: str
    content: str
    read: Callable[[Path], object]


DIALOGUE = json.dumps(dump_dialogue(make_dialogue()))
PEOPLE = (SEEDS / "people.toml").read_text(encoding="utf-8")

READERS = {
    "dialogue": Reader("dialogue_7.json", DIALOGUE, load_dataset),
    "folder": Reader("dialogue_7.json", DIALOGUE, lambda f: load_dataset(f.parent)),
    "rows": Reader("rows.jsonl", json.dumps(dump_row(make_dialogue())), load_dataset),
    "list": Reader("rows.json", json.dumps([dump_row(make_dialogue())]), load_dataset),
    "outputs": Reader(
        "output_7.json", json.dumps(OUTPUT, ensure_ascii=False), lambda f: load_outputs(f.parent)
    ),
    "cases": Reader("cases.json", json.dumps([CASE], ensure_ascii=False), read_cases),
    "case lines": Reader("cases.jsonl", json.dumps(CASE, ensure_ascii=False), read_cases),
    "detect": Reader("talk.txt", TOLD, lambda f: detect_text(str(f), None)),
    "experiment": Reader("mine.toml", "name = 'é'\r\n", lambda f: read_tables(str(f))),
    "settings": Reader("mine.toml", "update_depth = 1  # é\r\n", lambda f: load_settings(str(f))),
    "seeds": Reader("people.toml", PEOPLE, read_people),
    "prices": Reader("prices.toml", "[models.'é']\ninput = 1\noutput = 2\n", load_prices),
    "prompt": Reader("passage.txt", "É: {text}\r\n", lambda f: load_pack(f.parent)),
    "rankings": Reader(
        "rankings.jsonl",
        json.dumps(RANKING, ensure_ascii=False) + "\n",
        lambda f: read_rankings(f.parent, None),
    ),
    "keys": Reader(".env", "SOME_API_KEY=é\r\n", read_env),
}


@pytest.fixture(params=READERS)
def reader(request: pytest.FixtureRequest) -> Reader:
    return READERS[request.param]


@pytest.fixture(autouse=True)
def _never_waiting() -> Iterator[None]:
    """A reader that waits for a pipe fails its test, and does not hold up all the others."""

    def waited(*_: object) -> None:
        raise TimeoutError("it waits for what nobody writes")

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


TAKEN: dict[str, Callable[[str], bytes]] = {
    "a mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16, big end first": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "UTF-32": lambda text: text.encode("utf-32"),
    "gzip": lambda text: gzip.compress(text.encode()),
    "gzip and a mark": lambda text: gzip.compress(text.encode("utf-8-sig")),
}


@pytest.mark.parametrize("kind", TAKEN)
def test_a_text_is_read_alike_however_it_is_written(
    reader: Reader, kind: str, tmp_path: Path
) -> None:
    file = tmp_path / reader.name
    file.write_bytes(reader.content.encode())
    plain = reader.read(file)
    file.write_bytes(TAKEN[kind](reader.content))
    assert TAKEN[kind](reader.content) != reader.content.encode()
    assert reader.read(file) == plain
    assert plain


def a_pipe(file: Path, _: str) -> None:
    os.mkfifo(file)


def a_device(file: Path, _: str) -> None:
    file.symlink_to("/dev/zero")


def a_socket(file: Path, _: str) -> None:
    here = Path.cwd()
    os.chdir(file.parent)  # a socket's path has to be short
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(file.name)
    finally:
        os.chdir(here)


def cut_off(file: Path, text: str) -> None:
    file.write_bytes(gzip.compress(text.encode())[:-6])


def damaged(file: Path, text: str) -> None:
    packed = bytearray(gzip.compress(text.encode()))
    packed[-7] ^= 1
    file.write_bytes(packed)


def latin_1(file: Path, text: str) -> None:
    file.write_bytes(b"\n" + text.encode() + b"caf\xe9\n")


def half_of_utf_16(file: Path, _: str) -> None:
    file.write_bytes(b"\xff\xfea")


REFUSED: dict[str, tuple[Callable[[Path, str], None], str]] = {
    "pipe": (a_pipe, "named pipe"),
    "device": (a_device, "a device"),
    "socket": (a_socket, "a socket"),
    "cut off": (cut_off, "cut off"),
    "damaged": (damaged, "damaged"),
    "latin-1": (latin_1, "not UTF-8 text"),
    "half of UTF-16": (half_of_utf_16, "not UTF-16 text"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_text_is_refused_by_name(reader: Reader, kind: str, tmp_path: Path) -> None:
    make, problem = REFUSED[kind]
    make(tmp_path / reader.name, reader.content)
    with pytest.raises(MemorycodeError, match=problem) as raised:
        reader.read(tmp_path / reader.name)
    assert str(tmp_path / reader.name) in str(raised.value)


def test_a_packed_file_is_unpacked_to_a_limit(
    reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "MAX_UNPACKED", 2**20)
    file = tmp_path / reader.name
    file.write_bytes(gzip.compress(reader.content.encode() + b"\n" * 2**20))
    with pytest.raises(MemorycodeError, match="more than 1 MiB when unpacked"):
        reader.read(file)


def test_a_folder_in_a_files_place_is_refused(reader: Reader, tmp_path: Path) -> None:
    if reader.name == ".env":
        pytest.skip("a folder .env is somebody's, and no file of keys")
    folder = tmp_path / reader.name
    folder.mkdir()
    with pytest.raises(MemorycodeError, match=reader.name.partition(".")[0]):
        reader.read(folder)


JSON_READERS = ("dialogue", "rows", "list", "outputs", "cases", "case lines", "rankings")

NOT_JSON = {
    "empty": "",
    "deep": "[" * 100_000,
    "deep objects": '{"sessions":' * 100_000,
    "not a number": '{"id": NaN, "sessions": Infinity, "positions": [NaN], "scores": [NaN]}',
    "twice": '{"sessions": [], "sessions": [{}]}',
    "digits": '{"id": ' + "9" * 5000 + "}",
    "half a pair": '{"id": "\\ud800", "sessions": "\\udfff", "\\ud800": 1}',
    "a word": '"text"',
    "null": "null",
}


@pytest.mark.parametrize("kind", NOT_JSON)
@pytest.mark.parametrize("name", JSON_READERS)
def test_json_that_cannot_be_meant_is_refused(name: str, kind: str, tmp_path: Path) -> None:
    reader = READERS[name]
    file = tmp_path / reader.name
    file.write_text(NOT_JSON[kind], encoding="utf-8")
    with pytest.raises(MemorycodeError) as raised:
        reader.read(file)
    assert str(file) in str(raised.value)


@pytest.mark.parametrize("depth", [30, 300, 900, 990, 3_000, 30_000])
@pytest.mark.parametrize("name", ["dialogue", "rows", "outputs", "cases"])
def test_any_depth_is_refused_with_a_message(name: str, depth: int, tmp_path: Path) -> None:
    reader = READERS[name]
    data = json.loads(reader.content)
    fields = data[0] if isinstance(data, list) else data
    fields[next(reversed(fields))] = "DEEP"
    text = json.dumps(data).replace('"DEEP"', "[" * depth + "]" * depth)
    (tmp_path / reader.name).write_text(text)
    with pytest.raises(MemorycodeError) as raised:
        reader.read(tmp_path / reader.name)
    assert len(str(raised.value)) < 1_000


def test_a_field_that_stands_twice_is_named(tmp_path: Path) -> None:
    file = tmp_path / "dialogue_1.json"
    file.write_text('{"context": {}, "context": {}}')
    with pytest.raises(DatasetError, match="the field 'context' stands in one object twice"):
        load_dataset(file)


def test_line_ends_are_where_they_were(tmp_path: Path) -> None:
    file = tmp_path / "talk.txt"
    file.write_bytes(b"a\r\nb\rc\n\xe2\x80\xa8")
    assert text_files.read_text(file) == "a\r\nb\rc\n\u2028"


@pytest.mark.parametrize("name", ["dialogue_7.json.gz", "dialogue_7.json"])
def test_packed_dialogues_are_found_in_folders(
    small_dialogue: Dialogue, tmp_path: Path, name: str
) -> None:
    text = json.dumps(dump_dialogue(small_dialogue))
    (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    found = load_dataset(tmp_path)
    assert found == load_dataset(tmp_path / name)
    assert [dump_dialogue(dialogue) for dialogue in found] == [dump_dialogue(small_dialogue)]
    assert found[0].number == small_dialogue.number


def test_rows_are_taken_as_lines_or_as_a_list(small_dialogue: Dialogue, tmp_path: Path) -> None:
    rows = [dump_row(small_dialogue) | {"id": number} for number in (2, 1)]
    (tmp_path / "a").mkdir()
    files = [tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.json", "a/d.jsonl.gz")]
    lines = "\n".join(map(json.dumps, rows))
    files[0].write_text(lines)
    files[1].write_text(json.dumps(rows, indent=1))
    files[2].write_text(json.dumps(rows))
    files[3].write_bytes(gzip.compress(lines.encode()))
    found = [load_dataset(path) for path in (*files, tmp_path / "a")]
    assert [[d.number for d in dialogues] for dialogues in found] == [[1, 2]] * 5
    assert all(dialogues == found[0] for dialogues in found)


FOREIGN: dict[str, Any] = {
    "LoCoMo": {"sample_id": "c", "conversation": {"session_1": []}, "qa": []},
    "LongMemEval": {"question_id": "q", "question": "?", "haystack_sessions": [[]]},
    "ShareGPT": {"id": "x", "conversations": [{"from": "human", "value": "hi"}]},
    "chat messages": {"messages": [{"role": "user", "content": "hi"}]},
}


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
@pytest.mark.parametrize("layout", FOREIGN)
def test_a_file_from_elsewhere_is_told_what_is_taken(
    layout: str, suffix: str, tmp_path: Path
) -> None:
    file = tmp_path / f"foreign{suffix}"
    for data in (FOREIGN[layout], [FOREIGN[layout]]):
        file.write_text(json.dumps(data))
        with pytest.raises(DatasetError, match=f"{layout}.*docs/your-own-dialogues.md"):
            load_dataset(file)


COMMANDS = {
    "audit": "audit FILE",
    "run": "run --dataset FILE --out runs --dry-run",
    "run an experiment": "run FILE",
    "prices": "run --dry-run --prices FILE",
    "generate from a pool": "generate --out out --pool FILE",
    "generate by settings": "generate --out out --preset FILE",
    "judge": "judge FILE",
    "detect": "detect FILE",
    "score": "score --dataset FILE --outputs outputs",
    "export": "dataset export FILE --out out",
    "parquet": "audit FILE.parquet",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_pipe_as_any_commands_file_ends_it_with_a_message(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = COMMANDS[command].replace("FILE", "file").split()
    name = next(word for word in words if word.startswith("file"))
    os.mkfifo(tmp_path / name)
    (tmp_path / "outputs").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["memorycode", *words])
    monkeypatch.setattr(sys, "path", [*sys.path])
    with pytest.raises(SystemExit) as left:
        main()
    said = capsys.readouterr().err
    assert left.value.code in (1, 2)
    assert said.startswith(f"memorycode: {name}: cannot be read: it is a named pipe"), said


def test_the_pages_dialogue_is_taken_and_nothing_is_wrong_with_it(tmp_path: Path) -> None:
    page = Path(__file__).parents[1] / "docs" / "your-own-dialogues.md"
    dialogue, outputs = (
        part.partition("```")[0] for part in page.read_text(encoding="utf-8").split("```json\n")[1:]
    )
    (tmp_path / "dialogue_1.json").write_text(dialogue, encoding="utf-8")
    (tmp_path / "output_1.json").write_text(outputs, encoding="utf-8")
    problems = audit_dataset(tmp_path).problems
    assert [problem for problem in problems if problem.session is not None] == []
    assert load_outputs(tmp_path)[1].settings == {"instruction", "session", "history"}
