"""Each planted loss gets its cause, and every violated verdict exactly one."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from memorycode import evaluate, load_dataset
from memorycode.dialogue import Dialogue, Instruction
from memorycode.protocols import Passage, Recall, Scorer
from memorycode.rules import DIGIT_PATTERN, Check, Rule
from memorycode.running.folder import RunFolder
from memorycode.scoring.attribution import CAUSES, Attributor, Causes, RulesFound
from memorycode.scoring.official import OfficialScorer
from memorycode.scoring.rule_cache import WordingReader
from memorycode.scoring.scorers import SCORER_NAMES, make_scorer
from memorycode.scoring.strict import StrictScorer

FOLLOWS_NEW = "def w_add(a):\n    '''Add.'''\n    return a"
FOLLOWS_OLD = "def k_add(a):\n    '''Add.'''\n    return a"
FOLLOWS_NONE = "def add(a):\n    return a"


def causes(
    dialogue: Dialogue, recalled: tuple[int, ...], answer: str, scorer: Scorer, at: int = 3
) -> Causes:
    """The causes when these sessions were recalled verbatim for a question after session `at`."""
    rules = dialogue.rules(at)
    passages = tuple(Passage(text=dialogue.sessions[n].text, session=n) for n in recalled)
    return Attributor(dialogue.sessions, dialogue.context.speakers, WordingReader()).causes(
        answer,
        rules,
        scorer.judge(answer, rules, [False] * len(rules)),
        session=at,
        recall=Recall(passages=passages),
        scorer=scorer,
    )


@pytest.mark.parametrize("name", SCORER_NAMES)
@pytest.mark.parametrize(
    ("recalled", "answer", "want"),
    [
        ((0, 1, 2, 3), FOLLOWS_NEW, {}),
        ((), FOLLOWS_NONE, {0: "not_recalled", 1: "not_recalled"}),
        ((1, 3), FOLLOWS_NONE, {0: "not_recalled", 1: "not_recalled"}),
        ((0,), FOLLOWS_OLD, {0: "stale_recalled"}),
        ((0, 1), FOLLOWS_NONE, {0: "stale_recalled", 1: "not_recalled"}),
        ((0, 2), FOLLOWS_OLD, {0: "stale_obedience"}),
        ((2,), FOLLOWS_OLD, {0: "stale_obedience"}),
        ((0, 2), FOLLOWS_NONE, {0: "recalled_not_followed", 1: "recalled_not_followed"}),
        ((0, 2), "def broken(", {}),
    ],
)
def test_a_planted_loss_has_its_cause(
    small_dialogue: Dialogue, recalled: tuple[int, ...], answer: str, want: Causes, name: str
) -> None:
    scorer = make_scorer("official" if name == "official" else "strict")
    assert causes(small_dialogue, recalled, answer, scorer) == want


def test_a_rule_that_no_session_says_was_not_told(small_dialogue: Dialogue) -> None:
    silent = small_dialogue.sessions[2].model_copy(
        update={"text": "Ada: Nice weather.\n\nBen: Yes."}
    )
    sessions = (*small_dialogue.sessions[:2], silent, small_dialogue.sessions[3])
    dialogue = small_dialogue.model_copy(update={"sessions": sessions})
    found = causes(dialogue, (0, 1, 2, 3), FOLLOWS_NONE, StrictScorer())
    assert found == {0: "not_told", 1: "not_told"}


def test_what_is_told_later_does_not_count_yet(small_dialogue: Dialogue) -> None:
    assert causes(small_dialogue, (0,), FOLLOWS_NONE, StrictScorer(), at=1) == {
        0: "recalled_not_followed"
    }


@pytest.mark.parametrize(
    ("recalled", "answer", "cause"),
    [
        ((2,), FOLLOWS_NONE, "not_recalled"),
        ((2,), FOLLOWS_NEW, "not_recalled"),
        ((0,), FOLLOWS_NEW, "recalled_not_followed"),
        ((0, 2), FOLLOWS_NEW, "recalled_not_followed"),
    ],
)
def test_a_version_told_after_the_checkpoint_is_no_older_version(
    small_dialogue: Dialogue, recalled: tuple[int, ...], answer: str, cause: str
) -> None:
    """After session 1 the first version holds; that session 2 replaces it is not known yet."""
    assert causes(small_dialogue, recalled, answer, StrictScorer(), at=1) == {0: cause}
    found = _found(small_dialogue, recalled, at=1)
    assert (found.active, found.current, found.stale) == (1, int(0 in recalled), 0)


def test_a_version_told_at_the_checkpoint_makes_the_others_older(small_dialogue: Dialogue) -> None:
    assert causes(small_dialogue, (0,), FOLLOWS_OLD, StrictScorer(), at=2) == {0: "stale_recalled"}
    found = _found(small_dialogue, (0,), at=2)
    assert (found.active, found.current, found.stale) == (2, 0, 1)


def test_a_rule_that_a_later_session_says_again_was_not_stated_before(
    small_dialogue: Dialogue,
) -> None:
    silent = small_dialogue.sessions[0].model_copy(update={"text": "Ada: Welcome."})
    again = small_dialogue.sessions[3].model_copy(update={"text": small_dialogue.sessions[0].text})
    sessions = (silent, *small_dialogue.sessions[1:3], again)
    dialogue = small_dialogue.model_copy(update={"sessions": sessions})
    assert causes(dialogue, (), FOLLOWS_NONE, StrictScorer(), at=1) == {0: "not_told"}


def _found(dialogue: Dialogue, recalled: tuple[int, ...], at: int) -> RulesFound:
    """What a recall of these sessions has of the rules that hold after session `at`."""
    passages = tuple(Passage(text=dialogue.sessions[n].text, session=n) for n in recalled)
    attributor = Attributor(dialogue.sessions, dialogue.context.speakers, WordingReader())
    return attributor.found(dialogue.rules(at), session=at, recall=Recall(passages=passages))


def test_one_attributor_answers_for_any_recall_session_and_scorer(small_dialogue: Dialogue) -> None:
    """What it keeps of one question is not the next one's."""
    attributor = Attributor(
        small_dialogue.sessions, small_dialogue.context.speakers, WordingReader()
    )
    for _ in range(2):
        for at, recalled in product((0, 1, 2, 3), ((), (0,), (2,), (0, 2))):
            rules = small_dialogue.rules(at)
            passages = tuple(Passage(text=small_dialogue.sessions[n].text) for n in recalled)
            recall = Recall(passages=passages)
            for scorer in (OfficialScorer(), StrictScorer()):
                verdicts = scorer.judge(FOLLOWS_NONE, rules, [False] * len(rules))
                found = attributor.causes(
                    FOLLOWS_NONE, rules, verdicts, session=at, recall=recall, scorer=scorer
                )
                assert found == causes(small_dialogue, recalled, FOLLOWS_NONE, scorer, at=at)
            assert attributor.found(rules, session=at, recall=recall) == _found(
                small_dialogue, recalled, at
            )


@pytest.mark.parametrize(
    ("recalled", "want"),
    [((), (2, 0, 0)), ((0,), (2, 0, 1)), ((2,), (2, 2, 0)), ((0, 1, 2, 3), (2, 2, 0))],
)
def test_what_a_recall_has_is_counted(
    small_dialogue: Dialogue, recalled: tuple[int, ...], want: tuple[int, int, int]
) -> None:
    found = _found(small_dialogue, recalled, at=3)
    assert (found.active, found.current, found.stale) == want


def test_what_a_recall_has_in_part_is_counted_in_part(small_dialogue: Dialogue) -> None:
    part = "Ada: Also, always include docstrings in your functions.\n\nBen: Understood."
    recall = Recall(passages=(Passage(text=small_dialogue.sessions[0].text), Passage(text=part)))
    attributor = Attributor(
        small_dialogue.sessions, small_dialogue.context.speakers, WordingReader()
    )
    found = attributor.found(small_dialogue.rules(3), session=3, recall=recall)
    assert (found.active, found.current, found.stale) == (2, 1, 1)


def _instruction(family: int, check: Check) -> Instruction:
    rule = Rule(object="function", check=check)
    return Instruction(family=family, version=0, rule=rule, text="", eval_query="a function")


def test_rules_that_clash_are_unsatisfiable_for_the_scorer_that_cannot_see_both(
    small_dialogue: Dialogue,
) -> None:
    told = (_instruction(11, ".*_a$"), _instruction(45, DIGIT_PATTERN))
    text = "Ada: End function names with '_a'. Also include a single digit in function names."
    first = small_dialogue.sessions[0].model_copy(update={"instructions": told, "text": text})
    dialogue = small_dialogue.model_copy(
        update={"sessions": (first,), "history_queries": ("a function",)}
    )
    answer = "def add1_a(x):\n    return x"
    assert causes(dialogue, (), answer, OfficialScorer(), at=0) == {1: "unsatisfiable"}
    assert causes(dialogue, (), answer, StrictScorer(), at=0) == {}
    # The strict scorer sees a way to follow both: what is lost there is lost by the memory.
    assert set(causes(dialogue, (), "def add(x): 0", StrictScorer(), at=0).values()) == {
        "not_recalled"
    }


def test_on_the_release_every_violated_verdict_has_one_cause_and_they_add_up(
    release: Path, tmp_path: Path
) -> None:
    dialogues = load_dataset(release)[::12]
    report = evaluate(dialogues, strategies=["rag", "full_history", "no_memory"], out=tmp_path)
    counted: dict[tuple[str, str], int] = {}
    for record in RunFolder(tmp_path).records():
        for scorer, verdicts in record.verdicts.items():
            violated = [n for n, verdict in enumerate(verdicts) if verdict == "violated"]
            found = record.causes.get(scorer, {})
            assert sorted(found) == violated
            assert set(found.values()) <= set(CAUSES)
            key = record.strategy, scorer
            counted[key] = counted.get(key, 0) + len(violated)
    for row in report.rows:
        for name in SCORER_NAMES:
            total = sum(row.causes[name].values())
            assert total == counted[row.strategy, name] == row.scores[name].coverage.violated
    rows = {row.strategy: row.causes["strict"] for row in report.rows}
    assert rows["rag"]["not_recalled"] > 100
    assert rows["rag"]["stale_recalled"] > 10
    assert rows["full_history"]["not_recalled"] == 0


def test_what_a_recall_has_is_all_but_what_it_lacks(small_dialogue: Dialogue) -> None:
    attributor = Attributor(
        small_dialogue.sessions, small_dialogue.context.speakers, WordingReader()
    )
    had = small_dialogue.sessions[0].instructions[0].rule
    lacking = Rule(object="function", check="^never_told_.*")
    recall = Recall(passages=(Passage(text=small_dialogue.sessions[0].text, session=0),))
    found = attributor.found((had, had, had, lacking), session=1, recall=recall)
    assert (found.active, found.current) == (4, 3)
