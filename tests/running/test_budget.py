"""A recall is cut to the budget at whole units, oldest first, and the cut says what went."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memorycode.protocols import Passage, Recall
from memorycode.running.budget import Truncation, truncate_to_budget


def cost(passage: Passage) -> int:
    return len(passage.text.split()) + 1  # one for the heading


def recall(*passages: tuple[str, int | None]) -> Recall:
    return Recall(
        passages=tuple(Passage(text=text, session=session) for text, session in passages),
        notes={"k": 1},
    )


def texts(recall: Recall) -> list[str]:
    return [passage.text for passage in recall.passages]


def test_what_fits_is_left_as_it_is() -> None:
    given_ = recall(("a b", 0), ("c", 1))
    kept, cut = truncate_to_budget(given_, 5, cost)
    assert kept is given_
    assert cut is None


def test_the_oldest_session_goes_first_and_the_order_stays() -> None:
    kept, cut = truncate_to_budget(recall(("new one", 7), ("old one", 2), ("mid one", 4)), 6, cost)
    assert texts(kept) == ["new one", "mid one"]
    assert cut == Truncation(passages=1, tokens=3)
    assert kept.notes == {"k": 1}


def test_without_sessions_the_first_goes_first() -> None:
    kept, _ = truncate_to_budget(recall(("a b", 9), ("c d", None), ("e f", 1)), 6, cost)
    assert texts(kept) == ["c d", "e f"]


def test_nothing_older_stays_once_one_did_not_fit() -> None:
    kept, _ = truncate_to_budget(recall(("a", 0), ("b c d e f g", 1), ("h", 2)), 5, cost)
    assert texts(kept) == ["h"]


def test_of_one_text_that_is_too_long_the_newest_paragraphs_stay() -> None:
    kept, cut = truncate_to_budget(recall(("a b c\n\nd e\n\nf", None)), 5, cost)
    assert texts(kept) == ["d e\n\nf"]
    assert cut == Truncation(shortened=1, tokens=3)


def test_one_paragraph_that_is_too_long_goes() -> None:
    kept, cut = truncate_to_budget(recall(("a b c", 0)), 2, cost)
    assert texts(kept) == []
    assert cut == Truncation(passages=1, tokens=4)


@given(
    st.lists(st.tuples(st.text("ab \n", max_size=20), st.none() | st.integers(0, 9)), max_size=8),
    st.integers(1, 30),
)
def test_the_budget_is_kept_and_the_count_is_right(
    passages: list[tuple[str, int | None]], budget: int
) -> None:
    whole = recall(*passages)
    kept, cut = truncate_to_budget(whole, budget, cost)
    left, total = (sum(map(cost, r.passages)) for r in (kept, whole))
    assert left <= budget
    assert total - left == (cut.tokens if cut else 0)
    assert len(whole.passages) - len(kept.passages) == (cut.passages if cut else 0)
