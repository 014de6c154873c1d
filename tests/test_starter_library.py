"""The starter library and the starters: complete, well-formed, and true to the public records."""

import json
import re
import unicodedata
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
CORPUS = Path(__file__).parent.parent.parent / "shared" / "benchmark" / "rwg" / "corpus.jsonl"
PAPERS: list[dict[str, Any]] = [
    json.loads(line) for line in (EXAMPLES / "starter_library.jsonl").read_text("utf-8").splitlines()
]
STARTERS: list[dict[str, Any]] = json.loads((EXAMPLES / "starters.json").read_text("utf-8"))

REQUIRED = {"id", "title", "authors", "year", "venue", "url", "area", "note"}
OPTIONAL = {"doi", "arxiv_id"}
FIRST_PERSON = re.compile(r"\b(I|we|us|our|ours|my|ourselves)\b", re.IGNORECASE)
MARKUP = re.compile(r"[{}$\\*_`#<>]|https?:")
LONGEST_SHARED_RUN = 8


def by_id(paper: dict[str, Any]) -> str:
    return str(paper["id"])


def words(text: str) -> list[str]:
    """The words of a text without case, accents and punctuation."""
    return re.findall(r"[a-z0-9]+", unicodedata.normalize("NFKD", text).lower())


def numbers(text: str) -> set[str]:
    return set(re.findall(r"\d[\d,.]*\d|\d", text))


def test_it_holds_enough_papers_in_five_areas() -> None:
    assert len(PAPERS) >= 100
    areas = Counter(paper["area"] for paper in PAPERS)
    assert len(areas) == 5
    assert min(areas.values()) >= 15


def test_no_paper_is_there_twice() -> None:
    for field in ("id", "title", "note", "url"):
        values = [str(paper[field]).casefold() for paper in PAPERS]
        assert len(values) == len(set(values)), field


@pytest.mark.parametrize("paper", PAPERS, ids=by_id)
def test_facts_are_complete_and_well_formed(paper: dict[str, Any]) -> None:
    assert set(paper) >= REQUIRED
    assert set(paper) <= REQUIRED | OPTIONAL
    assert re.fullmatch(r"(arxiv:\d{4}\.\d{4,5}|acl:\S+|or:\S+|t:[0-9a-f]{12})", paper["id"])
    assert all(name.strip() == name and name for name in paper["authors"])
    assert paper["authors"]
    assert 1990 <= paper["year"] <= 2030
    assert paper["venue"].strip()
    assert re.match(r"https?://\S+$", paper["url"])
    assert not MARKUP.search(paper["title"])
    if "arxiv_id" in paper:
        assert paper["id"] == f"arxiv:{paper['arxiv_id']}"
        assert paper["url"].endswith(paper["arxiv_id"])
    if "doi" in paper:
        assert re.fullmatch(r"10\.\d{4,9}/\S+", paper["doi"])


@pytest.mark.parametrize("paper", PAPERS, ids=by_id)
def test_notes_are_plain_third_person_prose_of_the_right_length(paper: dict[str, Any]) -> None:
    note = paper["note"]
    assert 60 <= len(note.split()) <= 120
    assert not FIRST_PERSON.search(note)
    assert not MARKUP.search(note)
    assert note == " ".join(note.split())
    assert note.endswith(".")
    assert note.count("(") == note.count(")")
    assert len(re.findall(r"[.?!](?= [A-Z]|$)", note)) >= 3


def test_notes_do_not_all_begin_alike() -> None:
    openings = [tuple(words(paper["note"])[:2]) for paper in PAPERS]
    assert Counter(openings).most_common(1)[0][1] <= len(PAPERS) // 20
    in_order = [words(paper["note"])[0] for paper in PAPERS]
    assert not any(a == b == c for (a, b), (_, c) in pairwise(pairwise(in_order)))


def test_starters_are_focal_papers_of_our_own() -> None:
    assert len(STARTERS) == 3
    areas = {paper["area"] for paper in PAPERS}
    titles = {paper["title"].casefold() for paper in PAPERS}
    for starter in STARTERS:
        assert set(starter) == {"label", "title", "abstract", "areas"}
        assert 120 <= len(starter["abstract"].split()) <= 180
        assert " However, " in starter["abstract"]
        assert re.search(r" We (propose|present) ", starter["abstract"])
        assert starter["areas"]
        assert set(starter["areas"]) <= areas
        assert sum(paper["area"] in starter["areas"] for paper in PAPERS) >= 25
        assert starter["title"].casefold() not in titles
    assert {area for starter in STARTERS for area in starter["areas"]} == areas


def test_the_example_file_is_the_first_starter() -> None:
    first = STARTERS[0]
    assert (EXAMPLES / "focal.md").read_text("utf-8") == f"# {first['title']}\n\n{first['abstract']}\n"


@pytest.fixture(scope="module")
def records() -> dict[str, dict[str, Any]]:
    """The public records behind the papers of the library, by id."""
    if not CORPUS.exists():
        pytest.skip("../shared/benchmark is not here, so facts and notes cannot be compared with the records")
    wanted = {paper["id"] for paper in PAPERS}
    found = (json.loads(line) for line in CORPUS.read_text("utf-8").splitlines())
    return {record["id"]: record for record in found if record["id"] in wanted}


@pytest.mark.benchmark_data
def test_facts_equal_the_records(records: dict[str, dict[str, Any]]) -> None:
    for paper in PAPERS:
        record = records[paper["id"]]
        for field in ("authors", "year", "url"):
            assert paper[field] == record[field], (paper["id"], field)
        assert words(paper["title"]) == words(re.sub(r"\\[a-z]+", " ", record["title"])), paper["id"]
        assert same_venue(paper["venue"], record["venue"]), paper["id"]


def same_venue(venue: str, recorded: str) -> bool:
    """Whether both name one venue: the records give shelf marks of the Anthology and several spellings of arXiv."""
    if recorded.startswith("ACL Anthology") or venue.startswith("Findings of "):
        return venue != recorded
    if re.match(r"(arxiv|corr)\b", recorded, re.IGNORECASE):
        return venue == "arXiv"
    return venue == recorded


@pytest.mark.benchmark_data
def test_every_number_in_a_note_is_in_the_abstract_or_title(records: dict[str, dict[str, Any]]) -> None:
    for paper in PAPERS:
        record = records[paper["id"]]
        assert numbers(paper["note"]) <= numbers(f"{record['title']} {record['abstract']}"), paper["id"]


@pytest.mark.benchmark_data
def test_notes_are_not_copied(records: dict[str, dict[str, Any]]) -> None:
    size = LONGEST_SHARED_RUN + 1
    for paper in PAPERS:
        note, abstract = words(paper["note"]), words(records[paper["id"]]["abstract"])
        theirs = {tuple(abstract[i : i + size]) for i in range(len(abstract) - size + 1)}
        shared = [note[i : i + size] for i in range(len(note) - size + 1) if tuple(note[i : i + size]) in theirs]
        assert not shared, (paper["id"], " ".join(shared[0]))


@pytest.mark.benchmark_data
def test_no_starter_is_a_known_paper() -> None:
    if not CORPUS.exists():
        pytest.skip("../shared/benchmark is not here, so the starters cannot be compared with known papers")
    known = {tuple(words(json.loads(line)["title"])) for line in CORPUS.read_text("utf-8").splitlines()}
    assert not known & {tuple(words(starter["title"])) for starter in STARTERS}
