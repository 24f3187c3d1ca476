"""What a table is made of, whoever draws it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Row = TypeVar("Row")
Outer = TypeVar("Outer")


@dataclass(frozen=True)
class Mark:
    """A sign behind a name or number: what a screen reader says for it, and what it means."""

    sign: str
    word: str
    meaning: str

    @property
    def note(self) -> str:
        """For below a table in a terminal, where nothing can be pointed at."""
        return f"{self.sign} {self.word}: {self.meaning}."


@dataclass(frozen=True)
class Cell:
    """What a cell shows.

    `value` is what the page sorts its column by. `error` (``± 2.1``) stands behind the text where a
    terminal has the room, `detail` below it in the page; `hint` is what the page says on pointing
    at it. `is_bad` is for what must not be missed.
    """

    text: str
    value: float | str | None = None
    marks: tuple[Mark, ...] = ()
    error: str = ""
    detail: str = ""
    hint: str = ""
    is_bad: bool = False


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column: its title, its cell in a row, what it means, and when it is shown.

    A terminal breaks `title` at its spaces and soft hyphens; the page writes `unit` behind it. Both
    write `over` below it: what the numbers are the mean of. A terminal narrower than `needs`
    leaves the column out. `help` explains `term`, by default the title: columns of one kind share
    both. `extra` makes a cell's detail; it is worked out for the page alone.
    """

    title: str
    cell: Callable[[Row], Cell]
    help: str = ""
    needs: int = 0
    is_number: bool = True
    unit: str = ""
    over: str = ""
    term: str = ""
    extra: Callable[[Row], str] | None = None


@dataclass(frozen=True)
class Table(Generic[Row]):
    """A table whose first column names its rows."""

    caption: str
    columns: Sequence[Column[Row]]
    rows: Sequence[Row]
    id: str | None = None

    def fitting(self, width: int) -> list[Column[Row]]:
        """The columns that a terminal of this width has room for."""
        return [column for column in self.columns if width >= column.needs]


def of_part(columns: Iterable[Column[Row]], part: Callable[[Outer], Row]) -> list[Column[Outer]]:
    """The same columns for a row that has what they are about as a part."""
    return [_of_part(column, part) for column in columns]


def _of_part(column: Column[Row], part: Callable[[Outer], Row]) -> Column[Outer]:
    extra = column.extra
    return Column(
        title=column.title,
        cell=lambda row: column.cell(part(row)),
        help=column.help,
        needs=column.needs,
        is_number=column.is_number,
        unit=column.unit,
        over=column.over,
        term=column.term,
        extra=None if extra is None else lambda row: extra(part(row)),
    )


def explained(columns: Iterable[Column[Row]]) -> dict[str, str]:
    """What the columns mean, by the terms that are explained, each once."""
    return {
        (column.term or column.title).replace("\u00ad", "").replace("\u00a0", " "): column.help
        for column in columns
        if column.help
    }


def legend(columns: Iterable[Column[Row]]) -> str:
    """What the columns mean, in one line; nothing where none is explained."""
    terms = [f"{term}: {meaning}" for term, meaning in explained(columns).items()]
    return f"{'; '.join(terms)}." if terms else ""
