"""From a recall to a prompt. The run builds the prompt, so that strategies differ in nothing
but what they recall."""

from __future__ import annotations

from functools import lru_cache

from memorycode.dialogue import Speakers
from memorycode.prompts import PromptPack
from memorycode.protocols import Passage, Prompt, QuestionRef, Recall


class PromptBuilder:
    """Builds the prompts of one dialogue. Equal passages give the same string objects, so that a
    reader of many prompts recognises a transcript at once."""

    def __init__(self, pack: PromptPack, speakers: Speakers) -> None:
        self._pack = pack
        self._names = speakers.model_dump()
        self._opening = pack.render("opening", **self._names)
        self._rendered = lru_cache(maxsize=4096)(pack.passage)
        self._latest: tuple[Recall, tuple[str, ...]] | None = None

    def context_parts(self, recall: Recall) -> tuple[str, ...]:
        """The recalled passages as they stand in the prompt."""
        if self._latest is None or self._latest[0] is not recall:
            parts = tuple(map(self.part, recall.passages))
            self._latest = recall, parts or (self._pack.render("nothing", **self._names),)
        return self._latest[1]

    def prompt(self, recall: Recall, query: str, ref: QuestionRef) -> Prompt:
        question = self._pack.render("question", query=query, **self._names)
        return Prompt(parts=(self._opening, *self.context_parts(recall), question), ref=ref)

    def part(self, passage: Passage) -> str:
        """A passage as it stands in the prompt."""
        return self._rendered(passage.text, passage.session)
