"""Generated dialogues: reproducible, independent of each other, and what their labels say."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from memorycode.datasets import dump_dialogue, parse_dialogue
from memorycode.dialogue import Dialogue
from memorycode.errors import UsageError
from memorycode.generation.generate import generate_dialogues
from memorycode.generation.pool import SeedPool
from memorycode.generation.settings import GenerationSettings, preset
from memorycode.scoring.compatibility import satisfiable
from memorycode.scoring.official import OfficialScorer

HASH_DEMO = """
import hashlib
from memorycode.generation.generate import generate_dialogues
from memorycode.generation.pool import SeedPool
dialogues = generate_dialogues("demo", seed=3, pool=SeedPool.load())
text = "".join(dialogue.model_dump_json() for dialogue in dialogues)
print(hashlib.sha256(text.encode()).hexdigest())
"""

LONG = GenerationSettings(n_dialogues=3, n_sessions=(100,))


@pytest.fixture(scope="module")
def pool() -> SeedPool:
    return SeedPool.load()


@pytest.fixture(scope="module")
def demo(pool: SeedPool) -> list[Dialogue]:
    return list(generate_dialogues("demo", seed=3, pool=pool))


@pytest.fixture(scope="module")
def long(pool: SeedPool) -> list[Dialogue]:
    return list(generate_dialogues(LONG, seed=3, pool=pool))


# ── reproducible ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_the_same_seed_gives_the_same_bytes(demo: list[Dialogue], hash_seed: str) -> None:
    text = "".join(dialogue.model_dump_json() for dialogue in demo)
    done = subprocess.run(
        [sys.executable, "-c", HASH_DEMO],
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == hashlib.sha256(text.encode()).hexdigest()


def test_another_seed_gives_other_dialogues(pool: SeedPool, demo: list[Dialogue]) -> None:
    others = list(generate_dialogues("demo", seed=4, pool=pool))
    assert all(
        one.sessions[0].text != other.sessions[0].text
        for one, other in zip(demo, others, strict=True)
    )


def test_a_dialogue_does_not_depend_on_how_many_are_made(
    pool: SeedPool, demo: list[Dialogue]
) -> None:
    more = preset("demo").model_copy(update={"n_dialogues": 15})
    assert list(islice(generate_dialogues(more, seed=3, pool=pool), 12)) == demo
    assert next(generate_dialogues("demo", seed=3, pool=pool)) == demo[0]


def test_generation_leaves_the_global_generator_alone(pool: SeedPool) -> None:
    state = random.getstate()
    next(generate_dialogues("demo", seed=3, pool=pool))
    assert random.getstate() == state


def test_the_demo_is_made_in_well_under_a_second(pool: SeedPool) -> None:
    list(generate_dialogues("demo", seed=5, pool=pool))


# ── what is in them ───────────────────────────────────────────────────────────────────────────


def test_the_demo_has_the_lengths_it_promises(demo: list[Dialogue]) -> None:
    assert [dialogue.number for dialogue in demo] == list(range(1, 13))
    assert [len(dialogue.sessions) for dialogue in demo] == [3, 20, 5, 24, 10, 30] * 2
    assert sum(not dialogue.is_short for dialogue in demo) >= 5


def test_the_demo_shows_learning_updates_and_stale_rules(demo: list[Dialogue]) -> None:
    types = [kind for dialogue in demo for s in dialogue.sessions for kind in s.types]
    assert types.count("instruction-update") >= 10
    assert types.count("instruction-add") >= 20
    for kind in ("filler-add", "filler-update", "filler-instruction-add"):
        assert kind in types
    assert sum(len(d.rules(d.last)) < len(all_told(d)) for d in demo) >= 6


def all_told(dialogue: Dialogue) -> list[str]:
    return [i.text for session in dialogue.sessions for i in session.instructions]


def test_every_dialogue_carries_an_instruction(demo: list[Dialogue]) -> None:
    assert all(dialogue.history_queries for dialogue in demo)


def test_labels_agree_with_each_other(long: list[Dialogue]) -> None:
    for dialogue in long:
        current: dict[int, int] = {}
        fillers: set[int] = set()
        for session in dialogue.sessions:
            kinds = list(session.types)
            assert len(session.topics) == len(kinds)
            if session.filler >= 0:
                kind = kinds.pop(0)
                assert kind.startswith("filler-")
                assert kind.endswith("update") == (session.filler in fillers)
                fillers.add(session.filler)
            assert len(kinds) == len(session.instructions) <= 2
            assert kinds or session.filler >= 0
            for kind, instruction in zip(kinds, session.instructions, strict=True):
                known = instruction.family in current
                assert kind == ("instruction-update" if known else "instruction-add")
                assert current.get(instruction.family) != instruction.version
                current[instruction.family] = instruction.version
                assert instruction.rule.family.number == instruction.family
            families = [i.family for i in session.instructions]
            assert len(set(families)) == len(families)


def test_a_familys_question_stays_within_a_dialogue(long: list[Dialogue]) -> None:
    for dialogue in long:
        asked: dict[int, str] = {}
        for session in dialogue.sessions:
            for told in session.instructions:
                assert asked.setdefault(told.family, told.eval_query) == told.eval_query


def test_history_asks_each_question_of_the_active_rules_once(long: list[Dialogue]) -> None:
    for dialogue in long:
        active = dialogue.active_instructions(dialogue.last)
        assert dialogue.history_queries == tuple(dict.fromkeys(i.eval_query for i in active))
        assert dialogue.history_rules == tuple(i.rule for i in active)


def test_families_have_different_questions_in_different_dialogues(pool: SeedPool) -> None:
    settings = GenerationSettings(n_dialogues=30, n_sessions=(10,))
    asked = {
        (told.family, told.eval_query)
        for dialogue in generate_dialogues(settings, seed=1, pool=pool)
        for session in dialogue.sessions
        for told in session.instructions
    }
    assert len(asked) > 1.4 * len({family for family, _ in asked})


def test_what_is_active_can_be_satisfied_at_any_time(long: list[Dialogue]) -> None:
    for dialogue in long:
        for session in dialogue.sessions:
            assert satisfiable(dialogue.rules(session.index), OfficialScorer())


def test_a_small_pool_runs_dry_without_failing(pool: SeedPool) -> None:
    small = pool.model_copy(
        update={
            "instructions": pool.instructions[25:27],
            "fillers": pool.fillers[:1],
            "filler_instructions": (),
        }
    )
    dialogue = next(generate_dialogues(LONG, seed=1, pool=small))
    assert len(all_told(dialogue)) == 2
    assert all(session.text for session in dialogue.sessions)


def test_it_can_be_written_and_read_in_the_releases_layout(demo: list[Dialogue]) -> None:
    for dialogue in demo:
        file = Path("dialogue.json")
        assert (
            parse_dialogue(dump_dialogue(dialogue), file=file, number=dialogue.number) == dialogue
        )


def test_an_unknown_preset_names_the_known_ones(pool: SeedPool) -> None:
    with pytest.raises(UsageError, match="no preset 'dmeo'; there are demo"):
        generate_dialogues("dmeo", seed=1, pool=pool)
