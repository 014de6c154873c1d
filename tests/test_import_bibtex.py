"""BibTeX and biblatex in and out."""

import html
import unicodedata

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from marwg.library.bibtex import decode_bytes, read_bibtex, to_bibtex
from marwg.library.latex import decode, encode
from marwg.library.names import read_names, write_names
from marwg.types import Paper


def only(text: str) -> Paper:
    parsed = read_bibtex(text)
    assert len(parsed.papers) == 1, parsed.refused
    return parsed.papers[0]


def test_an_entry_with_everything():
    paper = only(
        r"""
@string{acl = "Proceedings of " # {ACL}}
@InProceedings{Li:24,
  Title = {{T}owards a {\"U}ber-Model: 50\% of {BERT} \& more},
  author = "Wei Li and {\'E}mile van der Berg and {The {BIG} Team} and others",
  booktitle = acl # { 2024}, year = 2024, month = aug, pages = {1--9},
  doi = {https://doi.org/10.1000/X\_1}, url = "https://example.org/a\_b%20c",
  abstract = {We <i>show</i> that $O(n^2)$ suffices. It costs 5% &amp; more.},
  keywords = {a, b}
}"""
    )
    assert paper.key == "Li:24"
    assert paper.title == "Towards a Über-Model: 50% of BERT & more"
    assert paper.authors == ("Li, Wei", "van der Berg, Émile", "The BIG Team", "others")
    assert paper.venue == "Proceedings of ACL 2024"
    assert (paper.year, paper.doi, paper.url) == (2024, "10.1000/x_1", "https://example.org/a_b%20c")
    assert paper.abstract == "We show that $O(n^2)$ suffices. It costs 5% & more."
    assert paper.extra == (("month", "aug"), ("pages", "1--9"), ("keywords", "a, b"))
    assert paper.entry_type == "inproceedings"


def test_one_bad_entry_never_costs_the_others():
    parsed = read_bibtex(
        "@article{good1, title={One}, author={A. Bee}, year={2001}}\n"
        "@article{open, title={Never closed, author={C}\n"
        "@article{good2, title={Two}}\n"
        "@article{comma title={Three}}\n"
        "@article{untitled, author={D. Eee}, year=1999}\n"
        "@article{good1, title={The same key}, year=2003}\n"
        "@article{twice, title={Five}, year=2004, year={2005}}\n"
        "@article{brace, title={Six}}, year={2006}, abstract={Lost.}}\n"
        "@comment{jabref-meta: groups}\n"
        '@article{quote, title="Seven, year=2007}\n'
        "@article{last, title={Eight}, year={2008}}\n",
        "refs.bib",
    )
    assert [p.title for p in parsed.papers] == ["One", "Two", "The same key", "Five", "Six", "Eight"]
    refused = [(r.source, r.where, r.reason) for r in parsed.refused]
    assert ("refs.bib", "line 2, open", "a brace or quotation mark is not closed") in refused
    assert ("refs.bib", "line 5, untitled", "no title") in refused
    assert ("refs.bib", "line 10, quote", "a brace or quotation mark is not closed") in refused
    assert any(where.startswith("line 4") for _, where, _ in refused)
    assert len(refused) == 4
    assert any("unread" in r.reason for r in parsed.incomplete)
    assert any(r.where == "line 3, good2" and r.reason == "no author, no year, no abstract" for r in parsed.incomplete)
    assert parsed.papers[3].year == 2004


def test_cross_references_lend_what_is_missing():
    parsed = read_bibtex(
        "@incollection{part, title={Part}, author={A. Bee}, crossref={Whole}}\n"
        "@collection{whole, title={The Whole}, subtitle={Sub}, editor={C. Dee}, date={1998-05}, publisher={P}, doi={10.1000/whole}}\n"
    )
    part, whole = parsed.papers
    assert (part.venue, part.year, part.doi) == ("The Whole", 1998, "")
    assert ("editor", "C. Dee") in part.extra
    assert whole.title == "The Whole: Sub"
    assert whole.authors == ("Dee, C.",)


@pytest.mark.parametrize(
    ("fields", "arxiv_id"),
    [
        ("eprint={2310.11511v2}, archivePrefix={arXiv}", "2310.11511"),
        ("eprint={math/0307200}, eprinttype={arxiv}", "math/0307200"),
        ("journal={arXiv preprint arXiv:2310.11511}", "2310.11511"),
        ("journal={CoRR}, volume={abs/1706.03762}", "1706.03762"),
        ("url={https://arxiv.org/abs/2310.11511v1}", "2310.11511"),
        ("doi={10.48550/arXiv.2310.11511}", "2310.11511"),
        ("eprint={hal-01093971}, eprinttype={hal}", ""),
        ("journal={Nature}, volume={2310}", ""),
    ],
)
def test_arxiv_ids_are_found(fields, arxiv_id):
    assert only(f"@misc{{a, title={{T}}, {fields}}}").arxiv_id == arxiv_id


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("Ludwig van Beethoven", ("van Beethoven, Ludwig",)),
        ("de la Cruz, Juan and Ng, A.", ("de la Cruz, Juan", "Ng, A.")),
        ("Bennett, Jr., Frank G.", ("Bennett, Frank G., Jr.",)),
        ("{U.S. Bureau of the Census}", ("U.S. Bureau of the Census",)),
        ("{{Barnes and Noble}} and Li, Wei", ("Barnes and Noble", "Li, Wei")),
        ("令狐, 冲 and {東方不敗}", ("令狐, 冲", "東方不敗")),
        ("ابن سينا", ("سينا, ابن",)),
        ("{\\'A}lvarez, {\\AA}sa", ("Álvarez, Åsa",)),
        ("family=Gogh, given=Vincent, prefix=van, useprefix=true and Li, Wei", ("van Gogh, Vincent", "Li, Wei")),
        ("Bell, Ada; Dorn, Carl", ("Bell, Ada", "Dorn, Carl")),
        ("Ada Bell, Carl Dorn, Eva Frey, Gil Haas", ("Bell, Ada", "Dorn, Carl", "Frey, Eva", "Haas, Gil")),
        ("Madonna AND Prince", ("Madonna", "Prince")),
        ("Anderson, Andy and others", ("Anderson, Andy", "others")),
        ("", ()),
    ],
)
def test_names(field, names):
    assert read_names(field) == names


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(encoding):
    text = "@article{a,\r\n title={Über Größe},\r\n author={Müller, Jörg}}\r\n"
    paper = only(decode_bytes(text.encode(encoding)))
    assert (paper.title, paper.authors) == ("Über Größe", ("Müller, Jörg",))


def test_our_note_comes_back_as_a_note():
    paper = Paper(paper_id="", key="k", title="T", abstract="Our words.", abstract_is_note=True)
    assert "abstract =" not in to_bibtex(paper)
    assert only(to_bibtex(paper)) == paper


def test_the_written_entry():
    paper = Paper(
        paper_id="", key="k", title="Costs of 5% & {More}", authors=("Li, Wei", "The Team"), year=2024, venue="A_B",
        entry_type="article", arxiv_id="2310.11511", extra=(("month", "aug"), ("note", "$x$ {\\'e}")), abstract="Long.",
    )  # fmt: skip
    assert to_bibtex(paper, "other", abstract=False) == (
        "@article{other,\n"
        "  title = {{Costs of 5\\% \\& \\{More\\}}},\n"
        "  author = {Li, Wei and {The Team}},\n"
        "  year = {2024},\n"
        "  journal = {A\\_B},\n"
        "  eprint = {2310.11511},\n"
        "  archiveprefix = {arXiv},\n"
        "  month = aug,\n"
        "  note = {$x$ {\\'e}},\n"
        "}\n"
    )


PRINTABLE = st.text(
    st.characters(exclude_categories=["C", "Z"], include_characters=" \\{}$%&~^_#-`'?!\"<>,;=@"), max_size=60
)
TEXTS = st.one_of(PRINTABLE, st.text("ab \\{}$%&~^_#-`'\"", max_size=30)).map(
    lambda text: " ".join(unicodedata.normalize("NFC", text).split())
)


def without_markup(text: str) -> bool:
    """Whether a text has no HTML in it, which reading takes for markup."""
    return html.unescape(text) == text and "<" not in text


@settings(max_examples=300, deadline=None)
@given(text=TEXTS)
@example(text="$x^2$ and $ y_1 -- ``quoted'' ~ \\ {")
@example(text="100% {of} #1 & a^b")
def test_latex_round_trip(text):
    assume(without_markup(text))
    assert decode(encode(text)) == text


NAME_PART = st.text(
    st.characters(categories=["Lu", "Ll", "Lo"], include_characters="-.'é "), min_size=1, max_size=12
).map(lambda text: " ".join(unicodedata.normalize("NFC", text).split()))
NAMES = st.one_of(
    NAME_PART,
    st.tuples(NAME_PART, NAME_PART).map(", ".join),
    st.tuples(NAME_PART, NAME_PART, st.just("Jr.")).map(", ".join),
)


@settings(max_examples=200, deadline=None)
@given(names=st.lists(NAMES, max_size=4).map(tuple))
def test_names_round_trip(names):
    assume(all(part for name in names for part in name.split(", ")) and all(without_markup(n) for n in names))
    assert read_names(write_names(names)) == names


@settings(max_examples=150, deadline=None)
@given(
    title=TEXTS, venue=TEXTS, abstract=TEXTS, note=st.booleans(), year=st.one_of(st.none(), st.integers(1500, 2099)),
    authors=st.lists(NAMES, max_size=3).map(tuple), kind=st.sampled_from(["article", "misc", "book", "inproceedings", "online", "thesis"]),
    arxiv_id=st.sampled_from(["", "2310.11511", "math/0307200"]), doi=st.sampled_from(["", "10.1000/a_b(c)-1"]),
)  # fmt: skip
def test_export_and_import_round_trip(title, venue, abstract, note, year, authors, kind, arxiv_id, doi):
    assume(title and all(without_markup(text) for text in (title, venue, abstract, *authors)))
    assume(all(part for name in authors for part in name.split(", ")))
    assume(arxiv_id or "arxiv" not in venue.casefold())
    paper = Paper(
        paper_id="", key="key2024", title=title, authors=authors, year=year, venue=venue, doi=doi, arxiv_id=arxiv_id, entry_type=kind,
        url="https://example.org/a_b?c=d&e=1%20f~g#h", extra=(("pages", "1--9"), ("note", "{\\'E}t{\\'e} 5\\%")),
        abstract=abstract, abstract_is_note=note and bool(abstract),
    )  # fmt: skip
    parsed = read_bibtex("@comment{x}\n" + to_bibtex(paper) + "@misc{after, title={After}}\n")
    assert parsed.papers[0] == paper
    assert parsed.papers[1].title == "After"


@settings(max_examples=150, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
@example(text="@article{a, title={" + "{" * 50)
@example(text='@string{a = b}@string{b = a}@misc{k, title = a # b # "x"}')
@example(text="@article{x, title={T}, crossref={x}}")
def test_no_text_breaks_the_reader(text):
    read_bibtex(text)
    read_bibtex("@article{k, title={" + text + "}}")
