"""Rendering under check: what does not tell its rules is rendered again, and never kept."""

from __future__ import annotations

import random
from typing import NamedTuple

from memorycode.errors import ModelError, ModelUnavailable, RenderError
from memorycode.frozen import Frozen
from memorycode.generation.options import ATTEMPTS
from memorycode.generation.rendering import SessionRenderer, SessionWriter
from memorycode.generation.session_check import Findings, SessionCheck, states_its_rules
from memorycode.generation.template import Template
from memorycode.rules import Rule

UNREACHABLE = frozenset({"connection", "timeout", "server_error"})
"""Kinds of `ModelError` with which a model gives no answer at all, whatever it is asked."""


class RenderReport(Frozen):
    """How a session (counted from 0) came out: how often it was rendered, and the last finding.

    `failed` sessions have one; of others `rejected` tells what was wrong before.
    """

    session: int
    attempts: int
    failed: bool = False
    last: Findings = Findings()
    rejected: tuple[Findings, ...] = ()

    def __str__(self) -> str:
        if not self.failed:
            return f"session {self.session}: right at attempt {self.attempts}"
        return f"session {self.session}: {_told(self.last)} ({self.attempts} attempts)"


class Rendering(NamedTuple):
    """A dialogue's transcripts with a report for each. It ends with the first that failed."""

    texts: tuple[str, ...]
    reports: tuple[RenderReport, ...]

    @property
    def failure(self) -> RenderReport | None:
        last = self.reports[-1] if self.reports else None
        return last if last and last.failed else None


class CheckedRenderer:
    """Any renderer of sessions, each of whose texts is held against its plan."""

    def __init__(
        self,
        renderer: SessionRenderer,
        check: SessionCheck = states_its_rules,
        *,
        attempts: int = ATTEMPTS,
    ) -> None:
        self._renderer, self._check, self._attempts = renderer, check, attempts

    def render(self, template: Template, rng: random.Random) -> tuple[str, ...]:
        """All transcripts. Raises `RenderError` where a session stays wrong."""
        rendering = self.attempt(template, rng)
        if rendering.failure:
            raise RenderError(str(rendering.failure))
        return rendering.texts

    def attempt(self, template: Template, rng: random.Random) -> Rendering:
        """The transcripts as far as they came out right, and how.

        Raises `ModelUnavailable`, and `ModelError` where a model could not be reached.
        """
        writer = self._renderer.begin(template, rng)
        texts: list[str] = []
        reports: list[RenderReport] = []
        for index in range(len(template.sessions)):
            text, report = self._session(writer, template, index)
            reports.append(report)
            if report.failed:
                break
            texts.append(text)
        return Rendering(tuple(texts), tuple(reports))

    def _session(
        self, writer: SessionWriter, template: Template, index: int
    ) -> tuple[str, RenderReport]:
        rejected: list[Findings] = []
        for attempt in range(1, self._attempts + 1):
            text, findings = self._try(writer, template, index)
            if findings.is_clean:
                report = RenderReport(session=index, attempts=attempt, rejected=tuple(rejected))
                return text, report
            rejected.append(findings)
        return "", RenderReport(
            session=index,
            attempts=self._attempts,
            failed=True,
            last=rejected[-1],
            rejected=tuple(rejected),
        )

    def _try(self, writer: SessionWriter, template: Template, index: int) -> tuple[str, Findings]:
        try:
            text = _write(writer, index)
        except ModelUnavailable:
            raise
        except ModelError as error:
            if error.kind in UNREACHABLE:
                raise ModelError(f"session {index}: {error}", kind=error.kind) from error
            return "", Findings(problem=str(error))
        planned = template.sessions[index]
        return text, self._check(text, planned, template.context.speakers)


def _write(writer: SessionWriter, index: int) -> str:
    """A long dialogue is not lost for one broken connection: it is tried once more."""
    try:
        return writer.write(index)
    except ModelError as error:
        if error.kind not in UNREACHABLE:
            raise
    return writer.write(index)


def _told(findings: Findings) -> str:
    """A finding in words."""
    parts = [findings.problem] if findings.problem else []
    parts += [f"does not tell {_rule(rule)}" for rule in findings.missing]
    parts += [f"tells {_rule(rule)} besides" for rule in findings.extra]
    return "; ".join(parts)


def _rule(rule: Rule) -> str:
    return f"{rule.object} {rule.check!r}"
