"""What a retriever is asked: from the piece of code that is wanted to a query, or several.

==================  ===========================================================================
``task``            the piece of code as it stands: the paper's
``guidelines``      "coding guidelines", whatever is asked for
``vocabulary``      the kinds of rules by name, whatever is asked for; marked, for it knows them
``task+guidelines`` the task with the word guidelines behind it
``objects``         the kinds of object that such code will contain, and that there are rules
``model``           what a language model would search for
``multi``           ``task``, ``guidelines`` and ``objects``, fused by their ranks
==================  ===========================================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Literal, get_args

QueryForm = Literal[
    "task", "guidelines", "vocabulary", "task+guidelines", "objects", "model", "multi"
]

QUERY_FORMS: tuple[QueryForm, ...] = get_args(QueryForm)

INFORMED: frozenset[QueryForm] = frozenset({"vocabulary", "objects", "multi"})
"""Forms that know what kinds of rules the benchmark has; tables mark them."""

GUIDELINES = "coding guidelines"

VOCABULARY = (
    "coding instruction: always start end include names of functions, variables, methods, "
    "classes, attributes, arguments; decorator; import module; docstrings; try; assert; "
    "annotations; comments"
)

_OF_A_FUNCTION = ("function names", "argument names", "variable names", "function decorator")
_OF_A_CLASS = ("class names", "method names", "attribute names", "class decorator")
_OF_ANY = ("docstrings", "comments", "annotations", "assert", "try", "import module")
_CLASS = re.compile(r"\bclass(?:es)?\b", re.IGNORECASE)


def _objects(task: str) -> str:
    """A class has methods and attributes, a function arguments and variables."""
    named = _OF_A_CLASS if _CLASS.search(task) else _OF_A_FUNCTION
    return "coding guideline: always " + ", ".join((*named, *_OF_ANY))


_WRITTEN: Mapping[QueryForm, Callable[[str], tuple[str, ...]]] = {
    "task": lambda task: (task,),
    "guidelines": lambda _: (GUIDELINES,),
    "vocabulary": lambda _: (VOCABULARY,),
    "task+guidelines": lambda task: (f"{task}: {GUIDELINES}",),
    "objects": lambda task: (_objects(task),),
    "multi": lambda task: (task, GUIDELINES, _objects(task)),
}


def written_queries(form: QueryForm, task: str) -> tuple[str, ...]:
    """The queries of a form that needs no model. Raises `KeyError` for ``model``."""
    return _WRITTEN[form](task)
