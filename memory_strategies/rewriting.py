"""A bounded text that a model writes anew after each session, made safe against bad answers."""

from __future__ import annotations

from bisect import bisect_right

from pydantic import JsonValue

from memorycode.dialogue import SessionView
from memorycode.errors import ModelError, ModelUnavailable
from memorycode.protocols import Model, Passage, Prompt, StrategyContext
from memorycode.transcripts import sentence_ends

_CHARACTERS_PER_TOKEN = 40
"""More than any text has: what is longer is cut before its tokens are counted."""


class Rewriter:
    """A text of at most `limit` tokens that the model makes of the old one and a session.

    `prompt` names the text of the prompt pack that asks for it, `variable` is the name of the old
    text in there. An answer that cannot be used leaves the old text as it is.
    """

    def __init__(
        self, context: StrategyContext, model: Model, limit: int, *, prompt: str, variable: str
    ) -> None:
        self.text = ""
        self._context, self._model, self._limit = context, model, limit
        self._prompt_name, self._variable = prompt, variable
        self._mishaps = {"failed": 0, "empty": 0, "cut": 0}

    @property
    def notes(self) -> dict[str, JsonValue]:
        """The sessions that went wrong: no answer, an empty one, one that was too long."""
        return dict(self._mishaps)

    def update(self, session: SessionView) -> None:
        """Ask for the next text and keep the old one if none comes back.

        Raises `ModelUnavailable`; every other failure is counted.
        """
        written = self._written(session)
        kept = self._cut(written)
        if kept != written:
            self._mishaps["cut"] += 1
            if not kept:  # no sentence of it fits
                self._context.report_unreadable()
        self.text = kept or self.text

    def _written(self, session: SessionView) -> str:
        try:
            text = self._model.generate(self._prompt(session)).text.strip()
        except ModelUnavailable:
            raise
        except ModelError:
            self._mishaps["failed"] += 1
            return ""
        if not text:
            self._mishaps["empty"] += 1
            self._context.report_unreadable()
        return text

    def _cut(self, text: str) -> str:
        """As many whole sentences from the start as the limit holds."""
        head = text[: self._limit * _CHARACTERS_PER_TOKEN]
        ends = list(sentence_ends(head))
        if len(head) < len(text):
            del ends[-1]  # the sentence may go on
        held = bisect_right(ends, self._limit, key=lambda end: self._cost(head[:end]))
        return head[: ends[held - 1]].rstrip() if held else ""

    def _cost(self, text: str) -> int:
        return self._context.cost(Passage(text=text))

    def _prompt(self, session: SessionView) -> Prompt:
        pack, speakers = self._context.prompts, session.speakers.model_dump()
        values = {
            self._variable: self.text or pack.render("nothing", **speakers).strip(),
            "session": session.text,
            "limit": max(1, self._limit * 3 // 4),  # in words: three make about four tokens
        }
        return Prompt(parts=(pack.render(self._prompt_name, **values, **speakers),))
