"""From an answer to the code in it, as the paper's evaluator takes it."""

from __future__ import annotations

_FENCE = "```"
_OPENINGS = (f"{_FENCE}python\n", _FENCE)


def extract_code(answer: str) -> str:
    """The first fenced block tagged ``python``, else the first fenced block with its tag, else the
    whole answer. A fence that is never closed is none."""
    for opening in _OPENINGS:
        start = answer.find(opening)
        if start >= 0:
            start += len(opening)
            end = answer.find(_FENCE, start)
            if end >= 0:
                return answer[start:end]
    return answer
