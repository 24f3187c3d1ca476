"""What a check is, and what it finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from memorycode.frozen import Frozen
from memorycode.protocols import CleanText

if TYPE_CHECKING:
    from memorycode.conformance.subject import Subject

Outcome = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True)
class ConformanceCheck:
    """One thing that a run relies on.

    `look` tries it on a strategy and says what it saw; it raises `Fault` or `NotApplicable`. Where
    an `essential` check fails, the others have nothing to go by and are skipped. One that
    `compares` recalls is skipped where there was nothing in any of them: it would pass whatever the
    strategy does.
    """

    name: str
    tried: str
    look: Callable[[Subject], str]
    essential: bool = False
    compares: bool = False


class Finding(Frozen):
    """What a check saw, and how long it took, in seconds."""

    name: str
    tried: str
    outcome: Outcome
    saw: CleanText
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        return self.outcome == "failed"


class Conformance(Frozen):
    """The findings on one strategy, in the order of the checks."""

    spec: str
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not any(finding.failed for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        """For machines; a check that was skipped did not fail and counts as passed."""
        checks = [
            {
                "name": finding.name,
                "tried": finding.tried,
                "passed": not finding.failed,
                "skipped": finding.outcome == "skipped",
                "saw": finding.saw,
                "seconds": finding.seconds,
            }
            for finding in self.findings
        ]
        return {"spec": self.spec, "passed": self.passed, "checks": checks}
