"""What one has to know to read a run's tables; what columns mean their help says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memorycode.prompts import DEFAULT_PACK
from memorycode.reporting.columns.cells import FEW, ORACLE, PARTIAL, UNRANKED
from memorycode.results.answers import COLUMNS
from memorycode.results.strategy_row import StrategyRow
from memorycode.results.summary import ModelReport, RunReport


def unfinished(report: RunReport) -> Iterator[str]:
    """That planned questions were never asked, if so."""
    if any(row.missing for row in report.rows):
        asked = sum(row.questions - row.missing for row in report.rows)
        planned = sum(row.questions for row in report.rows)
        yield f"UNFINISHED: {asked:,} of {planned:,} questions were asked."


def notes(report: RunReport) -> Iterator[str]:
    """About the run, a line each."""
    settings = report.manifest.settings
    data = f"{settings.dialogues} dialogues ({settings.dataset})"
    yield f"{data}, setting {settings.setting}, {_pack(report)}"
    yield f"Mean over n dialogues ± standard error (from {FEW} on)."
    if settings.setting == "history":
        yield (
            "Short: up to 15 sessions. Scores and verdicts are of the last session; asked, failed, "
            "seconds and memory count all checkpoints."
        )
    if settings.context_budget is not None:
        yield f"Every recall is held to {settings.context_budget:,} tokens."
    if any(row.oracle for row in report.rows):
        yield ORACLE.note
    if not all(row.loss.is_ranked for row in report.rows):
        yield UNRANKED.note
    if any(_is_partial(model) for model in report.models):
        yield PARTIAL.note
    if settings.repeats > 1:
        yield (
            f"Each question was asked {settings.repeats} times, of one memory; scores are means "
            "over the repeats of a question first."
        )
    yield from dict.fromkeys(row.note for row in report.rows if row.note)
    for model in report.models:
        yield from _model_notes(model)


def warnings(report: RunReport) -> Iterator[str]:
    """What a reader must not miss: stand-ins for models, failures."""
    for model in report.models:
        if model.model.note:
            yield model.model.note
        elif not model.model.is_language_model:
            yield f"{model.model.name} is no language model."
    for row in report.rows:
        yield from _failures(row)


def counted(counts: Mapping[str, int]) -> str:
    """``3 timeout, 1 refused``."""
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())


def _pack(report: RunReport) -> str:
    settings = report.manifest.settings
    named = f"prompts {settings.prompts.name} {settings.prompts_hash}"
    live = any(model.model.is_language_model for model in report.models)
    if live and settings.prompts.texts == DEFAULT_PACK.texts:
        return f"{named}: not the paper's wording, so scores are not its Table 4."
    return f"{named}."


def _is_partial(model: ModelReport) -> bool:
    """Whether a score of some row is over fewer dialogues than another row's."""
    scores = [row.scores["official"].by_dialogue for row in model.rows]
    return any(len({found[column].n for found in scores}) > 1 for column in COLUMNS)


def _model_notes(model: ModelReport) -> Iterator[str]:
    is_language_model = model.model.is_language_model
    if is_language_model and all(row.spending.dollars is None for row in model.rows):
        yield f"No price is known for {model.model.name}: docs/cost.md says how to give one."
    yield from (row.took_all for row in model.rows if row.took_all)
    for row in model.rows:
        spending, memory = row.spending, row.memory
        if is_language_model and spending.failed_calls:
            kinds = counted(spending.failed_calls)
            yield f"{row.label}: of {spending.calls:,} calls failed: {kinds}."
        if is_language_model and spending.cached_answers:
            yield f"{row.label}: {spending.cached_answers:,} answers came from the cache."
        if memory.calls:
            tokens = memory.spent.prompt_tokens + memory.spent.completion_tokens
            calls = f"{memory.sent_calls:,} calls of {tokens:,} tokens"
            if memory.cached_calls:
                calls += f"; {memory.cached_calls:,} more came from the cache"
            yield f"{row.label}: the memory itself made {calls}."


def _failures(row: StrategyRow) -> Iterator[str]:
    if row.missing:
        yield f"{row.label}: {row.missing:,} questions were not asked, and are not scored."
    if row.failed:
        count, kinds = sum(row.failed.values()), counted(row.failed)
        first = ""
        if row.first_failure:
            id_, error = row.first_failure
            first = f"; first: {error} (memorycode show RUN --question '{id_}')"
        yield f"{row.label}: {count:,} questions without an answer ({kinds}), not scored{first}."
    loss = row.loss
    if loss.failed:
        yield (
            f"{row.label}: {loss.failed:,} of the memory's own calls failed "
            f"({counted(row.memory.failures)}): its scores are not what the strategy can do."
        )
    if loss.unreadable:
        yield (
            f"{row.label}: of the memory's own {loss.calls:,} calls {loss.unreadable:,} had an "
            "answer that it could not read: its scores are not what the strategy can do."
        )
    yield from cut(row.label, row.truncated, row.recalls)


def cut(label: str, truncated: int, recalls: int) -> Iterator[str]:
    """That recalls were cut, if so: how many of how many."""
    if truncated:
        share = f"{100 * truncated / recalls:.1f} %"
        yield f"{label}: {truncated:,} of {recalls:,} recalls ({share}) were cut, oldest first."
