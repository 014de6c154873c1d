"""The library: identity, merging, keys, search by words, threads."""

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marwg.errors import LibraryError
from marwg.library import Library
from marwg.library.identity import find_arxiv_id, generated_key, normal_doi, paper_id
from marwg.types import Page, Paper


def paper(title: str = "Attention Is All You Need", **facts: object) -> Paper:
    values: dict[str, object] = {
        "paper_id": "",
        "key": "",
        "title": title,
        "authors": ("Vaswani, Ashish",),
        "year": 2017,
    }
    return Paper.model_validate({**values, **facts})


@pytest.fixture
def library(tmp_path):
    library = Library(tmp_path / "library.db")
    yield library
    library.close()


def test_a_paper_gets_a_stable_id_and_a_readable_key(library):
    report = library.add([paper(doi="https://doi.org/10.1000/XYZ")])
    (one,) = library.papers()
    assert report.added == report.read == 1
    assert report.paper_ids == (one.paper_id,)
    assert one.paper_id == paper_id(paper(doi="10.1000/xyz"))
    assert len(one.paper_id) == 9
    assert one.key == "vaswani2017attention"
    assert one.doi == "10.1000/xyz"
    assert library.get(one.paper_id) == one
    assert one.paper_id in library


def test_a_given_id_is_kept_and_an_unknown_one_is_said_to_be_unknown(library):
    library.add([paper(paper_id="pa", key="x")])
    assert library.get("pa").key == "x"
    with pytest.raises(LibraryError, match="no paper pb"):
        library.get("pb")


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ({"doi": "10.1/a"}, {"doi": "10.1/A", "title": "Another title"}, ""),
        ({"doi": "10.1000/a"}, {"doi": "https://doi.org/10.1000/A", "title": "Another title"}, "the same DOI"),
        ({"arxiv_id": "1706.03762"}, {"arxiv_id": "1706.03762", "title": "Other", "year": 2023}, "the same arXiv id"),
        ({}, {"title": "Attention is all you need!", "year": 2018}, "the same title, year and first author"),
        ({}, {"year": 2020}, ""),
        ({}, {"authors": ("Li, Wei",)}, ""),
        ({"doi": "10.1000/a"}, {"doi": "10.1000/b"}, ""),
        ({"doi": "10.48550/arxiv.1706.03762"}, {"doi": "10.1000/b"}, "the same title, year and first author"),
        ({}, {"authors": (), "year": None}, "the same title"),
        ({"title": "Preface"}, {"title": "Preface", "authors": ()}, ""),
        ({"arxiv_id": "1706.03762"}, {"arxiv_id": "1810.04805"}, ""),
    ],
)
def test_duplicates(library, first, second, why):
    library.add([paper(**first)])
    report = library.add([paper(**second)], source="more.bib")
    assert [remark.reason.startswith(why) for remark in report.merged] == ([True] if why else [])
    assert len(library) == (1 if why else 2)


def test_the_published_version_wins_and_the_arxiv_id_and_the_users_key_stay(library):
    preprint = paper(
        key="mykey",
        arxiv_id="1706.03762",
        venue="arXiv",
        abstract="A note.",
        abstract_is_note=True,
        extra=(("volume", "abs/1"),),
    )
    published = paper(
        year=2018,
        venue="NeurIPS",
        doi="10.1000/x",
        entry_type="inproceedings",
        abstract="The abstract.",
        extra=(("pages", "1--9"),),
    )
    library.add([preprint])
    library.add([published])
    (merged,) = library.papers()
    assert (merged.key, merged.arxiv_id, merged.doi, merged.year, merged.venue) == (
        "mykey", "1706.03762", "10.1000/x", 2018, "NeurIPS",
    )  # fmt: skip
    assert (merged.abstract, merged.abstract_is_note) == ("The abstract.", False)
    assert merged.extra == (("pages", "1--9"),)
    assert merged.url == ""


def test_the_order_of_import_does_not_matter_for_the_facts(tmp_path):
    versions = [
        paper(arxiv_id="1706.03762", venue="CoRR"),
        paper(doi="10.1000/x", venue="NeurIPS", year=2018, abstract="A."),
    ]
    facts = []
    for number, order in enumerate((versions, versions[::-1])):
        library = Library(tmp_path / f"{number}.db")
        library.add(order)
        facts.append(library.papers()[0].model_dump(exclude={"paper_id", "key"}))
        library.close()
    assert facts[0] == facts[1]


def test_the_users_key_replaces_a_generated_one_and_old_keys_still_lead_there(library):
    library.add([paper()])
    library.add([paper(key="vaswani:attention")])
    assert library.papers()[0].key == "vaswani:attention"
    assert library.by_key("vaswani2017attention") == library.by_key("vaswani:attention") == library.papers()[0]
    assert library.by_key("nobody") is None


def test_keys_are_unique(library):
    library.add([paper(f"Study number {n}", key="same", year=2000 + 3 * n) for n in range(30)])
    keys = [p.key for p in library.papers()]
    assert keys[:4] == ["same", "samea", "sameb", "samec"]
    assert keys[27:] == ["sameaa", "sameab", "sameac"]


def test_a_note_never_replaces_an_abstract(library):
    library.add([paper(abstract="The abstract.")])
    library.add([paper(abstract="Our note.", abstract_is_note=True)])
    assert library.papers()[0].abstract == "The abstract."


def test_pages_follow_their_paper_into_a_merge(library):
    library.add([paper(key="mine")])
    stored = library.papers()[0].paper_id
    incoming = paper(paper_id="ptemporary")
    report = library.add([incoming], [Page(paper_id="ptemporary", number=2, text="Text of page two.")])
    assert report.pages == 1
    assert library.pages(stored) == [Page(paper_id=stored, number=2, text="Text of page two.")]
    assert library.has_full_text(stored)
    library.add([], [Page(paper_id=stored, number=1, text="Short.")])
    assert [p.number for p in library.pages(stored)] == [2], "pages that say less do not replace those that are here"


def test_the_digest_follows_the_text_and_nothing_else(library):
    library.add([paper(key="a")])
    (one,) = library.ids()
    before, state, revision = library.digests()[one], library.state(), library.revision()
    library.add([paper(venue="NeurIPS")])
    assert library.digests()[one] == before
    assert library.state() != state
    assert library.revision() > revision
    library.add([paper(abstract="New.")])
    assert library.digests()[one] != before


def test_papers_come_in_the_order_asked_for(library):
    library.add([paper(f"Title {n}", paper_id=f"p{n}") for n in range(5)])
    assert [p.paper_id for p in library.papers(["p3", "nobody", "p0"])] == ["p3", "p0"]
    assert library.ids() == ["p0", "p1", "p2", "p3", "p4"]


def test_lexical_search_stems_and_ranks(library):
    texts = {
        "pa": "Ranking documents with neural networks",
        "pb": "Cooking rice",
        "pc": "A neural ranker for ranked documents",
    }
    library.add([paper(title, paper_id=i, abstract=title) for i, title in texts.items()])
    hits = library.lexical("How are documents ranked by neural rankers?", 10)
    assert {i for i, _ in hits} == {"pa", "pc"}
    assert all(score > 0 for _, score in hits)
    assert library.lexical("ranking", 10, ids=["pa", "pb"])[0][0] == "pa"
    assert library.lexical("the of and", 10) == []
    library.remove(["pa"])
    assert [i for i, _ in library.lexical("documents", 10)] == ["pc"]
    assert library.by_key("vaswani2017ranking") is None


@settings(max_examples=60, deadline=None)
@given(query=st.text(max_size=60))
def test_any_text_can_be_searched_for(tmp_path_factory, query):
    library = Library(tmp_path_factory.getbasetemp() / "searched.db")
    library.add([paper(abstract='NEAR AND "OR" NOT * ^ : -')])
    assert len(library.lexical(query, 5)) <= 1
    library.close()


def test_many_threads_read_and_write(library):
    failures = []

    def work(number: int) -> None:
        try:
            library.add([paper(f"Paper {number} of part {part}", year=1990 + part) for part in range(10)])
            library.papers()
        except Exception as error:  # noqa: BLE001 - reported below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(library) == 60


def test_two_programs_share_a_library_and_it_survives_reopening(tmp_path):
    one, other = Library(tmp_path / "l.db"), Library(tmp_path / "l.db")
    one.add([paper()])
    assert len(other) == 1
    one.close()
    other.close()
    again = Library(tmp_path / "l.db")
    assert again.papers()[0].title == "Attention Is All You Need"
    again.close()


def test_a_file_that_is_no_library_is_said_to_be_none(tmp_path):
    (tmp_path / "l.db").write_text("this is no database, whatever its name says" * 100)
    with pytest.raises(LibraryError, match="cannot be opened"):
        Library(tmp_path / "l.db")


def test_a_failing_write_leaves_nothing_behind(library):
    with pytest.raises(LibraryError):
        library.add([], [Page(paper_id="nobody", number=1, text="x")])
    assert len(library) == 0
    library.add([paper()])
    assert len(library) == 1


def test_topics_are_kept(library):
    assert library.topics() == ("", {})
    library.save_topics("d1", {"pa": "word, word"})
    library.save_topics("d2", {"pb": "other, words"})
    assert library.topics() == ("d2", {"pb": "other, words"})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("https://arxiv.org/abs/2310.11511v2", "2310.11511"),
        ("arXiv preprint arXiv:1706.03762", "1706.03762"),
        ("2310.11511", "2310.11511"),
        ("math/0307200v3", "math/0307200"),
        ("hep-th/9711200", "hep-th/9711200"),
        ("https://arxiv.org/pdf/2310.11511.pdf", "2310.11511"),
        ("abs/1907.11692", "1907.11692"),
        ("pages 2310.11511 of nothing", ""),
        ("", ""),
    ],
)
def test_arxiv_ids(text, found):
    assert find_arxiv_id(text) == found


def test_dois():
    assert normal_doi("doi: 10.1000/ABC_d.") == "10.1000/abc_d"
    assert normal_doi("none") == ""


@pytest.mark.parametrize(
    ("facts", "key"),
    [
        ({"authors": ("Müller-Lüdenscheidt, Hans",), "title": "On the Théorie of it"}, "mullerludenscheidt2017theorie"),
        ({"authors": ("令狐冲",), "title": "令狐冲", "paper_id": "pabc"}, "pabc"),
        ({"authors": (), "title": "A Survey", "year": None}, "survey"),
        ({"authors": ("others",), "title": "Why?"}, "2017"),
    ],
)
def test_generated_keys(facts, key):
    assert generated_key(paper(**{"paper_id": "p1", **facts})) in {key, "p1"}
