"""Both verdicts on single answers: for users who wonder why an answer failed.

A file of cases is a JSON list, or JSONL, of objects with ``id``, ``output`` (the model's answer),
``object`` and ``rule`` (the check, in the release's form), and ``query_elicits`` where the question
is the rule's own. Other fields are passed over.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from memorycode.datasets.json_fields import JsonFields, read_json_rows
from memorycode.datasets.rule_fields import read_rule
from memorycode.errors import DatasetError
from memorycode.frozen import Frozen
from memorycode.protocols import Verdict
from memorycode.rules import Rule
from memorycode.scoring.official import OfficialScorer
from memorycode.scoring.strict import StrictScorer
from memorycode.scoring.verdicts import verdict_score


class Case(Frozen):
    """One answer and the rule it is judged by."""

    id: str
    output: str
    rule: Rule
    query_elicits: bool = False


class CaseJudgement(Frozen):
    """Both verdicts on a case. `official` is the paper's score, None where it leaves the rule
    out; `seconds` is what judging took."""

    id: str
    official: float | None
    strict: Verdict
    seconds: float


def read_cases(file: Path) -> list[Case]:
    """The cases of a file. Raises `DatasetError` that names case and field."""
    cases = read_json_rows(file)
    if not cases:
        raise DatasetError("no cases", file=file)
    return [_case(JsonFields(case, file=file, where=f"[{n}]")) for n, case in enumerate(cases)]


def judge_cases(cases: list[Case]) -> Iterator[CaseJudgement]:
    """Judge each case by both scorers."""
    official, strict = OfficialScorer(), StrictScorer()
    for case in cases:
        started = time.perf_counter()
        arguments: tuple[str, list[Rule], list[bool]] = (
            case.output,
            [case.rule],
            [case.query_elicits],
        )
        paper, meant = official.judge(*arguments), strict.judge(*arguments)
        yield CaseJudgement(
            id=case.id,
            official=verdict_score(paper[0]),
            strict=meant[0],
            seconds=round(time.perf_counter() - started, 6),
        )


def _case(fields: JsonFields) -> Case:
    rule = read_rule(fields, fields.get("object", str), fields.data.get("rule"), "rule")
    return Case.model_construct(
        id=fields.get("id", str),
        output=fields.foreign_text("output"),
        rule=rule,
        query_elicits="query_elicits" in fields.data and fields.get("query_elicits", bool),
    )
