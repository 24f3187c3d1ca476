"""A small dialogue told by hand, and what a strategy is handed."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from memorycode.conformance.stand_ins import HashedWords
from memorycode.dialogue import Context, Dialogue, Instruction, Session
from memorycode.protocols import Completion, Model, Prompt, StrategyContext
from memorycode.rules import Rule

_TEXTS = (
    "Ines: Welcome aboard! The canteen is next to the harbour.\n\nTom: Thank you, Ines.",
    "Ines: A word on naming. Always end your variable names with '_q'.\n\nTom: Will do. Always?",
    "Ines: The offsite will be in the mountains this year.\n\nTom: I must buy boots, I should say!",
    "Ines: From now on, end variable names with '_zz'. Please put '@memoize' on functions, too.\n\n"
    "Tom: Understood. Anything about the volcano trip?",
    "Ines: The printer by the waterfall is broken again.\n\nTom: Never mind.",
)
MARKS = ("harbour", "'_q'", "mountains", "'_zz'", "waterfall")
"""A word of each session that no other session has."""


def _suffix(version: int, value: str) -> Instruction:
    return Instruction(
        family=11,
        version=version,
        rule=Rule(object="variable", check=f".*{value}$"),
        text=f"always end variable names with '{value}'",
        eval_query="function that counts vowels",
    )


_DECORATOR = Instruction(
    family=40,
    version=0,
    rule=Rule(object="function decorator", check=("memoize", True)),
    text="always put the '@memoize' decorator on functions",
    eval_query="function that sums digits",
)


class Scripted:
    """A model that gives one answer after another and keeps the prompts; an exception is raised."""

    name = "scripted"
    is_language_model = True

    def __init__(self, *answers: str | Exception) -> None:
        self._answers = list(answers)
        self.asked: list[Prompt] = []

    def generate(self, prompt: Prompt) -> Completion:
        self.asked.append(prompt)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Completion(text=answer)

    @property
    def prompts(self) -> list[str]:
        """The prompts' texts."""
        return [prompt.text for prompt in self.asked]


@pytest.fixture
def scripted() -> type[Scripted]:
    """A model that answers by rote: ``scripted("one", "two")``."""
    return Scripted


@pytest.fixture
def dialogue() -> Dialogue:
    """Five sessions: instructions in 1 and 3, and 3 replaces what 1 said of variables."""
    told: dict[int, tuple[Instruction, ...]] = {
        1: (_suffix(0, "_q"),),
        3: (_suffix(1, "_zz"), _DECORATOR),
    }
    return Dialogue(
        number=1,
        context=Context(mentor="Ines", mentee="Tom", company="Harrow"),
        sessions=tuple(
            Session(index=index, text=text, instructions=told.get(index, ()))
            for index, text in enumerate(_TEXTS)
        ),
        history_queries=("function that counts vowels", "function that sums digits"),
    )


@pytest.fixture
def marks() -> tuple[str, ...]:
    return MARKS


@pytest.fixture
def make_context(dialogue: Dialogue) -> Callable[..., StrategyContext]:
    """A context whose tokens are words; model and budget as wanted."""

    def make(model: Model | None = None, token_budget: int | None = None) -> StrategyContext:
        return StrategyContext(
            speakers=dialogue.context.speakers,
            model=model,
            embedder=HashedWords(),
            count_tokens=lambda text: len(text.split()),
            token_budget=token_budget,
            rng=random.Random(0),
        )

    return make
