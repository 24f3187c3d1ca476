"""The rules stated in a text, or in each session of a data set."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memorycode.datasets import load_dataset
from memorycode.datasets.loading import is_data_file
from memorycode.errors import Unreadable, UsageError
from memorycode.scoring.detection import Detection, detect
from memorycode.text_files import read_text, text_of


def is_dataset(path: Path) -> bool:
    """Whether a path is read as a data set rather than as a text."""
    return path.is_dir() or is_data_file(path)


def detect_text(path: str, mentor: str | None) -> list[dict[str, Any]]:
    """The rules of a text file, or of standard input for ``-``."""
    try:
        text = text_of(sys.stdin.buffer.read()) if path == "-" else read_text(Path(path))
    except Unreadable as error:
        raise UsageError(f"{path}: {error}") from error
    return [_row(detection) for detection in detect(text, mentor)]


def detect_dataset(path: Path) -> Iterator[dict[str, Any]]:
    """One row per session: ``{"dialogue", "session", "rules"}``."""
    for dialogue in load_dataset(path):
        for session in dialogue.sessions:
            found = detect(session.text, dialogue.context.mentor, dialogue.context.mentee)
            yield {
                "dialogue": dialogue.number,
                "session": session.index,
                "rules": [_row(detection) for detection in found],
            }


def _row(detection: Detection) -> dict[str, Any]:
    rule, family = detection.rule, detection.rule.family
    return {
        "object": rule.object,
        "check": rule.check,
        "family": {**family.model_dump(), "number": family.number},
        "start": detection.start,
        "end": detection.end,
    }
