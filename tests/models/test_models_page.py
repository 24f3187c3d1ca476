"""What docs/models.md says is so: its example, its options and the names of its outcomes."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from memorycode.model_options import ModelOptions
from memorycode.models.langchain_model import LangChainModel
from memorycode.models.local_llama import LocalLlama
from memorycode.models.openai_chat import OpenAIChat
from tests.models.fault_server import FINAL, LASTING, PASSING, FaultServer

PAGE = Path(__file__).parents[2] / "docs" / "models.md"
TEXT = PAGE.read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    section = TEXT[TEXT.index(f"## {heading}") :].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_example_runs(tmp_path: Path) -> None:
    (script,) = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    with FaultServer() as server:
        done = subprocess.run(
            [sys.executable, "-c", script.replace("http://localhost:8000/v1", server.url)],
            check=True,
            capture_output=True,
            text=True,
            env={"MEMORYCODE_CACHE": str(tmp_path), "PATH": ""},
            cwd=PAGE.parents[1],
        )
        assert server.requests == 2
    assert done.stdout.strip() == "[False, True, False]"


def test_every_option_is_told_of_for_the_models_that_have_it() -> None:
    told = {
        name: cells[1:4] for cells in rows("Options") for name in re.findall(r"`(\w+)`", cells[0])
    }
    models: tuple[type[Any], ...] = (OpenAIChat, LangChainModel, LocalLlama)
    for place, model in enumerate(models):
        own = set(inspect.signature(model).parameters) - {"name", "options"}
        has = own | ModelOptions.model_fields.keys() - model.lacks_options
        says = {
            name for name, cells in told.items() if cells[place] not in ("", "its own variables")
        }
        assert says == has


def test_every_kind_of_failure_is_in_the_table() -> None:
    told = {
        name: cells[2]
        for cells in rows("What becomes")
        for name in re.findall(r"`(\w+)`", cells[0])
    }
    for fault in (*PASSING, *LASTING, *FINAL):
        assert fault.kind in told
    for fault in LASTING:
        assert told[fault.kind].startswith("no")
    for fault in FINAL:
        assert "stops" in told[fault.kind]
