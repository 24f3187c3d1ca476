"""All strategies get the same budget; what is cut, embedded and found stands in the records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memorycode.conformance.stand_ins import HashedWords
from memorycode.dialogue import Dialogue
from memorycode.errors import RunFolderError, UsageError
from memorycode.evaluation import evaluate
from memorycode.prompts import DEFAULT_PACK
from memorycode.results.found_question import find_question
from memorycode.running.counted_embedder import CountedEmbedder
from memorycode.running.folder import RunFolder
from memorycode.scoring.attribution import RulesFound
from memorycode.tokens import token_counter


def test_no_context_is_longer_than_the_budget_and_the_cut_is_written_down(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    report = evaluate(
        [small_dialogue],
        strategies=["full_history", "recent_sessions", "active_rules"],
        context_budget=75,
        out=tmp_path,
    )
    records = list(RunFolder(tmp_path).records())
    assert all(0 < record.context_tokens <= 75 for record in records)
    cuts = {r.strategy: r.truncated for r in records}
    assert cuts["active_rules"] is None
    assert cuts["recent_sessions"] is None  # it keeps to the budget by itself
    assert cuts["full_history"] is not None
    assert cuts["full_history"].passages == 1
    assert {row.strategy: row.truncated for row in report.rows} == {
        "full_history": 2,
        "recent_sessions": 0,
        "active_rules": 0,
    }


def test_the_prompt_that_is_shown_is_the_one_that_was_cut(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], strategies=["full_history"], context_budget=75, out=tmp_path)
    found = find_question(tmp_path, "7/3/0")
    assert small_dialogue.sessions[0].text not in found.prompt
    assert small_dialogue.sessions[3].text in found.prompt
    assert token_counter()(found.prompt) == pytest.approx(found.record.prompt_tokens, abs=4)


def test_another_budget_is_another_run(small_dialogue: Dialogue, tmp_path: Path) -> None:
    evaluate([small_dialogue], strategies=["full_history"], context_budget=75, out=tmp_path)
    with pytest.raises(RunFolderError, match="context_budget: 75 in the folder, 91 now"):
        evaluate([small_dialogue], strategies=["full_history"], context_budget=91, out=tmp_path)


def test_a_budget_of_nothing_is_refused(small_dialogue: Dialogue, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="context_budget"):
        evaluate([small_dialogue], context_budget=0, out=tmp_path)


def test_what_a_recall_has_of_the_rules_is_written_down(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], strategies=["full_history", "rag:k=1"], out=tmp_path)
    found = {(r.strategy, r.number): r.found for r in RunFolder(tmp_path).records()}
    assert found["full_history", 0] == RulesFound(active=2, current=2, stale=0)
    # The bare question finds one session, with an old version or with none of the rules.
    assert {one.current for (name, _), one in found.items() if one and name == "rag:k=1"} <= {0, 2}


def test_all_that_is_embedded_is_counted() -> None:
    embedder = CountedEmbedder(HashedWords(), lambda text: len(text.split()))
    assert embedder.embed(["a b c", "a b c", "d"]).shape[0] == 3
    embedder.embed([])
    assert (embedder.texts, embedder.tokens, embedder.name) == (3, 7, "hashed-words")
    assert embedder.pieces("one two") == ["one two"]


def test_a_passage_costs_what_it_takes_in_the_prompt() -> None:
    assert DEFAULT_PACK.passage("text", 0) == "Session 1\ntext\n\n"
    assert DEFAULT_PACK.passage("text", None) == "text\n\n"


class Keeping(HashedWords):
    """Keeps vectors, as the packaged embedder does."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: set[str] = set()

    def embed_new(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], Sequence[str]]:
        new = [text for text in dict.fromkeys(texts) if text not in self.kept]
        self.kept.update(new)
        return self.embed(texts), new


def test_a_text_whose_vector_is_at_hand_was_not_embedded() -> None:
    kept = Keeping()
    first, again = (CountedEmbedder(kept, lambda text: len(text.split())) for _ in range(2))
    first.embed(["a b c", "a b c", "d"])
    again.embed(["a b c", "e f"])
    assert first.counts == {"embedded_texts": 2, "embedded_tokens": 4, "cached_texts": 1}
    assert again.counts == {"embedded_texts": 1, "embedded_tokens": 2, "cached_texts": 1}
    assert (again.texts, again.tokens) == (2, 5)  # what the strategy asked for


def test_what_could_not_be_embedded_is_not_counted() -> None:
    class Broken(HashedWords):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            raise RuntimeError("no weights")

    embedder = CountedEmbedder(Broken(), len)
    with pytest.raises(RuntimeError):
        embedder.embed(["a"] * 42)
    assert set(embedder.counts.values()) == {0}
    assert embedder.texts == 0
