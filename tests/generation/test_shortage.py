"""A dialogue that runs out of rules says so: in its plan, in the manifest, on the terminal."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from memorycode.datasets import load_dataset
from memorycode.errors import ModelUnavailable
from memorycode.generation import job
from memorycode.generation.job import GeneratedFolder, generate_folder
from memorycode.generation.pool import SeedPool
from memorycode.generation.settings import GenerationSettings
from memorycode.generation.template_drawing import draw_template
from memorycode.generation.worker import DialogueOutcome
from memorycode.reporting.generation import print_generated

LONG = 260
"""Sessions: the default settings ask for some 220 instructions, the pool has 123 versions."""


@pytest.fixture(scope="module")
def pool() -> SeedPool:
    """Two families, of eleven versions in all."""
    whole = SeedPool.load()
    few = tuple(seed for seed in whole.instructions if seed.number in (0, 6))
    return whole.model_copy(update={"instructions": few})


def shortage(pool: SeedPool, **settings: object) -> int:
    every = {"instruction_share": 1.0, "instruction_counts": (2,), **settings}
    chosen = GenerationSettings.model_validate(every)
    template = draw_template(chosen, 30, pool, random.Random(3))
    told = sum(len(session.instructions) for session in template.sessions)
    assert told + template.shortage == 60
    return template.shortage


def test_what_the_pool_does_not_hold_is_counted(pool: SeedPool) -> None:
    assert shortage(pool) == 60 - 11
    assert shortage(SeedPool.load()) == 0


def test_a_return_to_earlier_versions_fills_it(pool: SeedPool) -> None:
    # The first session can tell both families, and after that both can change.
    assert shortage(pool, return_rate=0.1) == 0
    assert shortage(pool, return_rate=0.1, update_depth=1) > 0


# ── a folder ──────────────────────────────────────────────────────────────────────────────────


def noted(folder: Path) -> dict[str, int]:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    found: dict[str, int] = manifest["shortages"]
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> GeneratedFolder:
    """A long dialogue, a short one, a long one."""
    return generate_folder(tmp_path_factory.mktemp("made"), dialogues=3, sessions=(LONG, 2))


def test_the_manifest_keeps_it(made: GeneratedFolder) -> None:
    assert list(made.shortages) == [1, 3]
    assert noted(made.path) == {str(n): missing for n, missing in made.shortages.items()}
    for dialogue in load_dataset(made.path):
        told = sum(len(session.instructions) for session in dialogue.sessions)
        few = told + made.shortages.get(dialogue.number, 0)
        assert few >= 0.5 * len(dialogue.sessions) > 0


def test_a_call_that_makes_nothing_more_tells_it_too(made: GeneratedFolder) -> None:
    again = generate_folder(made.path, dialogues=3, sessions=(LONG, 2))
    assert (again.made, again.shortages) == ((), made.shortages)


def test_a_dialogue_that_is_made_again_is_not_counted_twice(made: GeneratedFolder) -> None:
    (made.path / "dataset" / "dialogue_3.json").write_bytes(b"{")
    again = generate_folder(made.path, dialogues=3, sessions=(LONG, 2))
    assert (again.made, again.shortages) == ((3,), made.shortages)


def test_a_job_that_is_stopped_has_noted_what_it_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> object:
        yield DialogueOutcome(2, shortage=7)
        yield DialogueOutcome(1, shortage=5)
        raise ModelUnavailable("gone", kind="gone")

    monkeypatch.setattr(job, "spread", stopped)
    with pytest.raises(ModelUnavailable):
        generate_folder(tmp_path, dialogues=3, sessions=(2,))
    assert noted(tmp_path) == {"1": 5, "2": 7}


# ── told to people ────────────────────────────────────────────────────────────────────────────


def printed(
    capsys: pytest.CaptureFixture[str], shortages: dict[int, int], **settings: object
) -> str:
    print_generated(
        GeneratedFolder(
            path=Path("out"),
            settings=GenerationSettings.model_validate(settings),
            made=(1, 2),
            kept=(3,),
            failed=(),
            shortages=shortages,
        )
    )
    return " ".join(capsys.readouterr().out.split())


def test_people_are_told_how_many_and_what_would_help(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, {1: 1000, 3: 200})
    assert "2 of 3 dialogues have fewer instructions than the settings ask for" in text
    assert "(1,200 too few in all)" in text
    assert "return_rate above 0" in text
    assert "1 of 3 dialogues has fewer" in printed(capsys, {2: 4})


def test_the_remedy_is_one_that_is_not_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, {1: 4}, return_rate=0.2, update_depth=1)
    assert "return_rate" not in text
    assert "Without update_depth" in text
    assert "A pool with more rules" in printed(capsys, {1: 4}, return_rate=0.2)


def test_nothing_is_said_where_nothing_is_wanting(capsys: pytest.CaptureFixture[str]) -> None:
    assert "fewer" not in printed(capsys, {})
