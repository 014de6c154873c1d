"""A person's text in LaTeX, Markdown, Word or plain becomes sentences that cite known papers, and nothing is guessed."""

import zipfile
from pathlib import Path

import pytest

from marwg.checking import text_of
from marwg.errors import UnreadableFile
from marwg.library.docx import docx_text
from marwg.text.naming import References
from marwg.text.own_text import sections_of
from tests.paper_world import PAPERS

KEYS = {p.key: p for p in PAPERS}

TEX = r"""
\documentclass{article}\title{My \emph{Paper}}
\begin{document}\begin{abstract}We cite nobody.\end{abstract}
\section{Introduction} Foo~\cite{gao2023}.
\section{Related Work}\label{sec:rw}
Dense retrieval~\citep[see][p.~3]{karpukhin2020} is 9\% better.\footnote{A {nested} note \cite{lewis2020}.} % a \cite{comment}
\citet{lewis2020} combine it with ``Wikipedia''.
\begin{figure}\caption{x}\end{figure}
Others~\cite{gao2023,no_such_key:2020}.

\paragraph{Evaluation.} \textcite{gao2023} propose a benchmark; cost is $5\times$ lower.
\section{Method} We do.
\end{document}
"""


def read(text: str, ending: str, references: References | None = None) -> list[tuple[str, list[str]]]:
    sections = sections_of(text, ending, references or References(KEYS))
    return [(s.title, [x.text for x in s.sentences]) for s in sections]


def test_the_related_work_of_a_paper_in_latex() -> None:
    references = References(KEYS)
    assert read(TEX, ".tex", references) == [
        (
            "",
            [
                "Dense retrieval [@p1] is 9% better.",
                "Lewis et al. [@p2] combine it with “Wikipedia”.",
                "Others [@p3; @no_such_key:2020].",
            ],
        ),
        ("Evaluation", ["Gao and Yen [@p3] propose a benchmark; cost is 5× lower."]),
    ]
    assert references.unknown == ("no_such_key:2020",)
    assert set(references.mentioned) == {"p1", "p2", "p3"}, "what is cited anywhere in the paper is cited"


def test_nocite_is_a_mention_and_no_marker() -> None:
    references = References(KEYS)
    assert read(r"\nocite{lewis2020} It works~\cite{gao2023}.", ".tex", references) == [("", ["It works [@p3]."])]
    assert set(references.mentioned) == {"p2", "p3"}


def test_pandoc_markdown() -> None:
    text = (
        "---\ntitle: x\n---\n# A\n\nDense [@karpukhin2020; see @gao2023, p. 3]. @lewis2020 [p. 3] do *good* things. "
        "Also [-@gao2023].\n\n## B\n\nNobody knows this [@nobody99].\n"
    )
    references = References(KEYS)
    assert read(text, ".md", references) == [
        ("A", ["Dense [@p1; @p3].", "Lewis et al. [@p2] do good things.", "Also [@p3]."]),
        ("B", ["Nobody knows this [@nobody99]."]),
    ]
    assert references.unknown == ("nobody99",)


@pytest.mark.parametrize(
    ("written", "marked"),
    [
        ("It works (Karpukhin et al., 2020; Gao and Yen, 2023).", "It works [@p1; @p3]."),
        ("It works [Karpukhin et al., 2020].", "It works [@p1]."),
        ("It works (see Lewis et al. 2020, p. 3).", "It works [@p2]."),
        ("It works (e.g., Gao & Yen, 2023).", "It works [@p3]."),
        ("Lewis et al. (2020) show it.", "Lewis et al. [@p2] show it."),
        ("In Gao and Yen (2023), it works.", "In Gao and Yen [@p3], it works."),
        ("It works (unlike others; Gao and Yen, 2023).", "It works (unlike others) [@p3]."),
        ("It was founded (in 2020) by chance.", "It was founded (in 2020) by chance."),
    ],
)
def test_authors_and_years(written: str, marked: str) -> None:
    assert read(written, ".txt") == [("", [marked])]


def test_nobody_is_taken_for_somebody_else() -> None:
    references = References(KEYS)
    (only,) = read("It works (Karpukhin et al., 2019; Foo and Bar, 2020; Yen and Gao, 2023).", ".txt", references)
    assert len(references.unknown) == 3
    assert references.mentioned == ()
    assert "@p" not in only[1][0]


def test_two_papers_that_fit_are_told_and_not_chosen_from() -> None:
    twin = PAPERS[2].model_copy(update={"paper_id": "p4", "key": "gao2023b", "title": "Another one"})
    references = References(KEYS | {"gao2023b": twin})
    read("It works (Gao and Yen, 2023). So does this (Gao and Yen, 2023b).", ".txt", references)
    assert references.unknown == ("Gao and Yen, 2023 (several references fit)",)
    assert references.mentioned == ("p4",)


def test_numbers_are_read_with_their_reference_list() -> None:
    text = (
        "Related Work\n\nDense retrieval [1, 3] and more [2-3].\n\nReferences\n"
        "[1] V. Karpukhin et al. Dense passage retrieval for open-domain question answering. 2020.\n"
        "[2] Lewis. Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks.\n[3] Somebody. Nothing known at all.\n"
    )
    references = References(KEYS)
    assert read(text, ".txt", references) == [("", ["Dense retrieval [@p1; @ref3] and more [@p2; @ref3]."])]
    assert references.unknown == ("[3] Somebody. Nothing known at all.",)


def test_an_unknown_key_never_hits_a_paper_id() -> None:
    references = References(KEYS)
    (only,) = read(r"It works~\cite{p1}.", ".tex", references)
    assert only[1] == ["It works [@p1-unknown]."]
    assert references.unknown == ("p1",)


def word_file(path: Path, *paragraphs: tuple[str, str]) -> Path:
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'
        for style, text in paragraphs
    )
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')
    return path


def test_a_word_file(tmp_path: Path) -> None:
    path = word_file(
        tmp_path / "a.docx",
        ("Heading1", "Introduction"), ("Normal", "We begin."), ("Heading1", "Related Work"),
        ("Normal", "Dense retrieval works (Karpukhin et al., 2020)."),
    )  # fmt: skip
    assert text_of(path) == docx_text(path)
    assert read(docx_text(path), ".md") == [("", ["Dense retrieval works [@p1]."])]


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04broken", b"hello"])
def test_what_is_no_word_file_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(data)
    with pytest.raises(UnreadableFile, match=r"a\.docx"):
        docx_text(path)
