"""Dialogues as rows of a table: the columns of the data set published on the Hugging Face Hub.

``id``, counts (``n_sessions`` …), and ``instruction_ids``, ``filler_ids`` and ``sessions`` as texts
that hold lists (C4AI-Community/memorycode). The published rows lack the release's ``context``, so
there the two speakers are read off the transcripts, and company and personas are empty. Rows
written here hold ``context`` as one more text, and nothing is lost.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from memorycode.datasets.foreign_layouts import refuse_foreign_layout
from memorycode.datasets.json_fields import JsonFields, describe
from memorycode.datasets.literals import decode
from memorycode.datasets.release import dump_dialogue, parse_dialogue
from memorycode.datasets.speakers import speakers_of
from memorycode.dialogue import Context, Dialogue
from memorycode.errors import DatasetError

COUNT_COLUMNS = (
    "n_sessions",
    "n_sessions_with_instructions",
    "n_instructions",
    "n_instruction_insertions",
    "n_instruction_updates",
    "n_filler_insertions",
    "n_filler_updates",
)
TEXT_COLUMNS = {
    "instruction_ids": "instructions",
    "filler_ids": "fillers",
    "sessions": "sessions",
    "context": "context",
}
"""Columns that hold lists or objects as text, and the release's field that each one is."""

COLUMNS = ("id", *COUNT_COLUMNS, *TEXT_COLUMNS)

_UNKNOWN = dict.fromkeys(("mentor", "mentee", "company", "mentor_persona", "mentee_persona"), "")


# ── reading ───────────────────────────────────────────────────────────────────────────────────


class Row:
    """One row and where it stands; rows count from 0."""

    def __init__(self, data: Any, *, source: Path, index: int) -> None:
        self.source, self.place = source, f"row {index}"
        self._fields = JsonFields(
            dict(data) if isinstance(data, Mapping) else data, file=source, where=self.place
        )
        refuse_foreign_layout(self._fields.data, source)
        self.number = self._whole_number("id")
        self.place = f"row {index} (id {self.number})"

    def dialogue(self) -> Dialogue:
        """The row's dialogue; `DatasetError` names row and column."""
        data = {field: self._decoded(column) for column, field in TEXT_COLUMNS.items()}
        lacks_context = data["context"] is None
        if lacks_context:
            data["context"] = _UNKNOWN
        try:
            dialogue = parse_dialogue(data, file=self.source, number=self.number)
        except DatasetError as error:
            self._fail(_column(error.where), error.problem)
        self._check_length(dialogue)
        return self._with_speakers(dialogue) if lacks_context else dialogue

    def _decoded(self, column: str) -> Any:
        value = self._fields.data.get(column)
        if value is None and column != "context":
            self._fail(column, "missing; want a list, or a text that holds one")
        try:
            return decode(value)
        except ValueError as error:
            self._fail(column, str(error))

    def _whole_number(self, column: str) -> int:
        try:
            value = decode(self._fields.data.get(column))
        except ValueError as error:
            self._fail(column, str(error))
        if isinstance(value, float) and value.is_integer():  # a count as pandas stores it
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            self._fail(column, f"found {describe(value)}, want a whole number from 0")
        return value

    def _check_length(self, dialogue: Dialogue) -> None:
        """Of the counts only this one can be read in one way alone; none is needed."""
        if self._fields.data.get("n_sessions") is None:
            return
        told, found = self._whole_number("n_sessions"), len(dialogue.sessions)
        if told != found:
            self._fail("n_sessions", f"{told}, but sessions has {found}")

    def _with_speakers(self, dialogue: Dialogue) -> Dialogue:
        speakers = speakers_of(dialogue.sessions)
        if speakers is None:
            self._fail("sessions", "fewer than two speakers, and no context says who they are")
        return dialogue.model_copy(update={"context": Context(**speakers.model_dump())})

    def _fail(self, column: str, problem: str) -> NoReturn:
        raise DatasetError(problem, file=self.source, where=f"{self.place}.{column}")


def _column(where: str) -> str:
    """A place in the release's layout as a place in a row."""
    for column, field in TEXT_COLUMNS.items():
        if where.startswith(field):
            return column + where.removeprefix(field)
    return where


def numbered(rows: Iterable[Any], *, source: Path) -> Iterator[Row]:
    """Rows with their places in `source`."""
    return (Row(data, source=source, index=index) for index, data in enumerate(rows))


def in_order(rows: Iterable[Row], *, limit: int | None = None) -> tuple[Dialogue, ...]:
    """The dialogues in order of their numbers, the first `limit` of them."""
    by_number: dict[int, Row] = {}
    for row in rows:
        first = by_number.setdefault(row.number, row)
        if first is not row:
            problem = f"stands in {first.source}, {first.place} too"
            raise DatasetError(problem, file=row.source, where=row.place)
    return tuple(by_number[number].dialogue() for number in sorted(by_number)[:limit])


def read_rows(rows: Iterable[Any], *, source: str = "rows") -> tuple[Dialogue, ...]:
    """The dialogues of a ``datasets.Dataset`` or of any iterable of mappings, by number.

    `source` is what errors call the rows. Raises `DatasetError` that names row and column.
    """
    if isinstance(rows, Mapping):
        names = ", ".join(map(str, rows))
        raise DatasetError(f"several splits, want one of them: {names}", file=source)
    return in_order(numbered(rows, source=Path(source)))


# ── writing ───────────────────────────────────────────────────────────────────────────────────


def dump_row(dialogue: Dialogue) -> dict[str, Any]:
    """The row of a dialogue, the inverse of `read_rows`; counts go by what the types say."""
    data = dump_dialogue(dialogue)
    kinds = Counter(kind for session in dialogue.sessions for kind in session.types)
    told = [session.instructions for session in dialogue.sessions if session.instructions]
    counts = (
        len(dialogue.sessions),
        len(told),
        sum(map(len, told)),
        kinds["instruction-add"],
        kinds["instruction-update"],
        kinds["filler-add"] + kinds["filler-instruction-add"],
        kinds["filler-update"] + kinds["filler-instruction-update"],
    )
    texts = {column: json.dumps(data[field]) for column, field in TEXT_COLUMNS.items()}
    return {"id": dialogue.number, **dict(zip(COUNT_COLUMNS, counts, strict=True)), **texts}
