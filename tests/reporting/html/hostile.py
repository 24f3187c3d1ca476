"""A run whose texts try to be markup, to run, to turn the page around, or to choke it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memorycode import evaluate
from memorycode.dialogue import Dialogue
from tests.conftest import make_dialogue
from tests.run_files import change_asked

SCRIPT = "<script>window.hacked = 1</script>"
ENDING = "</script><img src=x onerror='window.hacked = 1'><svg/onload='window.hacked = 1'>"
UNCLOSED = "<div><b <!-- </style> <textarea><![CDATA[ &lt; &amp; ]]"
TURNED = "safe \u202etxet desrever\u202c \u200f\u2066end\x00\x1b[2J\x07"
WHOLE = "\n".join([SCRIPT, ENDING, UNCLOSED, TURNED])
LONG = "def f():\n" + "    return '</script>'  # x\n" * 40_000
"""A megabyte."""
ONE_LINE = "x" * 1_000_000
ERROR = WHOLE + "E" * 5_000
"""An endpoint may say anything, without a blank in it."""


def hostile_dialogue() -> Dialogue:
    dialogue = make_dialogue(1)
    first = dialogue.sessions[0]
    texts = [
        f"{first.text}\n\nAda: {WHOLE} {{company}} {{{{",
        *(s.text for s in dialogue.sessions[1:]),
    ]
    return dialogue.model_copy(
        update={
            "sessions": tuple(
                session.model_copy(update={"text": text})
                for session, text in zip(dialogue.sessions, texts, strict=True)
            ),
            "context": dialogue.context.model_copy(update={"company": ENDING}),
            "history_queries": (f"function {SCRIPT}{TURNED}", *dialogue.history_queries[1:]),
        }
    )


def hostile_run(folder: Path) -> Path:
    """The answers are put in afterwards, as if a model had given them."""
    run = folder / "hostile <b>run</b>"
    evaluate([hostile_dialogue()], strategies=["full_history", "mentor_only"], out=run)
    changes: list[dict[str, Any]] = [
        {"answer": WHOLE, "reasoning": WHOLE, "notes": {WHOLE: WHOLE}, "finish_reason": SCRIPT},
        {"answer": LONG},
        {"answer": ONE_LINE},
        {"answer": "", "outcome": "timeout", "error": ERROR},
    ]
    change_asked(run, lambda line: [line | changes.pop(0)])
    assert not changes
    return run
