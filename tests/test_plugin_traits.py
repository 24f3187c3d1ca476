"""A strategy is built on trial only where its class does not say what the manifest needs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest

from memorycode.conformance.stand_ins import HashedWords
from memorycode.dialogue import Dialogue, SessionView, Speakers
from memorycode.errors import PluginError
from memorycode.evaluation import evaluate
from memorycode.plugins import StrategyPlugin, StrategyTraits
from memorycode.plugins.traits import traits_of_class
from memorycode.protocols import Recall, StrategyContext
from memorycode.running.folder import RunFolder


class Silent:
    """Recalls nothing, says all of itself in the class, and counts its instances."""

    oracle: bool = False
    ask_after: Literal["last", "every"] = "every"
    variant: str = "mute"
    note: str = "Says nothing."
    built: ClassVar[int] = 0

    def __init__(self, context: StrategyContext, *, most: int = 1) -> None:
        type(self).built += 1

    def observe(self, session: SessionView) -> None:
        pass

    def recall(self, query: str) -> Recall:
        return Recall()


class Choosing(Silent):
    """Its instances choose the variant."""

    variant: str
    built: ClassVar[int] = 0

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        self.variant = "chosen"


class Contradicting(Silent):
    """Says one thing in the class and another in an instance."""

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        self.variant = "loud"


class Reserved(Silent):
    """Leaves it to a property."""

    @property
    def note(self) -> str:  # type: ignore[override]
        return "now and then"


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    Silent.built = Choosing.built = 0
    yield


def _spec(strategy: type) -> str:
    return f"{strategy.__module__}:{strategy.__qualname__}"


def test_a_class_that_says_all_is_built_once_per_dialogue(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], strategies=[Silent], out=tmp_path)
    assert Silent.built == 1
    (entry,) = RunFolder(tmp_path).manifest.settings.strategies
    assert (entry.oracle, entry.ask_after) == (False, "every")
    assert set(entry.variants.values()) == {"mute"}
    assert set(entry.notes.values()) == {"Says nothing."}


def test_parameters_are_tried_before_anything_is_asked(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], strategies=[f"{_spec(Silent)}:most=3"], out=tmp_path)
    assert Silent.built == 2


def test_what_instances_choose_is_learnt_from_one(small_dialogue: Dialogue, tmp_path: Path) -> None:
    evaluate([small_dialogue], strategies=[Choosing], out=tmp_path)
    assert Choosing.built == 2
    (entry,) = RunFolder(tmp_path).manifest.settings.strategies
    assert set(entry.variants.values()) == {"chosen"}


def test_an_instance_that_contradicts_its_class_is_an_error() -> None:
    plugin = StrategyPlugin.load(_spec(Contradicting))
    context = StrategyContext(
        speakers=Speakers(mentor="Ada", mentee="Ben"),
        model=None,
        embedder=HashedWords(),
        count_tokens=len,
        token_budget=None,
        rng=random.Random(0),
    )
    with pytest.raises(PluginError, match="variant is 'mute' in the class and 'loud' in an inst"):
        plugin.build(context)


def _factory(context: StrategyContext) -> Silent:
    return Silent(context)


@pytest.mark.parametrize(
    ("factory", "said"),
    [
        (Silent, True),
        (Choosing, False),
        (Reserved, False),
        (_factory, False),
        (type("Untold", (Silent,), {"oracle": 1}), False),
        (type("Undated", (Silent,), {"ask_after": "sometimes"}), False),
    ],
)
def test_what_a_class_says(factory: Any, said: bool) -> None:
    traits = StrategyTraits(oracle=False, ask_after="every", variant="mute", note="Says nothing.")
    assert traits_of_class(factory) == (traits if said else None)


class Dated:
    """Written when `ask_after` was called `checkpoints`."""

    oracle: bool = False
    checkpoints: Literal["last", "every"] = "every"

    def __init__(self, context: StrategyContext) -> None:
        pass

    observe = Silent.observe
    recall = Silent.recall


def test_the_former_name_of_ask_after_is_taken_and_told(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    with pytest.warns(FutureWarning, match="Dated: `checkpoints` is called `ask_after` now"):
        evaluate([small_dialogue], strategies=[_spec(Dated)], out=tmp_path)
    (entry,) = RunFolder(tmp_path).manifest.settings.strategies
    assert entry.ask_after == "every"
