"""The figure of where violated rules were lost."""

from __future__ import annotations

from memorycode.markup import Node, element, untrusted
from memorycode.reporting.html.data_table import Column, count, data_table, percent
from memorycode.reporting.html.report_rows import ReportRows
from memorycode.reporting.html.svg import figure
from memorycode.scoring.attribution import CAUSES


def attribution_figure(rows: ReportRows) -> Node | None:
    """A bar per row: of all the rules it was judged by, the violated ones by cause."""
    bars = element("div", class_="bars")
    table = []
    for named in rows:
        causes = named.row.causes["strict"]
        coverage = named.row.scores["strict"].coverage
        judged = coverage.followed + coverage.violated + coverage.unparsable
        if not judged:
            continue
        label = rows.label(named)
        shares = [causes.get(cause, 0) / judged for cause in CAUSES]
        parts = []
        start = 0.0
        for number, share in enumerate(shares):
            if share:
                place = {"x": f"{500 * start:.2f}", "width": f"{500 * share:.2f}"}
                parts.append(element("rect", **place, y="0", height="16", class_=f"cause-{number}"))
            start += share
        told = ", ".join(
            f"{cause.replace('_', ' ')} {100 * share:.1f}"
            for cause, share in zip(CAUSES, shares, strict=True)
            if share
        )
        picture = element(
            "svg",
            element("rect", x="0", y="0", width="500", height="16", class_="rest"),
            *parts,
            viewBox="0 0 500 16",
            preserveAspectRatio="none",
            role="img",
            aria_label=f"{label}: {told or 'nothing violated'}, in per cent of the rules judged",
        )
        bars.append(element("div", element("span", untrusted(label)), picture, class_="bar"))
        table.append([*rows.cells(named), count(judged), *(percent(share) for share in shares)])
    if not table:
        return None
    key = element("ul", class_="key")
    for number, cause in enumerate(CAUSES):
        swatch = element(
            "svg",
            element("rect", width="12", height="12", class_=f"cause-{number}"),
            viewBox="0 0 12 12",
            class_="swatch",
            aria_hidden="true",
        )
        key.append(element("li", swatch, cause.replace("_", " ")))
    columns = [Column("rules judged"), *(Column(f"{c.replace('_', ' ')} %") for c in CAUSES)]
    numbers = data_table(
        "Violated rules by cause, in per cent of the rules judged",
        [*rows.columns, *columns],
        table,
    )
    note = (
        "A whole bar is all the rules that the strict scorer judged at the last checkpoint; what "
        "is coloured was violated, by the first cause that fits."
    )
    title = "Where rules were lost"
    return figure(title, note, [key, bars], numbers, id_="figure-attribution")
