"""Files and folders into the library, and the starter library."""

import json

import pytest

from marwg.errors import LibraryError
from marwg.library import Library
from marwg.library.importing import import_files
from marwg.library.starter import STARTER, seed
from tests.pdf_writing import write_pdf
from tests.test_import_pdf import article


class Taken:
    """An index that remembers what it was given."""

    def __init__(self) -> None:
        self.ids: list[str] = []

    async def add(self, paper_ids, report=None):
        self.ids += paper_ids


@pytest.fixture
def library(tmp_path):
    library = Library(tmp_path / "home" / "library.db")
    yield library
    library.close()


async def test_a_folder_of_everything(tmp_path, library):
    folder = tmp_path / "papers"
    (folder / "more").mkdir(parents=True)
    (folder / "refs.bib").write_text(
        "@article{mine, title={Reading columns in order}, author={Bell, Ada and van Dorn, Carl}, year=2024, journal={J. Tests}}\n"
        "@article{bad, title={Open}\n@article{none, year=1999}\n"
    )
    write_pdf(folder / "more" / "paper.pdf", article())
    write_pdf(folder / "more" / "scan.pdf", [[]])
    (folder / "notes.docx").write_bytes(b"x")
    (folder / "picture.png").write_bytes(b"x")
    events, taken = [], Taken()
    report = await import_files([folder, tmp_path / "missing.bib"], library, taken, events.append)
    (paper,) = library.papers()
    assert (paper.key, paper.year, paper.abstract[:15]) == ("mine", 2024, "We read columns")
    assert [page.number for page in library.pages(paper.paper_id)] == [1, 2, 3]
    assert (report.read, report.added, report.pages) == (2, 1, 3)
    assert taken.ids == [paper.paper_id]
    assert [r.source for r in report.merged] in (["paper.pdf"], ["refs.bib"])
    refused = {remark.source: remark.reason for remark in report.refused}
    assert set(refused) == {"refs.bib", "scan.pdf", "notes.docx", "missing.bib"}
    assert "is of a kind that is not read here" in refused["notes.docx"]
    assert "No such file" in refused["missing.bib"]
    assert len(report.refused) == 5
    assert "2 papers read, 1 new, 3 pages of full text" in report.summary()
    assert [event.total for event in events][-1] == 5


async def test_importing_again_changes_nothing(tmp_path, library):
    (tmp_path / "refs.bib").write_text("@article{a, title={One}, author={Bee, A.}, year=2001, abstract={Text.}}\n")
    await import_files([tmp_path / "refs.bib"], library)
    state = library.state()
    report = await import_files([tmp_path / "refs.bib"], library)
    assert library.state() == state
    assert (report.read, report.added, len(report.merged)) == (1, 0, 1)


async def test_a_bib_file_without_entries_says_so(tmp_path, library):
    (tmp_path / "empty.bib").write_text("just words")
    report = await import_files([tmp_path / "empty.bib"], library)
    assert "no BibTeX entries" in report.refused[0].reason


def test_the_starter_library_is_planted_once(tmp_path, library):
    rows = [
        {
            "title": "One",
            "authors": ["Ada Bell", "The Group"],
            "year": 2020,
            "venue": "V",
            "arxiv_id": "2001.00001",
            "note": "Ours.",
        },
        {"title": "Two", "authors": [], "doi": "10.1000/X", "note": "Ours too."},
    ]
    file = tmp_path / "starter.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    assert seed(library, file) == 2
    one, two = library.papers()
    assert one.authors == ("Bell, Ada", "Group, The")
    assert (one.abstract, one.abstract_is_note) == ("Ours.", True)
    assert (two.doi, two.year) == ("10.1000/x", None)
    library.remove([one.paper_id])
    assert seed(library, file) == 0
    assert len(library) == 1
    library.remove([two.paper_id])
    assert seed(library, file) == 0, "whoever emptied the library wants it empty"


def test_a_broken_starter_library_says_so(tmp_path, library):
    (tmp_path / "starter.jsonl").write_text("{")
    with pytest.raises(LibraryError, match="MARWG_STARTER_LIBRARY"):
        seed(library, tmp_path / "starter.jsonl")


@pytest.mark.skipif(not STARTER.is_file(), reason="examples/starter_library.jsonl is not there")
def test_the_starter_library_that_is_shipped(library):
    rows = STARTER.read_text(encoding="utf-8").splitlines()
    assert seed(library) == len(library) == len([row for row in rows if row.strip()])
    assert all(paper.abstract_is_note and paper.authors and paper.year for paper in library.papers())
