"""What a run sends and what that costs, and when it has to stop."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any, Protocol

from memorycode.errors import Halted
from memorycode.frozen import Frozen
from memorycode.prices import PriceList
from memorycode.protocols import Usage
from memorycode.running.execution import Limits

UNREACHED = 5
"""So many calls in a row that reach nobody end a run: the rest would fail one by one."""


MOST_LEFT_BEHIND = 4
"""So many threads may hang in a strategy. Each keeps what it holds, and none can be ended."""


class Spent(Frozen):
    """Calls that were sent, the tokens of those that were answered, and their price."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    dollars: float = 0.0


class CallCounter(Protocol):
    """Lets calls through and is told what became of them: a `Meter`, or the way to one.

    `stopped` says in a sentence why the run stops, empty while it goes on.
    """

    stopped: str

    def send(self, model: str, prompt_tokens: int, /) -> None: ...

    def answered(self, model: str, prompt_tokens: int, usage: Usage, /) -> None: ...

    def failed(self, model: str, prompt_tokens: int, kind: str, problem: str, /) -> None: ...


class Meter:
    """Counts the calls of all threads and says when the run stops.

    `stopped` says why in a sentence, `reason` in a word; both are empty while it goes on.
    `failures` counts failed calls by kind, `left_behind` the threads in which a strategy hangs.
    """

    def __init__(self, limits: Limits, prices: PriceList) -> None:
        self.stopped = self.reason = ""
        self.failures: Counter[str] = Counter()
        self.left_behind = 0
        self._limits, self._prices = limits, prices
        self._calls = self._prompt_tokens = self._completion_tokens = 0
        self._dollars = self._promised = 0.0
        self._unreached = 0
        self._lock = threading.Lock()

    @property
    def spent(self) -> Spent:
        with self._lock:
            return Spent(
                calls=self._calls,
                prompt_tokens=self._prompt_tokens,
                completion_tokens=self._completion_tokens,
                dollars=self._dollars,
            )

    def __getstate__(self) -> dict[str, Any]:
        """Of a copy that goes on in another process; the lock stays here."""
        with self._lock:
            state = {key: value for key, value in vars(self).items() if key != "_lock"}
            return state | {"failures": Counter(self.failures)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._lock = threading.Lock()
        vars(self).update(state)

    def follow(self, other: Meter) -> None:
        """Take over what another meter, which went on from this one, has counted since."""
        state = other.__getstate__()
        with self._lock:
            vars(self).update(state)

    def add_earlier(self, model: str, calls: int, usage: Usage) -> None:
        """Count what was sent before the run was taken up again."""
        with self._lock:
            self._calls += calls
            self._add(model, usage)

    def send(self, model: str, prompt_tokens: int) -> None:
        """One call is about to be sent. Raises `Halted` where it may not."""
        with self._lock:
            self._check_limits()
            if self.stopped:
                raise Halted(self.stopped)
            self._calls += 1
            self._promised += self._price(model, Usage(prompt_tokens=prompt_tokens))

    def answered(self, model: str, prompt_tokens: int, usage: Usage) -> None:
        """The call came back with an answer of so many tokens."""
        with self._lock:
            self._unreached = 0
            self._promised -= self._price(model, Usage(prompt_tokens=prompt_tokens))
            self._add(model, usage)

    def failed(self, model: str, prompt_tokens: int, kind: str, problem: str) -> None:
        """The call came back with a failure."""
        with self._lock:
            self.failures[kind] += 1
            self._promised -= self._price(model, Usage(prompt_tokens=prompt_tokens))
            self._unreached = self._unreached + 1 if kind == "connection" else 0
            if self._unreached >= UNREACHED:
                self._stop(
                    "unreachable",
                    f"{UNREACHED} calls in a row reached nobody: {problem}; "
                    "once the endpoint is there, the same command with --retry-failed goes on",
                )

    def leave_behind(self) -> None:
        """One more thread hangs in a strategy."""
        with self._lock:
            self.left_behind += 1
            if self.left_behind > MOST_LEFT_BEHIND:
                self._stop(
                    "strategy_timeout",
                    "a strategy took longer than --strategy-timeout allows, with "
                    f"{MOST_LEFT_BEHIND} threads left behind already; the same command with "
                    "--retry-failed and --backend processes, which ends what hangs, or with a "
                    "higher --strategy-timeout goes on",
                )

    def end(self, problem: str) -> None:
        """A model cannot be used any more: the run stops, which says how to go on."""
        with self._lock:
            go_on = "once that is mended, the same command goes on from here"
            self._stop("unavailable", f"{problem}; what was answered is kept; {go_on}")

    def _add(self, model: str, usage: Usage) -> None:
        self._prompt_tokens += usage.prompt_tokens
        self._completion_tokens += usage.completion_tokens
        self._dollars += self._price(model, usage)

    def _price(self, model: str, usage: Usage) -> float:
        price = self._prices.of(model)
        return price.dollars(usage) if price else 0.0

    def _check_limits(self) -> None:
        most, dearest = self._limits.max_calls, self._limits.max_cost
        go_on = "the same command with a higher limit goes on"
        if most is not None and self._calls >= most:
            self._stop("max_calls", f"--max-calls {most:,} is reached; {go_on}")
        if dearest is not None and self._dollars + self._promised >= dearest:
            spent = f"${self._dollars:,.4f} spent so far"
            self._stop("max_cost", f"--max-cost {dearest:g} is reached ({spent}); {go_on}")

    def _stop(self, reason: str, why: str) -> None:
        """The first reason holds."""
        if not self.stopped:
            self.reason, self.stopped = reason, why
