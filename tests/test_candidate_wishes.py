"""What the user wants of the candidates: pinned, excluded, a minimum, the own library alone; and live search before all."""

import pytest

from marwg.agents.candidate_construction import construct
from marwg.errors import NothingFound
from marwg.events import Notice
from marwg.types import Parameters, Request
from tests.fake_library import FakeIndex, FakeLibrary
from tests.fake_model import FakeModels
from tests.test_candidate_construction import FOCAL, paper, reader

FAR, FARTHER = "p39", "p38"


@pytest.fixture
def library() -> FakeLibrary:
    return FakeLibrary([paper(n) for n in range(40)])


async def run(library, events=None, models=None, online=None, **parameters):
    asked = Parameters(**{"breadth": 4, "selection": "similarity" if models is None else "reading"} | parameters)
    models = models or FakeModels({}, built_in=True)
    events = [] if events is None else events
    request = Request(focal=FOCAL, parameters=asked)
    return await construct(request, models, library, FakeIndex(library), events.append, online)


def ids(found) -> list[str]:
    return [one.paper_id for one in found.shortlist]


async def test_a_pinned_paper_is_in_every_list_whatever_its_similarity(library):
    assert FAR not in ids(await run(library))
    found = await run(library, pinned=("k39", FARTHER), minimum_similarity=0.3)
    assert set(ids(found)[:2]) == {FAR, FARTHER}
    assert {FAR, FARTHER} <= set(found.longlist)
    assert {FAR, FARTHER} <= {c.paper_id for c in found.candidates}
    assert len(ids(found)) == 4


async def test_a_pinned_paper_stays_where_the_model_does_not_want_it(library):
    found = await run(library, models=reader({"p01": 0}), pinned=("p01",))
    assert ids(found)[0] == "p01"


async def test_a_pinned_paper_is_later_than_the_cut_off_date_and_the_focal_one_never_is(library):
    library.held += [
        paper(1, paper_id="plate", year=2030, title="Late words", key="late"),
        paper(1, paper_id="pself", title=FOCAL.title, key="self"),
    ]
    found = await run(library, pinned=("late", "self"), until="2021-01-01")
    assert ids(found)[0] == "plate"
    assert "pself" not in ids(found)


async def test_an_excluded_paper_is_left_out_with_the_reason(library):
    first = ids(await run(library))[0]
    found = await run(library, excluded=(first,), pinned=(first,))
    assert first not in ids(found)
    assert first not in [c.paper_id for c in found.candidates]
    assert {one.paper_id: one.reason for one in found.left_out}[first] == "excluded by the user"


async def test_names_that_nobody_has_are_said(library):
    events: list = []
    await run(library, events, pinned=("typo",), excluded=("other",))
    assert any("not in the library: other, typo" in e.text for e in events if isinstance(e, Notice))


async def test_the_minimum_similarity(library):
    everything = await run(library)
    least = sorted(c.similarity for c in everything.candidates)[-3]
    found = await run(library, minimum_similarity=least)
    assert len(ids(found)) == 3
    assert any(f"is below the minimum of {least:.2f}" in one.reason for one in found.left_out)
    with pytest.raises(NothingFound, match="similar enough"):
        await run(library, minimum_similarity=1.0)


class Online:
    """Live sources that bring one paper."""

    def __init__(self, library: FakeLibrary) -> None:
        self.library, self.asked, self.texts = library, [], []

    async def find(self, focal, until, report, queries=()):
        self.asked.append(tuple(queries))
        if not self.library.foreign:
            self.library.held.append(paper(0, paper_id="plive", key="live", title="Citation checking, live"))
            self.library.foreign["plive"] = "arXiv"

    async def neighbours(self, papers, report):
        self.library.held.append(paper(38, paper_id="pcited", key="cited", title="Cited often"))
        self.library.foreign["pcited"] = "OpenAlex"
        return {"pcited": f"cited by 3 of the {len(papers)} nearest papers"}

    async def full_texts(self, papers, report):
        self.texts += papers


async def test_live_search_comes_first_and_then_with_the_models_queries(library):
    online = Online(library)
    found = await run(library, online=online, models=reader(queries=("claim verification",)))
    assert "plive" in [c.paper_id for c in found.candidates]
    assert online.asked == [(), ("claim verification",)]
    assert online.texts == list(found.longlist)


async def test_what_the_nearest_papers_cite_is_a_candidate_with_the_reason(library):
    found = await run(library, online=Online(library))
    cited = next(c for c in found.candidates if c.paper_id == "pcited")
    assert cited.reason == "cited by 3 of the 4 nearest papers"


async def test_only_my_library_asks_nobody_and_leaves_out_what_live_search_brought(library):
    online = Online(library)
    await run(library, online=online)
    online.asked.clear()
    found = await run(library, online=online, only_my_library=True)
    assert online.asked == []
    assert "plive" not in [c.paper_id for c in found.candidates]
    assert "only your own library" in {one.paper_id: one.reason for one in found.left_out}["plive"]
