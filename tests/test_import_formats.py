"""RIS, Web of Science, CSL-JSON, archives, and lists of identifiers: one bad entry never costs the others."""

import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marwg.errors import UnreadableFile
from marwg.library import Library
from marwg.library.csl import read_csl
from marwg.library.identifiers import Identifier, identifier, identifiers_in
from marwg.library.importing import READERS, import_files
from marwg.library.report import Parsed
from marwg.library.ris import read_ris
from marwg.types import Paper

RIS = """TY  - JOUR
ID  - bell2024
TI  - Reading &amp; writing <i>columns</i>
AU  - Bell, Ada
AU  - World Health Organization
PY  - 2024/05//
JO  - Journal of Tests
VL  - 3
SP  - 1
EP  - 9
DO  - https://doi.org/10.1000/ABC
AB  - First line
of two.
ER  -

TY  - CPAPER
T1  - Without an end
A1  - Dorn, Carl

TY  - JOUR
AU  - Nobody, N.
ER  -
TI  - Without a beginning
ER  -
"""

WOS = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Bell, A
   Dorn, C
AF Bell, Ada
   Dorn, Carl
TI A title over
   two lines
SO JOURNAL
PY 2004
DI 10.1000/x
ER

PT J
TI Cut off
"""


@pytest.fixture
def library(tmp_path):
    library = Library(tmp_path / "home" / "library.db")
    yield library
    library.close()


def test_ris_records_each_for_itself():
    parsed = read_ris(RIS, "refs.ris")
    first, second = parsed.papers
    assert first.title == "Reading & writing columns"
    assert first.authors == ("Bell, Ada", "World Health Organization")
    assert (first.key, first.year, first.doi, first.venue) == ("bell2024", 2024, "10.1000/abc", "Journal of Tests")
    assert dict(first.extra) == {"volume": "3", "pages": "1--9"}
    assert (first.entry_type, first.abstract) == ("article", "First line of two.")
    assert (second.title, second.entry_type) == ("Without an end", "inproceedings")
    reasons = {remark.where: remark.reason for remark in parsed.refused}
    assert reasons == {"line 20": "no title", "line 23": "no TY line, so it cannot be told what this is"}
    assert [remark.where for remark in parsed.incomplete] == ["line 16"]


def test_a_web_of_science_export_is_known_whatever_its_name():
    parsed = read_ris(WOS, "export.ris")
    (paper,) = parsed.papers
    assert (paper.title, paper.authors) == ("A title over two lines", ("Bell, Ada", "Dorn, Carl"))
    assert (paper.year, paper.doi) == (2004, "10.1000/x")
    assert [r.reason for r in parsed.refused] == ["the record has no end"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_ris_in_whatever_encoding(tmp_path, encoding):
    file = tmp_path / "refs.ris"
    file.write_bytes(RIS.replace("Bell, Ada", "Müller, Zoë").encode(encoding))
    assert READERS[".ris"](file).papers[0].authors[0] == "Müller, Zoë"


def test_csl_items_each_for_itself():
    items = [
        {
            "id": "http://zotero.org/1",
            "type": "article-journal",
            "title": "Of <i>Tests</i>",
            "author": [
                {"family": "Beethoven", "given": "Ludwig", "non-dropping-particle": "van"},
                {"literal": "The Group"},
                {"family": "Bell", "given": "Ada", "suffix": "Jr."},
            ],
            "issued": {"date-parts": [["2020", 1]]},
            "container-title": ["Journal"],
            "DOI": "10.1000/x",
        },
        {"id": "k", "type": "thesis", "title": "Second", "issued": {"raw": "circa 1999"}, "author": None},
        "nonsense",
        {"id": "broken", "type": "book", "title": "T", "author": [3]},
    ]
    parsed = read_csl(json.dumps(items), "refs.json")
    first, second = parsed.papers
    assert first.authors == ("van Beethoven, Ludwig", "The Group", "Bell, Ada, Jr.")
    assert (first.key, first.title, first.year, first.venue) == ("", "Of Tests", 2020, "Journal")
    assert (second.key, second.year, second.entry_type) == ("k", 1999, "phdthesis")
    assert [r.where for r in parsed.refused] == ["item 3", "item 4, broken"]


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"a": 1}', '[{"a": 1}]'])
def test_what_is_no_csl_says_so(text):
    with pytest.raises(UnreadableFile):
        read_csl(text, "x.json")


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("10.1000/XYZ.1", "doi", "10.1000/xyz.1"),
        ("https://doi.org/10.1000/xyz", "doi", "10.1000/xyz"),
        ("doi:10.1000/xyz,", "doi", "10.1000/xyz"),
        ("https://dl.acm.org/doi/10.1145/3.4", "doi", "10.1145/3.4"),
        ("2310.11511", "arxiv", "2310.11511"),
        ("arXiv:2310.11511v3", "arxiv", "2310.11511"),
        ("https://arxiv.org/pdf/2310.11511v1.pdf", "arxiv", "2310.11511"),
        ("10.48550/arXiv.2310.11511", "arxiv", "2310.11511"),
        ("hep-th/9901001", "arxiv", "hep-th/9901001"),
        ("https://aclanthology.org/2020.acl-main.207/", "url", "https://aclanthology.org/2020.acl-main.207/"),
        ("zotero:", "zotero", ""),
        ("zotero:abcd", "zotero", "ABCD"),
    ],
)
def test_identifiers(text, kind, value):
    found = identifier(text)
    assert found is not None
    assert (found.kind, found.value) == (kind, value)


@pytest.mark.parametrize(
    "text",
    ["", "refs.bib", "papers/refs.bib", "papers/10.1234/refs.bib", "some words", "2020", "C:\\papers", "http://"],
)
def test_what_is_no_identifier(text):
    assert identifier(text) is None


@given(st.text(max_size=200))
def test_any_text_can_be_looked_through(text):
    found = identifiers_in(text)
    assert len({(one.kind, one.value) for one in found}) == len(found)


def test_identifiers_in_running_text():
    text = "See arXiv: 2310.11511 (and doi: 10.1000/xyz).\nagain https://doi.org/10.1000/xyz\nand 2024 words"
    assert [(str(one), one.where) for one in identifiers_in(text)] == [
        ("arXiv 2310.11511", "line 1"),
        ("DOI 10.1000/xyz", "line 1"),
    ]


class Knows:
    """A live source that knows one paper."""

    def __init__(self) -> None:
        self.asked: list[Identifier] = []

    async def look_up(self, wanted, report=None):
        self.asked += wanted
        return Parsed(papers=(Paper(paper_id="", key="", title="Fetched", arxiv_id="2310.11511"),), places=("x",))


async def test_identifiers_are_fetched_where_that_is_allowed_and_reported_where_not(tmp_path, library):
    library.add([Paper(paper_id="", key="mine", title="Here", doi="10.1000/here")])
    (tmp_path / "list.txt").write_text("10.1000/HERE\n2310.11511\n")
    report = await import_files([tmp_path / "list.txt"], library)
    assert [str(r) for r in report.merged] == ["DOI 10.1000/here: line 1: here already as mine: Here"]
    (remark,) = report.incomplete
    assert "MARWG_ONLINE=true" in remark.reason
    assert remark.where == "line 2"
    online = Knows()
    report = await import_files([tmp_path / "list.txt", "arXiv:2310.11511"], library, online=online)
    assert report.added == 1
    assert [one.value for one in online.asked] == ["2310.11511", "2310.11511"]
    assert [p.title for p in library.papers()] == ["Here", "Fetched"]


async def test_an_archive_is_opened(tmp_path, library):
    file = tmp_path / "all.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("folder/refs.ris", RIS)
        archive.writestr("folder/refs.bib", "@article{a, title={One}, year=2001}\n")
        archive.writestr("../../evil.bib", "@article{b, title={Two}, year=2001}\n")
        archive.writestr("__MACOSX/._refs.bib", "x")
        archive.writestr("picture.png", "x")
    report = await import_files([file], library)
    assert sorted(p.title for p in library.papers()) == ["One", "Reading & writing columns", "Two", "Without an end"]
    assert {r.source for r in report.refused} == {"refs.ris"}
    assert not (tmp_path.parent / "evil.bib").exists()


async def test_bad_archives_say_so(tmp_path, library):
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04nonsense")
    with zipfile.ZipFile(tmp_path / "none.zip", "w") as archive:
        archive.writestr("picture.png", "x")
    locked = bytearray((tmp_path / "none.zip").read_bytes().replace(b"picture.png", b"picture.bib"))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(mark) + offset] |= 1
    (tmp_path / "locked.zip").write_bytes(bytes(locked))
    (tmp_path / "fine.bib").write_text("@article{a, title={One}, year=2001}\n")
    report = await import_files(sorted(tmp_path.glob("*.*")), library)
    reasons = {r.source: r.reason for r in report.refused}
    assert "damaged" in reasons["broken.zip"]
    assert "no file of a kind" in reasons["none.zip"]
    assert "encrypted" in reasons["locked.zip"]
    assert len(library) == 1
