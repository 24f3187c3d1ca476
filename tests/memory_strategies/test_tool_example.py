"""The memory with a tool that docs/your-own-memory.md shows: it passes the checks and searches."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from memorycode.conformance.kit import check_strategy
from memorycode.conformance.stand_ins import HashedWords
from memorycode.conformance.subject import Conditions
from memorycode.dialogue import SessionView, Speakers
from memorycode.errors import UsageError
from memorycode.model_options import ModelOptions
from memorycode.models.openai_chat import OpenAIChat
from memorycode.protocols import Model, StrategyContext
from tests.models.fault_server import KEY, FaultServer
from tests.models.test_tool_calls import calling

PAGE = Path(__file__).parents[2] / "docs" / "your-own-memory.md"
SPEAKERS = Speakers(mentor="Ada", mentee="Ben")
SAID = ("Session 1: a mole digs.", "Session 2: a vole runs.", "Session 3: the mole sleeps.")


@pytest.fixture
def script() -> str:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (found,) = [block for block in blocks if "class SearchedWords:" in block]
    return str(found)


def _memory(script: str, model: Model | None) -> Any:
    names: dict[str, Any] = {}
    exec(script, names)
    context = StrategyContext(SPEAKERS, model, HashedWords(), len, None, random.Random(0))
    memory = names["SearchedWords"](context)
    for index, text in enumerate(SAID):
        memory.observe(SessionView(index=index, text=text, speakers=SPEAKERS))
    return memory


def test_it_passes_all_checks(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "searched_words.py").write_text(script, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    report = check_strategy(Conditions(spec="searched_words:SearchedWords"))
    assert [finding for finding in report.findings if finding.failed] == []


def test_it_recalls_what_the_model_looks_up(script: str) -> None:
    def find(arguments: str) -> dict[str, Any]:
        return {"id": f"c{len(arguments)}", "function": {"name": "find", "arguments": arguments}}

    rounds = (
        calling(find('{"words": "The mole"}'), find("no JSON")),
        calling(find('{"words": "The mole"}'), find('{"words": "bat"}')),
    )
    with FaultServer(dict(enumerate(rounds)).get) as server:
        model = OpenAIChat("tiny", ModelOptions(base_url=server.url), api_key=KEY)
        recall = _memory(script, model).recall("moles")
        results = [said for said in server.asked[2]["messages"] if said["role"] == "tool"]
    assert [(passage.session, passage.text) for passage in recall.passages] == [(2, SAID[2])]
    assert [said["content"] for said in results] == [SAID[2], "nothing", SAID[2], "nothing"]


def test_it_needs_a_model(script: str) -> None:
    with pytest.raises(UsageError, match="choose one by --model"):
        _memory(script, None)
