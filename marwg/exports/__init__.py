"""A draft and its evidence as files: Pandoc Markdown, LaTeX with its `.bib`, and the ledger as JSON."""

from collections.abc import Sequence
from pathlib import Path

from marwg.exports.latex import latex
from marwg.exports.ledger_json import ledger_json
from marwg.exports.markdown import pandoc_markdown
from marwg.library.bibtex import to_bibtex
from marwg.references import bibliography
from marwg.types import Draft, Focal, Ledger, Paper

__all__ = ["latex", "ledger_json", "pandoc_markdown", "write_all"]


def write_all(folder: Path, focal: Focal, draft: Draft, ledger: Ledger | None, papers: Sequence[Paper]) -> list[Path]:
    """Writes related_work.md, related_work.tex, references.bib and, where there is a ledger, ledger.json.

    All belong to the same version of the draft, and the bibliography holds exactly what it cites.
    """
    folder.mkdir(parents=True, exist_ok=True)
    cited = bibliography(draft, papers)
    files = {
        "related_work.md": pandoc_markdown(draft, cited),
        "related_work.tex": latex(draft, cited),
        "references.bib": "\n".join(to_bibtex(p, abstract=False) for p in cited),
    }
    if ledger is not None:
        files["ledger.json"] = ledger_json(focal, draft, ledger, cited)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in files]
