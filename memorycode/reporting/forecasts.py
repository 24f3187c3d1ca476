"""What a run would send, for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.console import RenderableType
from rich.text import Text

from memorycode.prices import PriceList
from memorycode.reporting.columns.cells import count, dollars, dollars_text, words
from memorycode.reporting.columns.table import Cell, Column, Table
from memorycode.reporting.console import output, printable, show
from memorycode.reporting.terminal import drawn
from memorycode.running.forecast import ANSWER_TOKENS, MEMORY_TOKENS, Forecast

_ESTIMATE = " ~"


def print_forecasts(found: Sequence[Forecast], prices: PriceList) -> None:
    """The table on standard output, and how much of it is estimated."""
    console = output()
    show(_parts(found, prices, console.width), console)


def _parts(found: Sequence[Forecast], prices: PriceList, width: int) -> Iterable[RenderableType]:
    for model in dict.fromkeys(forecast.model for forecast in found):
        rows = [forecast for forecast in found if forecast.model == model]
        yield drawn(Table(f"What a run with {model} would send", _COLUMNS, rows), width)
    yield Text(printable("\n".join(_notes(found, prices))), style="dim")


def _perhaps_estimate(number: int, forecast: Forecast) -> Cell:
    return Cell(f"{number:,}{_ESTIMATE if forecast.is_estimate else ''}", number)


_COLUMNS: tuple[Column[Forecast], ...] = (
    Column("strategy", lambda one: words(one.strategy), is_number=False),
    Column("questions", lambda one: count(one.questions)),
    Column("calls", lambda one: _perhaps_estimate(one.calls, one)),
    Column("prompt tokens", lambda one: _perhaps_estimate(one.usage.prompt_tokens, one)),
    Column("answer tokens\u00a0~", lambda one: count(one.usage.completion_tokens)),
    Column("$\u00a0~", lambda one: dollars(one.dollars)),
)


def _notes(found: Sequence[Forecast], prices: PriceList) -> Iterable[str]:
    known = [prices.of(model) for model in dict.fromkeys(one.model for one in found)]
    spent = [one.dollars for one in found if one.dollars is not None]
    if spent:
        days = ", ".join(dict.fromkeys(price.as_of or "no date" for price in known if price))
        total = dollars_text(sum(spent))
        yield f"In all ${total} ~, at list prices ({days}); --prices brings your own."
    unpriced = [one.model for one in found if one.dollars is None]
    for model in dict.fromkeys(unpriced):
        yield f"No price is known for {model}, or it costs nothing: no dollars."
    yield from _answer_lengths({one.model: one.max_tokens for one in found})
    yield (
        "Prompt tokens are exact, in the run's tokenizer, but for strategies that ask the model "
        "themselves: those were played on one dialogue with a stand-in that writes "
        f"{MEMORY_TOKENS} tokens a call, and scaled by sessions and questions."
    )
    yield "What the cache of answers, and the endpoint's own, would save is not taken off."
    for one in found:
        yield from _warnings(one)


def _answer_lengths(limits: Mapping[str, int | None]) -> Iterable[str]:
    """By model; one line where all have the same."""
    told = {
        model: f"{limit:,} tokens each, as the options allow"
        if limit
        else f"{ANSWER_TOKENS:,} tokens each are assumed"
        for model, limit in limits.items()
    }
    if len({*told.values()}) > 1:
        yield "~ is estimated."
        yield from (f"Answers of {model}: {length}." for model, length in told.items())
    else:
        yield f"~ is estimated. Answers: {next(iter(told.values()))}."


def _warnings(one: Forecast) -> Iterable[str]:
    if one.memory_calls:
        yield f"{one.strategy}: {one.memory_calls:,} of its calls are the memory's own."
    if one.unsent:
        yield f"{one.strategy}: {one.unsent:,} prompts are over the model's limit and not sent."
    if one.broken:
        yield f"{one.strategy}: fails {one.broken:,} questions before a prompt is made."
