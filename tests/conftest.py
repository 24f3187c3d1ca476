"""What many tests share: the published release, where it is, and a small dialogue told by hand."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from memorycode.conformance.stand_ins import HashedWords
from memorycode.dialogue import Context, Dialogue, Instruction, Session, Speakers
from memorycode.protocols import StrategyContext
from memorycode.rules import Rule


def pytest_configure() -> None:
    """Heed Ctrl-C: tests that are started in the background inherit that it is ignored, and so
    would every process that they start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # On a busy machine making an example may take long, and that is no fault of what is tested.
    patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("patient", patient)
    settings.load_profile("patient")


@pytest.fixture(scope="session")
def release() -> Path:
    """The folder with ``dataset/`` and ``outputs/`` of the published release."""
    named = os.environ.get("MEMORYCODE_RELEASE")
    if not named:
        pytest.skip("MEMORYCODE_RELEASE is not set: it names the folder with dataset/ and outputs/")
    return Path(named)


@pytest.fixture(scope="session")
def tenth_of_release(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every tenth dialogue of the release, with one model's outputs for it, where what is tested
    does not depend on their number."""
    folder = tmp_path_factory.mktemp("release")
    for sub, name in (("dataset", "dialogue"), ("outputs/command-r-plus", "output")):
        (folder / sub).mkdir(parents=True)
        for file in (release / sub).glob(f"{name}_*0.json"):
            (folder / sub / file.name).symlink_to(file)
    return folder


@pytest.fixture(scope="session")
def whole_release() -> Path:
    """The folder of the whole published release: 360 dialogues, the outputs of five models."""
    named = os.environ.get("MEMORYCODE_WHOLE_RELEASE")
    if not named:
        pytest.skip(
            "MEMORYCODE_WHOLE_RELEASE is not set: it names the folder with the dataset/ and "
            "outputs/ of the whole release"
        )
    return Path(named)


def instruction(
    family: int, version: int, object_: str, check: object, query: str = "function that adds"
) -> Instruction:
    return Instruction(
        family=family,
        version=version,
        rule=Rule.model_validate({"object": object_, "check": check}),
        text=f"rule {family}.{version}",
        eval_query=query,
    )


def make_dialogue(number: int = 7) -> Dialogue:
    """Four sessions; the third replaces the prefix that the first one gave."""
    prefix = "function whose name is checked"
    told = [
        (instruction(6, 0, "function", "^k_.*", prefix),),
        (),
        (
            instruction(6, 1, "function", "^w_.*", prefix),
            instruction(23, 0, "function docstring", True, "function that is documented"),
        ),
        (),
    ]
    texts = [
        "Ada: Welcome, Ben. Always start function names with 'k_'.\n\nBen: Will do, Ada.",
        "Ada: The lift is out of order.\n\nBen: I like stairs.",
        "Ada: From now on, start function names with 'w_' instead of 'k_'. Also, always include "
        "docstrings in your functions.\n\nBen: Understood.",
        "Ada: Cake at four in the kitchen.\n\nBen: Splendid.",
    ]
    return Dialogue(
        number=number,
        context=Context(mentor="Ada", mentee="Ben", company="QUAY"),
        sessions=tuple(
            Session(
                index=index,
                text=text,
                instructions=instructions,
                types=("filler-add", *("instruction-add" for _ in instructions)),
                topics=("talk", *(i.text for i in instructions)),
                filler=index,
                length="short",
            )
            for index, (text, instructions) in enumerate(zip(texts, told, strict=True))
        ),
        history_queries=("function that is documented", prefix),
    )


@pytest.fixture
def make_plain_context() -> Callable[[], StrategyContext]:
    """What a strategy is handed in a run without a language model."""

    def make() -> StrategyContext:
        return StrategyContext(
            speakers=Speakers(mentor="Ada", mentee="Ben", company="QUAY"),
            model=None,
            embedder=HashedWords(),
            count_tokens=lambda text: len(text.split()),
            token_budget=None,
            rng=random.Random(0),
        )

    return make


@pytest.fixture
def small_dialogue() -> Dialogue:
    return make_dialogue()
