"""The bounded memory: it works each key out once, and never holds more than it may."""

from __future__ import annotations

from memorycode.bounded_cache import BoundedCache


class Lengths:
    """Lengths of texts, and which texts it was asked about."""

    def __init__(self, capacity: int) -> None:
        self.asked: list[str] = []
        self.cache = BoundedCache(self._length, size=len, capacity=capacity)

    def _length(self, text: str) -> int:
        self.asked.append(text)
        return len(text)


def test_a_key_is_worked_out_once() -> None:
    lengths = Lengths(capacity=10)

    assert [lengths.cache(text) for text in ("ab", "ab", "c")] == [2, 2, 1]
    assert lengths.asked == ["ab", "c"]


def test_the_least_recently_used_goes_first() -> None:
    lengths = Lengths(capacity=4)
    for text in ("aa", "bb", "aa", "cc", "aa", "bb"):
        lengths.cache(text)

    assert lengths.asked == ["aa", "bb", "cc", "bb"]


def test_a_key_beyond_the_capacity_is_not_kept_and_drives_nothing_out() -> None:
    lengths = Lengths(capacity=4)
    for text in ("aa", "too long", "aa", "too long"):
        lengths.cache(text)

    assert lengths.asked == ["aa", "too long", "too long"]
