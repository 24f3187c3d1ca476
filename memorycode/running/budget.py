"""Every strategy on equal terms: a recall that is over the budget is truncated, and
that recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memorycode.frozen import Frozen
from memorycode.protocols import Passage, Recall


class Truncation(Frozen):
    """What was taken away from a recall: whole passages, and how many tokens in all.

    `shortened` counts the passages of which the newest paragraphs stayed.
    """

    passages: int = 0
    shortened: int = 0
    tokens: int = 0


def truncate_to_budget(
    recall: Recall, budget: int, cost: Callable[[Passage], int]
) -> tuple[Recall, Truncation | None]:
    """The newest passages that the budget holds together, in their order, and what was truncated.

    The oldest passage goes first: by its session, where every passage has one, else by its place.
    Where not even the newest passage fits, its newest paragraphs stay. `cost` is what a passage
    takes in the prompt.
    """
    costs = [cost(passage) for passage in recall.passages]
    total = sum(costs)
    if total <= budget:
        return recall, None
    left = budget
    kept: dict[int, Passage] = {}
    for place in _newest_first(recall.passages):
        if costs[place] > left:
            break
        kept[place] = recall.passages[place]
        left -= costs[place]
    shortened = 0
    if not kept:
        newest = next(_newest_first(recall.passages))
        if rest := _newest_paragraphs(recall.passages[newest], budget, cost):
            kept[newest], shortened = rest, 1
    truncation = Truncation(
        passages=len(recall.passages) - len(kept),
        shortened=shortened,
        tokens=total - sum(cost(passage) for passage in kept.values()),
    )
    passages = tuple(kept[place] for place in sorted(kept))
    return recall.model_copy(update={"passages": passages}), truncation


def _newest_first(passages: tuple[Passage, ...]) -> Iterator[int]:
    """The places of the passages, newest first."""
    sessions = [passage.session for passage in passages]
    known = [session for session in sessions if session is not None]
    ages = known if len(known) == len(sessions) else list(range(len(sessions)))
    yield from sorted(range(len(passages)), key=lambda place: (ages[place], place), reverse=True)


def _newest_paragraphs(
    passage: Passage, budget: int, cost: Callable[[Passage], int]
) -> Passage | None:
    paragraphs = passage.text.split("\n\n")

    def last(count: int) -> Passage:
        text = "\n\n".join(paragraphs[len(paragraphs) - count :])
        return passage.model_copy(update={"text": text})

    fits, too_many = 0, len(paragraphs)  # all of them are known to be too many
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if cost(last(middle)) <= budget:
            fits = middle
        else:
            too_many = middle
    return last(fits) if fits else None
