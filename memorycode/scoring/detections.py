"""The rules stated in a text, or in each session of a data set."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memorycode.datasets import load_dataset
from memorycode.errors import UsageError
from memorycode.scoring.detection import Detection, detect


def is_dataset(path: Path) -> bool:
    """Whether a path is read as a data set rather than as a text."""
    return path.is_dir() or path.suffix == ".json"


def detect_text(path: str, mentor: str | None) -> list[dict[str, Any]]:
    """The rules of a text file, or of standard input for ``-``."""
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        text = data.decode("utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text (byte {error.start})") from error
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
