"""One page that shows runs: made of strings, written at once, opened without a network."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from memorycode.errors import UsageError
from memorycode.markup import Node, element, written
from memorycode.prices import PriceList
from memorycode.reporting.html.data_table import data_table
from memorycode.reporting.html.dialogue_data import CAUSE_LETTERS, VERDICT_LETTERS
from memorycode.reporting.html.figures import STYLE, page_figures
from memorycode.reporting.html.flips import Flip, in_order, paired_rows
from memorycode.reporting.html.overview import overview, run_notes
from memorycode.reporting.html.packed_dialogues import PackedPiece, Pieces, open_pieces
from memorycode.reporting.html.packing import block, pack
from memorycode.reporting.report_rows import ReportRows, run_name
from memorycode.reporting.run_tables import (
    RunTable,
    attribution_table,
    cost_table,
    further_tables,
    memory_table,
    repeat_tables,
    score_table_with_verdicts,
    ways_table,
)
from memorycode.results.read import Run, read_runs
from memorycode.results.summary import RunReport
from memorycode.whole_file import own_replaced, refuse_foreign

FEW_DIALOGUES = 40
"""Up to so many a second process takes longer to start than it saves."""

_SECTIONS = {
    "overview": "Overview",
    "comparison": "Comparison",
    "figures": "Figures",
    "attribution": "Attribution",
    "cost": "Cost",
    "flipped": "Flipped questions",
    "browser": "Dialogue browser",
}

_SCRIPT = (
    *("text", "unpacking", "prompt", "states", "question", "timeline"),
    *("choosing", "flips", "sorting", "beginning"),
)
"""The files of the page's script, in order: one script of one scope when they are put together."""

_HEAD = 65_536
_MARK = re.compile(
    rb"<!DOCTYPE html>\n.*?"
    rb'(?:<meta name="generator" content="memorycode">'
    rb'|<link rel="icon" href="data:,">\n<title>[^<]* memorycode</title>)',  # earlier versions
    re.DOTALL,
)
"""What a page is known by, within so many bytes from its beginning."""

Progress = Callable[[int, int], None]
"""Is told how many dialogues are done, of how many."""


def write_page(
    paths: Sequence[Path | str],
    file: Path | str,
    *,
    prices: PriceList | None = None,
    further: Sequence[str] = (),
    workers: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Write the page of one run or several to `file`, which is replaced at once or not at all.

    The same runs give the same bytes, however many `workers` there are (default: one per core).
    Where `file` is a link, what it leads to is replaced. `further` are scorers besides ours, whose
    scores get a table. Raises `RunFolderError` for a folder that cannot be read, `UsageError` where
    `file` is something else than a page or cannot be written, for a run that is named twice and for
    one that a further scorer has not judged.
    """
    _check_target(Path(file), paths)
    runs = read_runs(paths)
    reports = [run.report(prices, further) for run in runs]
    pieces = open_pieces(runs)
    packed = _packed(pieces, workers, progress or (lambda _done, _total: None))
    with (
        own_replaced(Path(file), _is_page) as part,
        part.open("w", encoding="utf-8", newline="\n") as page,
    ):
        page.write(_head(runs, reports, pieces, [flip for piece in packed for flip in piece.flips]))
        for piece in packed:
            page.write(block(piece.piece.id, piece.packed))
        page.write("</body>\n</html>\n")


def _check_target(file: Path, runs: Sequence[Path | str]) -> None:
    """Before minutes of work, not after them."""
    target = Path(os.path.realpath(file))
    if target.suffix.lower() not in (".html", ".htm") and _holds_run(target.parent, runs):
        raise UsageError(
            f"{file}: lies among the files of a run; there a page's name has to end in .html"
        )
    refuse_foreign(file, _is_page)


def _is_page(file: Path) -> bool:
    with file.open("rb") as opened:
        return _MARK.match(opened.read(_HEAD)) is not None


def _holds_run(folder: Path, runs: Sequence[Path | str]) -> bool:
    return any(Path(run).resolve() in (folder, *folder.parents) for run in runs)


def _packed(pieces: Pieces, workers: int | None, progress: Progress) -> list[PackedPiece]:
    total = len(pieces.all)
    if workers is None:
        workers = 1 if total <= FEW_DIALOGUES else os.cpu_count() or 1
    done = []
    for piece in pieces.packed(workers):
        done.append(piece)
        progress(len(done), total)
    return sorted(done, key=lambda piece: piece.piece.place)


# ── the page up to its data ───────────────────────────────────────────────────────────────────


def _head(
    runs: Sequence[Run], reports: Sequence[RunReport], pieces: Pieces, flips: Sequence[Flip]
) -> str:
    rows = ReportRows(reports)
    style, script = _resource("page.css") + STYLE, _script()
    several = len(reports) > 1
    sections = {id_: title for id_, title in _SECTIONS.items() if several or id_ != "flipped"}
    names = ", ".join(report.folder for report in reports)
    page = Template(_resource("page.html")).substitute(
        policy=_policy(style, script),
        title=escape(f"{names} – memorycode"),
        subtitle=f"{len(reports)} runs" if several else escape(names),
        links="".join(f'<li><a href="#{id_}">{title}</a></li>' for id_, title in sections.items()),
        style=style,
        script=script,
        overview=written(*(overview(n, r, is_alone=not several) for n, r in enumerate(reports))),
        comparison=_tables(_comparison(rows)),
        notes=written(*_notes(reports)),
        figures=written(*page_figures(runs, reports)),
        attribution=_tables([attribution_table(rows)]),
        cost=_costs(rows) + _tables([cost_table(rows)]),
        flipped=_flipped(flips) if several else "",
        footer="Made by memorycode from the runs' folders alone. Nothing here is loaded from "
        "elsewhere, and nothing is sent.",
        index=_json(_index(reports, pieces)),
    )
    return page + (block("flips", pack(in_order(flips))) if several else "")


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _script() -> str:
    parts = "\n".join(_resource(f"script/{name}.js") for name in _SCRIPT)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _policy(style: str, script: str) -> str:
    """Admits the page's own style and script by their hashes, and nothing else whatever."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _comparison(rows: ReportRows) -> Iterator[RunTable]:
    yield score_table_with_verdicts(rows)
    yield ways_table(rows)
    yield from further_tables(rows)
    yield memory_table(rows)
    yield from repeat_tables(rows)


def _tables(tables: Iterable[RunTable]) -> str:
    return written(*map(data_table, tables))


def _notes(reports: Sequence[RunReport]) -> Iterator[Node]:
    for run, report in enumerate(reports):
        if len(reports) > 1:
            yield element("h4", run_name(run))
        yield run_notes(report)


def _costs(rows: ReportRows) -> str:
    names = sorted(model.name for model in rows.models if not model.is_language_model)
    if not names:
        return ""
    words = (
        f"{', '.join(names)}: no language model. Its calls and tokens are counted as a model's "
        "would be; nothing was sent to anybody."
    )
    return written(element("p", words, class_="note"))


def _flipped(flips: Sequence[Flip]) -> str:
    lost = sum(flip.whole < 0 for flip in flips)
    gained = sum(flip.whole > 0 for flip in flips)
    words = (
        f"{len(flips):,} questions have other verdicts in another run than in {run_name(0)}, by "
        f"the strict scorer: {lost:,} followed all rules before and no longer do, {gained:,} do "
        "now and did not. Those stand first."
    )
    section = element(
        "section",
        element("h2", "Flipped questions", id="flipped-title"),
        element("p", words, class_="note"),
        element("div", id="flips-table"),
        id="flipped",
        aria_labelledby="flipped-title",
    )
    return written(section)


def _json(value: Any) -> str:
    """JSON that cannot end the element it stands in."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _index(reports: Sequence[RunReport], pieces: Pieces) -> dict[str, Any]:
    settings = [source.settings for source in pieces.sources]
    pairs = [
        [[*row, *there] for row, there in paired_rows(settings[0], other).items()]
        for other in settings
    ]
    return {
        "runs": [
            {
                "name": run_name(run),
                "folder": report.folder,
                "rows": [
                    {"strategy": row.strategy, "oracle": row.oracle, "label": row.label}
                    for row in report.models[0].rows
                ],
                "models": [model.model.name for model in report.models],
                "prompts": {
                    name: report.manifest.settings.prompts.texts[name]
                    for name in ("opening", "session", "passage", "nothing", "question")
                },
                "pairs": pairs[run],
            }
            for run, report in enumerate(reports)
        ],
        "dialogues": [
            {"id": piece.id, "number": piece.number, "sessions": piece.sessions, "runs": piece.runs}
            for piece in pieces.all
        ],
        "verdicts": {letter: verdict for verdict, letter in VERDICT_LETTERS.items()},
        "causes": {letter: cause.replace("_", " ") for cause, letter in CAUSE_LETTERS.items()},
    }
