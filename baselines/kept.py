"""Rankings that were made before, replayed: an endpoint is not asked again, nothing is embedded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from memorycode.dialogue import OracleView
from memorycode.errors import PluginError
from memorycode.protocols import Hit, Unit
from memorycode.retrieval.saved_rankings import FILE, Rankings, UnitsHash, read_rankings


class Kept:
    """The rankings that ``memorycode retrieve --out FOLDER`` left, of the same units and query.

    `of` is the spec of the retriever that made them, needed where the folder holds several. What an
    oracle ranked is an oracle's here too.
    """

    def __init__(self, *, folder: Path, of: str | None = None) -> None:
        self._folder, self._rankings = folder, _rankings(folder, of, _stamp(folder))
        self.oracle = self._rankings.oracle
        self._units = UnitsHash()

    def label(self, session: OracleView) -> None:
        """Take no notice: whatever the labels decided is in the rankings."""

    def add(self, units: Sequence[Unit]) -> None:
        """Take note of the units: a ranking of others does not fit."""
        self._units.add(units)

    def search(self, query: str, k: int) -> list[Hit]:
        """The best `k` units. Raises `PluginError` where this was never ranked."""
        if k < 1:
            return []
        hits = self._rankings.found.get((str(self._units), query))
        if hits is None:
            raise PluginError(
                f"{self._folder}: no ranking of these units for {query!r}; they were made of "
                "another data set, after another session, or of other units"
            )
        return list(hits[:k])


@lru_cache(maxsize=4)
def _rankings(folder: Path, of: str | None, stamp: int) -> Rankings:
    """Read once for all dialogues, and again where the file is another one by now."""
    del stamp
    return read_rankings(folder, of)


def _stamp(folder: Path) -> int:
    file = folder / FILE
    return file.stat().st_mtime_ns if file.is_file() else 0
