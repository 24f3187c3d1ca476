"""What was run, on what, with which prompts, at what cost, and how it departs from the paper."""

from __future__ import annotations

from collections.abc import Iterator

from memorycode.markup import Child, Node, element, untrusted
from memorycode.reporting.columns.cells import dollars_text, words
from memorycode.reporting.columns.table import Column, Table
from memorycode.reporting.html.data_table import data_table
from memorycode.reporting.html.departures import Departure, departures
from memorycode.reporting.notes import notes, unfinished, warnings
from memorycode.reporting.report_rows import run_name
from memorycode.results.summary import RunReport
from memorycode.running.manifest import ModelEntry


def _alarms(report: RunReport) -> Iterator[Node]:
    for line in (*unfinished(report), *warnings(report)):
        yield element("p", untrusted(line), class_="alarm")


def overview(run: int, report: RunReport, *, is_alone: bool) -> Node:
    """One run: its settings, its cost, its departures from the paper."""
    title = untrusted(report.folder)
    named = element("h3", title) if is_alone else element("h3", f"{run_name(run)}: ", title)
    facts = element("dl", class_="facts")
    for name, value in _facts(report):
        facts.append(element("div", element("dt", name), element("dd", value)))
    found = list(departures(report.manifest.settings))
    table = Table("Where the settings depart from the paper's", _DEPARTURES, found)
    return element("section", named, *_alarms(report), facts, data_table(table), class_="run")


_DEPARTURES = (
    Column[Departure]("setting", lambda one: words(one.setting), is_number=False),
    Column[Departure]("here", lambda one: words(one.here), is_number=False),
    Column[Departure]("in the paper", lambda one: words(one.paper), is_number=False),
)


def _facts(report: RunReport) -> Iterator[tuple[str, Child]]:
    settings, manifest = report.manifest.settings, report.manifest
    yield "data", untrusted(f"{settings.dataset}, {settings.dialogues:,} dialogues")
    yield "hash of the data", settings.dataset_hash[:16]
    yield "setting", settings.setting
    yield "strategies", untrusted(", ".join(entry.spec for entry in settings.strategies))
    yield "models", untrusted("; ".join(map(_model, settings.models)))
    yield "prompts", untrusted(f"{settings.prompts.name}, {settings.prompts_hash}")
    yield "tokenizer", untrusted(settings.tokenizer)
    yield "embedder", untrusted(settings.embedder)
    budget = settings.context_budget
    yield "context budget", "none" if budget is None else f"{budget:,} tokens"
    if settings.context_limit is not None:
        yield "context limit", f"{settings.context_limit:,} tokens, {settings.on_overflow}"
    yield "repeats", str(settings.repeats)
    yield "seed", str(settings.seed)
    yield "cost", _cost(report)
    version = manifest.packages.get("memorycode", "?")
    revision = f", revision {manifest.git_revision[:12]}" if manifest.git_revision else ""
    yield "made with", untrusted(f"memorycode {version}{revision}, Python {manifest.python}")


def _model(model: ModelEntry) -> str:
    options = ", ".join(f"{name} {value}" for name, value in model.options.items())
    return f"{model.name} ({options})" if options else model.name


def _cost(report: RunReport) -> str:
    rows = list(report.rows)
    calls = sum(row.spending.calls for row in rows)
    if not any(model.model.is_language_model for model in report.models):
        seconds = sum(row.seconds for row in rows)
        return f"none: {seconds:,.0f} seconds of computing"
    tokens = sum(row.spending.prompt_tokens + row.spending.completion_tokens for row in rows)
    known = [row.spending.dollars for row in rows if row.spending.dollars is not None]
    price = f"${dollars_text(sum(known))}" if known else "no price known"
    cached = sum(row.spending.cached_answers + row.spending.cached_calls for row in rows)
    return f"{calls:,} calls, {tokens:,} tokens, {price}; {cached:,} answers from the cache"


def run_notes(report: RunReport) -> Node:
    """What one has to know to read the tables, as below the table in a terminal."""
    return element("ul", *(element("li", untrusted(note)) for note in notes(report)))
