"""From a recall to a prompt. The harness builds the prompt, so that strategies differ in nothing
but what they recall, and any prompt of a run can be rebuilt to the byte."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache

from memorycode.dialogue import Dialogue, Speakers
from memorycode.prompts import PromptPack
from memorycode.protocols import Passage, Prompt, QuestionRef, Recall
from memorycode.running.records import StoredContext, StoredText


class PromptBuilder:
    """Builds the prompts of one dialogue. Equal passages give the same string objects, so that a
    reader of many prompts recognises a transcript at once."""

    def __init__(self, pack: PromptPack, speakers: Speakers) -> None:
        self._pack = pack
        self._names = speakers.model_dump()
        self._opening = pack.render("opening", **self._names)
        self._rendered = lru_cache(maxsize=4096)(self._render)
        self._latest: tuple[Recall, tuple[str, ...]] | None = None

    def context_parts(self, recall: Recall) -> tuple[str, ...]:
        """The recalled passages as they stand in the prompt."""
        if self._latest is None or self._latest[0] is not recall:
            parts = tuple(self._rendered(p.text, p.session) for p in recall.passages)
            self._latest = recall, parts or (self._pack.render("nothing", **self._names),)
        return self._latest[1]

    def prompt(self, recall: Recall, query: str, ref: QuestionRef) -> Prompt:
        question = self._pack.render("question", query=query, **self._names)
        return Prompt(parts=(self._opening, *self.context_parts(recall), question), ref=ref)

    def _render(self, text: str, session: int | None) -> str:
        if session is None:
            return self._pack.render("passage", text=text)
        return self._pack.render("session", number=session + 1, text=text)


class ContextStore:
    """Turns the recalls of one dialogue into stored contexts and back."""

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue
        self._latest: tuple[Recall, StoredContext] | None = None

    def store(self, recall: Recall) -> StoredContext:
        """The context to write down; its id depends on the dialogue and the passages alone."""
        if self._latest is None or self._latest[0] is not recall:
            passages = tuple(self._stored(passage) for passage in recall.passages)
            self._latest = (
                recall,
                StoredContext(
                    id=self._id(passages), dialogue=self._dialogue.number, passages=passages
                ),
            )
        return self._latest[1]

    def restore(self, context: StoredContext) -> Recall:
        return Recall(passages=tuple(self._passage(stored) for stored in context.passages))

    def _stored(self, passage: Passage) -> int | StoredText:
        index = passage.session
        sessions = self._dialogue.sessions
        if (
            index is not None
            and 0 <= index < len(sessions)
            and passage.text == sessions[index].text
        ):
            return index
        return StoredText(text=passage.text, session=index)

    def _passage(self, stored: int | StoredText) -> Passage:
        if isinstance(stored, int):
            return Passage(text=self._dialogue.sessions[stored].text, session=stored)
        return Passage(text=stored.text, session=stored.session)

    def _id(self, passages: tuple[int | StoredText, ...]) -> str:
        plain = [p if isinstance(p, int) else [p.text, p.session] for p in passages]
        text = json.dumps([self._dialogue.number, plain])
        return hashlib.sha256(text.encode()).hexdigest()[:16]
