"""Rankings of a dialogue's units for the questions that are asked after its last session."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memorycode.ablation.corpus import Corpus
from memorycode.ablation.measures import newest_first
from memorycode.errors import MemorycodeError, PluginError
from memorycode.plugin_faults import named, plugin_faults
from memorycode.protocols import Hit, OracleRetriever, Retriever
from memorycode.retrieval.fusion import search
from memorycode.retrieval.gold import sees_gold
from memorycode.retrieval.queries import QueryForm, written_queries
from memorycode.retrieval.saved_rankings import SavedRanking, UnitsHash


@dataclass(frozen=True)
class Ranking:
    """All units for one question, best first; `seconds` is what the search took."""

    task: str
    hits: Sequence[Hit]
    seconds: float
    newest_first: float | None


class CachedRetriever:
    """A retriever that holds a corpus and ranks all of it once for each query."""

    def __init__(self, spec: str, retriever: Retriever, corpus: Corpus) -> None:
        self._spec, self._retriever, self._corpus = spec, retriever, corpus
        self._found: dict[str, tuple[list[Hit], float]] = {}
        with self._its_fault():
            if isinstance(retriever, OracleRetriever):
                for index in range(len(corpus.dialogue.sessions)):
                    retriever.label(corpus.dialogue.oracle_view(index))
            retriever.add(corpus.units)

    def search(self, query: str, k: int) -> list[Hit]:
        """The best `k` units. Raises `PluginError` where the retriever raises what is no error of
        ours, or finds what is not of the corpus."""
        if query not in self._found:
            started = time.perf_counter()
            with self._its_fault():
                hits = self._checked(self._retriever.search(query, len(self._corpus.units)))
            self._found[query] = hits, time.perf_counter() - started
        return self._found[query][0][:k]

    def seconds(self, queries: Sequence[str]) -> float:
        """What the searches for these queries took together."""
        return sum(self._found[query][1] for query in queries if query in self._found)

    def saved_rankings(self) -> Iterator[SavedRanking]:
        """Every ranking made."""
        units = UnitsHash()
        units.add(self._corpus.units)
        for query, (hits, _) in self._found.items():
            yield SavedRanking(self._spec, sees_gold(self._retriever), str(units), query, hits)

    def _checked(self, hits: list[Hit]) -> list[Hit]:
        places, units = [hit.position for hit in hits], len(self._corpus.units)
        if len(set(places)) < len(places) or not all(0 <= place < units for place in places):
            raise PluginError(
                f"{self._spec} found a unit twice or one that is not there: positions count from "
                f"0, and {units} units were added"
            )
        if any(math.isnan(hit.score) for hit in hits):
            raise PluginError(f"{self._spec} found a unit with a score that is no number")
        return hits

    @contextlib.contextmanager
    def _its_fault(self) -> Iterator[None]:
        try:
            yield
        except MemorycodeError:
            raise
        except plugin_faults() as error:
            raise PluginError(
                f"{self._spec}: dialogue {self._corpus.dialogue.number}: {named(error)}"
            ) from error


def rank(corpus: Corpus, retriever: CachedRetriever, form: QueryForm) -> list[Ranking]:
    """The ranking of every unit for each question that is asked after the last session."""
    made: dict[tuple[str, ...], tuple[Sequence[Hit], float | None]] = {}
    rankings = []
    for task in corpus.dialogue.queries(corpus.dialogue.last):
        queries = written_queries(form, task)
        if queries not in made:
            hits = search(retriever.search, queries, len(corpus.units))
            made[queries] = hits, newest_first(corpus, hits)
        hits, newest = made[queries]
        rankings.append(Ranking(task, hits, retriever.seconds(queries), newest))
    return rankings
