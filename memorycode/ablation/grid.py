"""A grid of retrieval settings: every combination of what its lists name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError, field_validator

from memorycode.errors import UsageError
from memorycode.experiment import GRID, read_tables
from memorycode.frozen import Frozen
from memorycode.options import Option
from memorycode.retrieval.queries import QUERY_FORMS, QueryForm
from memorycode.retrieval.top_k import top_k
from memorycode.retrieval.units import Speaker, UnitKind, check_unit
from memorycode.validation_messages import first_problem

NEEDS_A_MODEL: frozenset[QueryForm] = frozenset({"model"})


class RankingSettings(Frozen):
    """All that decides a ranking."""

    retriever: str
    query: QueryForm
    unit: UnitKind
    speaker: Speaker


class Grid(Frozen):
    """The lists whose combinations are the cells. `k` are forms of `top_k`."""

    retriever: Annotated[
        tuple[str, ...],
        Option(
            "NAME[:key=value;…] or module:Class; repeatable. Default: bm25.", is_repeatable=True
        ),
    ] = Field(default=("bm25",), min_length=1)
    query: Annotated[
        tuple[QueryForm, ...],
        Option(
            "task, guidelines, vocabulary, task+guidelines, objects or multi; repeatable.",
            is_repeatable=True,
        ),
    ] = Field(default=("task",), min_length=1)
    unit: Annotated[
        tuple[UnitKind, ...],
        Option(
            "session, exchange, turn or window:N (tokens); repeatable.",
            is_repeatable=True,
        ),
    ] = Field(default=("session",), min_length=1)
    speaker: Annotated[
        tuple[Speaker, ...],
        Option("all or mentor: whose turns; repeatable.", is_repeatable=True),
    ] = Field(default=("all",), min_length=1)
    k: Annotated[
        tuple[Annotated[str, BeforeValidator(str)], ...],
        Option(
            "A number, a share (20%), a size (2000tokens), cliff, or dynamic (the paper's); "
            "repeatable.",
            is_repeatable=True,
        ),
    ] = Field(default=("dynamic",), min_length=1)

    @field_validator("unit", "k", mode="after")
    @classmethod
    def _known(cls, values: tuple[str, ...], info: Any) -> tuple[str, ...]:
        check = check_unit if info.field_name == "unit" else top_k
        for value in values:
            check(value)
        return values

    @field_validator("query", mode="after")
    @classmethod
    def _without_model(cls, forms: tuple[QueryForm, ...]) -> tuple[QueryForm, ...]:
        if needed := NEEDS_A_MODEL.intersection(forms):
            known = ", ".join(form for form in QUERY_FORMS if form not in NEEDS_A_MODEL)
            raise UsageError(
                f"query: {min(needed)!r} asks a language model, and this measures without "
                f"one: use {known}, or `memorycode run` with rag:query=model"
            )
        return forms

    def rankings(self) -> Iterator[RankingSettings]:
        """One for each combination but of k, which cuts a ranking and does not change it."""
        for retriever, query, unit, speaker in product(
            self.retriever, self.query, self.unit, self.speaker
        ):
            yield RankingSettings(retriever=retriever, query=query, unit=unit, speaker=speaker)

    def with_options(self, **options: tuple[str, ...]) -> Grid:
        """The same grid with the lists that are not empty in place."""
        return make_grid(self.model_dump() | {k: v for k, v in options.items() if v})


def make_grid(settings: Mapping[str, Any], *, where: str = "") -> Grid:
    """A grid of these lists. Raises `UsageError` for one that does not fit."""
    if unknown := sorted(settings.keys() - Grid.model_fields.keys()):
        known = ", ".join(Grid.model_fields)
        raise UsageError(f"{where}{unknown[0]}: there is no such list; there are {known}")
    try:
        return Grid.model_validate(settings)
    except ValidationError as error:
        raise UsageError(f"{where}{first_problem(error)}") from error
    except UsageError as error:  # of a form of its own, which says what it is about
        raise UsageError(f"{where}{error}") from error


def load_grid(name: str) -> Grid:
    """The table ``[grid]`` of a TOML file, or of an experiment that the project ships."""
    table = read_tables(name).get(GRID)
    if not isinstance(table, dict):
        raise UsageError(f"{name}: there is no table [{GRID}] in it")
    return make_grid(table, where=f"{name}: {GRID}.")
