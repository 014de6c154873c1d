"""PDFs: reading order, running heads, hyphens, cuts, the first page, and what cannot be read."""

import time

import pytest

from marwg.errors import UnreadableFile
from marwg.library.layout import Line, PageLines, body, read_order, text_of, vocabulary
from marwg.library.pdf import read_pdf
from tests.pdf_writing import column, write_pdf

FILLER = "The method reads the words of each column in the order in which a person reads them and goes on from there. "


def article() -> list[list[tuple[float, float, float, str]]]:
    """Three pages in two columns, with running heads, a heading for each part and a hyphen at a line end."""
    left, right = 60, 320
    first = [
        (200, 40, 9, "Journal of Tests 1 (2024)"),
        (150, 100, 18, "Reading Columns in Order"),
        (220, 125, 11, "Ada Bell, Carl van Dorn"),
    ]
    first += [(230, 140, 10, "University of Somewhere"), (left, 160, 11, "Abstract")]
    first += [*column("We read columns. " + FILLER * 3, left, 175), (left, 330, 11, "1 Introduction")]
    first += column("LEFTSTART " + FILLER * 3 + "LEFTEND", left, 345)
    first += [*column("RIGHTSTART " + FILLER * 5 + "RIGHTEND", right, 160), (300, 770, 9, "1")]
    second = [
        (200, 40, 9, "Journal of Tests 1 (2024)"),
        *column(FILLER * 4, left, 100),
        (left, 300, 10, "These are state-of-the-"),
    ]
    second += [(left, 312, 10, "art models and a hyphen-"), (left, 324, 10, "ated word; hyphenated words occur here.")]
    second += [
        *column(FILLER * 4, right, 100),
        (right, 330, 11, "Acknowledgments"),
        (right, 345, 10, "We thank everybody very much."),
    ]
    second += [(right, 365, 11, "2 Conclusion"), *column("The end is near. " + FILLER, right, 380), (300, 770, 9, "2")]
    third = [
        (200, 40, 9, "Journal of Tests 1 (2024)"),
        *column("Last words. " + FILLER * 3, left, 100),
        (left, 300, 11, "REFERENCES"),
    ]
    third += [
        *column("[1] Somebody. 1999. Nothing. " * 8, left, 320),
        *column("[2] Nobody. 2001. " * 20, right, 100),
        (300, 770, 9, "3"),
    ]
    return [first, second, third]


def test_an_article_in_two_columns(tmp_path):
    parsed = read_pdf(write_pdf(tmp_path / "a.pdf", article()))
    (paper,) = parsed.papers
    assert paper.title == "Reading Columns in Order"
    assert paper.authors == ("Bell, Ada", "van Dorn, Carl")
    assert paper.abstract.startswith("We read columns. The method reads")
    assert "Introduction" not in paper.abstract
    assert paper.paper_id
    assert {page.paper_id for page in parsed.pages} == {paper.paper_id}
    one, two, three = (page.text for page in parsed.pages)
    assert [page.number for page in parsed.pages] == [1, 2, 3]
    places = [one.index(word) for word in ("Abstract", "LEFTSTART", "LEFTEND", "RIGHTSTART", "RIGHTEND")]
    assert places == sorted(places)
    assert "Journal of Tests" not in one + two + three
    assert "state-of-the-art models and a hyphenated word" in two
    assert "thank everybody" not in two
    assert "The end is near." in two
    assert three.startswith("Last words.")
    assert "REFERENCES" not in three
    assert "Somebody" not in three
    assert "Nobody" not in three
    assert parsed.incomplete == ()


def test_the_cut_is_at_the_heading_and_not_at_the_page():
    def page(number: int, *texts: str) -> tuple[int, list[Line]]:
        return number, [Line(text, 60, 100 + 12 * row, 300, 110 + 12 * row, 10) for row, text in enumerate(texts)]

    pages = [
        page(
            1, "Text.", "The references of a model are cited in text.", "R EFERENCES", "[1] A.", "Methods", "We did it."
        ),
        page(2, "5 Acknowledgements", "Thanks.", "6 Discussion", "More.", "A Appendix", "Methods", "Not kept."),
        page(3, "Nothing of this."),
    ]
    kept = [(number, [line.text for line in lines]) for number, lines in body(pages)]
    assert kept == [
        (1, ["Text.", "The references of a model are cited in text.", "Methods", "We did it."]),
        (2, ["6 Discussion", "More."]),
    ]


def test_a_figure_page_does_not_end_the_paper():
    pages = [(1, [Line("Text.", 0, 0, 50, 10, 10)]), (2, []), (3, [Line("More text.", 0, 0, 50, 10, 10)])]
    assert [number for number, _ in body(pages)] == [1, 3]


def test_ligatures_and_marked_hyphens():
    lines = [Line("an eﬃcient ﬂow of repre\x02", 0, 0, 90, 10, 10), Line("sentations", 0, 12, 90, 22, 10)]
    assert text_of(lines, vocabulary([(1, lines)])) == "an efficient flow of representations"


def test_rotated_text_is_left_out():
    upright = [Line(f"line {row} of the page", 60, 12.0 * row, 300, 12.0 * row + 10, 10) for row in range(1, 20)]
    page = PageLines(1, 612, 792, (Line("arXiv:2310.11511v1 [cs.CL]", 10, 200, 25, 600, 20), *upright))
    assert [line.text for line in read_order([page])[0][1]] == [line.text for line in upright]


def test_a_scan_says_so(tmp_path):
    with pytest.raises(UnreadableFile, match=r"no text, only images.*ocrmypdf"):
        read_pdf(write_pdf(tmp_path / "scan.pdf", [[], [(100, 100, 10, "3")]]))


def test_garbled_text_says_so(tmp_path):
    moved = str.maketrans({chr(97 + n): chr(97 + (n + 11) % 26) for n in range(26)})
    garbled = (FILLER * 12).lower().translate(moved)
    with pytest.raises(UnreadableFile, match="garbled"):
        read_pdf(write_pdf(tmp_path / "garbled.pdf", [column(garbled, 60, 60)]))


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7 and then nothing", b"<html>Not found</html>"])
def test_what_is_no_pdf_says_so(tmp_path, data):
    (tmp_path / "broken.pdf").write_bytes(data)
    with pytest.raises(UnreadableFile, match=r"broken\.pdf is no PDF"):
        read_pdf(tmp_path / "broken.pdf")


def test_a_pdf_that_takes_too_long_is_given_up(tmp_path):
    started = time.monotonic()
    with pytest.raises(UnreadableFile, match="took longer"):
        read_pdf(write_pdf(tmp_path / "a.pdf", article()), seconds=0.01)
    assert time.monotonic() - started < 5
