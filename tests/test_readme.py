"""What README.md and docs/ show is run: the commands, the Python, the class of one's own."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from memorycode.datasets import write_dataset
from memorycode.dialogue import Dialogue
from memorycode.plugins import installed
from tests.commands import run_command

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


# docs/your-own-memory.md installs a package; it is followed in `test_stranger`.
PAGES = (
    "README.md",
    *(
        f"docs/{page.name}"
        for page in sorted((ROOT / "docs").glob("*.md"))
        if page.name != "your-own-memory.md"
    ),
)


def _blocks(language: str, page: str = "README.md") -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [body for name, body in BLOCK.findall(text) if name == language]


def _commands(page: str) -> list[str]:
    lines = [line for block in _blocks("console", page) for line in block.splitlines()]
    return [line[2:] for line in lines if line.startswith("$ memorycode ")]


class _Endpoint(BaseHTTPRequestHandler):
    """Answers every chat with a short note."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": "```python\ndef f():\n    pass\n```"}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        reply = {"id": "1", "object": "chat.completion", "created": 0, "model": "m"}
        body = json.dumps(reply | {"choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def workplace(small_dialogue: Dialogue, tmp_path: Path) -> Path:
    """A folder with a clone of a release in miniature and the README's own class."""
    clone = tmp_path / "MemoryCode"
    numbered = [small_dialogue.model_copy(update={"number": n}) for n in (1, 2)]
    single = numbered[0].model_copy(
        update={
            "sessions": numbered[0].sessions[:1],
            "history_queries": (numbered[0].sessions[0].instructions[0].eval_query,),
        }
    )
    write_dataset([single, numbered[1]], clone / "dataset")
    outputs = clone / "outputs" / "command-r-plus"
    outputs.mkdir(parents=True)
    answer = "```python\ndef k_f():\n    pass\n```"
    session = {f"{s}_model_output": [answer] for s in ("instruction", "session", "history")}
    (outputs / "output_1.json").write_text(json.dumps({"sessions": [session]}))
    (own,) = [block for block in _blocks("python") if "class KeywordMemory" in block]
    (tmp_path / "keyword_memory.py").write_text(own)
    modules, blocks = (
        ("function_names", "letter_pairs"),
        _blocks("python", "docs/your-own-scorer.md"),
    )
    for module, block in zip(modules, blocks, strict=True):
        (tmp_path / f"{module}.py").write_text(block)
    (cases,) = _blocks("json")
    (tmp_path / "cases.json").write_text(cases)
    (experiment,) = _blocks("toml", "docs/running.md")
    (tmp_path / "handful.toml").write_text(experiment)
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
def test_every_command_runs(workplace: Path, endpoint: str, page: str) -> None:
    for command in _commands(page):
        words = shlex.split(command.replace("http://localhost:8000/v1", endpoint))
        environment = os.environ | {"OPENAI_API_KEY": "k"}
        done = run_command(*words[1:], cwd=workplace, env=environment)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        assert done.stdout.strip()


def test_the_readme_has_commands() -> None:
    assert len(_commands("README.md")) >= 7


def test_the_script_runs(workplace: Path) -> None:
    (script,) = [block for block in _blocks("python") if "evaluate" in block]
    assert len([line for line in script.splitlines() if line.strip()]) <= 5
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, stdout=subprocess.PIPE, text=True, cwd=workplace
    )
    assert "full_history" in done.stdout


def test_the_tree_names_what_is_there() -> None:
    (tree,) = [block for block in _blocks("text") if "memory_strategies/ one" in block]
    named = [line.split()[0] for line in tree.splitlines()]
    assert len(named) > 15
    for name in named:
        assert (ROOT / name).exists() or (ROOT / "memorycode" / name).exists(), name


def test_the_tree_names_all_that_is_there() -> None:
    (tree,) = [block for block in _blocks("text") if "memory_strategies/ one" in block]
    named = {line.split()[0].removesuffix("/") for line in tree.splitlines()}
    modules = {item.name for item in (ROOT / "memorycode").iterdir() if item.name[0] not in "_."}
    assert modules - {"py.typed", "prices.toml"} <= named


def test_every_strategy_is_in_the_table() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text[text.index("Memory strategies with") :]
    for name in installed("strategies"):
        assert name in table
