"""What the runner relies on, for every strategy alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from memory_strategies.agentic_search import AgenticSearch
from memory_strategies.cumulative import Cumulative
from memory_strategies.full_history import FullHistory
from memory_strategies.instruction_chain import InstructionChain
from memory_strategies.instruction_ledger import InstructionLedger
from memory_strategies.no_memory import NoMemory
from memory_strategies.rag import Rag
from memory_strategies.rolling_summary import RollingSummary
from memory_strategies.working_state import WorkingState
from memorycode.dialogue import Dialogue
from memorycode.protocols import (
    Completion,
    Hit,
    MemoryStrategy,
    Prompt,
    Recall,
    StrategyContext,
    Unit,
)

QUERY = "function that counts vowels"

MakeContext = Callable[..., StrategyContext]


class NewestFirst:
    """A retriever whose best unit is the newest one."""

    def __init__(self) -> None:
        self._count = 0

    def add(self, units: Sequence[Unit]) -> None:
        self._count += len(units)

    def search(self, query: str, k: int) -> list[Hit]:
        found = range(self._count - 1, max(self._count - 1 - k, -1), -1)
        return [Hit(position=i, score=float(i)) for i in found]


class Echo:
    """A model whose summary is the end of what it was asked."""

    name = "echo"
    is_language_model = True

    def generate(self, prompt: Prompt) -> Completion:
        return Completion(text=prompt.text[-2000:])


class Clerk:
    """A model that files the end of what it was asked, as one line after the other."""

    name = "clerk"
    is_language_model = True

    def generate(self, prompt: Prompt) -> Completion:
        newest = prompt.text.rpartition("A new conversation:")[2].partition("Say what")[0]
        lines = [" ".join(line.split()) for line in newest.splitlines() if line.strip()]
        return Completion(text="\n".join(f"ADD: {line}" for line in lines))


class Asker:
    """A model that searches for one thing more and has then enough."""

    name = "asker"
    is_language_model = True

    def generate(self, prompt: Prompt) -> Completion:
        return Completion(text='{"enough": false, "query": "names"}')


def _without_model(make: MakeContext) -> MemoryStrategy:
    return RollingSummary(make())


def _with_model(make: MakeContext) -> MemoryStrategy:
    return RollingSummary(make(model=Echo()))


STRATEGIES: dict[str, Callable[[MakeContext], MemoryStrategy]] = {
    "no_memory": lambda make: NoMemory(make()),
    "full_history": lambda make: FullHistory(make()),
    "cumulative": lambda make: Cumulative(make()),
    "instruction_chain": lambda make: InstructionChain(make()),
    "rag k=2": lambda make: Rag(make(), retriever=NewestFirst(), k=2),
    "rag k=dynamic": lambda make: Rag(make(), retriever=NewestFirst()),
    "rolling_summary extractive": _without_model,
    "rolling_summary model": _with_model,
    "working_state": lambda make: WorkingState(make(model=Echo())),
    "instruction_ledger language": lambda make: InstructionLedger(make()),
    "instruction_ledger model": lambda make: InstructionLedger(make(model=Clerk())),
    "agentic_search": lambda make: AgenticSearch(make(model=Asker()), retriever=NewestFirst(), k=2),
}
ORACLES = {"instruction_chain", "rag k=dynamic"}

Build = Callable[[], MemoryStrategy]


@pytest.fixture(params=STRATEGIES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def build(name: str, make_context: MakeContext) -> Build:
    return lambda: STRATEGIES[name](make_context)


def observe(strategy: MemoryStrategy, dialogue: Dialogue, index: int) -> None:
    view = dialogue.oracle_view if strategy.oracle else dialogue.view
    strategy.observe(view(index))


def after(strategy: MemoryStrategy, dialogue: Dialogue, last: int) -> Recall:
    for index in range(last + 1):
        observe(strategy, dialogue, index)
    return strategy.recall(QUERY)


def test_it_is_a_strategy_with_the_right_marks(name: str, build: Build) -> None:
    strategy = build()
    assert isinstance(strategy, MemoryStrategy)
    assert strategy.oracle is (name in ORACLES)
    assert strategy.ask_after == ("every" if name == "cumulative" else "last")


def test_nothing_seen_is_nothing_recalled(build: Build) -> None:
    assert build().recall(QUERY).text == ""


def test_asking_twice_changes_nothing(build: Build, dialogue: Dialogue) -> None:
    strategy = build()
    first = after(strategy, dialogue, dialogue.last)
    assert strategy.recall(QUERY) == first


def test_asking_in_between_changes_nothing(build: Build, dialogue: Dialogue) -> None:
    asked = build()
    for index in range(len(dialogue.sessions)):
        asked.recall(QUERY)
        observe(asked, dialogue, index)
    assert asked.recall(QUERY) == after(build(), dialogue, dialogue.last)


def test_nothing_of_a_later_session_is_known(
    build: Build, dialogue: Dialogue, marks: tuple[str, ...]
) -> None:
    strategy = build()
    for index in range(len(dialogue.sessions)):
        observe(strategy, dialogue, index)
        recall = strategy.recall(QUERY)
        assert all(session <= index for session in recall.sessions)
        assert not any(mark in recall.text for mark in marks[index + 1 :])


def test_passages_are_in_time_order(build: Build, dialogue: Dialogue) -> None:
    recall = after(build(), dialogue, dialogue.last)
    assert list(recall.sessions) == sorted(recall.sessions)


def test_a_recall_does_not_change_afterwards(build: Build, dialogue: Dialogue) -> None:
    strategy = build()
    early = after(strategy, dialogue, 1)
    copy = early.model_copy(deep=True)
    observe(strategy, dialogue, 2)
    observe(strategy, dialogue, 3)
    assert early == copy


def test_instances_share_nothing(build: Build, dialogue: Dialogue) -> None:
    fed, fresh = build(), build()
    after(fed, dialogue, dialogue.last)
    assert fresh.recall(QUERY).text == ""


def test_something_is_recalled_but_by_the_control(
    name: str, build: Build, dialogue: Dialogue
) -> None:
    recall = after(build(), dialogue, dialogue.last)
    assert bool(recall.text) is (name != "no_memory")
