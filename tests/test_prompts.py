"""A prompt pack is refused before a run where a text of it could not be filled in."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorycode.errors import PromptError
from memorycode.prompts import DEFAULT_PACK, DEFAULT_TEXTS, check_text, load_pack


def test_every_default_text_is_in_order() -> None:
    for name, text in DEFAULT_TEXTS.items():
        check_text(name, text, where=name)


def test_a_folder_replaces_what_it_names(tmp_path: Path) -> None:
    (tmp_path / "question.txt").write_text("Please: {query}")
    pack = load_pack(tmp_path)
    assert pack.render("question", query="a sort", mentor="x") == "Please: a sort"
    assert pack.texts["opening"] == DEFAULT_TEXTS["opening"]
    assert pack.hash != DEFAULT_PACK.hash


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("question.txt", "Please write code.", r"question.txt: the variable \{query\} must stand"),
        ("question.txt", "{query} {colour}", r"unknown variable \{colour\}; known are company"),
        ("question.txt", "{query", "expected '}'"),
        ("question.txt", "{query.__class__}", "unknown variable"),
        ("question.txt", "{query:%Y}", "stands alone in its braces"),
        ("question.txt", "{query!r}", "stands alone in its braces"),
        ("greeting.txt", "hello", "unknown text greeting.txt; known are opening.txt"),
    ],
)
def test_a_faulty_text_is_named(tmp_path: Path, file: str, text: str, message: str) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(PromptError, match=message):
        load_pack(tmp_path)


def test_a_folder_must_be_there_and_hold_a_text(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="no such folder"):
        load_pack(tmp_path / "nowhere")
    with pytest.raises(PromptError, match=r"no NAME\.txt"):
        load_pack(tmp_path)


def test_values_are_inserted_and_not_read_as_templates() -> None:
    assert DEFAULT_PACK.render("passage", text="{mentor} {0}") == "{mentor} {0}\n\n"


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(PromptError, match="question: no value for 'query'"):
        DEFAULT_PACK.render("question", mentor="Ada")
