"""Every check can fail, under its name, and a strategy that is wrong in one way fails little else.

Run in this process, for speed. What takes a fresh process stands in `test_kit`.
"""

from __future__ import annotations

import pytest

from memorycode.conformance.checks import CHECKS
from memorycode.conformance.finding import Finding
from memorycode.conformance.subject import Conditions, Subject
from memorycode.conformance.worker import try_out

ELSEWHERE = {"same_seed", "no_output", "nothing_replaced", "nothing_left_running"}
"""They start a process, so that they are tried only where they are what a strategy is there for."""


def look(spec: str, *, also: frozenset[str] = frozenset()) -> dict[str, Finding]:
    subject = Subject.load(Conditions(spec=spec))
    names = {check.name for check in CHECKS} - ELSEWHERE | also
    return {check.name: try_out(check, subject) for check in CHECKS if check.name in names}


def failed(findings: dict[str, Finding]) -> set[str]:
    return {name for name, finding in findings.items() if finding.failed}


@pytest.mark.parametrize("spec", ["no_memory", "broken:Sound", "active_rules", "rolling_summary"])
def test_a_sound_strategy_passes(spec: str) -> None:
    assert failed(look(spec)) == set()


@pytest.mark.parametrize(
    ("name", "check", "others", "saw"),
    [
        ("Caching", "no_bleed", set(), "said in another dialogue"),
        (
            *("Personal", "no_bleed"),
            {"empty_history", "no_future", "odd_text"},
            "a dialogue played after another recalled",
        ),
        ("Peeking", "no_gold", set(), "recalled 'canary1q', which stands in the gold labels alone"),
        ("Choosing", "no_gold", set(), "changed the recall"),
        ("Choosy", "no_gold", set(), "which stands in the gold labels alone"),
        ("Prophetic", "no_future", set(), "after session 0 it recalled"),
        ("Miscounting", "no_future", set(), "claims to come from session 1"),
        ("Bound", "threads", set(), "observing session 0: ProgrammingError: SQLite objects"),
        ("Current", "threads", {"no_bleed"}, "one recalled something else than alone"),
        ("Hasty", "empty_history", set(), "recalling: IndexError: list index out of range"),
        (
            *("Pairing", "one_session"),
            {"no_bleed", "no_future", "odd_text", "observe_after_recall"},
            "recalling: IndexError: list index out of range",
        ),
        ("Nested", "many_sessions", {"cost_growth"}, "RecursionError: too deep"),
        ("Labelled", "odd_text", set(), "an empty text: observing session 1: IndexError"),
        ("Halving:into=recall", "odd_text", set(), "its recall holds half a character"),
        ("Halving:into=made", "odd_text", set(), "its recall holds half a character"),
        ("Halving:into=prompt", "odd_text", set(), "half a surrogate pair to the model; cut texts"),
        ("Halving:into=embedder", "odd_text", set(), "half a surrogate pair to the embedder"),
        ("Halving:into=notes", "odd_text", set(), "the recall's notes hold half a surrogate pair"),
        ("Suspicious", "same_arguments", set(), "with the command line 'memorycode run"),
        ("Toggling", "recall_twice", set(), "it recalled something else"),
        ("Growing", "recall_is_frozen", set(), "hand out copies"),
        ("Satisfied", "observe_after_recall", set(), "asked after every session"),
        ("Lumping", "budget", set(), "tokens over the budget of 300, and the cut"),
        ("Trusting", "bad_model", set(), "with a model that answers nothing, observing session 0"),
        ("Cubic", "cost_growth", set(), "embedded tokens grow faster than with the square"),
    ],
)
def test_what_is_wrong_is_named(name: str, check: str, others: set[str], saw: str) -> None:
    findings = look(f"broken:{name}")
    assert saw in findings[check].saw
    assert failed(findings) == {check, *others}


@pytest.mark.parametrize(
    ("name", "check", "saw"),
    [
        ("one_for_all", "builds", "the same object twice"),
        ("Undated", "builds", "ask_after is 'sometimes', want last or every"),
        ("Chatty", "valid_recall", "recall() must return a Recall, not str"),
        ("Scribbling", "valid_recall", "the recall's notes are no JSON"),
    ],
)
def test_what_is_no_strategy_is_named(name: str, check: str, saw: str) -> None:
    assert saw in look(f"broken:{name}")[check].saw


@pytest.mark.parametrize(
    ("name", "saw"),
    [
        ("Unordered", "a fresh process with PYTHONHASHSEED="),
        ("Dicey", "draw from context.rng alone"),
    ],
)
def test_chance_is_found_and_blamed_on_nothing_else(name: str, saw: str) -> None:
    findings = look(f"broken:{name}", also=frozenset({"same_seed"}))
    assert saw in findings["same_seed"].saw
    assert failed(findings) == {"same_seed"}


def test_an_exception_is_named_with_its_place_in_the_strategys_file() -> None:
    saw = look("broken:Labelled")["odd_text"].saw
    assert "broken.py, line " in saw


def test_an_oracle_is_not_asked_to_be_blind() -> None:
    assert look("active_rules")["no_gold"].outcome == "skipped"


def test_a_memory_that_asks_no_model_is_not_given_bad_ones() -> None:
    finding = look("broken:Sound")["bad_model"]
    assert (finding.outcome, finding.saw) == ("skipped", "it makes no model call")


def test_the_budget_says_who_kept_it() -> None:
    assert "the cut leaves 4 of 30 passages" in look("broken:Sound")["budget"].saw
    assert "kept within the budget by itself" in look("rolling_summary")["budget"].saw


def test_growth_is_given_as_an_exponent() -> None:
    assert "model calls n^1.0" in look("rolling_summary")["cost_growth"].saw


COMPARING = {check.name for check in CHECKS if check.compares}


def test_a_memory_that_recalls_nothing_is_refused_and_nothing_passes_on_nothing() -> None:
    findings = look("broken:Mute")
    assert failed(findings) == {"recalls_something"}
    assert {"no_bleed", "no_gold", "no_future", "recall_twice", "same_seed", "threads"} <= COMPARING
    for name in COMPARING - ELSEWHERE:
        assert findings[name].outcome == "skipped", name
        assert findings[name].saw == "compared nothing: nothing was recalled"


def test_a_control_may_say_that_it_recalls_nothing() -> None:
    for spec in ("broken:Control", "no_memory"):
        findings = look(spec)
        assert failed(findings) == set()
        assert findings["recalls_something"].outcome == "skipped"


def test_a_memory_that_listens_for_one_word_is_compared_with_something() -> None:
    """Its list is shared between dialogues; a kit that always said the word in capitals would see
    empty recalls alone."""
    findings = look("broken:Hearing")
    assert {"no_bleed", "empty_history"} <= failed(findings)
