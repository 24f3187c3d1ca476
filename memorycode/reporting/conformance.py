"""What `memorycode check` prints."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from rich.text import Text

from memorycode.conformance.finding import Conformance, ConformanceCheck, Outcome
from memorycode.reporting.console import output, plain_table, printable

_MARKS: dict[Outcome, str] = {"passed": "✓", "failed": "✗", "skipped": "–"}


def announce(check: ConformanceCheck) -> None:
    """A sign of life in a terminal, written over by the next; a check may take its time."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{check.name} …", end="", file=sys.stderr, flush=True)


def end_announcements() -> None:
    """Wipe the last one away."""
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def print_conformance(report: Conformance) -> None:
    """A row per check, and how many failed."""
    console = output()
    table = plain_table(f"Checks on {report.spec}")
    table.add_column("")
    table.add_column("check", no_wrap=True)
    table.add_column("what it saw", overflow="fold")
    for finding in report.findings:
        style = "bold" if finding.failed else ""
        cells = (_MARKS[finding.outcome], finding.name, printable(finding.saw))
        table.add_row(*(Text(cell, style=style) for cell in cells))
    console.print(table)
    console.print(Text(" ".join(_summary(report)), style="dim"))


def _summary(report: Conformance) -> Iterator[str]:
    count = {
        outcome: sum(finding.outcome == outcome for finding in report.findings)
        for outcome in _MARKS
    }
    yield f"{count['passed']} passed ✓, {count['failed']} failed ✗, {count['skipped']} skipped –."
    for finding in report.findings:
        if finding.failed:
            yield f"{finding.name} tried: {printable(finding.tried)}."
