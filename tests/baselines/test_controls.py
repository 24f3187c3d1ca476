"""The controls of a retrieval table: chance, age, and the labels themselves."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest

from baselines.chance import Chance
from baselines.oracle import Oracle
from baselines.recency import Recency
from memorycode.dialogue import Dialogue
from memorycode.protocols import OracleRetriever, Unit

UNITS = [Unit(f"unit {n}", n // 2) for n in range(8)]


def order(seed: int, query: str = "q") -> list[int]:
    retriever = Chance(seed=seed)
    retriever.add(UNITS)
    return [hit.position for hit in retriever.search(query, 8)]


def test_chance_is_the_same_for_the_same_and_other_for_others() -> None:
    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(20)}) == 20
    assert len({tuple(order(0, str(n))) for n in range(20)}) == 20


def test_chance_is_the_same_in_every_process() -> None:
    code = (
        "from baselines.chance import Chance; from memorycode.protocols import Unit\n"
        "r = Chance(seed=1); r.add([Unit(f'unit {n}', n // 2) for n in range(8)])\n"
        "print([hit.position for hit in r.search('q', 8)])"
    )
    for seed in ("0", "7"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == str(order(1))


def test_chance_favours_nobody() -> None:
    first = Counter(order(seed)[0] for seed in range(800))
    assert set(first) == set(range(8))
    assert max(first.values()) < 150  # 100 each, and this is five standard deviations


def test_recency_is_by_age() -> None:
    retriever = Recency()
    retriever.add(UNITS)
    assert [hit.position for hit in retriever.search("whatever", 3)] == [7, 6, 5]


@pytest.mark.parametrize(
    ("which", "best", "gold"),
    [("instructions", [2, 0, 3, 1], 2), ("active", [2, 3, 1, 0], 1)],
)
def test_an_oracle_puts_gold_first_and_the_newest_of_it(
    small_dialogue: Dialogue, which: str, best: list[int], gold: int
) -> None:
    """Session 2 replaces what 0 told; 1 and 3 are talk."""
    retriever = Oracle(which=which)  # type: ignore[arg-type]
    assert isinstance(retriever, OracleRetriever)
    for session in small_dialogue.sessions:
        retriever.label(small_dialogue.oracle_view(session.index))
        retriever.add([Unit(session.text, session.index)])
    hits = retriever.search("whatever", 4)
    assert [hit.position for hit in hits] == best
    assert [hit.score for hit in hits] == [1.0] * gold + [0.0] * (4 - gold)


def test_only_the_oracle_is_one() -> None:
    assert not isinstance(Chance(), OracleRetriever)
    assert not isinstance(Recency(), OracleRetriever)
