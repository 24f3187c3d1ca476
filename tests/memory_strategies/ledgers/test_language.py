"""Guidelines filed by rules of English: what replaces what, what is taken back, what is no rule.

The values and most wordings here are made up: nothing may depend on a list of known ones.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

import memory_strategies
from memory_strategies.ledgers.code_objects import mentions
from memory_strategies.ledgers.language import LanguageExtraction
from memory_strategies.ledgers.ledger import MAX_CHARACTERS, Ledger
from memory_strategies.ledgers.topics import Topic
from memorycode.datasets import load_dataset
from memorycode.dialogue import Dialogue, SessionView, Speakers
from memorycode.generation.generate import generate_dialogues
from memorycode.generation.pool import SeedPool
from memorycode.generation.settings import GenerationSettings
from memorycode.scoring.rule_cache import cached_rules

SPEAKERS = Speakers(mentor="Ines", mentee="Tom")


def ledger_of(*sessions: str) -> Ledger:
    """What is filed of sessions in which the mentor says these things."""
    ledger, extraction = Ledger(lambda passage: 0, None), LanguageExtraction()
    for index, said in enumerate(sessions):
        view = SessionView(index=index, speakers=SPEAKERS, text=f"Ines: {said}\n\nTom: Fine.")
        extraction.update(ledger, view)
    return ledger


def texts(*sessions: str) -> list[str]:
    return [passage.text.removeprefix("Ines: ") for passage in ledger_of(*sessions).passages]


def topics(*sessions: str) -> list[tuple[str, ...]]:
    filed = [key for key, _ in ledger_of(*sessions) if isinstance(key, Topic)]
    return [tuple(part for part in topic if part) for topic in filed]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Start function names with 'wib_'.", [("function", "start")]),
        ("Always use the prefix 'wib_' for attributes.", [("attribute", "start")]),
        ("Put a 'wib_' in front of every argument name.", [("argument", "start")]),
        ("I need you to end the names of your methods with '_wob'.", [("method", "end")]),
        ("Constants get the suffix '_wob'.", [("constant", "end")]),
        ("Variable names must contain 'flurb'.", [("variable", "contain")]),
        ("Please include a single digit in class names.", [("class", "digit")]),
        ("Write class names in snake_case.", [("class", "case")]),
        ("Every method needs a docstring.", [("docstring", "method")]),
        ("Always add comments to your code.", [("comment",)]),
        ("We annotate all functions with type hints.", [("annotation", "function")]),
        ("Put '@frobnicate' on every class.", [("decorator", "frobnicate", "class")]),
        ("Always import the module 'snorkel'.", [("import", "snorkel")]),
        ("Include a try block in functions.", [("try", "function")]),
        ("Never use assert statements in methods.", [("assertion", "method")]),
    ],
)
def test_a_guideline_is_filed_under_what_it_is_about(
    sentence: str, expected: list[tuple[str, ...]]
) -> None:
    assert topics(sentence) == expected
    assert texts(sentence) == [sentence]


@pytest.mark.parametrize(
    ("sentence", "thing"),
    [
        ("function arguments", "argument"),
        ("the arguments of your functions", "argument"),
        ("method names in classes", "method"),
        ("class attributes", "attribute"),
        ("the names of variables in functions and methods", "variable"),
        ("argument variables", "argument"),
    ],
)
def test_owners_are_not_what_is_named(sentence: str, thing: str) -> None:
    assert [mention.thing for mention in mentions(sentence)] == [thing]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Start function names with 'wib_'.", "From now on, start function names with 'wob_'."),
        ("End the names of methods with '_wib'.", "Method names now get the suffix '_wob'."),
        ("Write class names in UPPERCASE.", "Please write class names in CamelCase."),
        ("Always add comments to your code.", "From today on, never add comments to your code."),
        ("Use docstrings in methods.", "Do not use docstrings in methods any longer."),
        ("Functions start with 'wib_'.", "Start functions with 'wob_' instead of 'wib_'."),
    ],
)
def test_an_update_replaces_what_it_updates(old: str, new: str) -> None:
    assert texts(old, new) == [new]
    assert ledger_of(old, new).passages[0].session == 1
    assert texts(new, old) == [old]


@pytest.mark.parametrize(
    "other",
    [
        "End function names with '_wob'.",
        "Function names must contain 'wob'.",
        "Include a digit in function names.",
        "Start method names with 'wob_'.",
        "Start function argument names with 'wob_'.",
        "Use docstrings in functions.",
        "Put '@wob' on functions.",
    ],
)
def test_it_leaves_the_others_alone(other: str) -> None:
    first = "Start function names with 'wib_'."
    assert texts(first, other) == [first, other]


@pytest.mark.parametrize(
    ("told", "withdrawal"),
    [
        ("Start function names with 'wib_'.", "No need to start function names with 'wib_'."),
        ("Start function names with 'wib_'.", "Stop starting function names with 'wib_'."),
        ("Start function names with 'wib_'.", "Forget about the prefix of functions."),
        ("Start function names with 'wib_'.", "You no longer have to prefix functions."),
        ("Use docstrings in methods.", "Docstrings in methods are no longer required."),
        ("Always add comments to your code.", "You can stop adding comments."),
        ("Put '@wib' on functions.", "You don't need to use '@wib' on functions any more."),
    ],
)
def test_a_withdrawal_takes_out_that_entry_alone(told: str, withdrawal: str) -> None:
    other = "End function names with '_wob'."
    assert texts(f"{told} {other}", withdrawal) == [other]


def test_forgetting_a_thing_takes_back_all_that_was_said_of_its_names() -> None:
    said = "Start functions with 'wib_'. End functions with '_wob'. Use docstrings in functions."
    assert texts(said, "Forget what I said about functions.") == ["Use docstrings in functions."]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Start function names with 'wib_' and end variable names with '_wob'.",
            ["Start function names with 'wib_'.", "End variable names with '_wob'."],
        ),
        (
            "I'd like you to start function names with 'wib_' and method names with 'wob_'.",
            [
                "I'd like you to start function names with 'wib_'.",
                "I'd like you to start method names with 'wob_'.",
            ],
        ),
        (
            "From now on all functions have to start with 'wib_' and methods with 'wob_'.",
            [
                "From now on all functions have to start with 'wib_'.",
                "From now on all methods have to start with 'wob_'.",
            ],
        ),
        (
            "For function arguments, start the name with 'wib_', for variables start with 'wob_'.",
            [
                "For function arguments, start the name with 'wib_'.",
                "For variables start with 'wob_'.",
            ],
        ),
        (
            "Start argument names with 'wib_' and include a digit in the names.",
            [
                "Start argument names with 'wib_'.",
                "For argument names: include a digit in the names.",
            ],
        ),
        (
            "Forget about starting functions with 'wib_', start them with 'wob_' instead.",
            ["For function names: start them with 'wob_' instead."],
        ),
        (
            "Until now functions started with 'wib_'; from now on they start with 'wob_'.",
            ["Until now functions started with 'wib_'; from now on they start with 'wob_'."],
        ),
    ],
)
def test_a_sentence_may_hold_more_than_one(sentence: str, expected: list[str]) -> None:
    assert texts(sentence) == expected


def test_decorators_named_together_are_filed_one_by_one() -> None:
    assert topics("Put the '@wib' and '@wob' decorators from the 'flurb' module on functions.") == [
        ("decorator", "wib", "function"),
        ("decorator", "wob", "function"),
    ]


def test_what_a_name_gives_way_to_takes_it_out() -> None:
    assert topics("Put '@wib' on functions.", "Use '@wob' instead of '@wib' on functions.") == [
        ("decorator", "wob", "function")
    ]


def test_a_correction_within_a_session_counts() -> None:
    said = "Start function names with 'wib_'. No, sorry: start them with 'wob_'."
    assert texts(said) == ["For function names: No, sorry: start them with 'wob_'."]


def test_a_guideline_may_be_told_in_two_sentences() -> None:
    assert texts("Let's talk about method names. They must contain 'flurb'.") == [
        "Let's talk about method names. They must contain 'flurb'."
    ]
    assert texts("Please use '@frob'. Put it on all your classes.") == [
        "Please use '@frob'. Put it on all your classes."
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "Should function names start with 'wib_'?",
        "You were right that function names started with 'wib_' there.",
        "Please send me your comments on the proposal's tone.",
        "Make sure that your docstrings are short and clear.",
        "Always be on time, and never touch the green button.",
        "The class of 1985 used to start with a song.",
        "Please use the new editor from now on.",
    ],
)
def test_other_talk_is_not_filed(sentence: str) -> None:
    assert texts(sentence) == []


def test_only_the_mentor_lays_something_down() -> None:
    ledger = Ledger(lambda passage: 0, None)
    text = "Ines: Anything else?\n\nTom: Always start function names with 'wib_'."
    LanguageExtraction().update(ledger, SessionView(index=0, speakers=SPEAKERS, text=text))
    assert ledger.passages == ()


def test_reasons_do_not_replace_what_they_are_given_for() -> None:
    rule = "Always start function names with 'wib_'."
    reason = "By starting our functions with 'wib_' we find them at once."
    assert texts(f"{rule} {reason}") == [rule]
    rule, by_the_way = "Always comment your code.", "Please add comments where they are missing."
    assert texts(f"{rule} {by_the_way}") == [rule]
    assert texts(f"{by_the_way} {rule}") == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "start function names with " * 20_000,
        "'" * 200_000,
        "start function names with '" + "x" * 200_000 + "'.",
        "Start function names with 'a_'. " * 5_000,
        "function, " * 20_000,
        "and " * 50_000,
        "@a " * 60_000,
    ],
    ids="verbs quotes value sentences list joints decorators".split(),
)
def test_no_text_makes_it_hang_or_grow(text: str) -> None:
    for passage in ledger_of(text).passages:
        assert len(passage.text) <= MAX_CHARACTERS


def test_nothing_of_the_detector_or_the_seeds_is_known_to_it() -> None:
    """Its score would be worth nothing if it read by the patterns that the questions rest on."""
    folder = Path(memory_strategies.__file__).parent
    files = [*folder.glob("ledgers/*.py"), folder / "instruction_ledger.py"]
    assert len(files) >= 6
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        modules = {str(node.module) for node in imports}
        assert not {m for m in modules if "scoring" in m or "generation" in m or "rules" in m}


def _kept(dialogues: Iterable[Dialogue]) -> Counter[str]:
    """How many rules in force a ledger holds in their current version, and in an older one."""
    found: Counter[str] = Counter()
    for dialogue in dialogues:
        mentor = dialogue.context.mentor
        ledger, extraction = Ledger(lambda passage: 0, None), LanguageExtraction()
        for session in dialogue.sessions:
            extraction.update(ledger, dialogue.view(session.index))
        held = {
            rule.family: rule for p in ledger.passages for _, rule in cached_rules(p.text, mentor)
        }
        for active in dialogue.active_instructions(dialogue.last):
            rule = held.get(active.rule.family)
            found["active"] += 1
            found["current"] += rule == active.rule
            found["stale"] += rule is not None and rule != active.rule
    return found


def test_on_generated_talk_the_current_version_stays_and_the_old_one_goes() -> None:
    """Measured on 60 dialogues: all 686 current, none stale. The bars leave room for new seeds."""
    settings = GenerationSettings(n_dialogues=8, n_sessions=(20, 30))
    found = _kept(generate_dialogues(settings, seed=5, pool=SeedPool.load()))
    assert found["active"] > 50
    assert found["current"] >= 0.8 * found["active"]
    assert found["stale"] <= 0.05 * found["active"]


def test_on_the_release_too(release: Path) -> None:
    """Measured on all 300 dialogues: 97 in 100 current, fewer than 1 in 500 stale."""
    found = _kept(list(load_dataset(release / "dataset"))[100:200:10])
    assert found["active"] > 50
    assert found["current"] >= 0.8 * found["active"]
    assert found["stale"] <= 0.05 * found["active"]
