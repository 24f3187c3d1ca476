"""Rows made by hand, for figures whose numbers can be worked out on paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memorycode.protocols import Verdict
from memorycode.results.answers import Answer
from tests.results.making import make_answer

MakeRow = Callable[..., Answer]


@pytest.fixture
def make_row() -> MakeRow:
    """An answer after the last of 20 sessions, unless something else is said."""

    def make(dialogue: int, verdicts: tuple[Verdict, ...] = ("followed",), **fields: Any) -> Answer:
        letters = "".join(verdict[0] for verdict in verdicts)
        usual: dict[str, Any] = {"dialogue": dialogue, "sessions": 20, "setting": "history"}
        return make_answer(letters, **(usual | fields))

    return make
