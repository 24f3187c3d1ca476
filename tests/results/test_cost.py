"""What was sent and what it cost: the questions' calls and the memory's, each at its price."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memorycode.prices import Price
from memorycode.protocols import Usage
from memorycode.results.cost import Spending, memory_cost, spending
from memorycode.results.read import attempt_of
from memorycode.running.records import MemoryCost, Record

PRICE = Price(input=10, cached_input=1, output=100)
MILLION = 1_000_000

MakeRecord = Callable[..., Record]


@pytest.fixture
def make_record() -> MakeRecord:
    def make(**fields: object) -> Record:
        place = {"dialogue": 1, "setting": "history", "session": 0, "number": 0}
        named = {"id": "1/0/0", "model": "m", "strategy": "s", "query": "q"}
        return Record.model_validate({**place, **named, **fields})

    return make


def test_cached_tokens_of_the_memory_cost_what_cached_tokens_cost() -> None:
    """Of two calls one was answered from the run's cache; of the other's prompt the endpoint had
    nine tenths in its own."""
    memory = MemoryCost(
        calls=2,
        prompt_tokens=2 * MILLION,
        completion_tokens=200_000,
        cached_calls=1,
        saved_prompt_tokens=MILLION,
        saved_completion_tokens=100_000,
        cached_tokens=900_000,
    )
    found = spending([], [memory], PRICE)
    assert (found.calls, found.cached_calls) == (1, 1)
    assert (found.prompt_tokens, found.completion_tokens) == (MILLION, 100_000)
    assert found.dollars == pytest.approx(0.1 * 10 + 0.9 * 1 + 0.1 * 100)


def test_the_share_cached_there_is_of_the_prompts_that_the_endpoint_counted(
    make_record: MakeRecord,
) -> None:
    counted = [
        Usage(prompt_tokens=100, cached_tokens=cached, source="endpoint") for cached in (0, 60)
    ]
    usages = [*counted, Usage(prompt_tokens=1_000)]
    attempts = [attempt_of(make_record(usage=usage)) for usage in usages]
    assert spending(attempts, [], None).endpoint_cached_share == 0.3


def test_latencies_are_of_the_questions_that_were_sent_and_answered(
    make_record: MakeRecord,
) -> None:
    records = [make_record(latency=latency) for latency in range(20, 0, -1)]
    for other in ({"cached": True}, {"unsent": True}, {"outcome": "timeout"}):
        records.append(make_record(latency=1_000, **other))
    found = spending(list(map(attempt_of, records)), [], None)
    assert (found.latency_median, found.latency_p95) == (10, 19)
    assert (found.calls, found.cached_answers, found.failed_calls) == (21, 1, {"timeout": 1})


def test_nothing_asked_costs_nothing() -> None:
    found = spending([], [], PRICE)
    assert found == Spending(dollars=0)
    counted = ("calls", "cached_answers", "cached_calls", "prompt_tokens", "completion_tokens")
    assert [getattr(Spending(), name) for name in counted] == [0] * 5
    assert found.endpoint_cached_share is None
    assert spending([], [], None).dollars is None


def test_questions_and_memories_are_added(make_record: MakeRecord) -> None:
    usage = Usage(prompt_tokens=100, completion_tokens=10)
    attempts = [attempt_of(make_record(usage=usage)) for _ in range(3)]
    attempts += [attempt_of(make_record(outcome="timeout"))]
    memories = [
        MemoryCost(calls=5, cached_calls=1, prompt_tokens=70, failures={"timeout": 1}),
        MemoryCost(calls=2, completion_tokens=7, failures={"refused": 2}),
    ]
    found = spending(attempts, memories, PRICE)
    assert (found.calls, found.cached_calls) == (4 + 4 + 2, 1)
    assert found.failed_calls == {"refused": 2, "timeout": 2}
    assert list(found.failed_calls) == ["refused", "timeout"]
    assert (found.prompt_tokens, found.completion_tokens) == (370, 37)
    assert found.dollars == pytest.approx((370 * 10 + 37 * 100) / MILLION)
    assert found.endpoint_cached_share is None  # no endpoint counted


def test_the_cost_of_memories_is_the_sum_of_each_of_its_parts() -> None:
    """Also of tokens that the endpoint had in its cache, and of those that a cache saved."""
    names = [name for name in MemoryCost.model_fields if name != "failures"]
    first = {name: 10**place for place, name in enumerate(names)}
    memories = [
        MemoryCost.model_validate({**first, "failures": {"timeout": 1}}),
        MemoryCost.model_validate({**dict.fromkeys(names, 3), "failures": {"timeout": 2}}),
    ]
    found = memory_cost(memories)
    assert found.failures == {"timeout": 3}
    assert {name: getattr(found, name) for name in names} == {
        name: value + 3 for name, value in first.items()
    }
    assert memory_cost([]) == MemoryCost(unreadable=0)
