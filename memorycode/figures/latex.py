"""A series as a LaTeX table (booktabs)."""

from __future__ import annotations

from memorycode.results.figures.pivot import pivoted
from memorycode.results.figures.series import Series

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "–": "--",
    "◆": r"$\diamond$",
    "…": r"\ldots{}",
}


def escape(text: str) -> str:
    """The text so that LaTeX prints it as it stands; control characters are left out."""
    return "".join(_ESCAPES.get(c, c) for c in _one_line(text))


def latex(series: Series) -> str:
    """A ``tabular``, for booktabs, with title and notes as a comment before it."""
    table = pivoted(series)
    columns = "l" * table.names + "r" * (len(table.titles) - table.names)
    lines = [
        _one_line(f"% {series.title}. {' '.join(series.notes)}"),
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _line(table.titles),
        r"\midrule",
        *map(_line, table.lines),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _line(cells: tuple[str, ...]) -> str:
    line = " & ".join(map(escape, cells))
    # After the end of a line or a rule a bracket or a star would be taken for an option of it.
    return ("{}" if line.startswith(("[", "*")) else "") + line + r" \\"


def _one_line(text: str) -> str:
    """Without control characters, of which an end of line would end a comment."""
    return "".join(c for c in text if c.isprintable())
