"""What figures call those whose answers they compare: what tells each from the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from memorycode.results.answers import RECORDED, Answer, Source
from memorycode.results.encodable_text import encodable

ORACLE_MARK = " ◆"


def source_labels(rows: Iterable[Answer]) -> dict[Source, str]:
    """A label for each source, in the order given; no two of one setting share it."""
    settings = {(row.source, row.setting): None for row in rows}
    sources = list(dict.fromkeys(source for source, _ in settings))
    has_models = len({source.model for source in sources}) > 1
    has_strategies = len({source.strategy for source in sources}) > 1
    runs = _runs_told_apart(list(settings))
    return {
        source: encodable(_name(source, has_models, has_strategies) + runs.get(source, ""))
        for source in sources
    }


def _name(source: Source, has_models: bool, has_strategies: bool) -> str:
    variant = f" ({source.variant})" if source.variant else ""
    strategy = source.strategy + variant + ORACLE_MARK * source.oracle
    parts = []
    if has_models or source.strategy == RECORDED:
        parts.append(source.model)
    if has_strategies and source.strategy != RECORDED:
        parts.append(strategy)
    return ", ".join(parts) or strategy


def _runs_told_apart(asked: Sequence[tuple[Source, str]]) -> dict[Source, str]:
    """What is added to sources that share model, strategy and setting with one of another run: the
    name of the run's folder, or its whole path where two folders have the name."""
    counts = Counter((s.model, s.strategy, setting) for s, setting in asked)
    twice = [s for s, setting in asked if counts[s.model, s.strategy, setting] > 1]
    names = Counter(Path(run).name for run in {source.run for source in twice})
    return {
        source: f" ({name if names[name] == 1 else source.run})"
        for source in twice
        for name in [Path(source.run).name]
    }
