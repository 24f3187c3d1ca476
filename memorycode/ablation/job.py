"""Measuring a grid over a data set: embed once, then dialogue by dialogue in several processes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Protocol

from memorycode.ablation.corpus import Corpus, Gold
from memorycode.ablation.dialogue_cells import DialogueCell, MeasuringComponents, measure_dialogue
from memorycode.ablation.grid import Grid
from memorycode.ablation.grid_cells import GridCell, make_cells
from memorycode.dialogue import Dialogue
from memorycode.embedding import PACKAGED, load_embedder
from memorycode.errors import UsageError
from memorycode.plugin_process import kept_alive
from memorycode.plugins import RetrieverPlugin, check_plugins
from memorycode.processes import spread
from memorycode.prompts import DEFAULT_PACK, PromptPack
from memorycode.protocols import Embedder
from memorycode.retrieval.gold import sees_gold
from memorycode.retrieval.queries import written_queries
from memorycode.retrieval.saved_rankings import SavedRanking, rankings_writer
from memorycode.tokens import token_counter

_EMBEDDED_AT_ONCE = 1024


class MeasuringProgress(Protocol):
    """Is told how measuring gets on."""

    def embedding(self, done: int, total: int) -> None:
        """Of `total` texts `done` are embedded."""
        ...

    def measuring(self, done: int, total: int) -> None:
        """Of `total` dialogues `done` are measured."""
        ...


class NoMeasuringProgress:
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
    progress: MeasuringProgress | None = None,
) -> list[GridCell]:
    """Every cell of the grid for the questions after the last session of each dialogue.

    No model is asked. Where a retriever embeds, all texts are embedded first, in this process,
    and the others find them in the cache.

    Args:
        dialogues: those without a question after their last session are left out.
        grid: the settings.
        embedder: for retrievers that embed; by default the packaged one.
        prompts: say what a unit takes in the prompt.
        workers: processes; with several a script has to guard its call by
            ``if __name__ == "__main__"``.
        out: a folder that the rankings are saved in, for the retriever ``kept`` to replay.
        progress: is told how it gets on.

    Returns:
        A cell for each combination of settings, in the grid's order.

    Raises:
        UsageError: no dialogue has a question, or there is no such retriever.
        PluginError: a retriever is at fault.
    """
    asked = [dialogue for dialogue in dialogues if dialogue.queries(dialogue.last)]
    if not asked:
        raise UsageError("the data has no question after a last session")
    plugins = _retrievers(grid)
    told = progress or NoMeasuringProgress()
    name = embedder or PACKAGED
    check_plugins(plugins.values(), (), load_embedder(name))
    oracles = frozenset(
        spec for spec, plugin in plugins.items() if sees_gold(plugin.build(load_embedder(name)))
    )
    if any(plugin.embeds for plugin in plugins.values()):
        _embed_all(asked, grid, load_embedder(name), told)
    found: list[DialogueCell] = []
    measure = _measure if out is None else _measure_and_save
    build = partial(_measurer, measure, grid, name, prompts)
    with contextlib.ExitStack() as stack:
        save = stack.enter_context(rankings_writer(out)) if out is not None else _discard
        results = stack.enter_context(contextlib.closing(spread(build, asked, workers)))
        for done, (cells, saved) in enumerate(results, start=1):
            found += cells
            save(saved)
            told.measuring(done, len(asked))
    return make_cells(found, oracles)


def _discard(saved: Iterable[SavedRanking]) -> None:
    del saved


_Measured = tuple[list[DialogueCell], list[SavedRanking]]
_Measure = Callable[[Grid, MeasuringComponents, Dialogue], _Measured]


def _measure(grid: Grid, components: MeasuringComponents, dialogue: Dialogue) -> _Measured:
    """The cells alone: rankings are large, and take long from one process to another."""
    return measure_dialogue(dialogue, grid, components, _discard), []


def _measure_and_save(grid: Grid, components: MeasuringComponents, dialogue: Dialogue) -> _Measured:
    saved: list[SavedRanking] = []
    return measure_dialogue(dialogue, grid, components, saved.extend), saved


def _measurer(
    measure: _Measure, grid: Grid, embedder: str, prompts: PromptPack
) -> Callable[[Dialogue], _Measured]:
    components = MeasuringComponents(
        _retrievers(grid), load_embedder(embedder), token_counter(), prompts
    )
    return partial(measure, grid, components)


def _retrievers(grid: Grid) -> dict[str, RetrieverPlugin]:
    """Looked up once: that takes longer than a dialogue."""
    return {spec: RetrieverPlugin.load(spec) for spec in grid.retriever}


def _embed_all(
    dialogues: Sequence[Dialogue], grid: Grid, embedder: Embedder, progress: MeasuringProgress
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
