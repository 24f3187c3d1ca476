"""A question that is looked up has its prompt to the byte, every message of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorycode.dialogue import Dialogue
from memorycode.evaluation import evaluate
from memorycode.protocols import Message
from memorycode.results.found_question import find_question
from memorycode.running.folder import RunFolder
from memorycode.running.records import AskedRecord

FURTHER = (
    Message("assistant", ("```python\nx = 1\n```\n",)),
    Message("user", ("Omar: It has ", "no type hints.\u2028\t \r\n")),
)


def test_one_message_is_shown_as_ever(small_dialogue: Dialogue, tmp_path: Path) -> None:
    evaluate([small_dialogue], strategies=["full_history"], out=tmp_path)
    found = find_question(tmp_path, next(RunFolder(tmp_path).records()).id)

    (message,) = found.messages
    assert message.role == "user"
    assert found.prompt == message.text != ""
    assert found.as_json().keys() == {"record", "prompt", "rules"}
    assert "further" not in found.as_json()["record"]


def test_every_message_of_a_conversation_is_rebuilt_to_the_byte(
    small_dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate([small_dialogue], strategies=["full_history"], out=tmp_path)
    record = next(RunFolder(tmp_path).records())
    (opening,) = find_question(tmp_path, record.id).messages
    asked = record.model_copy(update={"further": FURTHER})
    written = asked.model_dump_json(exclude={"verdicts", "causes", "found"}, exclude_defaults=True)
    kept = AskedRecord.model_validate_json(written)
    monkeypatch.setattr(RunFolder, "attempts_at", lambda *_: iter([kept]))
    found = find_question(tmp_path, record.id)

    assert found.messages == (opening, *FURTHER)
    assert found.as_json()["messages"] == [
        {"role": "user", "content": opening.text},
        {"role": "assistant", "content": FURTHER[0].text},
        {"role": "user", "content": FURTHER[1].text},
    ]
    assert all(message.text in found.prompt for message in found.messages)


def test_a_question_of_one_message_writes_nothing_more(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], strategies=["full_history"], out=tmp_path)
    for record in RunFolder(tmp_path).records():
        assert "further" not in record.model_dump_json(exclude_defaults=True)
