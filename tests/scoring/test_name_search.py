"""The best name that is found follows as many rules as the best there is, in bounded work."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import product

import pytest

from memorycode.protocols import Verdict
from memorycode.rules import (
    CASE_PATTERNS,
    DIGIT_PATTERN,
    Constraint,
    ConstraintKind,
    ObjectKind,
    Rule,
    rule_from,
)
from memorycode.scoring.name_search import CODE, LONGEST_NAME, MOST_NAMES, best_fit, follows_all
from memorycode.scoring.official import OfficialScorer
from memorycode.scoring.scorers import SCORER_NAMES, ScorerName, make_scorer

AFFIXES: tuple[ConstraintKind, ...] = ("prefix", "suffix", "contains")
VALUES = [*"aA_", *map("".join, product("aA_", repeat=2))]
TRAITS = [DIGIT_PATTERN, *CASE_PATTERNS.values()]
ALL_RULES = [
    *(rule_from("variable", Constraint(kind=k, value=v)) for k in AFFIXES for v in VALUES),
    *(Rule(object="variable", check=check) for check in TRAITS),
]


class Counting:
    """A scorer that counts what it is asked and how long the code was."""

    name = "counting"
    revision = 1

    def __init__(self, scorer: ScorerName) -> None:
        self.asked: Counter[int] = Counter()
        self._scorer = make_scorer(scorer)

    def judge(self, answer: str, rules: Sequence[Rule], elicited: Sequence[bool]) -> list[Verdict]:
        self.asked[len(answer)] += 1
        return self._scorer.judge(answer, rules, elicited)


def rules(*checks: str, object_: ObjectKind = "function") -> dict[Rule, int]:
    return {Rule(object=object_, check=check): 1 for check in checks}


@lru_cache(maxsize=2)
def followed_by_all_names(scorer: ScorerName) -> list[frozenset[Rule]]:
    """What each name of up to six letters follows, of an alphabet with a letter of each sort."""
    judge, found = make_scorer(scorer).judge, set()
    for length in range(1, 7):
        for name in map("".join, product("aA_1", repeat=length)):
            if name.isidentifier():
                verdicts = judge(f"{name} = 0", ALL_RULES, [False] * len(ALL_RULES))
                pairs = zip(ALL_RULES, verdicts, strict=True)
                found.add(frozenset(rule for rule, verdict in pairs if verdict == "followed"))
    return list(found)


@pytest.mark.parametrize("scorer", SCORER_NAMES)
def test_no_name_follows_more_than_the_one_that_is_found(scorer: ScorerName) -> None:
    rng = random.Random(5)
    names = followed_by_all_names(scorer)
    for _ in range(60):
        weights = {rule: rng.choice((1, 1, 2)) for rule in rng.sample(ALL_RULES, 3)}
        most = max(sum(weights[rule] for rule in weights if rule in name) for name in names)
        assert best_fit(weights, make_scorer(scorer)) == (most, True), weights


@pytest.mark.parametrize(
    ("checks", "official", "strict"),
    [
        (("^a.*", "^ab.*", "^abc.*", "^b.*"), 3, 3),  # each begins the next
        ((".*_c$", ".*bc$", ".*c$"), 2, 2),
        ((".*ab.*", ".*cd.*", "^x_.*", ".*_y$"), 4, 4),
        ((".*ab.*", ".*cd.*", CASE_PATTERNS["upper"]), 2, 2),
        ((".*_y$", DIGIT_PATTERN), 1, 2),
        (("^v1_.*", ".*_v2$", DIGIT_PATTERN), 3, 2),  # two digits are not one
        (("^v1.*", ".*v1$", DIGIT_PATTERN), 3, 3),  # the same digit
        (("^1.*", "^a b.*", ".*-x$"), 0, 0),  # nothing that is a name
        (("^" + "a" * 600 + ".*", "^b.*"), 1, 1),  # longer than a pattern may be
        ((), 0, 0),
    ],
)
def test_known_sets(checks: tuple[str, ...], official: int, strict: int) -> None:
    found = {name: best_fit(rules(*checks), make_scorer(name)) for name in SCORER_NAMES}
    assert found == {"official": (official, True), "strict": (strict, True)}


def test_weights_decide_which_rule_is_given_up() -> None:
    suffix, digit, prefix = rules(".*_y$", DIGIT_PATTERN, "^x_.*")
    assert best_fit({suffix: 1, digit: 3, prefix: 1}, OfficialScorer()) == (4, True)
    assert best_fit({suffix: 3, digit: 1, prefix: 1}, OfficialScorer()) == (4, True)


@pytest.mark.parametrize("n", [20, 200])
def test_rules_that_clash_with_each_other_are_done_after_a_few_names(n: int) -> None:
    letters = ["".join(pair) for pair in product("abcdefghijklmnop", repeat=2)]
    checks = [f"^{two}_.*" for two in letters[:n]] + [f".*_{two}$" for two in letters[:n]]
    scorer = Counting("official")
    assert best_fit(rules(*checks, DIGIT_PATTERN), scorer) == (2, True)
    # Each rule is tried alone once, and once for each kind of letters beside the digit.
    assert scorer.asked.total() <= 2 * n + 50


def test_work_is_bounded_where_nothing_comes_together() -> None:
    starts = [f"^{'a_' * n}1b.*" for n in range(1, 60)]
    ends = [f".*1{'_a' * n}$" for n in range(1, 60)]
    scorer = Counting("strict")
    assert best_fit(rules(*starts, *ends, DIGIT_PATTERN), scorer) == (2, False)
    tried_alone = 20 * (len(starts) + len(ends))
    assert MOST_NAMES <= scorer.asked.total() <= MOST_NAMES + tried_alone


def test_no_name_is_endless() -> None:
    letters = ["".join(four) for four in product("abcdefgh", repeat=4)]
    scorer = Counting("official")
    fit = best_fit(rules(*(f".*{four}.*" for four in letters)), scorer)
    assert not fit.is_best
    assert 500 < fit.followed < len(letters)
    assert max(scorer.asked) <= LONGEST_NAME + len(CODE["attribute"])


def test_values_of_any_length_are_taken() -> None:
    long = "ab" * 300_000
    given = rules(f"^{long}.*", f".*{long}$", f".*{long}.*", "^c_.*")
    assert best_fit(given, make_scorer("official")) == (1, True)
    assert not follows_all(list(given), make_scorer("strict"))
