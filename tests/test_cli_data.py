"""The commands on data sets: generate, audit, dataset export."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from memorycode import load_dataset
from memorycode.audit import audit_dataset
from memorycode.datasets import dataset_hash, write_dataset
from memorycode.dialogue import Dialogue
from tests.commands import complaints, run_command


def call(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return run_command(*arguments, cwd=cwd, env=os.environ | {"COLUMNS": "100"})


def test_generated_data_is_audited_run_and_exported(tmp_path: Path) -> None:
    arguments = ("generate", "--out", "fresh", "--dialogues", 3, "--sessions", "2,4", "--seed", 5)
    done = call(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3 dialogues generated" in done.stdout
    dialogues = load_dataset(tmp_path / "fresh")
    assert [len(dialogue.sessions) for dialogue in dialogues] == [2, 4, 2]

    done = call(*arguments, cwd=tmp_path)
    assert "3 were there already" in done.stdout
    assert dataset_hash(load_dataset(tmp_path / "fresh")) == dataset_hash(dialogues)

    done = call("audit", "fresh", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["counts"]["dialogues"] == 3
    assert [p for p in report["problems"] if p["session"] is not None] == []
    assert report["ceiling"]["strict"]["short_history"] == 1.0

    done = call("run", "--dataset", "fresh", "--out", "run", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["strategies"]["full_history"]["short_history"]["mean"] > 0.9

    done = call("dataset", "export", "fresh", "--out", "rows", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert load_dataset(tmp_path / "rows") == dialogues
    assert (tmp_path / "rows" / "README.md").read_text().startswith("---\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--sessions", "2,x"), "write whole numbers with commas: 1,2,5"),
        (("--sessions", "0"), "at least one session"),
        (("--preset", "nothing"), "nothing"),
        (("--preset", "."), "a folder; want a TOML file of settings, or one of demo, paper"),
        (("--renderer", "nothing"), "nothing"),
        (("--pool", "nowhere"), "nowhere"),
        (("--style", "hedge_rate"), "write rates with commas"),
        (("--style", "mood=1"), "style: no 'mood'; there are difficulty, reference_rate"),
        (("--style", "hedge_rate=2"), "style: hedge_rate: want 1 or less, found 2.0"),
    ],
)
def test_wrong_use_of_generate_is_told_in_a_line(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = call("generate", "--out", "fresh", *arguments, cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("fresh/dataset/*.json"))


def test_audit_shows_people_what_it_found(small_dialogue: Dialogue, tmp_path: Path) -> None:
    first = small_dialogue.sessions[0]
    told = first.instructions[0].model_copy(
        update={"text": "always start function names with 'k_'"}
    )
    silent = first.model_copy(
        update={
            "text": "Ada: Hello.\n\nBen: Hello.",
            "instructions": (told,),
            "topics": ("talk", told.text),
        }
    )
    dialogue = small_dialogue.model_copy(
        update={"sessions": (silent, *small_dialogue.sessions[1:])}
    )
    write_dataset([dialogue], tmp_path / "data")
    done = call("audit", "data", cwd=tmp_path)
    assert done.returncode == 0
    assert "never_stated" in done.stdout
    assert "7/0" in done.stdout


def test_the_command_prints_what_the_audit_finds(tenth_of_release: Path, tmp_path: Path) -> None:
    """What it finds in the whole release is told in tests/audit/test_release.py."""
    done = call("audit", tenth_of_release / "dataset", "--json", cwd=tmp_path)
    report = json.loads(done.stdout)
    found = audit_dataset(tenth_of_release / "dataset").model_dump(mode="json")
    assert report["problems"] == found["problems"] != []
    assert report["ceiling"] == found["ceiling"]


def test_a_dialogue_that_runs_out_of_rules_is_told_of(tmp_path: Path) -> None:
    arguments = ("generate", "--out", "fresh", "--dialogues", 2, "--sessions", "260,2")
    for _ in range(2):  # made, and found there
        done = call(*arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        told = " ".join(done.stdout.split())
        assert "1 of 2 dialogues has fewer instructions than the settings ask for" in told
        assert "return_rate above 0" in told
    (tmp_path / "more.toml").write_text("return_rate = 0.1", encoding="utf-8")
    done = call(*arguments, "--preset", "more.toml", "--out", "filled", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "fewer" not in done.stdout


class _Down(BaseHTTPRequestHandler):
    """An endpoint whose model is not running."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(503)
        self.send_header("Retry-After-Ms", "1")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """The test's output stays quiet."""


@pytest.mark.parametrize("workers", [1, 2])
def test_an_endpoint_that_is_down_ends_it_with_one_error(tmp_path: Path, workers: int) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Down)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    model = ("--renderer", "openai/tiny", "--base-url", url)
    try:
        done = call("generate", "--out", "fresh", *model, "--workers", workers, cwd=tmp_path)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert done.returncode == 1
    (told,) = complaints(done.stderr)
    assert told.startswith("memorycode: dialogue ")
    assert "3 dialogues in a row had no answer" in told
    assert "the same call goes on where it stopped" in told
