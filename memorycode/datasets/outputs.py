"""Recorded outputs in the release's layout: a folder of ``output_N.json`` for one model."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from memorycode.datasets.json_fields import JsonFields, read_json
from memorycode.dialogue import Setting
from memorycode.errors import DatasetError
from memorycode.frozen import Frozen

_FILE_NAME = re.compile(r"output_([0-9]+)\.json")
_FIELDS: dict[Setting, str] = {
    "history": "history_model_output",
    "session": "session_model_output",
    "instruction": "instruction_model_output",
}


class RecordedSession(Frozen):
    """What a model answered at one session, each list in the order of the questions."""

    history: tuple[str, ...] = ()
    session: tuple[str, ...] = ()
    instruction: tuple[str, ...] = ()


class RecordedDialogue(Frozen):
    """What a model answered in one dialogue."""

    number: int
    sessions: tuple[RecordedSession, ...]

    def answers(self, setting: Setting, session: int) -> tuple[str, ...]:
        """The answers of a setting at a session; none where the recording is shorter."""
        if session >= len(self.sessions):
            return ()
        answers: tuple[str, ...] = getattr(self.sessions[session], setting)
        return answers


def output_files(folder: Path | str) -> dict[int, Path]:
    """The files ``output_N.json`` of a folder by dialogue number, in order."""
    path = Path(folder)
    if not path.is_dir():
        raise DatasetError("no such folder of recorded outputs", file=path)
    named = ((_FILE_NAME.fullmatch(file.name), file) for file in path.iterdir())
    numbered = sorted((int(match[1]), file) for match, file in named if match)
    for (number, first), (other, second) in pairwise(numbered):
        if number == other:
            raise DatasetError(f"dialogue {number} stands in {first.name} too", file=second)
    files = dict(numbered)
    if not files:
        models = sorted(
            p.name for p in path.iterdir() if p.is_dir() and any(p.glob("output_*.json"))
        )
        hint = f"; its folders {', '.join(models)} have some" if models else ""
        raise DatasetError(f"no output_N.json here{hint}", file=path)
    return files


def load_outputs(folder: Path | str) -> dict[int, RecordedDialogue]:
    """All recorded dialogues of one model by number."""
    return {number: load_output(file, number) for number, file in output_files(folder).items()}


def load_output(file: Path, number: int) -> RecordedDialogue:
    """One ``output_N.json``."""
    sessions = JsonFields(read_json(file), file=file).get("sessions", list)
    return RecordedDialogue.model_construct(
        number=number,
        sessions=tuple(_session(data, file, index) for index, data in enumerate(sessions)),
    )


def _session(data: Any, file: Path, index: int) -> RecordedSession:
    fields = JsonFields(data, file=file, where=f"sessions[{index}]")
    answers = {setting: tuple(fields.foreign_text_list(key)) for setting, key in _FIELDS.items()}
    return RecordedSession.model_construct(None, **answers)
