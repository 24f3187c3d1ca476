"""From settings and a seed to dialogues."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from memorycode.dialogue import Dialogue, Session
from memorycode.generation.pool import SeedPool
from memorycode.generation.renderers import RendererChoice
from memorycode.generation.rendering import Renderer
from memorycode.generation.settings import GenerationSettings, preset
from memorycode.generation.template import PlannedSession, Template
from memorycode.generation.template_drawing import draw_template


def generate_dialogues(
    settings: GenerationSettings | str,
    *,
    seed: int,
    pool: SeedPool,
    renderer: Renderer | None = None,
) -> Iterator[Dialogue]:
    """Dialogues without a folder, one by one.

    The same seed gives the same dialogues on every machine. A dialogue depends on the seed, its
    number, the pool and the rates, not on how many others are made.

    Args:
        settings: counts and rates, or the name of a preset.
        seed: for all that is random.
        pool: what dialogues are made of.
        renderer: puts the plans into words; by default the scripted one, its sessions checked.

    Returns:
        The dialogues, numbered from 1, each made when it is asked for.

    Raises:
        UsageError: there is no such preset.
    """
    chosen = preset(settings) if isinstance(settings, str) else settings
    writer = renderer or RendererChoice().build(pool)
    plans = (
        (index, plan_dialogue(chosen, index, seed=seed, pool=pool))
        for index in range(chosen.n_dialogues)
    )
    return (tell_dialogue(plan, index, seed=seed, renderer=writer) for index, plan in plans)


def plan_dialogue(
    settings: GenerationSettings, index: int, *, seed: int, pool: SeedPool
) -> Template:
    """What a dialogue is to tell, before it is put into words.

    Args:
        settings: counts and rates.
        index: of the dialogue, from 0.
        seed: of the whole data set.
        pool: what dialogues are made of.

    Returns:
        The plan, which does not depend on how many other dialogues there are.
    """
    rng = _random(seed, index, "template")
    return draw_template(settings, settings.sessions_of(index), pool, rng)


def tell_dialogue(template: Template, index: int, *, seed: int, renderer: Renderer) -> Dialogue:
    """The plan in words.

    Args:
        template: the plan.
        index: of the dialogue, from 0.
        seed: of the whole data set.
        renderer: puts it into words.

    Returns:
        The dialogue, whose number counts from 1.

    Raises:
        RenderError: a session cannot be written as it must be.
        ModelError: the renderer's model gives no answer.
    """
    # Plan and prose have generators of their own: a change of wording leaves the plan as it was.
    texts = renderer.render(template, _random(seed, index, "rendering"))
    return assemble(template, texts, number=index + 1)


def _random(seed: int, index: int, purpose: str) -> random.Random:
    return random.Random(f"{seed}/{index}/{purpose}")


def assemble(template: Template, texts: Sequence[str], *, number: int) -> Dialogue:
    """The dialogue of a template and its transcripts; it is asked in the order told."""
    sessions = tuple(
        _session(index, planned, text)
        for index, (planned, text) in enumerate(zip(template.sessions, texts, strict=True))
    )
    told = Dialogue(number=number, context=template.context, sessions=sessions)
    active = told.active_instructions(told.last)
    return told.model_copy(
        update={
            "history_queries": tuple(dict.fromkeys(i.eval_query for i in active)),
            "history_rules": tuple(i.rule for i in active),
        }
    )


def _session(index: int, planned: PlannedSession, text: str) -> Session:
    instructions = tuple(plan.instruction for plan in planned.instructions)
    types = tuple(plan.type for plan in planned.instructions)
    topics = tuple(instruction.text for instruction in instructions)
    filler = planned.filler
    return Session(
        index=index,
        text=text,
        instructions=instructions,
        types=((filler.type,) if filler else ()) + types,
        topics=((filler.topic,) if filler else ()) + topics,
        filler=filler.number if filler else -1,
        length=planned.length,
    )
