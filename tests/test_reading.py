"""A focal paper is read from what people type and upload, and what cannot be used is refused in one sentence."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marwg.conversation.reading import LONGEST_ABSTRACT, checked, focal_in_file, focal_in_text
from marwg.errors import InputError, UnreadableFile
from marwg.types import Focal

TITLE = "Attributed summaries of long reports"
ABSTRACT = (
    "Readers of long reports want to know where a statement comes from. However, summaries rarely say so. "
    "We propose a method that links each sentence of a summary to the passage it rests on, and show in a study with "
    "twelve analysts that they find errors faster than with plain summaries."
)


@pytest.mark.parametrize(
    "text",
    [
        f"{TITLE}\n\n{ABSTRACT}",
        f"{TITLE}\n{ABSTRACT}",
        f"# {TITLE}\n\n{ABSTRACT}\n",
        f"# {TITLE}\n\n## Abstract\n\n{ABSTRACT}\n\n## 1 Introduction\n\nMore text.",
        f"Title: {TITLE}\nAbstract: {ABSTRACT}",
        f"**Title:** {TITLE}\n\n**Abstract:** {ABSTRACT}",
        f"Please write related work for this.\nTitle: {TITLE}\n\nAbstract\n{ABSTRACT}",
        f"{TITLE}\r\n\r\nAbstract—{ABSTRACT}",
    ],
)
def test_title_and_abstract_are_found_in_what_people_send(text: str):
    assert focal_in_text(text) == Focal(title=TITLE, abstract=ABSTRACT)


@pytest.mark.parametrize("text", ["approve", "merge the first two", "why was claim 3 flagged?", "shorter\nplease"])
def test_other_messages_are_no_focal_paper(text: str):
    assert focal_in_text(text) is None


def test_a_latex_draft_gives_its_title_and_abstract(tmp_path: Path):
    path = tmp_path / "draft.tex"
    path.write_text(
        "\\documentclass{article}\n% \\title{Old}\n\\title[Short]{Attributed {S}ummaries \\\\ of long reports\\thanks{X}}\n"
        "\\begin{document}\\begin{abstract}\nWe sav\\'e 5\\% of the time. % not this\n\\end{abstract}\\end{document}"
    )
    assert focal_in_file(path) == Focal(
        title="Attributed Summaries of long reports", abstract="We savé 5% of the time."
    )


def test_a_file_without_an_abstract_is_refused_by_name(tmp_path: Path):
    path = tmp_path / "empty.md"
    path.write_text("")
    with pytest.raises(UnreadableFile, match=r"empty\.md"):
        focal_in_file(path)
    with pytest.raises(UnreadableFile, match=r"gone\.tex"):
        focal_in_file(tmp_path / "gone.tex")


@pytest.mark.parametrize(
    ("title", "abstract", "says"),
    [
        (TITLE, "", "abstract is missing"),
        (TITLE, "Summaries", "only 1 word"),
        ("", ABSTRACT, "title is missing"),
        (TITLE, "a word and " * 20_000, "more than an abstract"),
        (
            TITLE,
            "Leserinnen langer Berichte wollen wissen, woher eine Aussage stammt. Zusammenfassungen sagen das selten. "
            "Wir schlagen ein Verfahren vor, das jeden Satz mit seiner Quelle verbindet und prüfen es mit Fachleuten.",
            "English",
        ),
        (TITLE, "長い報告書の読者は、記述の出典を知りたい。" * 3 + " 語" * 30, "English"),
    ],
)
def test_what_cannot_be_used_is_refused_with_what_to_do(title: str, abstract: str, says: str):
    with pytest.raises(InputError, match=says) as refused:
        checked(Focal(title=title, abstract=abstract))
    assert refused.value.hint


def test_a_usable_paper_is_kept_as_it_is():
    assert checked(Focal(title=TITLE, abstract=ABSTRACT)) == Focal(title=TITLE, abstract=ABSTRACT)
    assert len(ABSTRACT) < LONGEST_ABSTRACT


@given(st.text())
def test_any_text_is_read_or_refused_without_a_crash(text: str):
    found = focal_in_text(text)
    if found:
        try:
            kept = checked(found)
        except InputError:
            return
        assert kept.title
        assert kept.abstract
