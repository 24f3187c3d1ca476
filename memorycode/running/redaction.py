"""What strategies recall and what a run writes down, without secrets.

What the data set says is left alone: prompts are rebuilt from it to the byte, and what stands in it
was no secret of this run's. So a session that is recalled as it stands, a question and the
dialogues of a run's folder stay as they are, even where they hold a secret's value.
"""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel

from memorycode.dialogue import Dialogue
from memorycode.errors import UsageError
from memorycode.models.secrets import Secrets
from memorycode.protocols import Passage, Recall

_AS_IT_IS = frozenset({"id", "model", "strategy", "dialogue", "query", "context"})
"""Fields by which records are found again, and the data set's own text. That no name holds a secret
is checked before a run begins."""

Line = TypeVar("Line", bound=BaseModel)


def redacted_recall(recall: Recall, dialogue: Dialogue, secrets: Secrets) -> Recall:
    """The recall as it may go into a prompt and a record; itself where it holds no secret."""
    passages = tuple(_redacted_passage(passage, dialogue, secrets) for passage in recall.passages)
    notes = secrets.removed_from_value(dict(recall.notes))
    if passages == recall.passages and notes == recall.notes:
        return recall
    return recall.model_copy(update={"passages": passages, "notes": notes})


def redacted_line(line: Line, secrets: Secrets) -> Line:
    """A record, a context or what a task took, as it may be written down."""
    return secrets.removed_from_model(line, keeping=_AS_IT_IS)


def refuse_secret_names(secrets: Secrets, what: str, names: list[str]) -> None:
    """Raise `UsageError` where a name, which every record and table repeats, holds a secret."""
    for name in names:
        if (told := secrets.removed_from(name)) != name:
            raise UsageError(
                f"{what} {told!r} holds a key, and would stand in every record: let the plug-in "
                "read it from a variable such as MY_API_KEY instead"
            )


def _redacted_passage(passage: Passage, dialogue: Dialogue, secrets: Secrets) -> Passage:
    index, sessions = passage.session, dialogue.sessions
    if index is not None and 0 <= index < len(sessions) and passage.text == sessions[index].text:
        return passage
    text = secrets.removed_from(passage.text)
    return passage if text == passage.text else passage.model_copy(update={"text": text})
