"""Reranking: a first retriever proposes, a model that reads query and unit together decides.

The paper's retriever is Cohere's (arXiv 2502.13791, appendix D). Here the judge is a
sentence-transformers CrossEncoder, or an endpoint in the form that Cohere, Jina, vLLM and
llama.cpp's server share.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from baselines.rerankers import CrossEncoderJudge, EndpointJudge
from memorycode.errors import PluginError, UsageError
from memorycode.protocols import Hit, Retriever, Unit
from memorycode.retrieval.gold import sees_gold


class Judge(Protocol):
    """Says how well each text answers the query: higher is better."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]: ...


class Rerank:
    """The best `depth` units of the retriever `first`, in the order of a reranking model.

    `model` is a CrossEncoder's name or folder; with `url`, the address of a rerank endpoint, it is
    the model's name there (key in RERANK_API_KEY). The other units follow in their first order.
    """

    def __init__(
        self, *, first: Retriever, model: str = "", url: str = "", depth: int = 50
    ) -> None:
        if depth < 1:
            raise UsageError(f"rerank: depth is a number of units from 1 on, not {depth}")
        if not (model or url):
            raise UsageError("rerank: give model=NAME_OR_FOLDER of a CrossEncoder, or url=ADDRESS")
        if sees_gold(first):
            raise UsageError("rerank: first sees gold labels, which rerank does not hand on")
        self._first, self._depth = first, depth
        self._judge: Judge = EndpointJudge(url, model) if url else CrossEncoderJudge(model)
        self._texts: list[str] = []

    def add(self, units: Sequence[Unit]) -> None:
        """Add the units to the first retriever and keep their texts."""
        self._texts += [unit.text for unit in units]
        self._first.add(units)

    def search(self, query: str, k: int) -> list[Hit]:
        """The best `k` units. Those that were not judged score below all that were."""
        proposed = self._first.search(query, max(k, self._depth)) if k > 0 else []
        judged, rest = proposed[: self._depth], proposed[self._depth :]
        scores = self._judge.scores(query, [self._texts[hit.position] for hit in judged])
        if len(scores) != len(judged):
            raise PluginError(f"rerank: {len(scores)} scores for {len(judged)} units")
        if not all(map(math.isfinite, scores)):
            raise PluginError("rerank: a score is no number")
        scored = zip(judged, scores, strict=True)
        hits = [Hit(position=hit.position, score=score) for hit, score in scored]
        hits.sort(key=lambda hit: (-hit.score, hit.position))
        lowest = min(scores, default=0.0)
        hits += [
            Hit(position=hit.position, score=lowest - place) for place, hit in enumerate(rest, 1)
        ]
        return hits[:k]
