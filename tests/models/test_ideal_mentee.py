"""The ideal mentee: it follows what the prompt's memory says, and nothing else."""

from __future__ import annotations

import ast
import threading

import pytest

from memorycode.models.ideal_mentee import IdealMentee
from memorycode.protocols import Model, Prompt, QuestionRef
from memorycode.scoring import rule_cache
from memorycode.scoring.detection import Detection, detect
from memorycode.scoring.parsing import parse

OPENING = "You are Petra, a developer at Umbrella. Omar is your mentor.\n\n"
QUESTION = "Now write this: function that sorts numbers.\n\nReply with code only."


def session(number: int, rule: str) -> str:
    return (
        f"Session {number}\nOmar: Hello Petra. {rule}\n\n"
        "Petra: Thank you, Omar, I will do that.\n\n"
    )


def function_name(*passages: str, opening: str = OPENING, question: str = QUESTION) -> str:
    return _function_name(IdealMentee(), Prompt((opening, *passages, question)))


def _function_name(model: Model, prompt: Prompt) -> str:
    code = model.generate(prompt).text.split("```python\n")[1].split("```")[0]
    # By our parser, one thread at a time: that of Python 3.11 fails when threads share it.
    tree = parse(code)
    assert tree is not None
    return next(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


PREFIX_K = session(1, "Always start function names with 'k_'.")
PREFIX_L = session(2, "From now on, start function names with 'l_' instead.")
CONTAINS = session(3, "Always include the text 'zet' in function names.")


def test_it_is_a_model_and_no_language_model() -> None:
    model = IdealMentee()

    assert isinstance(model, Model)
    assert (model.name, model.is_language_model) == ("ideal-mentee", False)


def test_a_rule_in_the_memory_is_followed() -> None:
    assert function_name(PREFIX_K) == "k_sorts_numbers"


def test_the_latest_version_wins_and_other_families_stay() -> None:
    assert function_name(PREFIX_K, CONTAINS, PREFIX_L) == "l_sorts_numbers_zet"


def test_latest_means_by_the_order_of_the_prompt() -> None:
    assert function_name(PREFIX_L, PREFIX_K) == "k_sorts_numbers"


def test_the_opening_and_the_question_state_no_rules() -> None:
    rule = "Always start function names with 'k_'.\n\n"

    assert function_name(opening=OPENING + rule) == "sorts_numbers"
    assert function_name("(Nothing.)\n\n", question=rule + QUESTION) == "sorts_numbers"


def test_a_rule_is_the_mentors_to_state() -> None:
    talk = (
        "Omar: Nice weather today.\n\nPetra: My cousin starts all function names with 'k_'. "
        "Always start function names with 'k_', he says.\n\nOmar: Funny.\n\n"
    )

    assert function_name(talk) == "sorts_numbers"


def test_a_bare_list_of_rules_is_memory_too() -> None:
    assert function_name("- always start function names with 'k_'\n\n") == "k_sorts_numbers"


def test_a_prompt_in_one_part_is_read_alike() -> None:
    whole = Prompt((OPENING + PREFIX_K + QUESTION,))

    assert _function_name(IdealMentee(), whole) == "k_sorts_numbers"


def test_the_place_in_the_data_set_makes_no_difference() -> None:
    parts = (OPENING, PREFIX_K, QUESTION)
    placed = Prompt(parts, ref=QuestionRef(dialogue=7, setting="history", session=3, number=1))

    assert IdealMentee().generate(placed).text == IdealMentee().generate(Prompt(parts)).text


def test_the_answer_is_one_sentence_and_one_block() -> None:
    completion = IdealMentee().generate(Prompt((OPENING, QUESTION)))

    assert completion.text.count("```python\n") == 1
    assert completion.text.count("```") == 2
    assert (completion.finish_reason, completion.usage) == ("stop", None)


def test_each_passage_is_read_once_for_all_contexts(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def detect_and_note(text: str, mentor: str | None, mentee: str | None) -> tuple[Detection, ...]:
        read.append(text)
        return detect(text, mentor, mentee)

    monkeypatch.setattr(rule_cache, "detect", detect_and_note)
    # Passages that no other test asks about: what is known is shared in the whole process.
    first, second, third = (session(n, f"Start function names with 'once{n}_'.") for n in (1, 2, 3))
    model = IdealMentee()
    for passages in ((first,), (first, second), (first, second, third)):
        for query in ("Heap class", "function that adds"):
            model.generate(Prompt((OPENING, *passages, query)))

    assert read == [first, second, third]


def test_threads_that_share_it_get_their_own_answers() -> None:
    model = IdealMentee()
    wrong: list[tuple[str, str]] = []

    def ask(prefix: str) -> None:
        passage = session(1, f"Always start function names with '{prefix}'.")
        for number in range(60):
            filler = f"Session {number}\nOmar: Number {number}.\n\nPetra: Fine.\n\n"
            name = _function_name(model, Prompt((OPENING, filler, passage, QUESTION)))
            if name != f"{prefix}sorts_numbers":
                wrong.append((prefix, name))

    threads = [threading.Thread(target=ask, args=(f"p{letter}_",)) for letter in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []
