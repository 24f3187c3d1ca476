"""What one strategy with one model sent, what came back, and what that cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from memorycode.frozen import Frozen
from memorycode.prices import Price
from memorycode.protocols import Usage
from memorycode.results.spread import quantile
from memorycode.running.records import MemoryCost, Record


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


class SpendingTally:
    """Collects attempts and memory costs."""

    def __init__(self) -> None:
        self._calls = self._cached_answers = self._cached_calls = 0
        self._failed: Counter[str] = Counter()
        self._spent: list[Usage] = []
        self._latencies: list[float] = []

    def add_attempt(self, record: Record) -> None:
        """One time that a question was asked."""
        self._cached_answers += record.cached
        if not record.was_sent:
            return
        self._calls += 1
        if record.failed:
            self._failed[record.outcome] += 1
        else:
            self._spent.append(record.spent)
            self._latencies.append(record.latency)

    def add_memory(self, cost: MemoryCost) -> None:
        self._calls += cost.sent_calls
        self._cached_calls += cost.cached_calls
        self._failed.update(cost.failures)
        self._spent.append(cost.spent)

    def spending(self, price: Price | None) -> Spending:
        return Spending(
            calls=self._calls,
            failed_calls=dict(sorted(self._failed.items())),
            cached_answers=self._cached_answers,
            cached_calls=self._cached_calls,
            prompt_tokens=sum(usage.prompt_tokens for usage in self._spent),
            completion_tokens=sum(usage.completion_tokens for usage in self._spent),
            endpoint_cached_share=_cached_share(self._spent),
            dollars=sum(map(price.dollars, self._spent)) if price else None,
            latency_median=quantile(self._latencies, 0.5),
            latency_p95=quantile(self._latencies, 0.95),
        )


def _cached_share(spent: Iterable[Usage]) -> float | None:
    counted = [usage for usage in spent if usage.source == "endpoint"]
    prompt = sum(usage.prompt_tokens for usage in counted)
    return sum(usage.cached_tokens for usage in counted) / prompt if prompt else None
