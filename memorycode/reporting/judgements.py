"""What `memorycode judge` prints."""

from __future__ import annotations

from collections.abc import Sequence

from memorycode.reporting.columns.cells import words
from memorycode.reporting.columns.table import Column, Table
from memorycode.reporting.console import output
from memorycode.reporting.terminal import drawn
from memorycode.scoring.cases import Case, CaseJudgement

_OFFICIAL = {1.0: "1", 0.0: "0", None: "left out"}


def print_judgements(cases: Sequence[Case], judgements: Sequence[CaseJudgement]) -> None:
    """A row per case: the rule, the paper's score, the strict verdict."""
    rows = [*zip(cases, judgements, strict=True)]
    console = output()
    console.print(drawn(Table("", _COLUMNS, rows), console.width))


_Judged = tuple[Case, CaseJudgement]

_COLUMNS: tuple[Column[_Judged], ...] = (
    Column("case", lambda one: words(one[0].id), is_number=False),
    Column("object", lambda one: words(one[0].rule.object), is_number=False),
    Column("rule", lambda one: words(str(one[0].rule.check)), is_number=False),
    Column("official", lambda one: words(_OFFICIAL[one[1].official]), is_number=False),
    Column("strict", lambda one: words(one[1].strict), is_number=False),
)
