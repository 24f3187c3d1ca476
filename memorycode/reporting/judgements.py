"""What `memorycode judge` prints."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from memorycode.reporting.console import output, plain_table, printable
from memorycode.scoring.cases import Case, Judgement

_OFFICIAL = {1.0: "1", 0.0: "0", None: "left out"}


def print_judgements(cases: Sequence[Case], judgements: Sequence[Judgement]) -> None:
    """A row per case: the rule, the paper's score, the strict verdict."""
    table = plain_table(None)
    for title in ("case", "object", "rule"):
        table.add_column(title, overflow="fold")
    for title in ("official", "strict"):
        table.add_column(title)
    for case, judged in zip(cases, judgements, strict=True):
        check = case.rule.check
        shown = check if isinstance(check, str) else str(check)
        cells = (case.id, case.rule.object, shown, _OFFICIAL[judged.official], judged.strict)
        table.add_row(*(Text(printable(cell)) for cell in cells))
    output().print(table)
