"""What a strategy takes: room in the prompt, a model that may fail, and work that may grow."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

from memorycode.conformance.finding import ConformanceCheck
from memorycode.conformance.stand_ins import Failing, Misbehaving
from memorycode.conformance.subject import Subject
from memorycode.errors import Fault, NotApplicable
from memorycode.protocols import Model
from memorycode.running.budget import truncate_to_budget

_BUDGET = 300
_SIZES = (75, 150, 300)
_STEEPEST = 2.1
"""The exponent up to which growth is taken for quadratic."""

# ── room ──────────────────────────────────────────────────────────────────────────────────────


def _budget(subject: Subject) -> str:
    playthrough = subject.start(subject.synthetic(50, 30).dialogue, budget=_BUDGET)
    playthrough.observe_all()
    recall = playthrough.recall()
    cost = playthrough.runner.cost
    total = sum(map(cost, recall.passages))
    if not recall.text.strip():
        return "nothing recalled"
    kept, cut = truncate_to_budget(recall, _BUDGET, cost)
    if cut is None:
        return f"kept within the budget by itself: {total:,} of {_BUDGET} tokens"
    over = f"{total - _BUDGET:,} tokens over the budget of {_BUDGET}"
    if not kept.text.strip():
        raise Fault(
            f"{over}, and the cut at whole passages and paragraphs leaves nothing; recall smaller "
            "passages, or keep to context.token_budget"
        )
    whole, left = len(recall.passages), len(kept.passages)
    return (
        f"{over}; the cut leaves {left} of {whole} passages, {sum(map(cost, kept.passages))} tokens"
    )


# ── a model that may fail ─────────────────────────────────────────────────────────────────────

_BAD_MODELS: tuple[Model, ...] = (
    Misbehaving("a model that answers nothing", ""),
    Misbehaving("a model that answers 1 MB", "Always write it down again.\n" * 37_500),
    Misbehaving(
        "a model that answers nonsense", '{"a": [1, \x00 ```json {{ \u202e null]} %s <|x|>'
    ),
    Failing(),
)


def _bad_model(subject: Subject) -> str:
    dialogue = subject.synthetic(51, 4).dialogue
    playthrough = subject.start(dialogue)
    playthrough.play()
    asked = playthrough.runner.model
    if asked is None:
        raise NotApplicable("the chosen model writes no prose, so that strategies are handed none")
    if not asked.calls:
        raise NotApplicable("it makes no model call")
    answered = reported = 0
    for model in _BAD_MODELS:
        playthrough = subject.start(dialogue, model=model)
        try:
            playthrough.play()
        except Fault as fault:
            raise Fault(f"with {model.name}, {fault}") from fault
        if heard := playthrough.runner.model:
            answered += heard.calls - heard.failures.total()
            reported += heard.unreadable
    return (
        f"{asked.calls} calls in four sessions; it survives {len(_BAD_MODELS)} bad models, of "
        f"whose {answered:,} answers it reports {reported:,} as unreadable"
    )


# ── work that may grow ────────────────────────────────────────────────────────────────────────


def _cost_growth(subject: Subject) -> str:
    costs = [_cost(subject, size) for size in _SIZES]
    slopes = {name: _exponent([cost[name] for cost in costs]) for name in costs[0]}
    counted = [f"{name} n^{slope:.1f}" for name, slope in slopes.items() if slope is not None]
    last = ", ".join(_shown(name, value) for name, value in costs[-1].items())
    saw = f"{_SIZES[-1]} sessions: {last}; growth: {', '.join(counted)}"
    for name, slope in slopes.items():
        if name != "seconds" and slope is not None and slope > _STEEPEST:
            raise Fault(f"{name} grow faster than with the square of the sessions; {saw}")
    return saw


def _cost(subject: Subject, sessions: int) -> Mapping[str, float]:
    playthrough = subject.start(subject.synthetic(52, sessions).dialogue)
    started = time.perf_counter()
    playthrough.play()
    seconds = time.perf_counter() - started
    model = playthrough.runner.model
    return {
        "seconds": seconds,
        "model calls": model.calls if model else 0,
        "model tokens": model.prompt_tokens + model.completion_tokens if model else 0,
        "embedded tokens": playthrough.runner.embedder.tokens,
    }


def _exponent(costs: list[float]) -> float | None:
    """How steep the costs grow from the smallest to the largest size: 1 is with the sessions, 2 is
    with their square. None where there is no cost."""
    if not (costs[0] > 0 and costs[-1] > 0):
        return None
    return math.log(costs[-1] / costs[0]) / math.log(_SIZES[-1] / _SIZES[0])


def _shown(name: str, value: float) -> str:
    return f"{value:.1f} s" if name == "seconds" else f"{value:,.0f} {name}"


BUDGET = ConformanceCheck(
    "budget",
    f"30 sessions with a context budget of {_BUDGET} tokens",
    _budget,
    compares=True,
)
BAD_MODEL = ConformanceCheck(
    "bad_model",
    "models that answer nothing, 1 MB or nonsense, or fail",
    _bad_model,
)
COST_GROWTH = ConformanceCheck(
    "cost_growth",
    f"seconds, model calls and tokens over {', '.join(map(str, _SIZES))} sessions",
    _cost_growth,
)
