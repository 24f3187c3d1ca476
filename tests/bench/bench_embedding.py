"""How fast the default embedder embeds beside plain `SentenceTransformer.encode`.

Run it as ``python tests/bench/bench_embedding.py [TEXTS] [REPEATS]``; the environment variable
``MEMORYCODE_RELEASE`` names the folder that holds ``dataset``. It embeds the same texts (pieces of
the sessions, which the model reads whole) three ways that take turns, and prints medians:

* plain: ``SentenceTransformer.encode`` with the library's batch size,
* ours: `SentenceEmbedder.embed` with an empty cache, the pieces cut and the vectors kept, and
* cached: the same again, from the cache.

The bar is that *ours* embeds at least as many texts a second as *plain*.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from memorycode.datasets import load_dataset
from memorycode.embedding import EmbeddingCache, SentenceEmbedder

BAR = 1.0


def main() -> None:
    named = os.environ.get("MEMORYCODE_RELEASE")
    if not named:
        sys.exit("bench_embedding: set MEMORYCODE_RELEASE to the folder with dataset/")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as folder:
        texts = pieces_of(Path(named) / "dataset", Path(folder), count)
        report(texts, measure(texts, Path(folder), repeats))


def pieces_of(dataset: Path, folder: Path, count: int) -> list[str]:
    """Distinct pieces of sessions, spread over the data set."""
    cutter = SentenceEmbedder(cache=EmbeddingCache(folder / "cuts.sqlite"))
    sessions = [session.text for dialogue in load_dataset(dataset) for session in dialogue.sessions]
    spread = dict.fromkeys(sessions[:: max(1, len(sessions) // count)])
    pieces = dict.fromkeys(piece for text in spread for piece in cutter.pieces(text))
    return list(pieces)[:count]


def measure(texts: Sequence[str], folder: Path, repeats: int) -> dict[str, list[float]]:
    """Seconds of each way, by turns; the model is loaded and warm before."""
    plain = plain_model()
    embedder = SentenceEmbedder(cache=EmbeddingCache(folder / "warm.sqlite"))
    plain.encode(list(texts[:8]))
    embedder.embed(texts[:8])
    seconds: dict[str, list[float]] = {"plain": [], "ours": [], "cached": []}
    for turn in range(repeats):
        cache = EmbeddingCache(folder / f"{turn}.sqlite")
        fresh = SentenceEmbedder(cache=cache)
        fresh.__dict__["_model"] = embedder._model  # loaded once
        fresh.pieces("")  # the tokenizer is loaded
        seconds["plain"].append(timed(lambda: plain.encode(list(texts), show_progress_bar=False)))
        seconds["ours"].append(timed(lambda: fresh.embed(texts)))  # noqa: B023
        seconds["cached"].append(timed(lambda: fresh.embed(texts)))  # noqa: B023
        cache.close()
    return seconds


def plain_model() -> Any:
    """The library's own object on the same weights."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(SentenceEmbedder()._folder), device="cpu")


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def report(texts: Sequence[str], seconds: dict[str, list[float]]) -> None:
    print(f"{len(texts)} pieces of text, {sum(map(len, texts)):,} characters")
    for way, taken in seconds.items():
        middle = statistics.median(taken)
        print(f"  {way:7} median {middle:8.2f} s   {len(texts) / middle:9.1f} texts/s")
    ratios = [p / o for p, o in zip(seconds["plain"], seconds["ours"], strict=True)]
    faster = statistics.median(seconds["ours"]) / statistics.median(seconds["cached"])
    print(f"  ours / plain in texts/s (bar {BAR}): median {statistics.median(ratios):.2f}")
    print(f"  cached: {faster:.0f} times as fast as ours")


if __name__ == "__main__":
    main()
