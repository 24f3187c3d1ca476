"""How values become cells. A dash stands where there is no value."""

from __future__ import annotations

from memorycode.reporting.columns.table import Cell, Mark
from memorycode.results.answers import Column as Table4Column
from memorycode.results.means import Estimate
from memorycode.results.memory_loss import MOST_LOST
from memorycode.results.statistics import Interval

NOTHING = "–"

FEW = 5
"""Below so many dialogues a standard error says nothing."""

ORACLE = Mark("◆", "oracle", "sees gold labels, which no real memory does")
UNRANKED = Mark(
    "‡",
    "unranked",
    f"listed last, for the memory lost more than {100 * MOST_LOST:g} % of its own calls, which "
    "failed or had an answer that it could not read: its scores are not what the strategy can do",
)
PARTIAL = Mark(
    "†", "partial", "over fewer dialogues than others: questions failed or were never asked"
)

COLUMN_TITLES: dict[Table4Column, str] = {
    "instruction": "instruction",
    "session": "session",
    "short_history": "short",
    "long_history": "long",
}


def words(text: str) -> Cell:
    return Cell(text, text)


def named(name: str, marks: tuple[Mark, ...] = ()) -> Cell:
    """A strategy's name as every table has it."""
    return Cell(name, name, marks=marks)


def marks_of(*, oracle: bool, ranked: bool) -> tuple[Mark, ...]:
    """What stands behind a strategy's name in every table and list."""
    return (*((ORACLE,) if oracle else ()), *(() if ranked else (UNRANKED,)))


def count(number: int) -> Cell:
    return Cell(f"{number:,}", number)


def decimal(number: float | None, digits: int = 1) -> Cell:
    return Cell(NOTHING if number is None else f"{number:,.{digits}f}", number)


def percent(share: float | None) -> Cell:
    return decimal(None if share is None else 100 * share)


def signed_percent(share: float | None) -> Cell:
    return Cell(NOTHING if share is None else f"{100 * share:+.1f}", share)


def dollars(amount: float | None) -> Cell:
    return Cell(dollars_text(amount), amount)


def dollars_text(amount: float | None) -> str:
    """With as many digits as tell something."""
    if amount is None:
        return NOTHING
    return f"{amount:,.2f}" if amount >= 1 else f"{amount:.4f}"


def estimated(estimate: Estimate) -> Cell:
    """A mean in per cent with its standard error; no error for few."""
    if estimate.mean is None:
        return Cell(NOTHING)
    has_error = estimate.se is not None and estimate.n >= FEW
    return Cell(
        f"{100 * estimate.mean:.1f}",
        estimate.mean,
        error=f"± {100 * (estimate.se or 0):.1f}" if has_error else "",
    )


def between(interval: Interval) -> str:
    """From where to where an interval goes, in per cent; nothing where there is none."""
    if interval.low is None or interval.high is None:
        return ""
    return f"{100 * interval.low:.1f}–{100 * interval.high:.1f}"
