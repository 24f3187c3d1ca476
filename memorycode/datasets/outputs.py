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

_FILE_NAME = re.compile(r"output_([0-9]+)\.json(\.gz)?")
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
    """What a model answered in one dialogue. `settings` are those that were recorded at all: a
    recording of one setting says nothing of the others."""

    number: int
    sessions: tuple[RecordedSession, ...]
    settings: frozenset[Setting] = frozenset(_FIELDS)

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
        models = sorted(p.name for p in path.iterdir() if p.is_dir() and holds_outputs(p))
        hint = f"; its folders {', '.join(models)} have some" if models else ""
        raise DatasetError(f"no output_N.json here{hint}", file=path)
    return files


def holds_outputs(folder: Path) -> bool:
    """Whether a folder has an ``output_N.json``."""
    return any(_FILE_NAME.fullmatch(file.name) for file in folder.iterdir())


def load_outputs(folder: Path | str) -> dict[int, RecordedDialogue]:
    """All recorded dialogues of one model by number."""
    return {number: load_output(file, number) for number, file in output_files(folder).items()}


def load_output(file: Path, number: int) -> RecordedDialogue:
    """One ``output_N.json``, which need not have the answers of every setting.

    Raises `DatasetError` for a file that has none.
    """
    found = JsonFields(read_json(file), file=file).get("sessions", list)
    sessions = [_session(data, file, index) for index, data in enumerate(found)]
    settings = frozenset[Setting]().union(*(session.model_fields_set for session in sessions))
    if sessions and not settings:
        problem = f"no answers in any session; want one or more of {', '.join(_FIELDS.values())}"
        raise DatasetError(problem, file=file, where="sessions")
    return RecordedDialogue.model_construct(
        number=number, sessions=tuple(sessions), settings=settings
    )


def _session(data: Any, file: Path, index: int) -> RecordedSession:
    fields = JsonFields(data, file=file, where=f"sessions[{index}]")
    answers = {
        setting: tuple(fields.foreign_text_list(key))
        for setting, key in _FIELDS.items()
        if key in fields.data
    }
    return RecordedSession.model_construct(set(answers), **answers)
