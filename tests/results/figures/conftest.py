"""Rows made by hand, for figures whose numbers can be worked out on paper."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memorycode.dialogue import Setting
from memorycode.protocols import Verdict
from memorycode.results.answers import AskedRule, ScoredRow, Source
from memorycode.rules import ObjectKind, Rule
from memorycode.scoring.attribution import Cause

_MEMORY = Source("model", "full_history")

MakeRow = Callable[..., ScoredRow]


def asked(object_: ObjectKind = "comment", *, told: int = 0, rank: int = 0) -> AskedRule:
    return AskedRule(Rule(object=object_, check=True), 1, rank, told, rank)


@pytest.fixture
def make_row() -> MakeRow:
    def make(
        dialogue: int,
        verdicts: tuple[Verdict, ...] = ("followed",),
        *,
        rules: tuple[AskedRule | None, ...] = (),
        sessions: int = 20,
        session: int | None = None,
        setting: Setting = "history",
        source: Source = _MEMORY,
        number: int = 0,
        sample: int = 0,
        causes: dict[int, Cause] | None = None,
        failure: str = "",
    ) -> ScoredRow:
        return ScoredRow(
            source=source,
            dialogue=dialogue,
            sessions=sessions,
            setting=setting,
            session=sessions - 1 if session is None else session,
            number=number,
            rules=rules or tuple(asked() for _ in verdicts),
            verdicts={} if failure else {"official": verdicts, "strict": verdicts},
            failure=failure,
            sample=sample,
            causes=causes,
        )

    return make
