"""The plan of a dialogue keeps to the settings: shares, updates, returns, clashes."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from memorycode.generation.pool import SeedPool
from memorycode.generation.settings import GenerationSettings, LengthShares
from memorycode.generation.template import PlannedInstruction, Template
from memorycode.generation.template_drawing import draw_template
from memorycode.scoring.compatibility import clashing, satisfiable
from memorycode.scoring.official import OfficialScorer

OFFICIAL = OfficialScorer()


@pytest.fixture(scope="module")
def pool() -> SeedPool:
    return SeedPool.load()


def draw(pool: SeedPool, sessions: int, seed: int = 1, **settings: object) -> Template:
    chosen = GenerationSettings.model_validate(settings)
    return draw_template(chosen, sessions, pool, random.Random(seed))


def told(template: Template) -> list[tuple[int, PlannedInstruction]]:
    """Each instruction with its session."""
    return [
        (i, plan) for i, session in enumerate(template.sessions) for plan in session.instructions
    ]


def changes(template: Template) -> Counter[int]:
    """How often each family changes that does."""
    return Counter(plan.instruction.family for _, plan in told(template) if plan.replaces)


def test_shares_are_those_of_the_settings(pool: SeedPool) -> None:
    drawn = [
        draw(pool, 20, seed, instruction_share=0.5, update_rate=0.5, instruction_only_rate=0.2)
        for seed in range(40)
    ]
    sessions = [session for template in drawn for session in template.sessions]
    carrying = [session for session in sessions if session.instructions]
    assert len(carrying) == len(sessions) / 2
    alone = sum(session.filler is None for session in carrying)
    assert alone / len(carrying) == pytest.approx(0.2, abs=0.06)
    plans = [plan for session in carrying for plan in session.instructions]
    assert len(plans) / len(carrying) == pytest.approx(1.5, abs=0.08)
    assert 0.3 < sum(bool(plan.replaces) for plan in plans) / len(plans) < 0.5
    assert all(session.filler for session in sessions if not session.instructions)


def test_each_dialogue_draws_its_share_from_the_range(pool: SeedPool) -> None:
    counts = {
        sum(
            bool(s.instructions)
            for s in draw(pool, 50, seed, instruction_share=(0.2, 0.8)).sessions
        )
        for seed in range(60)
    }
    assert min(counts) >= 10
    assert max(counts) <= 40
    assert max(counts) - min(counts) > 20


def test_the_number_of_instructions_is_drawn_from_those_given(pool: SeedPool) -> None:
    template = draw(pool, 40, instruction_counts=(2, 3))
    assert {len(session.instructions) for session in template.sessions} == {0, 2, 3}


def test_a_dialogue_without_instructions_can_be_asked_for(pool: SeedPool) -> None:
    assert not told(draw(pool, 10, instruction_share=0))


def test_lengths_come_by_their_shares(pool: SeedPool) -> None:
    shares = LengthShares(short=3, medium=1, long=0)
    counts = Counter(session.length for session in draw(pool, 400, length_shares=shares).sessions)
    assert counts["short"] / 400 == pytest.approx(0.75, abs=0.08)
    assert counts["long"] == 0


def test_filler_rates_are_of_their_sort(pool: SeedPool) -> None:
    template = draw(
        pool,
        40,
        instruction_share=0,
        filler_instruction_rate=0.5,
        filler_update_rate=0,
        filler_instruction_update_rate=1,
    )
    types = Counter(session.filler.type for session in template.sessions if session.filler)
    assert types["filler-update"] == 0
    assert types["filler-instruction-add"] == 1


# ── updates ───────────────────────────────────────────────────────────────────────────────────


def test_no_version_comes_back_unless_asked_for(pool: SeedPool) -> None:
    for seed in range(5):
        plans = told(draw(pool, 100, seed, update_rate=0.9))
        versions = [(p.instruction.family, p.instruction.version) for _, p in plans]
        assert len(set(versions)) == len(versions)
        assert not any(plan.returns for _, plan in plans)


def test_earlier_versions_come_back_at_the_rate_set(pool: SeedPool) -> None:
    plans = [
        plan
        for seed in range(5)
        for _, plan in told(draw(pool, 100, seed, update_rate=0.8, return_rate=0.4))
        if plan.replaces
    ]
    seen: set[tuple[int, int]] = set()
    assert 0.25 < sum(plan.returns for plan in plans) / len(plans) < 0.6
    for _, plan in told(draw(pool, 100, update_rate=0.8, return_rate=0.4)):
        key = (plan.instruction.family, plan.instruction.version)
        assert plan.returns == (key in seen)
        assert not plan.replaces or plan.replaces.version != plan.instruction.version
        seen.add(key)


def test_with_returns_a_long_dialogue_never_runs_out_of_updates(pool: SeedPool) -> None:
    plans = told(draw(pool, 1000, update_rate=0.9, return_rate=0.3))
    assert len(plans) > 700
    assert max(index for index, _ in plans) > 980


@pytest.mark.parametrize("depth", [1, 3])
def test_rules_that_change_do_so_as_often_as_set(pool: SeedPool, depth: int) -> None:
    counts: Counter[int] = Counter()
    for seed in range(10):
        counts.update(changes(draw(pool, 60, seed, update_depth=depth, update_rate=0.6)).values())
    assert max(counts) == depth
    # Chains begun in the last sessions, and class names with their three versions, stay shorter.
    assert counts[depth] > 0.7 * counts.total()


def test_updates_keep_their_distance(pool: SeedPool) -> None:
    last: dict[int, int] = {}
    distances = []
    for index, plan in told(draw(pool, 200, update_distance=(8, 12), update_rate=0.7)):
        family = plan.instruction.family
        if plan.replaces:
            assert plan.replaced_session == last[family]
            distances.append(index - last[family])
        last[family] = index
    assert len(distances) > 10
    assert all(8 <= distance <= 12 for distance in distances)


def test_an_update_names_what_it_replaces(pool: SeedPool) -> None:
    current: dict[int, PlannedInstruction] = {}
    for _, plan in told(draw(pool, 100)):
        family = plan.instruction.family
        known = current.get(family)
        assert plan.replaces == (known.instruction if known else None)
        assert plan.type == ("instruction-update" if known else "instruction-add")
        current[family] = plan


# ── clashes ───────────────────────────────────────────────────────────────────────────────────


def clashes(template: Template) -> int:
    active = {plan.instruction.family: plan.instruction.rule for _, plan in told(template)}
    return len(clashing(tuple(active.values()), OFFICIAL))


def test_what_is_active_can_be_satisfied_at_any_time(pool: SeedPool) -> None:
    active: dict[int, PlannedInstruction] = {}
    for _, plan in told(draw(pool, 100, clashes="excluded")):
        active[plan.instruction.family] = plan
        assert satisfiable([p.instruction.rule for p in active.values()], OFFICIAL)


def test_clashing_pairs_can_be_let_in_and_looked_for(pool: SeedPool) -> None:
    counts = {
        kind: sum(clashes(draw(pool, 20, seed, clashes=kind)) for seed in range(30))
        for kind in ("excluded", "allowed", "sought")
    }
    assert counts["excluded"] == 0
    assert 0 < 2 * counts["allowed"] < counts["sought"]
