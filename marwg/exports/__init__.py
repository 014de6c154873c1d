"""A draft and its evidence as files: Markdown, LaTeX with its `.bib`, Word, text, JSON, the comparison, the ledger."""

from collections.abc import Sequence
from pathlib import Path

from marwg.exports.comparison import comparison_csv, comparison_latex
from marwg.exports.latex import latex, put_into, settable
from marwg.exports.ledger_json import ledger_json
from marwg.exports.markdown import pandoc_markdown
from marwg.exports.plain import draft_json, plain_text
from marwg.exports.report import csv_report, html_report, report_files
from marwg.exports.word import word
from marwg.library.bibtex import to_bibtex
from marwg.organizing.taxonomy import as_graphml, as_mermaid, as_text
from marwg.text.references import bibliography, labels
from marwg.types import Decision, Draft, Focal, Ledger, Paper, Run, Taxonomy, TextReview
from marwg.writing.matrix import Matrix

__all__ = [
    "csv_report",
    "draft_json",
    "html_report",
    "latex",
    "ledger_json",
    "pandoc_markdown",
    "plain_text",
    "put_into",
    "references_bib",
    "word",
    "write_all",
    "write_check",
]


def write_all(
    folder: Path,
    focal: Focal,
    draft: Draft,
    ledger: Ledger | None,
    papers: Sequence[Paper],
    review: TextReview | None = None,
    decided: Sequence[Decision] = (),
    taxonomy: Taxonomy | None = None,
    matrix: Matrix | None = None,
    paper: str = "",
    csl: Path | None = None,
) -> list[Path]:
    """Writes the draft as Markdown, LaTeX (for `\\cite`, natbib and biblatex), Word, text and JSON, with references.bib.

    Where there is a ledger come ledger.json and its report, where there is a taxonomy its text, Mermaid and GraphML,
    where there is a matrix comparison.tex and comparison.csv, and where the user's own LaTeX is known (`paper`) that
    with the section put in its place. `csl` is the citation style of the Word file.
    All belong to the same version of the draft, and the bibliography holds exactly what it cites.
    """
    cited = bibliography(draft, papers)
    files = {
        "related_work.md": pandoc_markdown(draft, cited),
        "related_work.tex": latex(draft, cited),
        "references.bib": references_bib(cited),
    }
    if ledger is not None:
        files["ledger.json"] = ledger_json(focal, draft, ledger, cited)
        files |= report_files(focal, draft, ledger, papers, review, decided)
    files |= {
        "related_work_natbib.tex": latex(draft, cited, "natbib"),
        "related_work_biblatex.tex": latex(draft, cited, "biblatex"),
        "related_work.txt": plain_text(draft, cited),
        "related_work.json": draft_json(focal, draft, cited, matrix),
    }
    if matrix is not None and matrix.rows:
        files |= {"comparison.tex": comparison_latex(matrix), "comparison.csv": comparison_csv(matrix)}
    if paper:
        files["paper.tex"] = put_into(paper, draft, cited)
    if taxonomy is not None:
        files |= taxonomy_files(taxonomy, papers)
    written = _written(folder, files)
    word(pandoc_markdown(draft, cited, once=True), files["references.bib"], folder / "related_work.docx", csl)
    place = list(files).index("related_work.json")
    return [*written[:place], folder / "related_work.docx", *written[place:]]


def references_bib(papers: Sequence[Paper]) -> str:
    """The entries of some papers as BibTeX that pdflatex can set."""
    return settable("\n".join(to_bibtex(p, abstract=False) for p in papers))


def taxonomy_files(taxonomy: Taxonomy, papers: Sequence[Paper]) -> dict[str, str]:
    """The taxonomy as an indented list with its papers, as a Mermaid flowchart, and as GraphML with citation keys."""
    names = labels(papers)
    titles = {p.paper_id: f"{p.title} ({', '.join(names[p.paper_id])})" for p in papers}
    keys = {p.paper_id: p.key for p in papers}
    return {
        "taxonomy.txt": as_text(taxonomy, titles) + "\n",
        "taxonomy.mmd": as_mermaid(taxonomy) + "\n",
        "taxonomy.graphml": as_graphml(taxonomy, keys) + "\n",
    }


def write_check(folder: Path, run: Run, papers: Sequence[Paper], decided: Sequence[Decision] = ()) -> list[Path]:
    """Writes the ledger of a text that the user brought as ledger.json, verification.html and verification.csv."""
    draft, ledger = run.draft, run.ledger
    if draft is None or ledger is None:
        return []
    focal = run.request.focal
    files = {"ledger.json": ledger_json(focal, draft, ledger, bibliography(draft, papers))}
    return _written(folder, files | report_files(focal, draft, ledger, papers, run.review, decided))


def _written(folder: Path, files: dict[str, str]) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in files]
