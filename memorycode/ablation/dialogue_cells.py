"""All cells of a grid for one dialogue: each ranking is made once, each k cuts it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from memorycode.ablation.corpus import Corpus, Gold
from memorycode.ablation.grid import Grid, RankingSettings
from memorycode.ablation.measures import measures_of
from memorycode.ablation.rankings import CachedRetriever, Ranking, rank
from memorycode.dialogue import Dialogue
from memorycode.plugins import RetrieverPlugin
from memorycode.prompts import PromptPack
from memorycode.protocols import Embedder
from memorycode.results.means import mean
from memorycode.retrieval.saved_rankings import SavedRanking
from memorycode.retrieval.top_k import Candidates, top_k


class DialogueCell(NamedTuple):
    """A cell's measures in one dialogue: the mean over its questions, None where there is none."""

    settings: RankingSettings
    k: str
    dialogue: int
    sessions: int
    measures: Mapping[str, float | None]


@dataclass(frozen=True)
class MeasuringComponents:
    """What measuring needs beside dialogue and grid; `retrievers` are the grid's, by spec."""

    retrievers: Mapping[str, RetrieverPlugin]
    embedder: Embedder
    count_tokens: Callable[[str], int]
    prompts: PromptPack


class _Question(NamedTuple):
    """A question in a cell, before nDCG and MRR, which are worked out for all at once."""

    measures: dict[str, float | None]
    taken: tuple[int, ...]
    relevant: frozenset[int]


SaveRankings = Callable[[Iterable[SavedRanking]], None]
"""Takes the rankings that were made."""


def measure_dialogue(
    dialogue: Dialogue, grid: Grid, components: MeasuringComponents, save: SaveRankings
) -> list[DialogueCell]:
    """Every cell of the grid for the questions after the last session.

    Args:
        dialogue: is searched; it has a question after its last session.
        grid: the settings.
        components: what searching and measuring need besides.
        save: is handed all rankings of each retriever.

    Returns:
        A cell for each combination of settings, in the grid's order.

    Raises:
        PluginError: a retriever is at fault.
    """
    gold = Gold(dialogue)
    found: list[tuple[RankingSettings, str, list[_Question]]] = []
    for unit, speaker in product(grid.unit, grid.speaker):
        corpus = Corpus(gold, unit, speaker)
        candidates = _candidates(corpus, components)
        for spec in grid.retriever:
            built = components.retrievers[spec].build(components.embedder)
            retriever = CachedRetriever(spec, built, corpus)
            for query in grid.query:
                settings = RankingSettings(retriever=spec, query=query, unit=unit, speaker=speaker)
                rankings = rank(corpus, retriever, query)
                for k in grid.k:
                    found.append(
                        (settings, k, [_question(corpus, one, k, candidates) for one in rankings])
                    )
            save(retriever.saved_rankings())
    ranked = _ranked_measures([question for *_, questions in found for question in questions])
    cells = []
    for settings, k, questions in found:
        measures = [question.measures | next(ranked) for question in questions]
        cells.append(
            DialogueCell(settings, k, dialogue.number, len(dialogue.sessions), _means(measures))
        )
    return cells


def _candidates(corpus: Corpus, components: MeasuringComponents) -> Candidates:
    tokens = [
        components.count_tokens(components.prompts.passage(unit.text, unit.session))
        for unit in corpus.units
    ]
    return Candidates(
        units=len(corpus.units), tokens=tokens.__getitem__, gold_sessions=len(corpus.gold.sessions)
    )


def _question(corpus: Corpus, ranking: Ranking, k: str, candidates: Candidates) -> _Question:
    taken = tuple(hit.position for hit in ranking.hits[: top_k(k)(ranking.hits, candidates)])
    measures = measures_of(corpus, ranking.task, taken) | {
        "newest_first": ranking.newest_first,
        "units": float(len(taken)),
        "took_all": float(0 < candidates.units <= len(taken)),
        "tokens": float(sum(map(candidates.tokens, taken))),
        "milliseconds": 1000 * ranking.seconds,
    }
    return _Question(measures, taken, corpus.relevant)


def _ranked_measures(questions: Sequence[_Question]) -> Iterator[dict[str, float | None]]:
    """nDCG and MRR by ir-measures' engine, for all questions in one call."""
    from pytrec_eval import RelevanceEvaluator

    judged = {
        str(n): {str(place): 1 for place in question.relevant}
        for n, question in enumerate(questions)
        if question.relevant
    }
    # The rank as score: the engine would break ties by the units' names.
    run = {
        n: {str(place): -float(rank) for rank, place in enumerate(questions[int(n)].taken)}
        for n in judged
    }
    found = RelevanceEvaluator(judged, {"ndcg", "recip_rank"}).evaluate(run)
    for n, question in enumerate(questions):
        if not question.relevant:
            yield {"ndcg": None, "mrr": None}
        else:
            scores = found.get(str(n), {})
            yield {"ndcg": scores.get("ndcg", 0.0), "mrr": scores.get("recip_rank", 0.0)}


def _means(found: Sequence[Mapping[str, float | None]]) -> dict[str, float | None]:
    return {name: mean(one[name] for one in found) for name in found[0]}
