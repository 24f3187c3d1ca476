"""From a recall to what is written down of it, and back, so that any prompt can be rebuilt to the
byte. A session's text is kept as its index."""

from __future__ import annotations

import hashlib
import json

from memorycode.dialogue import Dialogue
from memorycode.errors import RunFolderError
from memorycode.messages import without_half_pairs
from memorycode.protocols import Passage, Recall
from memorycode.running.records import StoredContext, StoredText


class ContextStore:
    """Turns the recalls of one dialogue into stored contexts and back."""

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue
        self._latest: tuple[Recall, StoredContext] | None = None

    def store(self, recall: Recall) -> StoredContext:
        """The context to write down; its id depends on the dialogue and the passages alone.

        Raises `ValueError` for text that cannot be written down.
        """
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
        if without_half_pairs(passage.text) != passage.text:
            raise ValueError("a recalled passage holds half a surrogate pair")
        return StoredText(text=passage.text, session=index)

    def _passage(self, stored: int | StoredText) -> Passage:
        sessions = self._dialogue.sessions
        if isinstance(stored, int):
            if not 0 <= stored < len(sessions):
                raise RunFolderError(f"a stored context names session {stored}, which is not there")
            return Passage(text=sessions[stored].text, session=stored)
        return Passage(text=stored.text, session=stored.session)

    def _id(self, passages: tuple[int | StoredText, ...]) -> str:
        plain = [p if isinstance(p, int) else [p.text, p.session] for p in passages]
        text = json.dumps([self._dialogue.number, plain])
        return hashlib.sha256(text.encode()).hexdigest()[:16]
