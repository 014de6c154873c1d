"""The comparison matrix holds what the sources say, with quote and page, and nothing else."""

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest

from marwg.errors import InputError
from marwg.exports import draft_json, pandoc_markdown, plain_text, references_bib, word
from marwg.exports.comparison import comparison_csv, comparison_latex
from marwg.types import Card, Cell, Draft, Section, Sentence
from marwg.writing.matrix import as_data, clipped, markdown, matrix, only
from tests.paper_world import FOCAL, PAPERS

CARDS = (
    Card(
        paper_id="p1",
        method=Cell(text="a dual | encoder", quote="dense representations learned by a dual encoder"),
        data=Cell(text="NQ", quote="on 58,880 questions of NQ", page=4),
        result=Cell(text="=9% better", quote="by 9% to 19%"),
    ),
    Card(paper_id="p2", method=Cell(text="a claim without words of the source"), relation="competes"),
    Card(paper_id="gone", method=Cell(text="x", quote="x")),
)
OURS = Card(paper_id="focal", method=Cell(text="a pipeline", quote="We present a pipeline"))
MATRIX = matrix(CARDS, OURS, PAPERS)


def test_cells_without_words_of_the_source_are_empty():
    assert [r.name for r in MATRIX.rows] == ["Karpukhin et al. (2020)", "Lewis et al. (2020)", "This work"]
    assert MATRIX.rows[0].cells[2].page == 4
    assert not any(c.text for c in MATRIX.rows[1].cells)
    assert MATRIX.silent == 3 * 6 - 4
    assert [MATRIX.heads[n] for n in MATRIX.shown()] == ["Method", "Data", "Result"]


def test_as_a_markdown_table():
    lines = markdown(MATRIX).splitlines()
    assert lines[0] == "| Paper | Method | Data | Result |"
    assert lines[2] == r"| Karpukhin et al. (2020) | a dual \| encoder (abstract) | NQ (p. 4) | =9% better (abstract) |"
    assert lines[-1].startswith("| **This work** | a pipeline")
    assert "nothing that can be compared" in markdown(matrix((), None, PAPERS))


def test_only_some_papers_and_columns():
    some = only(MATRIX, ["p1"], ["data"])
    assert [r.paper_id for r in some.rows] == ["p1", "focal"]
    assert [c.text for c in some.rows[0].cells if c.text] == ["NQ"]


def test_csv_has_every_quote_and_page_and_runs_nothing_in_a_spreadsheet():
    rows = list(csv.DictReader(io.StringIO(comparison_csv(MATRIX))))
    assert rows[0]["Key"] == "karpukhin2020"
    assert (rows[0]["Data"], rows[0]["Data: quote"], rows[0]["Data: page"]) == (
        "NQ",
        "on 58,880 questions of NQ",
        "p. 4",
    )
    assert rows[0]["Result"] == "'=9% better"
    assert rows[1]["Method"] == rows[1]["Method: page"] == ""


def test_latex_is_a_booktabs_table():
    text = comparison_latex(MATRIX)
    assert text.count("\\toprule") == text.count("\\bottomrule") == 1
    assert "Karpukhin et al. (2020)~\\cite{karpukhin2020} & a dual " in text
    assert r"=9\% better \\" in text


def test_as_data_leaves_out_what_is_not_said():
    data = as_data(MATRIX)
    assert data[0]["cells"]["data"] == {"text": "NQ", "quote": "on 58,880 questions of NQ", "page": 4}
    assert data[1]["cells"] == {}
    assert data[2]["key"] is None


def test_a_long_cell_ends_at_a_word():
    assert clipped("word " * 40, 20) == "word word word word …"
    assert clipped("short") == "short"


# ---------------------------------------------------------------- Word, text, JSON

DRAFT = Draft(
    version=3,
    parent=2,
    author="m",
    sections=(
        Section(
            topic_id="t1",
            title="Retrieval & <more>",
            paragraphs=((Sentence(text="Karpukhin et al. [@p1] gain 9% on *a_b* [@p2; @p1], $5 <b>."),),),
        ),
    ),
)
CITED = [PAPERS[0], PAPERS[1]]


def docx(path: Path, csl: Path | None = None) -> str:
    word(pandoc_markdown(DRAFT, CITED, once=True), references_bib(CITED), path, csl)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        xml = archive.read("word/document.xml").decode()
    return "".join(part.partition(">")[2] for part in xml.replace("</w:p>", "<w:p>\n").split("<"))


def test_the_word_file_opens_with_formatted_references(tmp_path: Path):
    text = docx(tmp_path / "a.docx")
    assert "Retrieval &amp; &lt;more&gt;" in text
    assert "*a_b*" in text
    assert "$5 &lt;b&gt;" in text
    assert "Karpukhin et al. (2020) gain 9%" in text
    assert "(Lewis et al. 2020; Karpukhin et al. 2020)" in text
    assert "References" in text
    assert "Dense Passage Retrieval for Open-Domain Question Answering." in text
    assert "@" not in text


def test_the_word_file_takes_a_style_of_the_user(tmp_path: Path):
    style = tmp_path / "numbers.csl"
    style.write_text(
        '<style xmlns="http://purl.org/net/xbiblio/csl" version="1.0" class="in-text"><info><title>N</title><id>n</id>'
        "<updated>2020-01-01T00:00:00+00:00</updated></info><citation><layout prefix='[' suffix=']' delimiter=', '>"
        "<text variable='citation-number'/></layout></citation><bibliography><layout><text variable='citation-number'/>"
        "<text variable='title' prefix=' '/></layout></bibliography></style>"
    )
    assert "[1]" in docx(tmp_path / "a.docx", style)
    with pytest.raises(InputError, match="is not there"):
        docx(tmp_path / "b.docx", tmp_path / "none.csl")


def test_plain_text_and_json():
    text = plain_text(DRAFT, CITED)
    assert "Karpukhin et al. (2020) gain 9% on *a_b* (Lewis et al., 2020; Karpukhin et al., 2020)" in text
    assert "Karpukhin, Vladimir; Oguz, Barlas; Min, Sewon (2020). Dense Passage Retrieval" in text
    assert "Retrieval & <more>" in text
    assert "Retrieval" not in plain_text(DRAFT.model_copy(update={"headings": False}), CITED).split("Karpukhin")[0]
    data = json.loads(draft_json(FOCAL, DRAFT, CITED, MATRIX))
    assert (data["version"], data["parent"]) == (3, 2)
    assert data["sections"][0]["paragraphs"][0][0]["citations"] == ["karpukhin2020", "lewis2020"]
    assert len(data["comparison"]) == 3
