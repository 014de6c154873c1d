"""Live sources against a local server that answers as they do, with every fault that was seen of them."""

import json
from dataclasses import replace

import pytest

from marwg.events import Notice, StageFinished
from marwg.library import Library
from marwg.library.identifiers import Identifier
from marwg.live import Live, arxiv, openalex, semantic_scholar
from marwg.live.queries import key_phrases, queries_for
from marwg.pipeline import Pipeline
from marwg.services import open_services
from marwg.settings import Settings
from marwg.types import Focal, Paper, Parameters, Request
from tests.live_servers import World, broken, busy, cut, down, page, serving, slow, to_page
from tests.pdf_writing import write_pdf
from tests.real_services import open_services as open_real
from tests.test_import_files import Taken
from tests.test_import_pdf import article

FOCAL = Focal(title="PassRank: Ranking passages for answers", abstract="Dense passage retrieval ranks passages. " * 3)


@pytest.fixture
def world():
    with serving(World()) as world:
        yield world


@pytest.fixture
def library(tmp_path):
    library = Library(tmp_path / "library.db")
    yield library
    library.close()


def settings(world: World, home, **more) -> Settings:
    urls = {f"{name}_url": world.url for name in ("arxiv", "openalex", "semantic_scholar")}
    quick = {"online_pause": 0, "retry_seconds": 0.01, "online_timeout": 0.4, "zotero_url": f"{world.url}/zotero"}
    return Settings(home=home, online=True, **{**urls, **quick, **more})


@pytest.fixture
async def live(world, library, tmp_path):
    live = Live(settings(world, tmp_path), library, Taken())
    yield live
    await live.close()


def notice(events) -> Notice:
    return next(event for event in events if isinstance(event, Notice))


async def test_what_all_sources_find_enters_the_library_and_the_index(live, library):
    events: list = []
    new = await live.find(FOCAL, None, events.append)
    papers = library.papers(new)
    assert [p.title for p in papers] == [
        "Retrieval of passages 2301.00001",
        "Dense search 10.1000/oa",
        "Ranking passages",
    ]
    assert papers[0].authors == ("van der Bell, Ada", "Plato")
    assert (papers[0].arxiv_id, papers[0].year, papers[0].venue) == ("2301.00001", 2023, "arXiv")
    assert (papers[1].abstract, papers[1].doi, papers[1].year) == ("We search passages", "10.1000/oa", 2021)
    assert (papers[2].year, papers[2].doi, papers[2].arxiv_id) == (None, "", "2302.00002")
    assert live._index.ids == list(new)
    assert library.found_online() == dict(zip(new, ["arXiv", "OpenAlex", "Semantic Scholar"], strict=True))
    said = notice(events)
    assert said.level == "info"
    assert "arXiv: 1 paper; OpenAlex: 1 paper; Semantic Scholar: 1 paper" in said.text


async def test_what_was_sent_is_written_down_and_answers_are_kept(live, world):
    await live.find(FOCAL, None, lambda event: None)
    sent = [json.loads(line) for line in live.courier.log.read_text().splitlines()]
    assert len(sent) == len(world.asked)
    assert {row["source"] for row in sent} == {"arXiv", "OpenAlex", "Semantic Scholar"}
    assert all(row["sent"].startswith(world.url) for row in sent)
    await live.find(FOCAL, None, lambda event: None)
    assert len(world.asked) == len(sent)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (down, "is not available (status 503)"),
        (busy("0"), "limits how often it may be asked"),
        (busy("3600"), "asks for a pause of 3600 seconds"),
        (slow, "did not answer within"),
        (page, "answered with a web page"),
        (to_page, "answered with a web page"),
        (broken, "cannot be read"),
    ],
)
async def test_one_source_that_fails_ends_nothing(live, world, library, fault, says):
    world.fail("openalex", fault, always=True)
    events: list = []
    new = await live.find(FOCAL, None, events.append)
    assert len(library.papers(new)) == 2
    assert notice(events).level == "warning"
    assert says in notice(events).text


async def test_a_feed_that_is_cut_off_is_said_to_be(live, world):
    world.fail("arxiv", cut)
    events: list = []
    await live.find(FOCAL, None, events.append)
    assert "arXiv sent an answer that is broken off" in notice(events).text


async def test_all_sources_down_leaves_the_library_as_it_is(live, world, library):
    for service in ("arxiv", "openalex", "s2"):
        world.fail(service, down, always=True)
    assert await live.find(FOCAL, None, lambda event: None) == ()
    assert len(library) == 0


async def test_a_busy_source_is_asked_again(live, world):
    world.fail("arxiv", busy("0"), down)
    events: list = []
    await live.find(FOCAL, None, events.append)
    assert notice(events).level == "info"
    assert world.queries("arxiv")[0] == world.queries("arxiv")[1] == world.queries("arxiv")[2]


async def test_the_budget_of_requests_is_kept(world, library, tmp_path):
    live = Live(settings(world, tmp_path, online_requests=4), library, Taken())
    events: list = []
    await live.find(FOCAL, None, events.append, queries=[f"query {n}" for n in range(10)])
    assert len(world.asked) == 4
    assert "budget of requests is used up" in notice(events).text
    await live.close()


async def test_the_cut_off_date_and_keys_are_sent_and_keys_are_not_logged(world, library, tmp_path):
    from datetime import date

    chosen = settings(world, tmp_path, semantic_scholar_api_key="s3cret", contact="me@example.org")
    live = Live(chosen, library, Taken())
    await live.find(FOCAL, date(2024, 5, 31), lambda event: None)
    assert "submittedDate:[190001010000 TO 202405312359]" in world.queries("arxiv")[0]["search_query"]
    assert world.queries("openalex")[0]["filter"] == "to_publication_date:2024-05-31"
    assert world.queries("openalex")[0]["mailto"] == "me@example.org"
    assert world.queries("s2")[0]["publicationDateOrYear"] == ":2024-05-31"
    assert next(h["x-api-key"] for p, _, h in world.asked if p.startswith("/graph")) == "s3cret"
    assert "s3cret" not in live.courier.log.read_text()
    await live.close()


async def test_what_several_papers_cite_is_taken_in_with_the_reason(live, world, library):
    library.add(
        Paper(paper_id=f"p{n}", key=f"k{n}", title=f"T {n}", arxiv_id=f"2301.0000{n}", doi="10.1000/d" if n else "")
        for n in range(2)
    )
    assert await live.neighbours(["p0", "p1"], lambda event: None) == {}, "two papers are too few"
    library.add([Paper(paper_id="p9", key="k9", title="T 9", arxiv_id="2301.00009")])
    found = await live.neighbours(["p0", "p1", "p9"], lambda event: None)
    ((one, reason),) = found.items()
    assert (library.get(one).doi, reason) == ("10.1000/cited", "cited by 3 of the 3 nearest papers")
    asked = world.queries("openalex")
    assert asked[0]["filter"] == "doi:10.48550/arxiv.2301.00000|10.1000/d|10.48550/arxiv.2301.00009"
    assert asked[1]["filter"] == "openalex:W1"
    library.remove([one])
    world.fail("openalex", down, always=True)
    events: list = []
    other = [Paper(paper_id="p8", key="k8", title="T 8", arxiv_id="2301.00008")]
    library.add(other)
    assert await live.neighbours(["p0", "p1", "p8"], events.append) == {}
    assert "were not looked for" in notice(events).text


async def test_identifiers_are_looked_up_and_what_nobody_knows_is_said(live):
    wanted = [
        Identifier(kind="doi", value="10.1000/a"),
        Identifier(kind="arxiv", value="2301.00007"),
        Identifier(kind="arxiv", value="2399.99999", where="line 3"),
        Identifier(kind="url", value="https://aclanthology.org/x/"),
        Identifier(kind="doi", value="10.1000/unknown"),
    ]
    parsed = await live.look_up(wanted)
    assert [p.title for p in parsed.papers] == [
        "Dense search 10.1000/a", "Retrieval of passages 2301.00007", "Ranking passages",
    ]  # fmt: skip
    assert [str(r) for r in parsed.incomplete] == [
        "arXiv 2399.99999: line 3: not fetched: no source knows it",
        "DOI 10.1000/unknown: not fetched: no source knows it",
    ]


async def test_a_look_up_where_everything_is_down_says_why(live, world):
    for service in ("arxiv", "openalex", "s2"):
        world.fail(service, down, always=True)
    parsed = await live.look_up([Identifier(kind="doi", value="10.1000/a")])
    assert parsed.papers == ()
    assert "OpenAlex is not available (status 503)" in parsed.incomplete[0].reason


async def test_a_zotero_library_is_read_page_by_page(world, library, tmp_path):
    chosen = settings(world, tmp_path, zotero_library="users/7", zotero_api_key="z3cret")
    live = Live(chosen, library, Taken())
    parsed = await live.look_up([Identifier(kind="zotero", value="COLL")])
    assert [(p.key, p.title, p.authors) for p in parsed.papers] == [("bell2020", "Zoo", ("Bell",))]
    assert [r.reason for r in parsed.refused] == ["no title"]
    path, _, headers = world.asked[0]
    assert path == "/zotero/users/7/collections/COLL/items/top"
    assert headers["zotero-api-key"] == "z3cret"
    assert len(world.asked) == 2
    await live.close()


async def test_zotero_without_its_setting_or_refused_says_so(live, world, library, tmp_path):
    parsed = await live.look_up([Identifier(kind="zotero", value="")])
    assert "MARWG_ZOTERO_LIBRARY is not set" in parsed.refused[0].reason
    world.fail("zotero", lambda: (403, {}, b"Forbidden"))
    other = Live(settings(world, tmp_path, zotero_library="users/7"), library, Taken())
    parsed = await other.look_up([Identifier(kind="zotero", value="")])
    assert "Zotero answered with status 403" in parsed.refused[0].reason
    await other.close()


async def test_full_texts_are_fetched_for_papers_that_have_none(live, world, library, tmp_path):
    write_pdf(tmp_path / "paper.pdf", article())
    body = (tmp_path / "paper.pdf").read_bytes()
    world.fail("pdf", lambda: (200, {"content-type": "application/pdf"}, body))
    papers = [Paper(paper_id=i, key=i, title=f"Title {i}", arxiv_id=f"2301.0000{i[1]}") for i in ("p1", "p2")]
    library.add([*papers, Paper(paper_id="p3", key="p3", title="Not on arXiv")])
    events: list = []
    assert await live.full_texts(["p1", "p2", "p3"], events.append) == 1
    assert library.has_full_text("p1")
    assert not library.has_full_text("p2")
    assert "1 of 2 full texts were fetched from arXiv." in notice(events).text


async def test_nothing_is_sent_unless_it_is_switched_on(world, tmp_path):
    services = await open_services(settings(world, tmp_path / "home").model_copy(update={"online": False}))
    assert services.online is None
    assert "Live search: off" in "\n".join(services.describe())
    await services.close()
    assert Settings().online is False
    assert world.asked == []


async def test_a_run_takes_in_what_live_search_finds_and_says_so(world, tmp_path):
    services = open_real(tmp_path / "home")
    chosen = settings(world, tmp_path / "home")
    online = Live(chosen, services.library, services.index)
    services = replace(services, online=online)
    world.fail("openalex", down, always=True)
    focal = Focal(title="Dense passage retrieval", abstract="We retrieve passages and rank passages. " * 4)
    run = services.runs.start("t", Request(focal=focal, parameters=Parameters(breadth=5, depth=0)))
    events = [event async for event in Pipeline(services).advance(run)]
    assert "OpenAlex is not available" in notice(events).text
    finished = next(e.run for e in events if isinstance(e, StageFinished))
    assert finished.candidates is not None
    found = services.library.papers([c.paper_id for c in finished.candidates.candidates])
    assert "Retrieval of passages 2301.00001" in [p.title for p in found]
    assert finished.library == services.library.state()
    await services.close()


def test_missing_fields_of_every_kind_are_no_error():
    assert openalex.parse(b'{"results": [{}, null, {"title": "T", "authorships": null}]}')[0].title == "T"
    assert semantic_scholar.parse(b'{"total": 0}') == []
    assert semantic_scholar.parse(b'{"data": [{"title": "T", "authors": null, "externalIds": null}]}')[0].authors == ()
    assert arxiv.parse(b'<feed xmlns="http://www.w3.org/2005/Atom"><entry/></feed>') == []


def test_queries_come_from_title_and_abstract():
    queries = queries_for(FOCAL)
    assert queries[0] == "Ranking passages for answers"
    assert "passage retrieval ranks passages" in queries
    assert key_phrases("", 4) == []
