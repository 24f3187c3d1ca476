"""The ideal mentee: a flawless reader that writes code by the rules it finds in the prompt.

It gets the prompt and nothing else, so its score is the ceiling that a memory leaves to any model.
It is no language model: it answers questions for code and cannot write prose.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import NamedTuple

from memorycode.bounded_cache import BoundedCache
from memorycode.models.code_plan import CodePlan, plan_code
from memorycode.models.code_writer import write_planned
from memorycode.models.prompt_parts import labels_of, mentee_of, mentor_of, query_of, read_prompt
from memorycode.protocols import Completion, Prompt
from memorycode.rules import Rule
from memorycode.scoring.rule_cache import REMEMBERED_CHARACTERS, FamilyKey, cached_rules

_CONTEXTS = 128
"""Contexts whose code is planned: questions about one come close together."""


class _Context(NamedTuple):
    """What questions can share: the opening and all that is remembered."""

    opening: str
    passages: tuple[str, ...]


class IdealMentee:
    """No language model: finds the rules stated in its prompt and follows the latest of each.

    The reference model: offline, deterministic, and may be shared between threads.

    Each passage is read once and each context thought through once, so that a history of a
    hundred sessions costs next to nothing for all the questions asked about it.
    """

    name = "ideal-mentee"
    is_language_model = False
    note = (
        "ideal-mentee is no language model but a flawless reader: its score is the ceiling that a "
        "memory leaves to any model."
    )

    def __init__(self) -> None:
        self._labels = BoundedCache(labels_of, size=len, capacity=REMEMBERED_CHARACTERS)
        self._plan = lru_cache(maxsize=_CONTEXTS)(self._plan_for)

    def generate(self, prompt: Prompt) -> Completion:
        """Code that follows the latest version of every rule in the prompt. It calls no tools."""
        prompt.refuse_tools(self.name)
        started = time.perf_counter()
        opening, passages, question = read_prompt(prompt)
        plan = self._plan(_Context(opening, passages))
        code = write_planned(plan, query_of(question))
        text = f"Here is the code.\n\n```python\n{code}```\n"
        return Completion(text=text, latency=time.perf_counter() - started)

    def _plan_for(self, context: _Context) -> CodePlan:
        """Let the latest version of each family win, in the order in which those were told."""
        labels = frozenset[str]().union(*map(self._labels, context.passages))
        mentor = mentor_of(context.opening, labels)
        mentee = mentee_of(context.opening, labels, mentor)
        latest: dict[FamilyKey, Rule] = {}
        for passage in context.passages:
            for family, rule in cached_rules(passage, mentor, mentee):
                latest.pop(family, None)
                latest[family] = rule
        return plan_code(tuple(latest.values()))
