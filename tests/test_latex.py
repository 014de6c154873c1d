"""The LaTeX that leaves the program compiles, with a bibliography of every nasty character, and goes back into a paper."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from marwg.exports import latex, put_into, references_bib
from marwg.exports.comparison import comparison_latex
from marwg.types import Card, Cell, Draft, Paper, Section, Sentence
from marwg.writing.matrix import matrix

NASTY = (
    Paper(paper_id="p1", key="muller2020", title="100% of {A} & B_C: $5 #1 ~x^2 \\ <y> | 'q' \"z\"", authors=("Müller, Jörg", "O'Brien, Ána"), year=2020, venue="Proc. of R&D_100%", entry_type="inproceedings"),
    Paper(paper_id="p2", key="lukasz:2021_x", title="On α ≤ β — naïve “quotes” – and … Ω", authors=("Łukasz, Żółć", "Çelik, Ğ.", "Nguyễn, Văn", "Ståhl, Åsa"), year=2021, venue="J. of Ünïcode", entry_type="article", doi="10.1000/a_b%c#d"),
    Paper(paper_id="p3", key="consortium2019", title="{Consortium}'s ‘single’ title: é è ê ë ß ø æ œ", authors=("The Research & Development Group",), year=2019, url="https://example.org/a_b?c=d&e=f%20g#h~i"),
    Paper(paper_id="p4", key="plain+key.v2", title="No year, no authors"),
)  # fmt: skip
DRAFT = Draft(
    author="m",
    sections=(
        Section(
            topic_id="t1",
            title="Costs & 50% of _it_",
            paragraphs=(
                (
                    Sentence(text="Müller and O'Brien [@p1] gain 5% & more on a_b {set} #1 for $3 ~ x^2 \\ y."),
                    Sentence(text="Łukasz et al. [@p2] say “α ≤ β” – naïvely [@p3; @p4]."),
                ),
            ),
        ),
        Section(topic_id="position", title="Position", paragraphs=((Sentence(text="We differ [@p2]."),),)),
    ),
)
MATRIX = matrix(
    [Card(paper_id=p.paper_id, method=Cell(text="5% of a_b & {c} → #1", quote="q"), data=Cell()) for p in NASTY],
    Card(paper_id="focal", method=Cell(text="ours", quote="ours")),
    NASTY,
)
PACKAGES = {"cite": "", "natbib": "\\usepackage[numbers]{natbib}\n", "biblatex": ""}


@pytest.mark.latex
@pytest.mark.parametrize("package", ["cite", "natbib"])
def test_it_compiles_with_every_nasty_character(tmp_path: Path, package: str):
    missing = [p for p in ("pdflatex", "bibtex") if shutil.which(p) is None]
    if missing and not os.environ.get("MARWG_REQUIRE_LATEX"):
        pytest.skip(
            f"{' and '.join(missing)} not installed: apt-get install texlive-latex-base texlive-latex-recommended"
        )
    style = "plainnat" if package == "natbib" else "plain"
    (tmp_path / "references.bib").write_text(references_bib(NASTY), encoding="utf-8")
    (tmp_path / "section.tex").write_text(latex(DRAFT, NASTY, package), encoding="utf-8")  # type: ignore[arg-type]
    (tmp_path / "table.tex").write_text(comparison_latex(MATRIX), encoding="utf-8")
    (tmp_path / "main.tex").write_text(
        "\\documentclass[twocolumn]{article}\n\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n\\usepackage{textcomp,amsmath,amssymb,booktabs,url}\n"
        f"{PACKAGES[package]}\\begin{{document}}\n\\input{{section}}\n\\input{{table}}\n\\bibliographystyle{{{style}}}\n\\bibliography{{references}}\n"
        "\\end{document}\n",
        encoding="utf-8",
    )
    run(tmp_path, "pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main")
    run(tmp_path, "bibtex", "main")
    for _ in range(2):
        log = run(tmp_path, "pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main")
    assert "undefined" not in log.lower(), log[-2000:]
    assert "Missing character" not in log
    assert (tmp_path / "main.pdf").stat().st_size > 10_000
    listed = re.findall(
        r"\\bibitem(?:\[.*?\])?\{([^}]+)\}", (tmp_path / "main.bbl").read_text(errors="replace"), re.DOTALL
    )
    assert len(listed) == len(NASTY)


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=100)
    assert done.returncode == 0, done.stdout[-3000:]
    return done.stdout


def test_natbib_and_biblatex_set_the_authors_themselves():
    papers = [NASTY[0].model_copy(update={"authors": ("Li, Wei", "Wu, Ana", "Xu, Bo")}), NASTY[1]]
    draft = Draft(
        author="m",
        sections=(
            Section(topic_id="t", title="T", paragraphs=((Sentence(text="Li et al. [@p1] and others [@p1; @p2] agree."),),)),
        ),
    )  # fmt: skip
    assert "Li et al.~\\cite{muller2020} and others~\\cite{muller2020,lukasz:2021_x}" in latex(draft, papers)
    assert "\\citet{muller2020} and others~\\citep{muller2020,lukasz:2021_x}" in latex(draft, papers, "natbib")
    assert "\\textcite{muller2020} and others~\\parencite{" in latex(draft, papers, "biblatex")


PAPER = """\\documentclass{article}
\\usepackage[numbers]{natbib}
% \\section{Related Work} is below
\\begin{document}
\\section{Introduction}
Text \\citep{a}.
%MIDDLE%
\\section{Conclusion}
End.
\\bibliography{own}
\\end{document}
"""


@pytest.mark.parametrize(
    "heading", ["\\section{Related Work}\\label{sec:rw}", "\\section*{Related work}", "\\section{Previous Work}"]
)
def test_the_section_goes_back_into_its_place(heading: str):
    source = PAPER.replace("%MIDDLE%", f"{heading}\nOld text \\cite{{b}}.\n\\subsection{{Old}}\nMore.\n")
    made = put_into(source, DRAFT, NASTY)
    assert made.startswith(source[: source.index("Old text")].rstrip())
    assert made.endswith("\\section{Conclusion}\nEnd.\n\\bibliography{own}\n\\end{document}\n")
    assert "Old" not in made
    assert "\\citep{lukasz:2021_x}" in made
    assert made.count("\\section") == source.count("\\section")


def test_without_such_a_section_it_stands_before_the_conclusion_or_the_end():
    made = put_into(PAPER, DRAFT, NASTY)
    assert (
        made.index("\\section{Introduction}")
        < made.index("\\label{sec:related-work}")
        < made.index("\\section{Conclusion}")
    )
    short = "\\documentclass{article}\n\\begin{document}\nText.\n\\end{document}\n"
    made = put_into(short, DRAFT, NASTY)
    assert made.index("Text.") < made.index("\\section{Related Work}") < made.index("\\end{document}")
