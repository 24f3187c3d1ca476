"""The figure of where violated rules were lost."""

from __future__ import annotations

from memorycode.reporting.columns.memory import cause_shares, judged_rules
from memorycode.reporting.columns.rows import names
from memorycode.reporting.columns.table import Table
from memorycode.reporting.html.data_table import data_table
from memorycode.reporting.html.markup import Node, element, untrusted
from memorycode.reporting.html.svg import figure
from memorycode.reporting.report_rows import ReportRows
from memorycode.scoring.attribution import CAUSES


def attribution_figure(rows: ReportRows) -> Node | None:
    """A bar per row: of all the rules it was judged by, the violated ones by cause."""
    bars = element("div", class_="bars")
    drawn = []
    for named in rows:
        causes = named.row.causes["strict"]
        judged = judged_rules(named.row)
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
        drawn.append(named)
    if not drawn:
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
    numbers = Table(
        "Violated rules by cause, in per cent of the rules judged",
        [*names(rows), *cause_shares()],
        drawn,
    )
    note = (
        "A whole bar is all the rules that the strict scorer judged at the last checkpoint; what "
        "is coloured was violated, by the first cause that fits."
    )
    title = "Where rules were lost"
    return figure(title, note, [key, bars], data_table(numbers), id_="figure-attribution")
