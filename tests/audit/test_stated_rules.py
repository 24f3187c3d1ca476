"""What the audit says of texts: planted faults are found, and wordings a reader takes are not."""

from __future__ import annotations

import pytest

from memorycode.audit.stated_rules import text_problems
from memorycode.dialogue import Context, Dialogue, Instruction, Session
from memorycode.generation.style import Difficulty
from memorycode.rules import Rule

PREFIX = ("method", "^q_.*", "always start method names with 'q_'")
SUFFIX = ("variable", ".*_k$", "always end variable names with '_k'")
CONTAINS = ("attribute", ".*zug.*", "always include the string 'zug' in attribute names")
TRACE = (
    "class decorator",
    ["trace_class", True],
    "add the '@trace_class' decorator to all classes",
)
VALIDATE = ("method decorator", ["validate", True], "add the '@validate' decorator to all methods")
GZIP = ("import", ["gzip", True], "always import the 'gzip' module, used or not")
BZ2 = ("import", ["bz2", True], "always import the 'bz2' module, used or not")
DOCSTRING = ("function docstring", True, "always write docstrings in functions")
ANNOTATION = ("function annotation", True, "always put annotations on functions")
ASSERT = ("method assert", True, "always write assert statements in methods")
COMMENT = ("comment", True, "always put comments into your code")

Gold = tuple[str, object, str]


def dialogue_of(text: str, *gold: Gold) -> Dialogue:
    told = tuple(
        Instruction(
            family=number,
            version=0,
            rule=Rule.model_validate({"object": object_, "check": check}),
            text=line,
            eval_query="function that adds",
        )
        for number, (object_, check, line) in enumerate(gold)
    )
    return Dialogue(
        number=3,
        context=Context(mentor="Ada", mentee="Ben", company="QUAY"),
        sessions=(Session(index=0, text=text, instructions=told),),
    )


def talk(*turns: str) -> str:
    """Turns of Ada and Ben by turns, Ada first."""
    return "\n\n".join(f"{('Ada', 'Ben')[n % 2]}: {turn}" for n, turn in enumerate(turns))


def kinds(text: str, *gold: Gold, difficulty: Difficulty = "explicit") -> list[str]:
    return [problem.kind for problem in text_problems(dialogue_of(text, *gold), difficulty)]


@pytest.mark.parametrize(
    ("gold", "turns", "kind"),
    [
        (GZIP, ["There are modules we all like. Cake at four?", "Gladly."], "never_stated"),
        (PREFIX, ["Method names must start with 'q' from now on.", "Noted."], "garbled"),
        (PREFIX, ["From now on, start all method names with 'q__'.", "Noted."], "garbled"),
        (PREFIX, ["Please start all method names with 'q ,_'.", "Noted."], "garbled"),
        (TRACE, ["Please add the '@trace class' decorator to all classes.", "Sure."], "garbled"),
        (
            SUFFIX,
            ["For parameters: as for variable names, please them with '_k'.", "Ok."],
            "garbled",
        ),
        (
            SUFFIX,
            ["For variable names, I'd like you to start using '_k' from now on.", "Noted."],
            "garbled",
        ),
        (
            CONTAINS,
            [
                "Always include the string 'zug' in attribute names.",
                "In which case?",
                "As a rule we write 'Zug' there.",
            ],
            "garbled",
        ),
        (
            DOCSTRING,
            ["Please always include docstrings in your methods.", "I will."],
            "garbled",
        ),
        (
            PREFIX,
            ["Method names should all start with the letter 'q' and an underscore, please."],
            "hinted",
        ),
        (
            ANNOTATION,
            [
                "Please see to it that functions are always annotated before you hand them in.",
                "OK.",
            ],
            "hinted",
        ),
        (
            PREFIX,
            [
                "Method names should start with a prefix that tells our house from others.",
                "I'll start my method names with 'q_'.",
            ],
            "left_to_mentee",
        ),
        (
            VALIDATE,
            [
                "Please use the '@validate' decorator. It looks at function calls for us.",
                "I'll add that decorator to all my methods.",
            ],
            "left_to_mentee",
        ),
        (
            SUFFIX,
            ["Let us talk of names.", "You want me to see to '_k' in variables?", "That's right."],
            "left_to_mentee",
        ),
        (
            COMMENT,
            [
                "Please always add comments to your code.",
                "Even to scripts?",
                "You're right, comments are no longer needed.",
            ],
            "withdrawn",
        ),
        (
            SUFFIX,
            [
                "Previously variable names had to end with '_k'; please do not end variable "
                "names with '_k' any more.",
                "Noted.",
            ],
            "withdrawn",
        ),
        (
            ANNOTATION,
            [
                "Please always put annotations on functions. But annotations are optional, "
                "so leave out the dull ones.",
                "Noted.",
            ],
            "withdrawn",
        ),
    ],
)
def test_a_planted_fault_is_found(gold: Gold, turns: list[str], kind: str) -> None:
    assert kinds(talk(*turns), gold) == [kind]


@pytest.mark.parametrize(
    ("gold", "turns"),
    [
        ([PREFIX], ["From now on, start all method names with 'q_'.", "Noted."]),
        # The value in words, and shown in an example.
        (
            [SUFFIX],
            ["Please end variable names with an underscore and 'k', think of 'total_k'.", "Noted."],
        ),
        # The object in the sentence before.
        (
            [ASSERT],
            [
                "Use try statements in all your methods. Also, start to add assert statements.",
                "OK.",
            ],
        ),
        (
            [TRACE],
            [
                "Two decorators belong on our classes, please use both.",
                "Which ones?",
                "You begin with '@trace_class'.",
                "I'll add '@trace_class' to all my classes.",
            ],
        ),
        # Two modules in one go.
        (
            [GZIP, BZ2],
            [
                "Two modules you must import everywhere, needed or not. I mean 'gzip' and, "
                "of course, 'bz2'.",
                "Noted.",
            ],
        ),
        # What must not be taken for a withdrawal.
        (
            [COMMENT],
            [
                "Please always add comments to your code. Comments are not optional, and should be "
                "used to explain the hard parts.",
                "Noted.",
            ],
        ),
        (
            [ANNOTATION],
            ["Make sure that all your functions are annotated.", "I'll add annotations to them."],
        ),
    ],
)
def test_what_a_reader_understands_is_no_problem(gold: list[Gold], turns: list[str]) -> None:
    found = [k for k in kinds(talk(*turns), *gold) if k != "not_in_gold"]
    assert found == []


def test_a_rule_beyond_gold_is_named() -> None:
    text = talk("Start method names with 'q_'. Also, always comment your code.", "I will.")
    (problem,) = text_problems(dialogue_of(text, PREFIX))
    assert (problem.dialogue, problem.session, problem.kind) == (3, 0, "not_in_gold")
    assert problem.detail.startswith("comment")


def test_the_module_of_a_gold_decorator_is_no_rule_of_its_own() -> None:
    gold = (
        *VALIDATE[:2],
        "always put the '@validate' decorator of the 'pedantic' module on all methods",
    )
    text = talk(
        "Please always import the 'pedantic' module. Add its '@validate' decorator to all methods.",
        "Sure.",
    )
    assert kinds(text, gold) == []
    assert kinds(text, VALIDATE) == ["not_in_gold"]


def test_a_rule_that_cannot_be_read_is_not_looked_for() -> None:
    odd = ("function", r"^(get|set)_\w+$", "name functions get_ or set_ something")
    assert kinds(talk("The lift is out of order.", "I like stairs."), odd) == []


# ── data whose rules are told in other words by design ────────────────────────────────────────

HINTS = [
    (
        PREFIX,
        "Around here 'send' would be 'q_send', and so on for all your methods.",
    ),
    (PREFIX, "Your methods should open with what our functions open with at present."),
    (GZIP, "The build breaks wherever 'gzip' has not been loaded, used or not."),
    (TRACE, "Our monitoring only sees classes that wear 'trace_class'. Let it see yours."),
    (DOCSTRING, "I called help() on one of your functions and it had nothing to tell me."),
    (ASSERT, "Each of your methods rests on something. Have Python verify it while it runs."),
    (COMMENT, "In half a year you will wonder why you wrote it. Leave yourself a word beside it."),
]


@pytest.mark.parametrize("difficulty", ["paraphrased", "implicit"])
@pytest.mark.parametrize(("gold", "hint"), HINTS)
def test_a_trace_of_the_rule_is_a_hint_where_hints_are_meant(
    gold: Gold, hint: str, difficulty: Difficulty
) -> None:
    text = talk(f"How was your lunch? {hint} See you on Monday.", "Noted.")
    assert kinds(text, gold, difficulty=difficulty) == ["hinted"]


@pytest.mark.parametrize(
    "gold", [PREFIX, SUFFIX, CONTAINS, TRACE, VALIDATE, GZIP, DOCSTRING, ASSERT, COMMENT]
)
@pytest.mark.parametrize(
    "left",
    [
        "How was your lunch? See you on Monday.",
        "There are ten classes that use it for their homework.",
        "One of our conventions has changed. Which one is up to you.",
        "We no longer want 'w_' for method names, attribute names or variable names.",
    ],
)
def test_without_a_trace_a_rule_is_never_stated_all_the_same(gold: Gold, left: str) -> None:
    assert kinds(talk(left, "Noted."), gold, difficulty="implicit") == ["never_stated"]


def test_a_trace_of_one_rule_is_none_of_another() -> None:
    both = "Your 'send' would be 'q_send' here, and so on for all your methods."
    text = talk(f"{both} I called help() on one of your methods, in vain.", "Noted.")
    docstring = ("method docstring", True, "always write docstrings in methods")
    assert kinds(text, PREFIX, docstring, difficulty="implicit") == ["hinted", "hinted"]
    text = talk(both, "Noted.")
    assert kinds(text, PREFIX, docstring, difficulty="implicit") == ["hinted", "never_stated"]


def test_a_value_that_two_rules_share_is_no_trace_of_both() -> None:
    other = ("variable", "^q_.*", "always start variable names with 'q_'")
    text = talk("When I look for our methods I type 'q_' and see all but yours.", "Noted.")
    assert kinds(text, PREFIX, other, difficulty="implicit") == ["hinted", "garbled"]


def test_a_fault_in_plain_words_is_one_at_any_difficulty() -> None:
    text = talk(
        "Please always put annotations on functions. But annotations are optional.", "Noted."
    )
    assert kinds(text, ANNOTATION, difficulty="implicit") == ["withdrawn"]
