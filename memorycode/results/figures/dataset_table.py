"""The paper's Table 2: what the dialogues are made of."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Sequence

from memorycode.dialogue import Dialogue
from memorycode.results.figures.evidence import Evidence
from memorycode.results.figures.series import Layout, Series, Value
from memorycode.tokens import TOKENIZER, token_counter

_WORD = re.compile(r"\w+")

_TYPES = {
    "instructions added": ("instruction-add",),
    "instructions updated": ("instruction-update",),
    "fillers added": ("filler-add", "filler-instruction-add"),
    "fillers updated": ("filler-update", "filler-instruction-update"),
}
"""As the data set labels its sessions. A family told again is sometimes labelled as added."""


def dataset_table(evidence: Evidence) -> Series:
    """Means and standard deviations over the dialogues of up to 15 sessions and over longer ones.

    Standard deviations are the population's, as the paper's are. Tokens are those of our tokenizer
    and not the paper's; the vocabulary is the number of distinct words of the group, in lower case.
    """
    groups = {
        "short": [dialogue for dialogue in evidence.dialogues if dialogue.is_short],
        "long": [dialogue for dialogue in evidence.dialogues if not dialogue.is_short],
    }
    rows: list[tuple[Value, ...]] = []
    columns = {group: _measures(dialogues) for group, dialogues in groups.items() if dialogues}
    for measure in _MEASURES:
        for group, measures in columns.items():
            rows.append((measure, group, *measures[measure], len(groups[group])))
    return Series(
        name="dataset",
        title="What the dialogues are made of",
        columns=("parameter", "group", "mean", "sd", "dialogues"),
        rows=tuple(rows),
        layout=Layout(
            index=("parameter",), across="group", value="mean", error="sd", as_percent=False
        ),
        notes=(
            "Mean ± standard deviation of the dialogues. Short: up to 15 sessions. "
            f"Tokens by {TOKENIZER}. Vocabulary: distinct words of all dialogues of the group.",
        ),
    )


_MEASURES = (
    *("sessions", "sessions with instructions", "instructions"),
    *("instructions added", "instructions updated"),
    *("fillers", "fillers added", "fillers updated"),
    *("tokens", "vocabulary"),
)


def _measures(dialogues: Sequence[Dialogue]) -> dict[str, tuple[float, float | None]]:
    count_tokens = token_counter()
    counts = [_counts(dialogue) for dialogue in dialogues]
    found: dict[str, tuple[float, float | None]] = {
        measure: _spread([count[measure] for count in counts]) for measure in counts[0]
    }
    found["tokens"] = _spread(
        [sum(count_tokens(session.text) for session in d.sessions) for d in dialogues]
    )
    found["vocabulary"] = float(_vocabulary(dialogues)), None
    return found


def _counts(dialogue: Dialogue) -> dict[str, int]:
    types = [kind for session in dialogue.sessions for kind in session.types]
    counts = {name: sum(kind in kinds for kind in types) for name, kinds in _TYPES.items()}
    return counts | {
        "sessions": len(dialogue.sessions),
        "sessions with instructions": sum(bool(s.instructions) for s in dialogue.sessions),
        "instructions": sum(len(s.instructions) for s in dialogue.sessions),
        "fillers": counts["fillers added"] + counts["fillers updated"],
    }


def _spread(values: Sequence[int]) -> tuple[float, float]:
    return statistics.fmean(values), statistics.pstdev(values)


def _vocabulary(dialogues: Iterable[Dialogue]) -> int:
    words: set[str] = set()
    for dialogue in dialogues:
        for session in dialogue.sessions:
            words.update(_WORD.findall(session.text.lower()))
    return len(words)
