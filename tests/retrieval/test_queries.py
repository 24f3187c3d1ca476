"""From the piece of code that is wanted to what is searched for."""

from __future__ import annotations

import pytest

from memorycode.retrieval.queries import GUIDELINES, INFORMED, QUERY_FORMS, written_queries

WRITTEN = [form for form in QUERY_FORMS if form != "model"]


def test_the_bare_task_is_left_as_it_stands() -> None:
    assert written_queries("task", " function\nthat adds ") == (" function\nthat adds ",)


def test_what_does_not_depend_on_the_task() -> None:
    fixed = [f for f in WRITTEN if written_queries(f, "a class") == written_queries(f, "a loop")]
    assert fixed == ["guidelines", "vocabulary"]


def test_a_class_is_searched_for_by_other_words_than_a_function() -> None:
    (of_class,) = written_queries("objects", "Class that keeps a stack")
    (of_function,) = written_queries("objects", "function that classifies words")
    assert "method names" in of_class
    assert "argument names" not in of_class
    assert "argument names" in of_function
    assert "method names" not in of_function


def test_several_queries_are_the_three_that_differ() -> None:
    task = "function that adds"
    (objects,) = written_queries("objects", task)
    assert written_queries("multi", task) == (task, GUIDELINES, objects)


def test_every_form_but_the_models_is_written_without_one() -> None:
    assert all(all(written_queries(form, "function that adds")) for form in WRITTEN)
    with pytest.raises(KeyError):
        written_queries("model", "function that adds")


def test_what_knows_the_benchmark_is_marked() -> None:
    """A query that names rule kinds, though the task does not, knows what will be asked for."""
    knowing = {
        form
        for form in WRITTEN
        if any("decorator" in query for query in written_queries(form, "function that adds"))
    }
    assert knowing == INFORMED
