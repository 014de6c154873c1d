"""Reference files and PDFs as people have them: how many entries come out of each, and what is refused and why.

The numbers were compared with the files by eye.
"""

from functools import cache
from pathlib import Path

import pytest

from marwg.errors import UnreadableFile
from marwg.library import Library
from marwg.library.bibtex import decode_bytes, read_bibtex, to_bibtex
from marwg.library.importing import import_files
from marwg.library.pdf import read_pdf
from marwg.library.report import Parsed

PAPERS = Path(__file__).resolve().parents[2] / "shared" / "benchmark" / "papers"
pytestmark = [
    pytest.mark.benchmark_data,
    pytest.mark.skipif(not PAPERS.is_dir(), reason="../shared/benchmark/papers is not here"),
]

NO_TITLE = (
    "Andrievskii_1953", "Gaplevskaya_1975", "Gross_1952", "Gross_1952_B", "Kuzel_1961_B", "Kuzel_1967", "Kuzel_1968",
    "Nikitine_1962_proc", "Noguet_1969_PhDthesis", "Wagner_1938",
)  # fmt: skip

BIB = {
    # file: (entries that come out, papers in the library, refused)
    "acl_style_custom.bib": (7, 7, {}),
    "biblatex-examples.bib": (90, 85, dict.fromkeys(("set", "stdmodel"), "not a paper but a set of other entries")),
    "cjk_names.biblatex.bib": (35, 35, {}),
    "deepseek_v3_main.bib": (189, 183, {}),
    "geomatics_ch10_zotero.bib": (41, 41, {}),
    "jabref5_groups.bib": (20, 20, {}),
    "jabref_groups_db.bib": (901, 901, dict.fromkeys(NO_TITLE, "no title")),
    "name_particles.biblatex.bib": (53, 53, {}),
    "nilearn_references_mixed_case.bib": (123, 122, {}),
    "otsl_2305.03393_papers.bib": (34, 33, {}),
    "zotero_evocomp_with_abstracts.bib": (1199, 1193, {}),
}
"""Of biblatex-examples, five entries are the same work twice; in the Zotero export, seven keys stand twice."""


RECORDS = {
    # file: (records that come out, refused)
    "asreview_baseline_zotero.ris": (100, {}),
    "asreview_many_authors.ris": (1, {}),
    "asreview_ovid_psycinfo.ris": (6, {}),
    "asreview_proquest.ris": (6, {}),
    "asreview_pubmed_zotero.ris": (6, {}),
    "asreview_scopus.ris": (6, {}),
    "rispy_bom.ris": (0, {"line 1": "no title"}),
    "rispy_utf.ris": (1, {}),
    "rispy_wos.ris": (2, {}),
    "bbt_export.csl.json": (26, {}),
    "deep-review_references.json": (614, {"item 594, SqhJCztH": "no title"}),
}
"""`rispy_bom.ris` holds a DOI and nothing else; `rispy_wos.ris` is a Web of Science export."""


def test_every_record_file_is_stated():
    assert {path.name for folder in ("ris", "csl") for path in (PAPERS / folder).iterdir()} == set(RECORDS)


@pytest.mark.parametrize("name", sorted(RECORDS))
async def test_ris_and_csl_files(name, tmp_path):
    records, refused = RECORDS[name]
    library = Library(tmp_path / "library.db")
    report = await import_files([PAPERS / ("ris" if name.endswith(".ris") else "csl") / name], library)
    assert {remark.where: remark.reason for remark in report.refused} == refused
    assert (report.read, report.added + len(report.merged)) == (records, records)
    papers = library.papers()
    assert read_bibtex("".join(to_bibtex(p) for p in papers[:60])).papers == tuple(
        p.model_copy(update={"paper_id": ""}) for p in papers[:60]
    )
    library.close()


@cache
def parsed_bib(name: str) -> Parsed:
    return read_bibtex(decode_bytes((PAPERS / "bib" / name).read_bytes()))


def test_every_bib_file_is_stated():
    assert {path.name for path in (PAPERS / "bib").iterdir()} == set(BIB)


@pytest.mark.parametrize("name", sorted(BIB))
async def test_bib_files(name, tmp_path):
    entries, papers, refused = BIB[name]
    library = Library(tmp_path / "library.db")
    report = await import_files([PAPERS / "bib" / name], library)
    assert {remark.where.split(", ")[1]: remark.reason for remark in report.refused} == refused
    assert (report.read, report.added, len(library)) == (entries, papers, papers)
    assert len(report.merged) == entries - papers
    assert all(paper.title for paper in library.papers())
    library.close()


@pytest.mark.parametrize("name", sorted(BIB))
def test_what_came_from_a_bib_file_is_exported_and_read_again_unchanged(name):
    parsed = parsed_bib(name)
    papers = parsed.papers[:: max(1, len(parsed.papers) // 40)]
    assert read_bibtex("".join(to_bibtex(paper) for paper in papers)).papers == papers


def test_names_of_every_kind():
    def authors(name: str) -> dict[str, tuple[str, ...]]:
        parsed = parsed_bib(name)
        return {paper.key: paper.authors for paper in parsed.papers}

    particles = authors("name_particles.biblatex.bib")
    assert particles["bugreports_DemoPageFullCiteCruftOnSubsequent"] == ("U.S. Bureau of the Census",)
    assert particles["bugreports_parseName"] == ("van Happel, Eduard", "von Hoppel, Gustav")
    assert particles["bennett_citations_2013"] == ("Bennett, Frank G., Jr.",)
    assert authors("cjk_names.biblatex.bib")["Linghu.HansAuthorLinghuChong"] == ("令狐冲",)


PDF = {
    # file: (title, first and last author, pages with text, an abstract)
    "acl_2020.acl-main.207_specter.pdf": (
        "SPECTER: Document-level Representation Learning using Citation-informed Transformers", "Cohan, Arman", "Weld, Daniel", 9, True,
    ),
    "acl_2020.acl-main.447_s2orc.pdf": ("S2ORC: The Semantic Scholar Open Research Corpus", "Lo, Kyle", "Weld, Daniel", 9, True),
    "acl_2023.eacl-main.121.pdf": (
        "LONGEVAL: Guidelines for Human Evaluation of Faithfulness in Long-form Summarization", "Krishna, Kalpesh", "Lo, Kyle", 10, True,
    ),
    "acl_N18-3011_construction_s2_graph.pdf": (
        "Construction of the Literature Graph in Semantic Scholar", "Ammar, Waleed", "etzioni, oren", 7, True,
    ),
    "arxiv_0908.0054_math.pdf": (
        "Ultra light bosonic dark matter and CMB", "Montoya, Ivan Rodriguez", "Chassin, Tonatiuh Matos", 4, False,
    ),
    "arxiv_2304.02623.pdf": (
        "Beyond Summarization: Designing AI Support for Real-World Expository Writing Tasks", "Shen, Zejiang", "Sontag, David", 3, True,
    ),
    "emnlp2023_papermage_demo.pdf": (
        "PaperMage: A Unified Toolkit for Processing, Representing, and Manipulating Visually-Rich Scientific Documents",
        "Lo, Kyle", "Soldaini, Luca", 7, True,
    ),
    "joss_aorsf_single_column.pdf": (
        "aorsf: An R package for supervised learning using the oblique random survival forest",
        "Jaeger, Byron C.", "Pajewski, Nicholas M", 3, True,
    ),
    "jss_v18i03.pdf": (
        "TIMP: An R Package for Modeling Multi-way Spectroscopic Measurements",
        "Mullen, Katharine M.", "van Stokkum, Ivo H. M.", 39, True,
    ),
    "plos_pcbi.1007128_manubot.pdf": (
        "Open collaborative writing with Manubot", "Himmelstein, Daniel S.", "Gitter, Anthony", 16, True,
    ),
}  # fmt: skip
ONE_PAGE, ENCRYPTED = "arxiv_1903.10676_scibert_one_page.pdf", "edge_password_protected.pdf"


def test_every_pdf_is_stated():
    assert {path.name for path in (PAPERS / "pdf").iterdir()} == {*PDF, ONE_PAGE, ENCRYPTED}


@pytest.mark.parametrize("name", sorted(PDF))
def test_pdfs(name):
    title, first, last, pages, has_abstract = PDF[name]
    parsed = read_pdf(PAPERS / "pdf" / name)
    (paper,) = parsed.papers
    assert (paper.title, paper.authors[0], paper.authors[-1]) == (title, first, last)
    assert [page.number for page in parsed.pages] == list(range(1, pages + 1))
    assert bool(paper.abstract) == has_abstract
    text = "\n".join(page.text for page in parsed.pages)
    assert "\nReferences" not in text
    assert "ﬁ" not in text
    assert "\x02" not in text


def test_two_columns_are_read_one_after_the_other():
    parsed = read_pdf(PAPERS / "pdf" / "acl_2020.acl-main.207_specter.pdf")
    text = parsed.pages[2].text
    parts = (
        "2.3 Citation-Based Pretraining Objective",
        "2.4 Selecting Negative Distractors",
        "2.5 Inference",
        "3 SCIDOCS Evaluation Framework",
    )
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)
    assert "the positive paper is a paper that the query paper cites, and the negative paper" in text.casefold()
    assert parsed.pages[-1].text.endswith(
        "citations as additional input to the model would be yet another area to explore in future."
    )


def test_one_page_out_of_a_paper_has_no_title_and_says_so():
    parsed = read_pdf(PAPERS / "pdf" / ONE_PAGE)
    assert parsed.papers[0].title == "arxiv 1903.10676 scibert one page"
    assert "no title found" in parsed.incomplete[0].reason
    assert len(parsed.pages) == 1


def test_an_encrypted_pdf_says_so():
    with pytest.raises(UnreadableFile, match="encrypted and asks for a password"):
        read_pdf(PAPERS / "pdf" / ENCRYPTED)


async def test_a_paper_comes_together_from_its_bib_entry_and_its_pdf(tmp_path):
    (tmp_path / "refs.bib").write_text(
        "@inproceedings{cohan, title={{SPECTER}: Document-level Representation Learning using Citation-informed Transformers},"
        " author={Arman Cohan and others}, year=2020, booktitle={ACL}, doi={10.18653/v1/2020.acl-main.207}}"
    )
    library = Library(tmp_path / "library.db")
    await import_files([tmp_path / "refs.bib", PAPERS / "pdf" / "acl_2020.acl-main.207_specter.pdf"], library)
    (paper,) = library.papers()
    assert (paper.key, paper.year, paper.doi, len(paper.authors)) == ("cohan", 2020, "10.18653/v1/2020.acl-main.207", 5)
    assert paper.abstract.startswith("Representation learning is a critical ingredient")
    assert len(library.pages(paper.paper_id)) == 9
    library.close()
