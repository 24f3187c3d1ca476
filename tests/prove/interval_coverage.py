"""How often a 95 % interval holds the truth, and how often a paired test cries wolf.

Draws dialogues from populations whose mean is known: mixtures that heap at 0 and 1 as scores do,
and the official scores of the recorded outputs, and asks each sample's interval. Prints a table,
and fails where the share that holds the mean is not from 93 to 97 % for as many dialogues as such
a score is made of, or where too many tests of two equals find a difference.

::

    python tests/prove/interval_coverage.py [--draws 2000] [--seed 0]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from memorycode.dialogue import SHORT_SESSIONS
from memorycode.results.statistics import bootstrap_mean, permutation_p

GOLDEN = Path(__file__).parents[1] / "golden" / "official_scores.json"
LEAST, MOST = 0.93, 0.97
ALPHA = 0.05
TOLERATED = 0.065
"""Of false alarms at 0.05: what 2,000 draws do not go beyond if there are 5 % or fewer."""

Values = np.ndarray


class Case(NamedTuple):
    """A population of scores and the sizes of samples: those that must hold, and others."""

    name: str
    population: Values
    sizes: tuple[int, ...]
    few: tuple[int, ...] = ()


def main() -> int:
    """0 if all is as it should be, else 1."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    is_good = True
    print(f"{'scores':35} {'mean':>5} {'skew':>5} {'n':>4}  in % of {options.draws:,} draws")
    tried = [(case, n) for case in cases() for n in (*case.few, *case.sizes)]
    with ProcessPoolExecutor() as pool:
        found = pool.map(_held, [(case, n, options.draws, options.seed) for case, n in tried])
        for (case, n), held in zip(tried, found, strict=True):
            is_off = n in case.sizes and not LEAST <= held <= MOST
            is_good = is_good and not is_off
            print(
                f"{case.name:35} {case.population.mean():5.2f} {skewness(case.population):+5.1f} "
                f"{n:4}  {100 * held:.1f}{'  FAR OFF' if is_off else ''}",
                flush=True,
            )
    for n in (12, 30):
        rng = np.random.default_rng([options.seed, n])
        alarms = false_alarms(mixture(0.3, 0.6), n, options.draws, rng)
        is_good = is_good and alarms <= TOLERATED
        print(
            f"paired test of two equals, n = {n}: p < {ALPHA} in {100 * alarms:.1f} %", flush=True
        )
    return 0 if is_good else 1


def _held(task: tuple[Case, int, int, int]) -> float:
    case, n, draws, seed = task
    # A generator for each, so that no case depends on those before it.
    rng = np.random.default_rng([seed, n, len(case.name)])
    return coverage(case.population, n, draws, rng)


def coverage(population: Values, n: int, draws: int, rng: np.random.Generator) -> float:
    """The share of samples of n whose interval holds the population's mean."""
    truth = population.mean()
    held = 0
    for _ in range(draws):
        found = bootstrap_mean(list(rng.choice(population, n)), rng)
        assert found.low is not None and found.high is not None
        held += bool(found.low <= truth <= found.high)
    return held / draws


def false_alarms(population: Values, n: int, draws: int, rng: np.random.Generator) -> float:
    """How often the test finds a difference between two that draw from the same scores."""
    alarms = 0
    for _ in range(draws):
        differences = rng.choice(population, n) - rng.choice(population, n)
        alarms += permutation_p(list(differences), rng) < ALPHA
    return alarms / draws


def cases() -> Iterator[Case]:
    """Score distributions as runs have them."""
    yield Case("a third at 0 or 1, the rest between", mixture(0.3, 0.6), (30, 125, 175), (10,))
    yield Case("most at 1, the rest between", mixture(0.6, 1.0), (30, 125, 175), (10,))
    scores = json.loads(GOLDEN.read_text(encoding="utf-8"))
    for model in ("command-r-plus", "Meta-Llama-3.1-70B-Instruct-Turbo"):
        for column in ("instruction", "session", "short_history", "long_history"):
            found = recorded(scores[model], column)
            few = (10, 30) if model == "command-r-plus" else ()
            yield Case(f"{model[:18]} {column}", np.array(list(found.values())), (len(found),), few)
    one, other = (recorded(scores[m], "short_history") for m in list(scores)[:2])
    gaps = np.array([other[number] - score for number, score in one.items()])
    yield Case("difference of two models, short", gaps, (30, len(gaps)), (10,))


def mixture(heaped: float, ones: float, size: int = 100_000) -> Values:
    """A share of the scores heaps at the ends, `ones` of it at 1; the rest is Beta(2, 2)."""
    rng = np.random.default_rng(1)
    ends = (rng.random(size) < ones).astype(float)
    return np.where(rng.random(size) < heaped, ends, rng.beta(2, 2, size))


def recorded(
    model: dict[str, dict[str, dict[str, list[float | None]]]], column: str
) -> dict[str, float]:
    """The recorded official score of each dialogue in a column of the paper's Table 4."""
    found = {}
    for number, dialogue in model["dialogues"].items():
        is_short = len(dialogue["history"]) <= SHORT_SESSIONS
        if column in ("instruction", "session") or is_short == (column == "short_history"):
            setting = column if column in dialogue else "history"
            present = [score for score in dialogue[setting] if score is not None]
            if present:
                found[number] = float(np.mean(present))
    return found


def skewness(values: Values) -> float:
    """The third standardised moment."""
    return float(((values - values.mean()) ** 3).mean() / values.std() ** 3)


if __name__ == "__main__":
    sys.exit(main())
