"""What observing 800 sessions costs beside 400, for every installed strategy.

Run it as ``python tests/bench/bench_growth.py [STRATEGY …]``. CPU seconds of observing alone, the
best of a few takings, 400 and 800 sessions in turns. The model and the embedder are stand-ins that
answer at once, so what is measured is the strategy and its library. The bar is 2.5; those whose
nature forbids it are named in docs/strategies.md.
"""

from __future__ import annotations

import gc
import random
import sys
import time

from memorycode.conformance.stand_ins import HashedWords, NoteTaker
from memorycode.conformance.synthetic_dialogues import synthetic_dialogue
from memorycode.dialogue import Dialogue
from memorycode.errors import MemorycodeError
from memorycode.plugins import StrategyPlugin, installed
from memorycode.protocols import StrategyContext
from memorycode.tokens import token_counter

BAR = 2.5
SHORT, LONG = 400, 800
TAKINGS = 3
COUNT_TOKENS = token_counter()
ENOUGH = 0.2
"""CPU seconds below which a play is repeated."""


def main() -> None:
    dialogues = {sessions: synthetic_dialogue(1, sessions).dialogue for sessions in (SHORT, LONG)}
    print(f"{'strategy':22} {'400':>8} {'800':>8} {'times':>6}")
    for name in sys.argv[1:] or installed("strategies"):
        try:
            plugin = StrategyPlugin.load(name)
            times = 1 + int(ENOUGH / max(_observing(plugin, dialogues[SHORT], 1), 1e-4))
            taken: dict[int, list[float]] = {SHORT: [], LONG: []}
            for _ in range(TAKINGS):
                for sessions, dialogue in dialogues.items():
                    taken[sessions].append(_observing(plugin, dialogue, times))
        except MemorycodeError as error:
            print(f"{name:22} not measured: {error}")
            continue
        short, long = min(taken[SHORT]), min(taken[LONG])
        print(f"{name:22} {short:7.4f}s {long:7.4f}s {long / short:6.2f}", flush=True)


def _observing(plugin: StrategyPlugin, dialogue: Dialogue, times: int) -> float:
    """CPU seconds of one play, the mean of so many: a quick one is played more often."""
    strategies = [plugin.build(_context(dialogue)) for _ in range(times)]
    view = dialogue.oracle_view if strategies[0].oracle else dialogue.view
    views = [view(index) for index in range(len(dialogue.sessions))]
    gc.collect()
    gc.disable()  # what it costs depends on all the plays that are kept, and not on one
    started = time.process_time()
    for strategy in strategies:
        for each in views:
            strategy.observe(each)
        strategy.recall("function that sorts a list")
    taken = time.process_time() - started
    gc.enable()
    return taken / times


def _context(dialogue: Dialogue) -> StrategyContext:
    return StrategyContext(
        speakers=dialogue.context.speakers,
        model=NoteTaker(),
        embedder=HashedWords(),
        count_tokens=COUNT_TOKENS,
        token_budget=None,
        rng=random.Random(0),
    )


if __name__ == "__main__":
    main()
