"""Intervals, tests and effect sizes are those of scipy and statsmodels, or too few to tell."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from memorycode.results.statistics import (
    CONFIDENCE,
    ENOUGH,
    PERMUTATIONS,
    RESAMPLES,
    SEED,
    Interval,
    bootstrap_mean,
    bootstrap_share,
    compare_differences,
    compare_paired,
    expanded_level,
    generator,
    holm,
    permutation_p,
)


def _scores(n: int, seed: int = 3) -> list[float]:
    """Scores that heap at 0 and 1, as scores do."""
    rng = np.random.default_rng(seed)
    inner = rng.beta(2, 2, n).round(2)
    return list(np.where(rng.random(n) < 0.4, rng.integers(2, size=n), inner).astype(float))


# ── intervals ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("n", [ENOUGH, 30, 125, 300])
def test_the_level_makes_a_normal_percentile_as_wide_as_student_s(n: int) -> None:
    values = _scores(n)
    spread = np.std(values) / math.sqrt(n)  # what the means of values drawn again have
    half = stats.norm.ppf((1 + expanded_level(n)) / 2) * spread
    student = stats.t.interval(0.95, n - 1, np.mean(values), stats.sem(values))
    assert 2 * half == pytest.approx(student[1] - student[0], rel=1e-9)


@pytest.mark.parametrize("n", [30, 125, 300])
def test_an_interval_is_scipy_s_and_close_to_student_s(n: int) -> None:
    values = _scores(n)
    found = bootstrap_mean(values, generator())
    finer = stats.bootstrap(
        (values,), np.mean, n_resamples=8_000, confidence_level=expanded_level(n),
        method="percentile", rng=np.random.default_rng(99),
    ).confidence_interval  # fmt: skip
    se = stats.sem(values)
    assert found.mean == pytest.approx(np.mean(values), abs=1e-12)
    assert found.low == pytest.approx(finer.low, abs=0.2 * se)
    assert found.high == pytest.approx(finer.high, abs=0.2 * se)
    low, high = stats.t.interval(0.95, n - 1, np.mean(values), se)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.3 * se)


def test_an_interval_stays_within_the_scores() -> None:
    found = bootstrap_mean([1.0] * 11 + [0.0], generator())
    assert found.low is not None and found.high is not None
    assert 0 <= found.low < 11 / 12 < found.high <= 1


def test_the_same_scores_in_any_order_give_the_same_interval() -> None:
    values = _scores(40)
    assert bootstrap_mean(values, generator()) == bootstrap_mean(values[::-1], generator())
    assert bootstrap_mean(values, generator()) != bootstrap_mean(values, np.random.default_rng(7))


def test_few_dialogues_are_too_few_to_tell() -> None:
    few = bootstrap_mean([0.25] * (ENOUGH - 1), generator())
    assert few == Interval(mean=0.25, low=None, high=None, n=ENOUGH - 1)
    assert not few.is_told and not few.is_constant
    assert bootstrap_mean([], generator()) == Interval(mean=None, low=None, high=None, n=0)
    assert bootstrap_mean(_scores(ENOUGH), generator()).is_told


def test_scores_that_are_all_alike_have_an_interval_without_width() -> None:
    found = bootstrap_mean([0.1] * 30, generator())
    assert (found.mean, found.low, found.high) == (0.1, 0.1, 0.1)
    assert found.is_constant


def test_a_share_of_dialogues_of_one_size_is_their_mean() -> None:
    values = _scores(40)
    share = bootstrap_share([4 * value for value in values], [4] * 40, generator())
    found = bootstrap_mean(values, generator())
    assert (share.low, share.high) == pytest.approx((found.low, found.high))


def test_a_share_minds_that_dialogues_differ_in_size() -> None:
    """The delta method says how far a ratio of sums varies."""
    rng = np.random.default_rng(6)
    wholes = rng.integers(1, 30, 200)
    parts = rng.binomial(wholes, rng.beta(2, 2, 200))  # the rules of a dialogue go together
    found = bootstrap_share(list(parts), list(wholes), generator())
    share = parts.sum() / wholes.sum()
    se = np.std(parts - share * wholes, ddof=1) / wholes.mean() / math.sqrt(200)
    assert found.mean == pytest.approx(share)
    assert (found.low, found.high) == pytest.approx(
        (share - 1.972 * se, share + 1.972 * se), abs=0.3 * se
    )
    independent = math.sqrt(share * (1 - share) / wholes.sum())
    assert se > 2 * independent


def test_shares_of_few_or_of_nothing() -> None:
    few = bootstrap_share([1] * 9, [2] * 9, generator())
    assert few == Interval(mean=0.5, low=None, high=None, n=9)
    assert bootstrap_share([], [], generator()).mean is None
    alike = bootstrap_share([1, 2] * 10, [2, 4] * 10, generator())
    assert (alike.mean, alike.is_constant) == (0.5, True)


def test_parts_of_other_dialogues_than_the_wholes_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        bootstrap_share([1] * 11, [1] * 10, generator())


def test_most_intervals_hold_the_truth() -> None:
    """A quick look; tests/prove/interval_coverage.py is the proof."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        found = bootstrap_mean(list(rng.beta(2, 3, 20)), rng)
        assert found.low is not None and found.high is not None
        held += found.low <= 0.4 <= found.high
    assert 180 <= held <= 198


def test_what_is_alike_is_not_drawn_from() -> None:
    """Or rounding on the way would make a width."""
    assert bootstrap_share([0.1, 0.2] * 10, [1, 2] * 10, generator()).is_constant
    assert not bootstrap_share([1, 1] * 10, [2, 4] * 10, generator()).is_constant
    assert not bootstrap_mean(_scores(30), generator()).is_constant
    assert Interval(mean=0.1, low=float("0.1"), high=float("0.1"), n=10).is_constant


def test_the_numbers_are_those_that_the_docs_tell() -> None:
    """Another number is another interval for everybody."""
    assert (CONFIDENCE, ENOUGH, RESAMPLES, PERMUTATIONS, SEED) == (0.95, 10, 2_000, 9_999, 0)


def test_ten_dialogues_tell_and_nine_do_not() -> None:
    assert bootstrap_mean(_scores(10), generator()).is_told
    assert not bootstrap_mean(_scores(9), generator()).is_told
    assert bootstrap_share(_scores(10), [1] * 10, generator()).is_told
    assert not bootstrap_share(_scores(9), [1] * 9, generator()).is_told
    moved = compare_differences(_scores(10), generator())
    assert None not in (moved.p, moved.d_z, moved.rank_biserial)


# ── paired tests ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("n", [9, 13])
def test_up_to_13_differences_p_is_exact(n: int) -> None:
    differences = [0.5, -0.25, 0.75, 1.0, 0.125, -0.5, 0.25, 0.5, 1.0, -0.25, -0.5, 0.5, -1.0][:n]
    found = permutation_p(differences, generator())
    swapped = itertools.product((1, -1), repeat=len(differences))
    sums = [sum(s * d for s, d in zip(signs, differences, strict=True)) for signs in swapped]
    as_far = sum(total >= sum(differences) for total in sums) / len(sums)
    assert found == pytest.approx(2 * as_far, abs=1e-12)


@pytest.mark.parametrize(("moved", "p"), [(1, 1.0), (2, 0.5), (3, 0.25), (6, 2 / 64)])
def test_few_dialogues_that_differ_prove_little(moved: int, p: float) -> None:
    found = compare_differences([0.5] * moved + [0.0] * 30, generator())
    assert found.p == pytest.approx(p)
    assert (found.wins, found.ties) == (moved, 30)


@pytest.mark.parametrize("shift", [0.0, 0.05, 0.1])
def test_more_differences_agree_with_scipy_s_permutation_test(shift: float) -> None:
    differences = [a - b + shift for a, b in zip(_scores(60, 1), _scores(60, 2), strict=True)]
    found = permutation_p(differences, generator())
    pair = (np.array(differences), np.zeros(60))
    reference = stats.permutation_test(
        pair, lambda a, b, axis: (a - b).mean(axis=axis), permutation_type="samples",
        vectorized=True, n_resamples=9_999, rng=np.random.default_rng(5),
    ).pvalue  # fmt: skip
    assert found == pytest.approx(reference, abs=4 * math.sqrt(reference / 9_999) + 1e-3)
    assert found == pytest.approx(stats.ttest_rel(*pair).pvalue, abs=0.02)


def test_the_same_generator_gives_the_same_p() -> None:
    differences = [a - b for a, b in zip(_scores(60, 1), _scores(60, 2), strict=True)]
    found = permutation_p(differences, generator())
    assert found == permutation_p(differences[::-1], generator())
    assert found != permutation_p(differences, np.random.default_rng(7))


def test_effect_sizes_are_those_of_scipy_s_tests() -> None:
    first, second = _scores(50, 4), _scores(50, 5)
    found = compare_paired(dict(enumerate(first)), dict(enumerate(second)), generator())
    assert found.d_z == pytest.approx(
        stats.ttest_rel(second, first).statistic / math.sqrt(50), rel=1e-9
    )
    moved = np.array([round(b - a, 12) for a, b in zip(first, second, strict=True) if a != b])
    ranks = len(moved) * (len(moved) + 1) / 2
    smaller = stats.wilcoxon(moved, method="asymptotic").statistic  # the smaller sum of ranks
    assert found.rank_biserial is not None
    assert abs(found.rank_biserial) == pytest.approx(1 - 2 * smaller / ranks, rel=1e-9)
    assert found.wins + found.losses + found.ties == found.n == 50


def test_only_dialogues_that_both_have_are_compared() -> None:
    first = dict.fromkeys(range(20), 0.0)
    second = dict.fromkeys(range(5, 40), 1.0)
    found = compare_paired(first, second, generator())
    assert (found.n, found.wins, found.losses, found.ties) == (15, 15, 0, 0)
    assert found.difference.mean == 1.0
    assert found.rank_biserial == 1.0
    assert found.d_z is None  # no spread to measure by


def test_the_other_way_round_is_the_same_with_the_other_sign() -> None:
    first, second = dict(enumerate(_scores(12, 8))), dict(enumerate(_scores(12, 9)))
    one = compare_paired(first, second, generator())
    other = compare_paired(second, first, generator())
    assert one.p == other.p
    assert (one.wins, one.losses) == (other.losses, other.wins)
    assert one.d_z is not None and other.d_z is not None
    assert one.d_z == pytest.approx(-other.d_z)


@pytest.mark.parametrize("n", [0, 1, ENOUGH - 1])
def test_few_pairs_have_wins_and_a_difference_but_nothing_that_tells(n: int) -> None:
    found = compare_differences([0.5] * n, generator())
    assert (found.wins, found.n) == (n, n)
    assert found.difference.mean == (0.5 if n else None)
    assert (found.difference.low, found.p, found.d_z, found.rank_biserial) == (None,) * 4


def test_nothing_but_ties_has_no_p() -> None:
    found = compare_differences([0.0] * 20, generator())
    assert (found.ties, found.p, found.rank_biserial, found.d_z) == (20, None, None, None)
    assert found.difference.is_constant


def test_the_rounding_of_a_sum_is_no_win() -> None:
    found = compare_paired(
        dict.fromkeys(range(12), 0.1 + 0.2), dict.fromkeys(range(12), 0.3),
        generator(),
    )  # fmt: skip
    assert (found.wins, found.losses, found.ties) == (0, 0, 12)


def test_what_differs_in_the_13th_digit_is_a_tie() -> None:
    assert compare_differences([4e-13] * 12, generator()).ties == 12
    assert compare_differences([6e-13] * 12, generator()).wins == 12
    assert compare_differences([-6e-13] * 12, generator()).losses == 12


# ── several tests ─────────────────────────────────────────────────────────────────────────────


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([0.01, None, 0.04]) == [0.02, None, 0.04]
    assert holm([]) == []
    assert holm([None]) == [None]


@pytest.mark.parametrize("draw", [lambda r: r.random(9), lambda r: r.random(40) ** 4])
def test_holm_is_statsmodels(draw: Callable[[np.random.Generator], np.ndarray]) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p_values = [*draw(np.random.default_rng(2)), 0.03, 0.03]
    expected = multitest.multipletests(p_values, method="holm")[1]
    assert holm(p_values) == pytest.approx(list(expected), abs=1e-15)
