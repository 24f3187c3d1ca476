"""mem0 keeps turns as they were said, or what the model picks out; and keeps to itself."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_strategies.mem0_memory import Mem0Memory
from memorycode.dialogue import SessionView, Speakers
from memorycode.errors import ModelError, ModelUnavailable, UsageError
from memorycode.protocols import StrategyContext

if importlib.util.find_spec("mem0") is None:
    pytest.skip("mem0 is not installed", allow_module_level=True)

MakeContext = Callable[..., StrategyContext]
Scripted = Callable[..., Any]


def picked(*texts: str) -> str:
    return json.dumps({"memory": [{"id": str(n), "text": text} for n, text in enumerate(texts)]})


def told(strategy: Mem0Memory, *texts: str) -> None:
    speakers = Speakers(mentor="Ines", mentee="Tom")
    for index, text in enumerate(texts):
        strategy.observe(SessionView(index=index, speakers=speakers, text=text))


def test_turns_are_kept_with_their_speaker(make_context: MakeContext) -> None:
    strategy = Mem0Memory(make_context(), threshold=0)
    told(strategy, "Ines: Red apples.\n\nTom: Green pears.", "Ines: Red plums.")
    recall = strategy.recall("apples pears plums")
    assert [p.text for p in recall.passages] == [
        "Ines: Red apples.\n\nTom: Green pears.",
        "Ines: Red plums.",
    ]
    assert recall.sessions == (0, 1)
    assert strategy.variant == "verbatim"


def test_what_is_not_alike_enough_is_not_found(make_context: MakeContext) -> None:
    strategy = Mem0Memory(make_context(), threshold=0.6)
    told(strategy, "Ines: Red apples.\n\nTom: Nothing like it at all.")
    assert strategy.recall("ines red apples").text == "Ines: Red apples."


def test_the_model_picks_out_what_is_kept(make_context: MakeContext, scripted: Scripted) -> None:
    answers = [picked("functions start with a_"), "no JSON at all", picked("classes end with Z")]
    model = scripted(*answers)
    strategy = Mem0Memory(make_context(model=model), infer=True, threshold=0)
    told(strategy, "Ines: One.", "Ines: Two.\n\nTom: Yes.", "Ines: Three.")
    recall = strategy.recall("functions classes")
    assert [(p.text, p.session) for p in recall.passages] == [
        ("functions start with a_", 0),
        ("classes end with Z", 2),
    ]
    notes = {"units": 2, "took_all": True, "failed": 0, "nothing_kept": 1}
    assert recall.notes == notes
    assert "Ines: Two.\nassistant: Tom: Yes." in model.prompts[1]
    assert "functions start with a_" in model.prompts[1]


def test_the_prompts_do_not_depend_on_the_day_or_on_chance(
    make_context: MakeContext, scripted: Scripted
) -> None:
    models = [scripted(picked("a b", "c d"), picked()) for _ in range(2)]
    for model in models:
        told(Mem0Memory(make_context(model=model), infer=True), "Ines: One.", "Ines: Two.")
    assert models[0].prompts == models[1].prompts
    assert "Date\nunknown\n" in models[0].prompts[0]


def test_a_failed_call_is_counted(make_context: MakeContext, scripted: Scripted) -> None:
    model = scripted(picked("kept"), ModelError("late", kind="timeout"), picked("kept too"))
    strategy = Mem0Memory(make_context(model=model), infer=True, threshold=0)
    told(strategy, "Ines: One.", "Ines: Two.", "Ines: Three.")
    recall = strategy.recall("kept")
    assert recall.sessions == (0, 2)
    assert recall.notes["failed"] == 1


def test_a_model_that_is_gone_stops_the_run(make_context: MakeContext, scripted: Scripted) -> None:
    model = scripted(ModelUnavailable("wrong key", kind="auth"))
    strategy = Mem0Memory(make_context(model=model), infer=True)
    with pytest.raises(ModelUnavailable, match="wrong key"):
        told(strategy, "Ines: One.")


@pytest.mark.parametrize(
    "answer",
    [
        '{"memory": "text"}',
        '{"memory": [7, null, "x"]}',
        '{"memory": [{"text": {"a": 1}}]}',
        '{"memory": {"text": "a"}}',
        "[1, 2]",
        "[" * 50_000,
    ],
)
def test_an_answer_that_does_not_fit_keeps_nothing(
    make_context: MakeContext, scripted: Scripted, answer: str
) -> None:
    model = scripted(picked("kept"), answer)
    strategy = Mem0Memory(make_context(model=model), infer=True, threshold=0)
    told(strategy, "Ines: One.", "Ines: Two.")
    recall = strategy.recall("kept")
    assert recall.sessions == (0,)
    assert recall.notes["failed"] + recall.notes["nothing_kept"] == 1  # type: ignore[operator]


def test_what_makes_no_sense_is_refused(make_context: MakeContext) -> None:
    with pytest.raises(UsageError, match="mem0 picks out what to keep with a language model"):
        Mem0Memory(make_context(), infer=True)
    with pytest.raises(UsageError, match="threshold is a number from 0 to 1"):
        Mem0Memory(make_context(), threshold=1.5)


def test_it_sends_no_telemetry_and_writes_nowhere(tmp_path: Path) -> None:
    """Even where mem0 was imported before, with its telemetry on."""
    code = """
import random, socket, sys
def refuse(*_):
    raise AssertionError("the network was used")
if "before" in sys.argv:
    import mem0
socket.socket.connect = socket.getaddrinfo = refuse
from memory_strategies.mem0_memory import Mem0Memory
from memorycode.conformance.stand_ins import HashedWords
from memorycode.dialogue import SessionView, Speakers
from memorycode.protocols import StrategyContext
speakers = Speakers(mentor="Ines", mentee="Tom")
context = StrategyContext(speakers, None, HashedWords(), len, None, random.Random(0))
strategy = Mem0Memory(context)
strategy.observe(SessionView(index=0, speakers=speakers, text="Ines: Red apples."))
assert strategy.recall("red apples").text
import mem0.memory.telemetry as telemetry
assert not telemetry.MEM0_TELEMETRY and telemetry._oss_telemetry_instance is None
"""
    for argument in ("fresh", "before"):
        home = tmp_path / argument
        (home / "tmp").mkdir(parents=True)
        run = subprocess.run(
            [sys.executable, "-W", "error::ResourceWarning", "-c", code, argument],
            capture_output=True,
            text=True,
            check=False,
            env={
                "HOME": str(home),
                "TMPDIR": str(home / "tmp"),
                "PATH": "/usr/bin:/bin",
                "PYTHONPATH": str(Path(__file__).parents[2]),
            },
        )
        assert (run.returncode, run.stderr) == (0, "")
        written = {path.name for path in home.rglob("*")} - {"tmp"}
        assert written <= ({".mem0", "config.json"} if argument == "before" else set())


@pytest.mark.parametrize(
    ("answer", "unreadable"),
    [
        ("I shall remember it all.", 1),
        ("", 1),
        ('{"facts": ["a"]}', 1),
        ('{"memory": [7]}', 1),
        ('{"memory": []}', 0),
        (f"Here you are:\n```json\n{picked('kept too')}\n```", 0),
        (picked("kept too"), 0),
    ],
)
def test_an_answer_that_mem0_cannot_read_is_reported(
    make_context: MakeContext, scripted: Scripted, answer: str, unreadable: int
) -> None:
    """mem0 itself says nothing: to it that is as if there had been nothing to keep."""
    reports: list[str] = []
    context = replace(
        make_context(model=scripted(picked("kept"), answer)),
        report_unreadable=lambda: reports.append("one"),
    )
    told(Mem0Memory(context, infer=True, threshold=0), "Ines: One.", "Ines: Two.")
    assert len(reports) == unreadable
