"""The comparison matrix as files: CSV with every quote and page, and a LaTeX table with `booktabs`."""

import csv
import io

from marwg.exports.latex import encoded
from marwg.verification.claims import FOCAL
from marwg.writing.matrix import Matrix, clipped, table

_CELL = 110
"""Characters of a cell in the LaTeX table; the CSV has all of it."""


def comparison_csv(matrix: Matrix) -> str:
    """One line a paper: its key, how it is cited, and for each column the text, the quote and the page."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in table(matrix):
        # A cell that begins like a formula would be run by a spreadsheet.
        writer.writerow([f"'{cell}" if cell.startswith(("=", "+", "-", "@")) else cell for cell in row])
    return out.getvalue()


def comparison_latex(matrix: Matrix) -> str:
    """A `table*` that needs `\\usepackage{booktabs}`; empty cells are those of which the source does not say."""
    columns = matrix.shown()
    width = f"p{{{0.84 / max(1, len(columns)):.3f}\\textwidth}}"
    spec = f"@{{}}p{{0.12\\textwidth}}{width * len(columns)}@{{}}"
    lines = [
        "% Needs \\usepackage{booktabs} in the preamble.",
        "\\begin{table*}[t]",
        "\\caption{Comparison of the papers closest to this work. An empty cell means that the source does not say.}",
        "\\label{tab:comparison}",
        "\\scriptsize\\raggedright",
        "\\setlength{\\tabcolsep}{3pt}",
        f"\\begin{{tabular}}{{{spec}}}",
        "\\toprule",
        " & ".join(["Paper", *(matrix.heads[n] for n in columns)]) + " \\\\",
        "\\midrule",
    ]
    for row in matrix.rows:
        if row.paper_id == FOCAL and len(matrix.rows) > 1:
            lines.append("\\midrule")
        name = encoded(row.name) if row.paper_id == FOCAL else f"{encoded(row.name)}~\\cite{{{row.key}}}"
        lines.append(" & ".join([name, *(encoded(clipped(row.cells[n].text, _CELL)) for n in columns)]) + " \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", "\\end{table*}"]) + "\n"
