"""Candidate Construction on a small library: lists, reasons, the reading pass and what goes wrong in it."""

import re
from collections.abc import Callable
from datetime import date

import pytest

from marwg.agents.candidate_construction import construct
from marwg.errors import EmptyLibrary, KeyRefused, LimitReached, ModelUnavailable, NothingFound
from marwg.events import Event, Notice, Progress
from marwg.prompts import render
from marwg.tasks import AskForMissing, CandidateGrade, CandidateGrades, Queries, ReadCandidates, Source
from marwg.types import Focal, Page, Paper, PaperRole, Parameters, Request, Stage
from tests.fake_library import FakeIndex, FakeLibrary
from tests.fake_model import FakeModels

FOCAL = Focal(
    title="Checking citations in generated text",
    abstract="citation checking verifies generated sentences against passages of the cited source",
)
NEAR = "citation checking verifies generated sentences against passages"
WORDS = "source cited text in of the attribution evidence claim support factual retrieval".split()


def paper(number: int, **facts) -> Paper:
    """Papers with a higher number share fewer words with the focal paper."""
    text = " ".join(NEAR.split()[: max(1, 8 - number // 6)]) + " " + WORDS[number % 12] + f" w{number} v{number}"
    given = {"paper_id": f"p{number:02}", "key": f"k{number}", "title": f"Paper {text}", "abstract": text, "year": 2020}
    return Paper(**given | facts)


@pytest.fixture
def library() -> FakeLibrary:
    return FakeLibrary([paper(n) for n in range(40)])


def graded(
    grades: dict[str, int] | Callable[[Source], int], default: int = 1
) -> Callable[[ReadCandidates], CandidateGrades]:
    def answer(task: ReadCandidates) -> CandidateGrades:
        said = [(p.id, grades(p) if callable(grades) else grades.get(p.id, default)) for p in task.papers]
        return CandidateGrades(
            papers=tuple(
                CandidateGrade(
                    id=i, grade=g, role=PaperRole.COMPETITOR if g else PaperRole.NOT_NEEDED, reason=f"why {i}"
                )
                for i, g in said
            )
        )

    return answer


def reader(grades=None, queries: tuple[str, ...] = (), **more) -> FakeModels:
    return FakeModels({"read_candidates": graded(grades or {}), "ask_for_missing": Queries(queries=queries)} | more)


async def run(library, models=None, index=None, events: list[Event] | None = None, focal: Focal = FOCAL, **parameters):
    asked = Parameters(**{"breadth": 4, "selection": "similarity" if models is None else "reading"} | parameters)
    report = ([] if events is None else events).append
    request = Request(focal=focal, parameters=asked)
    return await construct(request, models or FakeModels(), library, index or FakeIndex(library), report)


def notices(events: list[Event]) -> str:
    return " | ".join(e.text for e in events if isinstance(e, Notice))


# ---------------------------------------------------------------- the paper's way


async def test_the_lists_have_the_lengths_of_the_method(library):
    index = FakeIndex(library, topics={"p00": "0_citation"})
    found = await run(library, index=index, depth=0)
    nearest = [h.paper_id for h in await index.search(index.searched[0][0], 24)]
    assert [c.paper_id for c in found.candidates] == nearest  # 6·B
    assert list(found.longlist) == nearest[:12]  # 3·B, in the order of relevance
    assert [s.paper_id for s in found.shortlist] == nearest[:4]  # B
    assert [s.score for s in found.shortlist] == [c.similarity for c in found.candidates[:4]]
    assert {c.paper_id: c.topic for c in found.candidates if c.topic} == {"p00": "0_citation"}
    assert found.queries == ()


async def test_it_is_the_same_each_time(library):
    models = FakeModels(built_in=True)
    first = await run(library, models)
    assert first == await run(FakeLibrary(library.held[::-1]), models)
    assert models.asked == []  # the built-in writer orders by similarity


async def test_an_empty_library_is_said_to_be_empty():
    with pytest.raises(EmptyLibrary, match="empty"):
        await run(FakeLibrary([]))


@pytest.mark.parametrize("models", [None, reader()])
async def test_nothing_related_writes_nothing(models, library):
    cooking = Focal(title="Sourdough", abstract="flour water salt yeast oven crust bake knead")
    with pytest.raises(NothingFound, match="Nothing in the library has to do with this paper"):
        await run(library, models, focal=cooking)
    assert models is None or models.asked == []


async def test_the_focal_paper_itself_is_not_proposed(library):
    library.held.append(
        paper(0, paper_id="p99", title="Checking Citations in Generated Text.", abstract=FOCAL.abstract)
    )
    found = await run(library)
    assert "p99" not in {c.paper_id for c in found.candidates}
    assert len(found.candidates) == 24
    assert [(x.paper_id, x.reason) for x in found.left_out if x.paper_id == "p99"] == [
        ("p99", "it is the focal paper itself")
    ]


async def test_nothing_later_than_the_cut_off_is_proposed():
    library = FakeLibrary([
        paper(0, year=2023), paper(1, year=2019), paper(2, year=2023, arxiv_id="2306.00001"), paper(3, year=None),
        paper(4, year=2023, arxiv_id="2304.00001"), paper(5, year=2024), *(paper(n, year=2010) for n in range(6, 40)),
    ])  # fmt: skip
    found = await run(library, until=date(2023, 5, 31))
    reasons = {x.paper_id: x.reason for x in found.left_out if "2023-05-31" in x.reason}
    assert sorted(reasons) == ["p02", "p03", "p05"]
    assert reasons["p02"] == "it appeared after 2023-05-31"
    assert reasons["p03"] == "its year is not known, so it may be later than 2023-05-31"
    assert len(found.candidates) == 24  # others took their places
    with pytest.raises(NothingFound, match="can be used: it appeared after 1990"):
        await run(FakeLibrary([paper(0)]), until=date(1990, 1, 1))


async def test_a_breadth_beyond_the_library_takes_what_is_there():
    events: list[Event] = []
    found = await run(FakeLibrary([paper(n) for n in range(6)]), events=events, breadth=20)
    assert len(found.shortlist) == 6
    assert "20 papers were asked for and the library holds 6." in notices(events)


async def test_look_alikes_are_left_out_with_a_reason(library):
    events: list[Event] = []
    found = await run(library, events=events, breadth=35)
    assert 10 <= len(found.shortlist) < 35
    out = {x.paper_id: x.reason for x in found.left_out}
    assert set(out).isdisjoint(found.longlist)
    assert all(re.search(r"similarity 0\.\d\d, nearest 0\.\d\d", reason) for reason in out.values())
    assert f"The shortlist has {len(found.shortlist)} papers" in notices(events)


async def test_breadth_depth_and_diversity_have_an_effect(library):
    library.pages_of = {
        p.paper_id: [Page(paper_id=p.paper_id, number=n, text=f"{NEAR} {n}") for n in (1, 2, 3)] for p in library.held
    }
    plain = await run(library)
    assert len((await run(library, breadth=6)).shortlist) == 6
    assert [len(s.pages) for s in plain.shortlist] == [3] * 4
    assert [len(s.pages) for s in (await run(library, depth=1)).shortlist] == [1] * 4
    diverse = {rule: await run(library, diversity=0.6, diversity_rule=rule) for rule in ("mmr", "paper")}
    assert len({plain.longlist, diverse["mmr"].longlist, diverse["paper"].longlist}) == 3
    assert len({x.longlist[0] for x in (plain, *diverse.values())}) == 1  # the most similar one begins


# ---------------------------------------------------------------- pages


async def test_pages_belong_to_their_paper_whatever_fails(library):
    """One paper without readable pages and one without any must not shift the pages of the others."""
    ids = [p.paper_id for p in library.held]
    library.pages_of = {
        i: [Page(paper_id=i, number=10 * n + k, text=f"{NEAR} page {k}") for k in (1, 2)]
        for n, i in enumerate(ids) if i != "p01"
    }  # fmt: skip
    events: list[Event] = []
    found = await run(library, index=FakeIndex(library, broken=["p00"]), events=events, breadth=20, depth=2)
    pages = {s.paper_id: set(s.pages) for s in found.shortlist}
    similarity = {c.paper_id: c.similarity for c in found.candidates}
    assert {"p00", "p01"} <= set(pages)
    for paper_id, numbers in pages.items():
        own = {p.number for p in library.pages(paper_id)}
        assert numbers == (set() if paper_id in ("p00", "p01") else own)
    for s in found.shortlist:
        assert (s.score == similarity[s.paper_id]) == (not s.pages)
    assert f"“{library.get('p00').title}” is used with its abstract alone. Its pages cannot be read." in notices(events)


async def test_good_pages_lift_a_paper(library):
    far = (await run(library)).longlist[-1]
    library.pages_of = {far: [Page(paper_id=far, number=5, text=f"{FOCAL.title}\n{FOCAL.abstract}")]}
    assert (await run(library)).shortlist[0].paper_id == far


# ---------------------------------------------------------------- the reading pass


async def test_grades_lead_and_similarity_breaks_ties(library):
    events: list[Event] = []
    models = reader({"p20": 3, "p21": 3, "p05": 2, "p00": 0, "p01": 0})
    found = await run(library, models, events=events)
    order = [c.paper_id for c in found.candidates]
    near = {c.paper_id: c.similarity for c in found.candidates}
    assert order[:3] == [*sorted(["p20", "p21"], key=lambda i: -near[i]), "p05"]
    assert set(order[-2:]) == {"p00", "p01"}
    assert list(found.longlist) == order[:12]
    assert [s.paper_id for s in found.shortlist] == order[:4]
    first = found.candidates[0]
    assert (first.grade, first.role, first.reason) == (3, PaperRole.COMPETITOR, f"why {first.paper_id}")
    assert {x.paper_id: x.reason for x in found.left_out} == {
        "p00": "not needed: why p00",
        "p01": "not needed: why p01",
    }
    assert [e.done for e in events if isinstance(e, Progress) and e.stage == Stage.CANDIDATES] == [24]


async def test_candidates_are_read_in_batches_with_sixty_words(library):
    library.held = [p.model_copy(update={"abstract": f"{NEAR} " * 9 + p.abstract}) for p in library.held]
    models = reader()
    await run(library, models, breadth=6)
    batches = [t.papers for t in models.asked if isinstance(t, ReadCandidates)]
    assert [len(b) for b in batches] == [30, 6]
    assert {len(p.abstract.split()) for b in batches for p in b} == {61}  # and the mark that there is more


async def test_what_is_missing_is_searched_and_read(library):
    odd = Paper(paper_id="p90", key="f", title="Transformers foundation layers", abstract="attention layers", year=2017)
    library.held += [odd]
    index = FakeIndex(library)
    models = reader(
        {"p90": 3, "p03": 2}, queries=("Transformers foundation layers", " ", "attention  layers", "attention layers")
    )
    found = await run(library, models, index=index)
    assert index.searched[1:] == [("Transformers foundation layers", 10), ("attention layers", 10)]
    (asked,) = [t for t in models.asked if isinstance(t, AskForMissing)]
    assert [(p.id, p.abstract) for p in asked.kept] == [("p03", "")]
    first = found.candidates[0]
    assert (first.paper_id, first.query, first.grade) == ("p90", "Transformers foundation layers", 3)
    assert first.similarity < found.candidates[1].similarity  # the cosine to the focal paper, as for all
    assert found.queries == ("Transformers foundation layers", "attention layers")
    assert [s.paper_id for s in found.shortlist][:2] == ["p90", "p03"]


async def test_wrong_ids_are_ignored_and_missing_ones_asked_again(library):
    def careless(task: ReadCandidates) -> CandidateGrades:
        whole = graded({"p02": 3})(task).papers
        if len(task.papers) < 24:  # asked again
            return CandidateGrades(papers=tuple(g for g in whole if g.id != "p01"))
        odd = CandidateGrade(id="p77", grade=3, role=PaperRole.DATA, reason="not there")
        twice = whole[2].model_copy(update={"grade": 0})
        return CandidateGrades(papers=(*(g for g in whole if g.id not in ("p00", "p01")), odd, twice))

    events: list[Event] = []
    models = FakeModels({"read_candidates": careless, "ask_for_missing": Queries(queries=())})
    found = await run(library, models, events=events)
    assert [sorted(p.id for p in t.papers) for t in models.asked if isinstance(t, ReadCandidates)][1:] == [
        ["p00", "p01"]
    ]
    grades = {c.paper_id: c.grade for c in found.candidates}
    assert "p77" not in grades
    assert (grades["p00"], grades["p01"], grades["p02"]) == (1, None, 3)
    assert found.candidates[-1].paper_id == "p01"
    assert "not asked about were ignored: p77" in notices(events)
    assert "1 of 24 candidates were left ungraded" in notices(events)


async def test_grades_out_of_range_are_brought_back(library):
    found = await run(library, reader(lambda p: 7 if p.id == "p03" else -2 if p.id == "p04" else 1))
    grades = {c.paper_id: c.grade for c in found.candidates}
    assert (grades["p03"], grades["p04"]) == (3, 0)


async def test_where_reading_fails_similarity_orders_and_says_so(library):
    events: list[Event] = []
    models = FakeModels({"read_candidates": ModelUnavailable("The server is down.")}, names=("gem", "v"))
    found = await run(library, models, events=events)
    assert found == await run(library)
    assert "gem could not read the candidates; similarity orders them. The server is down." in notices(events)
    nothing = FakeModels({"read_candidates": CandidateGrades(papers=())})
    assert await run(library, nothing, events=events) == found
    assert "graded none of the candidates" in notices(events)


async def test_where_asking_fails_the_grades_stay(library):
    events: list[Event] = []
    models = reader({"p20": 3}, ask_for_missing=ModelUnavailable("Down."))
    assert (await run(library, models, events=events)).shortlist[0].paper_id == "p20"
    assert "could not look for missing papers" in notices(events)


@pytest.mark.parametrize("error", [KeyRefused("The key was refused."), LimitReached("The limit is reached.")])
@pytest.mark.parametrize("task", ["read_candidates", "ask_for_missing"])
async def test_a_refused_key_and_a_limit_stop_the_run(library, error, task):
    with pytest.raises(type(error)):
        await run(library, reader(**{task: error}))


async def test_a_library_without_one_wanted_paper_writes_nothing(library):
    with pytest.raises(NothingFound, match="finds none of the 24 nearest papers"):
        await run(library, reader(lambda p: 0))


# ---------------------------------------------------------------- prompts

SHOWN = Source(id="p1", title="Dense retrieval", authors="Li et al.", year=2020, abstract="We retrieve.")


def test_the_prompt_for_reading():
    prompt = render(ReadCandidates(focal=FOCAL, papers=(SHOWN,)))
    assert prompt.user == (
        "The focal paper:\n"
        f'<data name="focal paper">\nTitle: {FOCAL.title}\nAbstract: {FOCAL.abstract}\n</data>\n\n'
        "The papers to grade, 1 in all:\n"
        '<source id="p1" authors="Li et al." year="2020">\nTitle: Dense retrieval\nAbstract: We retrieve.\n</source>'
    )
    for words in ("3: must be cited", "0: not needed", "at most 15 words", "exactly one entry for each id"):
        assert words in prompt.system
    assert all(role.value in prompt.system for role in PaperRole)


def test_the_prompt_for_what_is_missing():
    prompt = render(AskForMissing(focal=FOCAL, kept=(SHOWN,)))
    assert prompt.user.endswith(
        'Picked so far:\n<source id="p1" authors="Li et al." year="2020">\nTitle: Dense retrieval\n</source>'
    )
    assert "At most ten queries" in prompt.system
    assert render(AskForMissing(focal=FOCAL, kept=())).user.endswith("Nothing was picked so far.")
