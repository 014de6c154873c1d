"""A draft as a Word file with formatted references, set by pandoc in a CSL style."""

import tempfile
from pathlib import Path

from marwg.errors import InputError, RunError


def word(markdown: str, bibtex: str, path: Path, csl: Path | None = None) -> None:
    """Writes the .docx of a Pandoc Markdown text; without a CSL file in pandoc's own style, Chicago author-date.

    InputError where the CSL file is not there or is none; RunError where pandoc cannot be run.
    """
    import pypandoc

    if csl is not None and not csl.is_file():
        raise InputError(f"The citation style {csl} is not there.", "Give the path of a .csl file, or none.")
    with tempfile.TemporaryDirectory() as folder:
        bib = Path(folder) / "references.bib"
        bib.write_text(bibtex, encoding="utf-8")
        options = [
            f"--bibliography={bib}",
            "--metadata=reference-section-title:References",
            "--metadata=link-citations:true",
        ]
        options += [f"--csl={csl}"] if csl else []
        try:
            pypandoc.convert_text(
                markdown,
                "docx",
                # Only what our own Markdown uses is read as markup, so that no text is taken for raw HTML or TeX.
                format="markdown-raw_html-raw_tex-raw_attribute-tex_math_dollars-yaml_metadata_block",
                outputfile=str(path),
                extra_args=["--citeproc", *options],
            )
        except OSError as error:
            raise RunError("pandoc could not be run, so there is no Word file.", "Install pypandoc-binary.") from error
        except RuntimeError as error:
            why = str(error).strip().splitlines()[-1] if str(error).strip() else "unknown reason"
            hint = "Check that the .csl file is a CSL style." if csl else "The other files hold the same text."
            raise RunError(f"The Word file could not be made: {why}", hint) from error
