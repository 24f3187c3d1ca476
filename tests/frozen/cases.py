"""What is frozen: each output's name and the command that gives it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["json", "csv", "page", "audit"]

RUNS = (
    *("history", "cumulative", "session", "instruction"),
    *("samples", "unfinished", "old", "new"),
)
PRICES = ("--prices", "prices.toml")

_OF_DIALOGUES = ("dataset",)
_OF_HISTORY = (
    *("settings", "by_sessions", "by_update_rank", "by_instruction", "by_update"),
    *("attribution", "pareto", "position"),
)
_OF_OTHERS = ("settings", "attribution", "pareto")

FIGURES: dict[tuple[str, ...], tuple[str, ...]] = {
    ("history",): (*_OF_DIALOGUES, *_OF_HISTORY, "ladder", "interaction"),
    ("cumulative",): (*_OF_DIALOGUES, *_OF_HISTORY, "after_update"),
    ("samples",): (*_OF_DIALOGUES, *_OF_HISTORY, "stability"),
    ("unfinished",): _OF_HISTORY,
    ("session",): _OF_OTHERS,
    ("instruction",): _OF_OTHERS,
    ("old", "new"): _OF_HISTORY,
    ("instruction", "session", "samples"): ("settings", "ladder"),
}
"""Runs, several side by side, and the figures that can be drawn from them."""

_COMPARISONS = {
    "history": ("history",),
    "history-ledger": ("history", "--baseline", "instruction_ledger"),
    "history-all": ("history", "--pairs", "all"),
    "cumulative-all": ("cumulative", "--pairs", "all"),
    "samples-all": ("samples", "--pairs", "all"),
    "old-new": ("old", "new"),
    "old-new-same": ("old", "new", "--pairs", "same"),
    "old-new-all": ("old", "new", "--pairs", "all"),
    "session": ("session",),
    "unfinished-all": ("unfinished", "--pairs", "all"),
    "samples-unfinished": ("samples", "unfinished", "--baseline", "full_history"),
    "unfinished-new": ("unfinished", "new", "--pairs", "all"),
}
_PAGES = {
    "history": ("history",),
    "samples-unfinished": ("samples", "unfinished"),
    "old-new": ("old", "new"),
    "session-instruction-cumulative": ("session", "instruction", "cumulative"),
}
_SHOWN = {
    "history": (
        "4/19/0/full_history",
        "1/15/0/instruction_ledger",
        "1/15/1/rag:retriever=bm25,k=4",
    ),
    "cumulative": ("1/2/0/cumulative", "1/15/0/rolling_summary:limit=300"),
    "session": ("4/6/1/no_memory/steady",),
    "instruction": ("4/14/1/full_history",),
    "samples": ("1/15/0/full_history/wavering#3", "3/4/0/rolling_summary:limit=400/wavering"),
    "unfinished": ("4/19/0/fixture_plugins:Breaking", "4/19/0/recent_sessions"),
    "new": ("1/15/0/recent_sessions/steady",),
}

MODELS = (
    "Meta-Llama-3.1-70B-Instruct-Turbo",
    "Meta-Llama-3.1-8B-Instruct-Turbo",
    "command-r-plus",
)
"""Whose recorded outputs the published release has."""

REPLAYED = {
    "table_4": ("settings",),
    "figure_3": ("settings",),
    "figure_4": ("by_sessions",),
    "figure_5": ("by_sessions",),
    "figure_6": ("by_update_rank",),
    "appendix_e": ("by_instruction", "by_update"),
    "position": ("position",),
    "interaction": ("interaction",),
}
"""Experiments that recorded outputs can answer, and their figures."""


@dataclass(frozen=True)
class Case:
    """One output. `name` is its file among the frozen ones, without the ending; `wants` is the
    file that the command writes, where it is not what it prints; one command may write several.
    """

    name: str
    kind: Kind
    arguments: tuple[str, ...]
    wants: str = ""

    @property
    def file(self) -> str:
        """A table is kept as it is; JSON in a form of its own, whatever its command."""
        return f"{self.name}.{'csv' if self.kind == 'csv' else 'json'}"


def of_fixtures() -> Iterator[Case]:
    """What the recorded runs in ``tests/fixtures/runs`` give."""
    for run in RUNS:
        yield Case(f"report/{run}", "json", ("report", run, "--json", *PRICES))
    yield Case("report/all", "json", ("report", *RUNS, "--json", *PRICES))
    for name, arguments in _COMPARISONS.items():
        yield Case(f"compare/{name}", "json", ("compare", *arguments, "--json"))
    for runs, figures in FIGURES.items():
        folder = "-".join(runs)
        for figure in figures:
            yield _figure(f"figures/{folder}/{figure}", figure, ("figures", *runs, *PRICES))
    for name, runs in _PAGES.items():
        file = f"{name}.html"
        yield Case(f"page/{name}", "page", ("report", *runs, "--html", file, *PRICES), file)
    for run, questions in _SHOWN.items():
        for number, question in enumerate(questions):
            arguments = ("show", run, "--question", question, "--json")
            yield Case(f"show/{run}-{number}", "json", arguments)


def of_release() -> Iterator[Case]:
    """What the published data set and its recorded outputs give."""
    data = ("--dataset", "release/dataset")
    for model in MODELS:
        scored = ("score", *data, "--outputs", f"release/outputs/{model}", "--scorer", "both")
        yield Case(f"score/{model}", "json", (*scored, "--json"))
    for experiment, figures in REPLAYED.items():
        out = f"replayed-{experiment}"
        arguments = ("run", experiment, "--replay", "release/outputs", "--out", out)
        for figure in figures:
            wants = f"{out}/figures/{figure}.csv"
            yield Case(f"replay/{experiment}/{figure}", "csv", arguments, wants)
    table = ("run", "table_2", "--dataset", "release", "--out", "table_2")
    yield Case("replay/table_2/dataset", "csv", table, "table_2/figures/dataset.csv")
    yield Case("audit/release", "audit", ("audit", "release/dataset", "--json"))


def _figure(name: str, figure: str, command: tuple[str, ...]) -> Case:
    arguments = (*command, "--figure", figure, "--out", name)
    return Case(name, "csv", arguments, f"{name}/{figure}.csv")
