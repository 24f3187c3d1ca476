"""What `memorycode audit` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from memorycode.audit import AuditReport
from memorycode.audit.problem import TEXT_KINDS, Problem, ProblemKind
from memorycode.reporting.console import output, plain_table, printable, show

EXAMPLES = 3
"""Problems shown of each kind that follows from fields; findings in texts are shown in full, up to
`MOST_SHOWN` of a kind."""

MOST_SHOWN = 40

_MEANINGS: dict[ProblemKind, str] = {
    "never_stated": "nobody says the gold rule",
    "garbled": "the gold rule is said wrong",
    "hinted": "the gold rule has to be guessed",
    "left_to_mentee": "value or object is said by the mentee alone",
    "withdrawn": "the text takes the gold rule back",
    "not_in_gold": "a rule is stated that gold does not have",
    "odd_label": "speakers' labels, or text that is no turn",
    "contradiction": "fields contradict one another",
    "shared_question": "two active families have one question",
    "clash": "rules that cannot hold together",
    "duplicate": "the same text or dialogue twice",
}


def print_audit(report: AuditReport) -> None:
    """Sizes, ceilings, how many problems of each kind, and the problems themselves."""
    show(_parts(report), output())


def _parts(report: AuditReport) -> Iterator[RenderableType]:
    yield _sizes(report)
    yield _ceilings(report)
    for note in report.notes:
        yield Text(printable(note))
    if not report.problems:
        yield Text("No problems found.")
        return
    yield _kinds(report)
    yield _details(report)
    yield Text("--json lists every problem, and each dialogue's counts, tokens and ceiling.")


def _sizes(report: AuditReport) -> Table:
    table = plain_table("What it holds")
    table.add_column("what", overflow="fold")
    table.add_column("number", justify="right")
    for name, number in report.counts.items():
        table.add_row(Text(printable(name.replace("_", " "))), f"{number:,}")
    for name, lengths in (
        ("session", report.session_tokens),
        ("dialogue", report.dialogue_tokens),
    ):
        table.add_row(
            f"tokens of a {name}: mean (shortest to longest)",
            f"{lengths.mean:,.0f} ({lengths.shortest:,} to {lengths.longest:,})",
        )
    return table


def _ceilings(report: AuditReport) -> Table:
    table = plain_table("The highest score if every object occurs that an active rule speaks of")
    for title in ("scorer", "short history", "long history", "session"):
        table.add_column(title, justify="left" if title == "scorer" else "right")
    for scorer, ceiling in report.ceiling.items():
        scores = (ceiling.short_history, ceiling.long_history, ceiling.session)
        table.add_row(scorer, *("–" if s is None else f"{s:.4f}" for s in scores))
    return table


def _kinds(report: AuditReport) -> Table:
    table = plain_table("Problems")
    table.add_column("kind")
    for title in ("problems", "dialogues"):
        table.add_column(title, justify="right")
    table.add_column("meaning", overflow="fold")
    for kind, number in report.by_kind.items():
        dialogues = {problem.dialogue for problem in report.problems if problem.kind == kind}
        table.add_row(kind, str(number), str(len(dialogues)), _MEANINGS[kind])
    return table


def _details(report: AuditReport) -> Table:
    table = plain_table("Where (dialogue/session; sessions count from 0)")
    for title in ("kind", "where"):
        table.add_column(title)
    table.add_column("what", overflow="fold")
    for kind in report.by_kind:
        found = [problem for problem in report.problems if problem.kind == kind]
        shown = found[: MOST_SHOWN if kind in TEXT_KINDS else EXAMPLES]
        for problem in shown:
            table.add_row(kind, _place(problem), Text(printable(problem.detail)))
        _add_rest(table, kind, found, len(shown))
    return table


def _add_rest(table: Table, kind: str, found: Sequence[Problem], shown: int) -> None:
    if len(found) > shown:
        table.add_row(kind, "", f"… and {len(found) - shown} more")


def _place(problem: Problem) -> str:
    session = "" if problem.session is None else f"/{problem.session}"
    return f"{problem.dialogue}{session}"
