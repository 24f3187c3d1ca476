"""The detector reads rules out of natural talk, and nothing else; any text, in linear time."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from pydantic import ValidationError

from memorycode.rules import CASE_PATTERNS, DIGIT_PATTERN, Rule
from memorycode.scoring.detection import Detection, detect

GOLDEN = Path(__file__).parents[2] / "golden"
DEFECTS = ("anomalous_sessions", "odd_labels", "stated_not_in_gold")
UPPER, CAMEL, SNAKE = CASE_PATTERNS["upper"], CASE_PATTERNS["camel"], CASE_PATTERNS["snake"]


def rules(text: str, mentor: str | None = "Ada") -> list[tuple[str, object]]:
    return [(found.rule.object, found.rule.check) for found in detect(text, mentor)]


def told(*sentences: str) -> str:
    """A transcript in which Ada says the sentences, one a turn, and Ben agrees."""
    return "\n\n".join(f"Ada: {sentence}\n\nBen: Fine with me." for sentence in sentences)


ONE_RULE = [
    # prefixes
    ("Every function here gets a name that begins with 'go_'.", "function", "^go_.*"),
    ("Could you please start your variable names with `tmp_`?", "variable", "^tmp_.*"),
    ("It helps us all if attribute names are prefixed with zq_.", "attribute", "^zq_.*"),
    ("We put “u_” in front of all method names.", "method", "^u_.*"),
    ("For parameters of functions I expect the prefix 'pp_'.", "function argument", "^pp_.*"),
    ("Use 'k_' as the prefix for your attributes.", "attribute", "^k_.*"),
    ("Class names begin with the letters 'My'.", "class", "^My.*"),
    ("When it comes to function names, 'fx_' comes first.", "function", "^fx_.*"),
    (
        "Names of variables start with the letter 'k' followed by an underscore.",
        "variable",
        "^k_.*",
    ),
    # suffixes
    ("I want '_mk' at the end of every method name.", "method", r".*_mk$"),
    ("Append _qq to the names of all attributes.", "attribute", r".*_qq$"),
    ("Tack '_tail' onto the end of your function names.", "function", r".*_tail$"),
    ("Our variables carry the suffix '_v'.", "variable", r".*_v$"),
    ("The suffix for function arguments is '_in'.", "function argument", r".*_in$"),
    # contained texts
    ("Please make sure that 'foo' appears somewhere in variable names.", "variable", ".*foo.*"),
    ("Work the string 'zap' into your attribute names.", "attribute", ".*zap.*"),
    ("Every method name has to have 'bar' in it.", "method", ".*bar.*"),
    # digits
    ("Exactly one digit belongs in each attribute name.", "attribute", DIGIT_PATTERN),
    ("Please have a single number in your class names.", "class", DIGIT_PATTERN),
    ("Function argument names feature a single digit.", "function argument", DIGIT_PATTERN),
    # case
    ("Write class names in UPPERCASE.", "class", UPPER),
    ("Name your classes in all caps.", "class", UPPER),
    ("Classes must be in PascalCase.", "class", CAMEL),
    ("From today our class names use snake case.", "class", SNAKE),
    # presence
    ("Put type hints on your functions.", "function annotation", True),
    ("No method goes without annotations.", "method annotation", True),
    ("Wrap the body of every function in a try block.", "function try", True),
    ("Your methods should always have a try/except.", "method try", True),
    ("Put asserts in every function so that bugs surface early.", "function assert", True),
    ("In methods, use assert statements to check your inputs.", "method assert", True),
    ("Each of your functions has to come with a docstring.", "function docstring", True),
    ("Never write a method without docstrings.", "method docstring", True),
    ("Please comment your code.", "comment", True),
    ("Every piece of code you write needs comments.", "comment", True),
    # decorators
    ("Decorate all your methods with @cached.", "method decorator", ("cached", True)),
    (
        "The `@log_calls` decorator goes on every function.",
        "function decorator",
        ("log_calls", True),
    ),
    ("Mark every method with the 'audited' decorator.", "method decorator", ("audited", True)),
    (
        "All classes must carry the '@sealed' decorator from the 'tools' module.",
        "class decorator",
        ("sealed", True),
    ),
    # imports
    ("Always `import json`, even if nothing needs it.", "import", ("json", True)),
    ("Every file must import the zlib module.", "import", ("zlib", True)),
    ("Even if you can do without the 'csv' module, import it.", "import", ("csv", True)),
]


@pytest.mark.parametrize(("sentence", "object_", "check"), ONE_RULE)
def test_one_rule_is_read_out_of_a_sentence_with_and_without_speakers(
    sentence: str, object_: str, check: object
) -> None:
    assert rules(told(sentence)) == [(object_, check)]
    assert rules(told(sentence), mentor=None) == [(object_, check)]
    assert rules(sentence, mentor=None) == [(object_, check)]


@pytest.mark.parametrize(
    ("sentence", "objects"),
    [
        ("Functions start with 'f_', methods with 'm_', and variables with 'v_'.",
         ["function", "method", "variable"]),
        ("Function and method names end with '_z'.", ["function", "method"]),
        ("The arguments of your functions start with 'in_'.", ["function argument"]),
        ("When you write functions, the arguments should start with 'in_'.", ["function argument"]),
        ("In your classes, attribute names end with '_at'.", ["attribute"]),
        ("The names of methods in your classes must start with 'do_'.", ["method"]),
        ("Instance variables start with 'i_'.", ["attribute"]),
        ("When naming function arguments, end the variable name with '_i'.", ["function argument"]),
        ("I want docstrings in your methods, and function annotations.",
         ["method docstring", "function annotation"]),
        ("Use try statements and assertions in functions.", ["function try", "function assert"]),
        ("All functions need annotations, and all classes the @final decorator.",
         ["function annotation", "class decorator"]),
    ],
)  # fmt: skip
def test_objects_are_told_apart(sentence: str, objects: list[str]) -> None:
    assert [object_ for object_, _ in rules(told(sentence))] == objects


@pytest.mark.parametrize(
    "talk",
    [
        "Ada: Use Zoom for calls, always run a linter, and keep a virtual environment.\n\nBen: Ok.",
        "Ada: Write long commit messages, with comments on what you changed.\n\nBen: Ok.",
        "Ada: Docstrings are great. Many teams like docstrings in functions.\n\nBen: True.",
        "Ada: Start your day with coffee and end it with a walk.\n\nBen: Ok.",
        "Ada: Leave comments on the ticket when you are done.\n\nBen: Ok.",
        "Ada: File names should end with '_test', branches start with 'ft_'.\n\nBen: Ok.",
        "Ada: Please include the string 'urgent' in the subject line.\n\nBen: Ok.",
        "Ada: In Java, class names are CamelCase and constants UPPERCASE.\n\nBen: Ok.",
        "Ada: For instance, a function named 'a_sum' starts with 'a_'.\n\nBen: Ok.",
        "Ada: If you had a method that sums, it would start with 'a_'.\n\nBen: Ok.",
        "Ada: How are you?\n\nBen: I start my function names with 'a_'.\n\nAda: Interesting.",
        "Ada: How are you?\n\nBen: Should I start function names with 'a_'?\n\nAda: No need.",
        "Ada: How are you?\n\nBen: We could add docstrings to functions.\n\nAda: I would not.",
        'Ada: To use the debugger, insert "import pdb" where it should stop.\n\nBen: Ok.',
        "Ada: I try to assert myself in meetings; you should as well.\n\nBen: Ok.",
        "",
        " \n\n ",
    ],
)
def test_what_is_no_rule_is_not_reported(talk: str) -> None:
    assert rules(talk) == []


@pytest.mark.parametrize(
    ("talk", "left"),
    [
        (told("Instead of 'x_', start your function names with 'y_'."), [("function", "^y_.*")]),
        (told("Change the prefix of variable names from 'x_' to 'y_'."), [("variable", "^y_.*")]),
        (told("Variable names no longer start with 'x_' but with 'y_'."), [("variable", "^y_.*")]),
        (told("Replace the '_a' suffix of method names by '_b'."), [("method", r".*_b$")]),
        (told("I once asked you to start attribute names with 'q_'. Now start them with 'r_'."),
         [("attribute", "^r_.*")]),
        (told("Function names end with '_a'.", "Wait, make that '_b' for function names."),
         [("function", r".*_b$")]),
        (told("Class names use snake_case rather than CamelCase."), [("class", SNAKE)]),
        (told("Function names end with '_a'.", "Method names end with '_b'."),
         [("function", r".*_a$"), ("method", r".*_b$")]),
        (told("Add docstrings to your methods.", "Forget about the docstrings in methods."), []),
        (told("Start function names with 'x_'.", "No need to start them with 'x_' now."), []),
        (told("Add comments to your code.", "Comments in code are no longer required."), []),
        (told("Use @memo on all functions.", "Please don't use @memo on functions after all."), []),
    ],
)  # fmt: skip
def test_only_what_holds_at_the_end_is_reported(talk: str, left: list[tuple[str, object]]) -> None:
    assert rules(talk) == left


@pytest.mark.parametrize(
    ("talk", "rule", "wording"),
    [
        ("Ada: Let's talk about method names. Please start them with 'x_'.\n\nBen: Ok.",
         ("method", "^x_.*"), "plain"),
        ("Ada: I want you to use the @trace decorator. Put it on every class.\n\nBen: Ok.",
         ("class decorator", ("trace", True)), "plain"),
        ("Ada: I want you to use the @trace decorator.\n\nBen: I'll add it to all my methods.",
         ("method decorator", ("trace", True)), "completed"),
        ("Ada: Please use 'zz_' as a prefix.\n\nBen: I'll start attribute names with 'zz_'.",
         ("attribute", "^zz_.*"), "completed"),
        ("Ada: Give functions a specific prefix.\n\nBen: I'll start function names with 'zz_'.",
         ("function", "^zz_.*"), "completed"),
        ("Ada: Hello.\n\nBen: Should I start function names with 'a_'?\n\nAda: Yes, please do.",
         ("function", "^a_.*"), "completed"),
        ("Ada: Please use 'n_' for variable names.\n\nBen: Ok.", ("variable", "^n_.*"), "implied"),
        ("Ada: Start variable names with 'n' and an underscore.\n\nBen: Ok.",
         ("variable", "^n_.*"), "implied"),
    ],
)  # fmt: skip
def test_incomplete_rules_are_completed_by_their_surroundings(
    talk: str, rule: tuple[str, object], wording: str
) -> None:
    assert rules(talk) == [rule]
    assert [found.wording for found in detect(talk, "Ada")] == [wording]


def test_notes_without_speakers_are_the_mentors_word() -> None:
    notes = (
        "What I know so far:\n- Function names: start with `a_`\n- Class names: CamelCase\n"
        "- Imports: always import 'gzip'\n- Docstrings in all methods\n- Comments in code\n"
        "Functions: try statements, @timer decorator."
    )
    assert rules(notes, mentor="Ada") == [
        ("function", "^a_.*"),
        ("class", CAMEL),
        ("import", ("gzip", True)),
        ("method docstring", True),
        ("comment", True),
        ("function try", True),
        ("function decorator", ("timer", True)),
    ]


def test_the_last_session_of_many_wins_and_does_not_lose_what_was_told_before() -> None:
    sessions = [
        told("Include a single digit in variable names."),
        told("The lift is out of order.", "Cake at four.", "The new chairs are here.", "So be it."),
        told("When naming methods, include a single digit.", "Start function names with 'a_'."),
        told("From now on, start function names with 'b_'."),
    ]
    assert set(rules("\n\n".join(sessions))) == {
        ("variable", DIGIT_PATTERN),
        ("method", DIGIT_PATTERN),
        ("function", "^b_.*"),
    }


def test_a_detection_points_at_the_statement_and_cannot_be_changed() -> None:
    talk = told("The tea is hot.", "By the way, end method names with '_p' from now on. Fine?")
    (found,) = detect(talk, "Ada")
    assert talk[found.start : found.end] == "end method names with '_p'"
    assert found.family == Rule(object="method", check=r".*_p$").family
    with pytest.raises(ValidationError):
        found.start = 0


HOSTILE = ["names ", "'", "'a' ", "_a ", "function and ", "@a ", "Ab:\n", "docstrings in ", "(",
           "import it 'a' module ", "if you ", "start names with 'a_' ", "digit ", "the same ",
           "for example 'a_' start ", "underscore followed by 'a' ", "x", "_", "\n", "\ud800",
           "\0",
           "Ada: use @a. docstrings.\n\nBen: I'll add docstrings to functions?\n\n"]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_any_text_is_read_in_linear_time(piece: str) -> None:
    # 300 kB: a quadratic step anywhere would take minutes
    for found in detect(piece * (300_000 // len(piece)), None):
        assert isinstance(found, Detection)


def test_random_text_never_raises_and_a_text_gives_the_same_every_time() -> None:
    rng = random.Random(5)
    words = "function names start end with 'a_' '_b' and @x docstrings in method to import 'json' "
    words += "module comments code digit no longer don't if : . , try statements Ada: Ben: \n I'll"
    for _ in range(200):
        text = " ".join(rng.choices(words.split(" "), k=120))
        found = detect(text, "Ada")
        assert found == detect(text, "Ada")
        assert all(0 <= one.start < one.end <= len(text) for one in found)


def test_the_release_is_read_nearly_without_a_fault(release: Path) -> None:
    facts = json.loads((GOLDEN / "dataset_facts.json").read_text())
    defects = {(x["dialogue"], x["session"]) for key in DEFECTS for x in facts[key]}
    beyond = {(x["dialogue"], x["session"]) for x in facts["stated_not_in_gold"]}
    hit = extra = missed = further = 0
    for file in sorted((release / "dataset").glob("dialogue_*.json")):
        dialogue = json.loads(file.read_text())
        number = int(file.stem.partition("_")[2])
        for index, session in enumerate(dialogue["sessions"]):
            gold = {json.dumps(rule) for rule in session["session_regex"]}
            stated = rules(session["text"], dialogue["context"]["mentor"])
            found = {json.dumps(list(rule)) for rule in stated}
            further += (number, index) in beyond and bool(found - gold)
            if (number, index) not in defects:
                hit, extra = hit + len(gold & found), extra + len(found - gold)
                missed += len(gold - found)
    assert hit / (hit + missed) >= 0.993
    assert hit / (hit + extra) >= 0.993
    assert further >= 20
