"""What one strategy with one model sent, what came back, and what that cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memorycode.frozen import Frozen
from memorycode.prices import Price
from memorycode.protocols import Usage
from memorycode.results.answers import Attempt
from memorycode.results.means import quantile
from memorycode.running.records import MemoryCost


class Spending(Frozen):
    """The calls of the questions and of the memory, in all the times that the run was taken up.

    A question that failed and was asked again counts as often as it was asked: `failed_calls`
    are of all `calls`, by kind, and no later answer takes them away. `cached_answers` of the
    questions, and `cached_calls` of the memory, were at hand: they are no calls. Tokens are those
    of the calls that were answered, as the endpoint counts where it does; `endpoint_cached_share`
    is the share of the prompts' tokens that the endpoint had in its own cache, None where no
    endpoint counted. `dollars` is None where no price is known. Latencies, in seconds, are those
    of the questions that were sent and answered.
    """

    calls: int = 0
    failed_calls: Mapping[str, int] = {}
    cached_answers: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    endpoint_cached_share: float | None = None
    dollars: float | None = None
    latency_median: float | None = None
    latency_p95: float | None = None


def spending(
    attempts: Sequence[Attempt], memories: Sequence[MemoryCost], price: Price | None
) -> Spending:
    """Every time that a question was asked, and what each memory's own calls were."""
    sent = [attempt for attempt in attempts if attempt.sent]
    answered = [attempt for attempt in sent if not attempt.failed]
    failed = Counter(attempt.failed for attempt in sent if attempt.failed)
    for memory in memories:
        failed.update(memory.failures)
    spent = [attempt.spent for attempt in answered] + [memory.spent for memory in memories]
    latencies = [attempt.latency for attempt in answered]
    return Spending(
        calls=len(sent) + sum(memory.sent_calls for memory in memories),
        failed_calls=dict(sorted(failed.items())),
        cached_answers=sum(attempt.cached for attempt in attempts),
        cached_calls=sum(memory.cached_calls for memory in memories),
        prompt_tokens=sum(usage.prompt_tokens for usage in spent),
        completion_tokens=sum(usage.completion_tokens for usage in spent),
        endpoint_cached_share=_cached_share(spent),
        dollars=sum(map(price.dollars, spent)) if price else None,
        latency_median=quantile(latencies, 0.5),
        latency_p95=quantile(latencies, 0.95),
    )


def memory_cost(memories: Sequence[MemoryCost]) -> MemoryCost:
    """The sum of what memories took."""
    failures: Counter[str] = Counter()
    for memory in memories:
        failures.update(memory.failures)
    return MemoryCost(
        seconds=sum(memory.seconds for memory in memories),
        calls=sum(memory.calls for memory in memories),
        prompt_tokens=sum(memory.prompt_tokens for memory in memories),
        completion_tokens=sum(memory.completion_tokens for memory in memories),
        cached_calls=sum(memory.cached_calls for memory in memories),
        saved_prompt_tokens=sum(memory.saved_prompt_tokens for memory in memories),
        saved_completion_tokens=sum(memory.saved_completion_tokens for memory in memories),
        cached_tokens=sum(memory.cached_tokens for memory in memories),
        embedded_texts=sum(memory.embedded_texts for memory in memories),
        embedded_tokens=sum(memory.embedded_tokens for memory in memories),
        cached_texts=sum(memory.cached_texts for memory in memories),
        failures=dict(sorted(failures.items())),
        ended=sum(memory.ended for memory in memories),
        unreadable=_unreadable(memories),
    )


def _unreadable(memories: Sequence[MemoryCost]) -> int | None:
    """None where a memory was answered and nobody counted what it could not read."""
    counted = [memory.unreadable for memory in memories if memory.calls]
    known = [count for count in counted if count is not None]
    return sum(known) if len(known) == len(counted) else None


def _cached_share(spent: Iterable[Usage]) -> float | None:
    counted = [usage for usage in spent if usage.source == "endpoint"]
    prompt = sum(usage.prompt_tokens for usage in counted)
    return sum(usage.cached_tokens for usage in counted) / prompt if prompt else None
