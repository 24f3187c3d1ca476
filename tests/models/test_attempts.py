"""Asking again: how often, after which wait, and at which pace."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest

from memorycode.errors import ModelError, ModelUnavailable, PassingFailure
from memorycode.models.attempts import LONGEST_WAIT, Attempts
from memorycode.models.failures import retry_after
from memorycode.models.pacing import Pacer
from memorycode.protocols import Completion

ANSWER = Completion(text="x = 1")
LIMITED = PassingFailure("slow down", kind="rate_limit")


class Waits(list[float]):
    """Stands for the clock: keeps what was waited instead of waiting."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def failing(failures: Sequence[ModelError]) -> Callable[[], Completion]:
    left = list(failures)

    def attempt() -> Completion:
        if left:
            raise left.pop(0)
        return ANSWER

    return attempt


def called(attempts: Attempts, attempt: Callable[[], Completion]) -> Completion:
    for one in attempts:
        with one:
            return attempt()
    raise AssertionError("neither an answer nor a failure")


def limited(seconds: float) -> PassingFailure:
    return PassingFailure("slow down", kind="rate_limit", retry_after=seconds)


# ── retries ───────────────────────────────────────────────────────────────────────────────────


def test_the_wait_is_at_least_what_the_endpoint_asks_and_not_much_more() -> None:
    waits = Waits()
    assert called(Attempts(3, sleep=waits), failing([limited(20), limited(100)])) is ANSWER

    assert [asked <= wait <= 1.1 * asked for asked, wait in zip((20, 100), waits, strict=True)]
    assert waits[0] < waits[1]


def test_back_off_grows_and_differs_from_call_to_call() -> None:
    calls = []
    for _ in range(40):
        waits = Waits()
        called(Attempts(5, sleep=waits), failing([LIMITED] * 5))
        calls.append(waits)

    assert len({tuple(waits) for waits in calls}) == 40
    longest = [max(waits[number] for waits in calls) for number in range(5)]
    assert longest == sorted(longest)
    assert all(wait <= 60 for waits in calls for wait in waits)


def test_the_last_failure_is_raised_with_its_kind_and_the_number_of_attempts() -> None:
    with pytest.raises(ModelError, match=r"slow down .*asked 3 times") as caught:
        called(Attempts(2, sleep=Waits()), failing([LIMITED] * 9))

    assert caught.value.kind == "rate_limit"


def test_a_wait_that_is_too_long_is_not_begun() -> None:
    waits = Waits()
    with pytest.raises(ModelError, match="left alone"):
        called(Attempts(5, sleep=waits), failing([limited(LONGEST_WAIT + 1)]))
    assert waits == []


@pytest.mark.parametrize(
    "failure", [ModelError("no", kind="refused"), ModelUnavailable("no", kind="quota")]
)
def test_what_does_not_pass_is_raised_as_it_is(failure: ModelError) -> None:
    with pytest.raises(ModelError) as caught:
        called(Attempts(5, sleep=Waits()), failing([failure]))
    assert caught.value is failure


def test_a_run_that_stops_need_not_wait() -> None:
    attempts = Attempts(5)
    kinds: list[str] = []

    def ask() -> None:
        try:
            called(attempts, failing([limited(200)] * 9))
        except ModelError as error:
            kinds.append(error.kind)

    thread = threading.Thread(target=ask)
    thread.start()
    attempts.close()
    thread.join(60)
    assert kinds == ["rate_limit"]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3),
        ({"Retry-After": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 40),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:40 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "1e400"}, None),
        ({}, None),
    ],
)
def test_when_to_come_back(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=lambda: 60.0) == seconds


# ── pace ──────────────────────────────────────────────────────────────────────────────────────


def call(pacer: Pacer, failure: ModelError | None = None) -> None:
    try:
        with pacer.turn():
            if failure:
                raise failure
    except ModelError:
        pass


def at_once(pacer: Pacer, failures: Sequence[ModelError | None]) -> None:
    """Calls that are all under way before the first of them ends."""
    together = threading.Barrier(len(failures))

    def one(failure: ModelError | None) -> None:
        try:
            with pacer.turn():
                together.wait(60)
                if failure:
                    raise failure
        except ModelError:
            pass

    threads = [threading.Thread(target=one, args=(failure,)) for failure in failures]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)


def test_a_refusal_halves_the_number_of_calls_that_were_under_way() -> None:
    pacer = Pacer(most=100)
    at_once(pacer, [LIMITED] + [None] * 7)

    assert pacer.limit <= 5  # 4 or what was under way by then, and one more for a success at most


def test_refusals_of_one_time_halve_it_once() -> None:
    pacer = Pacer(most=8)
    at_once(pacer, [LIMITED] * 8)

    assert pacer.limit == 4


def test_it_never_falls_below_one() -> None:
    pacer = Pacer(most=8)
    for _ in range(10):
        call(pacer, LIMITED)
    assert pacer.limit == 1


def test_a_run_of_successes_adds_one_up_to_the_most() -> None:
    pacer = Pacer(most=3)
    call(pacer, LIMITED)
    limits = []
    for _ in range(9):
        call(pacer)
        limits.append(pacer.limit)

    assert limits == [2, 2, 3, 3, 3, 3, 3, 3, 3]


def test_other_failures_change_nothing() -> None:
    pacer = Pacer(most=4)
    for kind in ("server_error", "refused", "timeout"):
        call(pacer, ModelError("no", kind=kind))
    assert pacer.limit == 4


def test_no_more_calls_are_under_way_than_the_limit_allows() -> None:
    pacer = Pacer(most=2)
    lock, busy, most = threading.Lock(), [0], [0]

    def one() -> None:
        for _ in range(50):
            with pacer.turn():
                with lock:
                    busy[0] += 1
                    most[0] = max(most[0], busy[0])
                with lock:
                    busy[0] -= 1

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert busy == [0]
    assert most[0] <= 2


def test_who_waits_takes_nobodys_place() -> None:
    """While one call waits for its retry, another goes through on the only place there is."""
    pacer = Pacer(most=1)
    seen: list[str] = []

    def sleep(seconds: float) -> None:
        with pacer.turn():
            seen.append("through")

    called(Attempts(1, sleep=sleep, pacer=pacer), failing([LIMITED]))
    assert seen == ["through"]
