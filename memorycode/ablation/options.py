"""What retrieval is measured on, and how: the options of `memorycode retrieve` beside its grid."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from memorycode.experiment import DatasetPath, DialogueLimit
from memorycode.frozen import Frozen
from memorycode.options import Option


class RetrievalOptions(Frozen):
    """None of it is of a cell: neither `workers` nor `out` decides what comes out."""

    dataset: DatasetPath = None
    limit: DialogueLimit = None
    embedder: Annotated[
        str | None,
        Option("sentence-transformers model or folder. Default: all-MiniLM-L6-v2."),
    ] = None
    workers: Annotated[int, Option("Processes. Default: 2.")] = Field(default=2, ge=1, le=64)
    out: Annotated[
        Path | None,
        Option("Keep the rankings here; rag:retriever=kept:folder=… replays them."),
    ] = None
