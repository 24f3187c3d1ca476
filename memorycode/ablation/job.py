"""Measuring a grid over a data set: embed once, then dialogue by dialogue in several processes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Protocol

from memorycode.ablation.cells import Cell, make_cells
from memorycode.ablation.corpus import Corpus, Gold
from memorycode.ablation.dialogue_cells import Bench, DialogueCell, measure_dialogue
from memorycode.ablation.grid import Grid
from memorycode.dialogue import Dialogue
from memorycode.embedders import load_embedder
from memorycode.embedding import PACKAGED
from memorycode.errors import UsageError
from memorycode.plugin_process import kept_alive
from memorycode.plugins import RetrieverPlugin, check_plugins
from memorycode.processes import spread
from memorycode.prompts import DEFAULT_PACK, PromptPack
from memorycode.protocols import Embedder
from memorycode.retrieval.gold import sees_gold
from memorycode.retrieval.kept import KeptRanking, rankings_writer
from memorycode.retrieval.queries import written_queries
from memorycode.tokens import token_counter

_EMBEDDED_AT_ONCE = 1024


class Progress(Protocol):
    """Is told how measuring gets on."""

    def embedding(self, done: int, total: int) -> None:
        """Of `total` texts `done` are embedded."""
        ...

    def measuring(self, done: int, total: int) -> None:
        """Of `total` dialogues `done` are measured."""
        ...


class Silent:
    """Tells nobody."""

    def embedding(self, done: int, total: int) -> None:
        pass

    def measuring(self, done: int, total: int) -> None:
        pass


@kept_alive()
def measure_grid(
    dialogues: Sequence[Dialogue],
    grid: Grid,
    *,
    embedder: str | None = None,
    prompts: PromptPack = DEFAULT_PACK,
    workers: int = 1,
    out: Path | None = None,
    progress: Progress | None = None,
) -> list[Cell]:
    """Every cell of the grid for the questions after the last session of each dialogue.

    No model is asked. Where a retriever embeds, all texts are embedded first, in this process,
    and the others find them in the cache. `out` is a folder that the rankings are written to, so
    that the retriever ``kept`` replays them. With several `workers` a script has to guard its call
    by ``if __name__ == "__main__"``. Raises `UsageError` for data without a question.
    """
    asked = [dialogue for dialogue in dialogues if dialogue.queries(dialogue.last)]
    if not asked:
        raise UsageError("the data has no question after a last session")
    plugins = _retrievers(grid)
    told = progress or Silent()
    name = embedder or PACKAGED
    check_plugins(plugins.values(), (), load_embedder(name))
    oracles = frozenset(
        spec for spec, plugin in plugins.items() if sees_gold(plugin.build(load_embedder(name)))
    )
    if any(plugin.embeds for plugin in plugins.values()):
        _embed_all(asked, grid, load_embedder(name), told)
    found: list[DialogueCell] = []
    measure = _measure if out is None else _measure_and_keep
    build = partial(_measurer, measure, grid, name, prompts)
    with contextlib.ExitStack() as stack:
        keep = stack.enter_context(rankings_writer(out)) if out is not None else _forget
        results = stack.enter_context(contextlib.closing(spread(build, asked, workers)))
        for done, (cells, kept) in enumerate(results, start=1):
            found += cells
            keep(kept)
            told.measuring(done, len(asked))
    return make_cells(found, oracles)


def _forget(kept: Iterable[KeptRanking]) -> None:
    del kept


_Measured = tuple[list[DialogueCell], list[KeptRanking]]
_Measure = Callable[[Grid, Bench, Dialogue], _Measured]


def _measure(grid: Grid, bench: Bench, dialogue: Dialogue) -> _Measured:
    """The cells alone: rankings are large, and take long from one process to another."""
    return measure_dialogue(dialogue, grid, bench, _forget), []


def _measure_and_keep(grid: Grid, bench: Bench, dialogue: Dialogue) -> _Measured:
    kept: list[KeptRanking] = []
    return measure_dialogue(dialogue, grid, bench, kept.extend), kept


def _measurer(
    measure: _Measure, grid: Grid, embedder: str, prompts: PromptPack
) -> Callable[[Dialogue], _Measured]:
    bench = Bench(_retrievers(grid), load_embedder(embedder), token_counter(), prompts)
    return partial(measure, grid, bench)


def _retrievers(grid: Grid) -> dict[str, RetrieverPlugin]:
    """Looked up once: that takes longer than a dialogue."""
    return {spec: RetrieverPlugin.load(spec) for spec in grid.retriever}


def _embed_all(
    dialogues: Sequence[Dialogue], grid: Grid, embedder: Embedder, progress: Progress
) -> None:
    """Put the vector of every piece and every query into the embedder's cache, each once."""
    texts = list(dict.fromkeys(_texts(dialogues, grid, embedder)))
    for start in range(0, len(texts), _EMBEDDED_AT_ONCE):
        progress.embedding(start, len(texts))
        embedder.embed(texts[start : start + _EMBEDDED_AT_ONCE])
    progress.embedding(len(texts), len(texts))


def _texts(dialogues: Sequence[Dialogue], grid: Grid, embedder: Embedder) -> Iterator[str]:
    for dialogue, unit, speaker in product(dialogues, grid.unit, grid.speaker):
        for one in Corpus(Gold(dialogue), unit, speaker).units:
            yield from embedder.pieces(one.text)
    for dialogue, form in product(dialogues, grid.query):
        for task in dialogue.queries(dialogue.last):
            yield from written_queries(form, task)
