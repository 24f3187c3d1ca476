"""What was sent and what it cost: the questions' calls and the memory's, each at its price."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memorycode.prices import Price
from memorycode.protocols import Usage
from memorycode.results.cost import spending
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
