"""Each measure on a dialogue of four sessions, worked out by hand."""

from __future__ import annotations

import importlib.util
import random
import warnings

import pytest

from memorycode.ablation.corpus import Corpus, Gold
from memorycode.ablation.dialogue_cells import _Question, _ranked_measures
from memorycode.ablation.measures import MEASURES, measures_of, newest_first
from memorycode.dialogue import Dialogue
from memorycode.protocols import Hit

PREFIX = "function whose name is checked"
DOCUMENTED = "function that is documented"


def ranking(*positions: int) -> list[Hit]:
    return [Hit(position=place, score=-float(rank)) for rank, place in enumerate(positions)]


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        # sessions with instructions: 0 and 2; rules in force: w_ and docstrings, both told in 2
        ([2, 3], (1 / 2, 1 / 2, 1.0, 1.0, 0.0)),
        ([0], (1 / 2, 1.0, 0.0, 0.0, 1 / 2)),  # k_ is an older version of w_
        ([0, 2], (1.0, 1.0, 1.0, 1.0, 0.0)),  # an older version beside the newest is not stale
        ([1, 3], (0.0, 0.0, 0.0, 0.0, 0.0)),
        ([], (0.0, None, 0.0, 0.0, 0.0)),
    ],
)
def test_what_the_taken_units_have(
    corpus: Corpus, taken: list[int], expected: tuple[float | None, ...]
) -> None:
    names = ("session_recall", "session_precision", "rule_recall", "needed_recall", "stale_share")
    assert measures_of(corpus, PREFIX, taken) == dict(zip(names, expected, strict=True))


def test_needed_are_the_rules_whose_own_question_it_is(small_dialogue: Dialogue) -> None:
    turns = Corpus(Gold(small_dialogue), "session")
    assert measures_of(turns, "function of another data set", [2])["needed_recall"] is None
    only_prefix = small_dialogue.model_copy(update={"sessions": small_dialogue.sessions[:2]})
    found = measures_of(Corpus(Gold(only_prefix), "session"), DOCUMENTED, [0])
    assert found["needed_recall"] is None
    assert found["rule_recall"] == 1


@pytest.mark.parametrize(
    ("ranked", "share"),
    [([2, 0], 1.0), ([1, 0, 3, 2], 0.0), ([2, 1], None), ([0], None), ([], None)],
)
def test_whether_the_newest_wording_ranks_first(
    corpus: Corpus, ranked: list[int], share: float | None
) -> None:
    assert newest_first(corpus, ranking(*ranked)) == share


def test_a_dialogue_without_instructions_has_nothing_to_measure(small_dialogue: Dialogue) -> None:
    talk = [s.model_copy(update={"instructions": ()}) for s in small_dialogue.sessions]
    empty = Corpus(Gold(small_dialogue.model_copy(update={"sessions": tuple(talk)})), "session")
    found = measures_of(empty, PREFIX, [0])
    assert found.pop("session_precision") == 0
    assert set(found.values()) == {None}
    assert empty.relevant == frozenset()


def ranked_measures(taken: tuple[int, ...], relevant: set[int]) -> dict[str, float | None]:
    (found,) = _ranked_measures([_Question({}, taken, frozenset(relevant))])
    return found


def test_the_ranks_by_hand() -> None:
    from math import log2

    second = ranked_measures((5, 2, 9, 4), {2, 4})
    ideal = 1 + 1 / log2(3)
    assert second["ndcg"] == pytest.approx((1 / log2(3) + 1 / log2(5)) / ideal)
    assert second["mrr"] == 0.5
    assert ranked_measures((2, 4), {2, 4}) == {"ndcg": 1, "mrr": 1}
    assert ranked_measures((7,), {2}) == {"ndcg": 0, "mrr": 0}
    assert ranked_measures((), {2}) == {"ndcg": 0, "mrr": 0}
    assert ranked_measures((7,), set()) == {"ndcg": None, "mrr": None}


def test_questions_do_not_get_each_others_numbers() -> None:
    questions = [_Question({}, (n % 3, 3), frozenset({0} if n % 4 else ())) for n in range(24)]
    alone = [next(_ranked_measures([question])) for question in questions]
    assert list(_ranked_measures(questions)) == alone


def test_ranx_says_the_same() -> None:
    if importlib.util.find_spec("ranx") is None:
        pytest.skip("ranx is not installed")
    with warnings.catch_warnings():  # of numba's, where it is first loaded
        warnings.simplefilter("ignore")
        from ranx import Qrels, Run, evaluate

        rng = random.Random(9)
        for _ in range(25):
            taken = tuple(rng.sample(range(40), rng.randint(1, 25)))
            relevant = set(rng.sample(range(40), rng.randint(1, 12)))
            theirs = evaluate(
                Qrels({"q": {str(place): 1 for place in relevant}}),
                Run({"q": {str(place): 99.0 - rank for rank, place in enumerate(taken)}}),
                ["ndcg", "mrr"],
            )
            ours = ranked_measures(taken, relevant)
            assert ours == pytest.approx({"ndcg": theirs["ndcg"], "mrr": theirs["mrr"]})


def test_every_measure_has_a_word_of_explanation(corpus: Corpus) -> None:
    assert set(measures_of(corpus, PREFIX, [0])) < set(MEASURES)
    assert len(MEASURES) == 12
