"""What a run would send, for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import RenderableType
from rich.text import Text

from memorycode.prices import PriceList
from memorycode.reporting.console import output, plain_table, printable, show
from memorycode.reporting.costs import dollars
from memorycode.running.forecast import ANSWER_TOKENS, MEMORY_TOKENS, Forecast

_ESTIMATE = " ~"


def print_forecasts(found: Sequence[Forecast], prices: PriceList, max_tokens: int | None) -> None:
    """The table on standard output, and how much of it is estimated."""
    show(_parts(found, prices, max_tokens), output())


def _parts(
    found: Sequence[Forecast], prices: PriceList, max_tokens: int | None
) -> Iterable[RenderableType]:
    for model in dict.fromkeys(forecast.model for forecast in found):
        table = plain_table(f"What a run with {model} would send")
        table.add_column("strategy", overflow="fold", min_width=12)
        for title in ("questions", "calls", "prompt\ntokens", "answer\ntokens ~", "$ ~"):
            table.add_column(title, justify="right", no_wrap=True)
        for forecast in found:
            if forecast.model == model:
                table.add_row(*_cells(forecast))
        yield table
    yield Text(printable("\n".join(_notes(found, prices, max_tokens))), style="dim")


def _cells(forecast: Forecast) -> list[str]:
    mark = _ESTIMATE if forecast.is_estimate else ""
    usage = forecast.usage
    return [
        printable(forecast.strategy),
        f"{forecast.questions:,}",
        f"{forecast.calls:,}{mark}",
        f"{usage.prompt_tokens:,}{mark}",
        f"{usage.completion_tokens:,}",
        dollars(forecast.dollars),
    ]


def _notes(found: Sequence[Forecast], prices: PriceList, max_tokens: int | None) -> Iterable[str]:
    known = [prices.of(model) for model in dict.fromkeys(one.model for one in found)]
    spent = [one.dollars for one in found if one.dollars is not None]
    if spent:
        days = ", ".join(dict.fromkeys(price.as_of or "no date" for price in known if price))
        yield f"In all ${dollars(sum(spent))} ~, at list prices ({days}); --prices brings your own."
    unpriced = [one.model for one in found if one.dollars is None]
    for model in dict.fromkeys(unpriced):
        yield f"No price is known for {model}, or it costs nothing: no dollars."
    yield (
        f"~ is estimated. Answers: {max_tokens:,} tokens each, as the options allow."
        if max_tokens
        else f"~ is estimated. Answers: {ANSWER_TOKENS:,} tokens each are assumed."
    )
    yield (
        "Prompt tokens are exact, in the run's tokenizer, but for strategies that ask the model "
        "themselves: those were played on one dialogue with a stand-in that writes "
        f"{MEMORY_TOKENS} tokens a call, and scaled by sessions and questions."
    )
    yield "What the cache of answers, and the endpoint's own, would save is not taken off."
    for one in found:
        yield from _warnings(one)


def _warnings(one: Forecast) -> Iterable[str]:
    if one.memory_calls:
        yield f"{one.strategy}: {one.memory_calls:,} of its calls are the memory's own."
    if one.unsent:
        yield f"{one.strategy}: {one.unsent:,} prompts are over the model's limit and not sent."
    if one.broken:
        yield f"{one.strategy}: fails {one.broken:,} questions before a prompt is made."
