"""Means leave out what is not there; the standard deviation is the sample's, and a quantile is one
of the values."""

from __future__ import annotations

import math
import random

import pytest

from memorycode.results.means import estimate, mean, quantile, standard_deviation


def test_mean_leaves_out_what_is_none() -> None:
    assert mean([1.0, None, 0.0]) == 0.5
    assert mean([None]) is None
    assert mean([]) is None
    assert mean([0.1] * 10) == 0.1  # summed without rounding on the way


def test_standard_error_is_the_sample_deviation_by_the_root_of_n() -> None:
    result = estimate([0.0, 1.0, None, 0.5, 0.5])
    assert (result.mean, result.n) == (0.5, 4)
    assert result.se == pytest.approx(math.sqrt((0.25 + 0.25) / 3) / 2, abs=1e-15)
    assert estimate([0.25]).model_dump() == {"mean": 0.25, "se": None, "n": 1}
    assert estimate([]).model_dump() == {"mean": None, "se": None, "n": 0}


def test_two_values_are_enough_for_an_error() -> None:
    assert estimate([0.0, 1.0]).model_dump() == {"mean": 0.5, "se": 0.5, "n": 2}


@pytest.mark.parametrize(
    ("n", "share", "want"),
    [
        (1, 0.5, 1),
        (1, 0.95, 1),
        (2, 0.5, 1),
        (3, 0.5, 2),
        (19, 0.95, 19),
        (20, 0.95, 19),
        (21, 0.95, 20),
        (100, 0.5, 50),
        (100, 0.95, 95),
        (101, 0.5, 51),
        (10, 0.0, 1),
        (10, 1.0, 10),
    ],
)
def test_a_quantile_is_the_smallest_value_that_such_a_share_does_not_exceed(
    n: int, share: float, want: float
) -> None:
    values = [float(value) for value in range(1, n + 1)]
    random.Random(0).shuffle(values)
    found = quantile(values, share)
    assert found == want
    assert sum(value <= found for value in values) >= share * n


def test_nothing_has_no_quantile() -> None:
    assert quantile([], 0.5) is None


def test_the_standard_deviation_is_the_sample_s_and_leaves_out_none() -> None:
    assert standard_deviation([1.0, None, 3.0]) == pytest.approx(2**0.5)
    assert standard_deviation([1.0, None]) is None
    assert standard_deviation([]) is None
