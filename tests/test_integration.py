"""Drafting, feedback, refinement and revision, with scripted models."""

import pytest

from marwg.agents import integration
from marwg.errors import InvalidReply, KeyRefused, LimitReached, NothingFound
from marwg.events import Event, Notice, SectionWritten
from marwg.tasks import (
    CitedSentence,
    DraftPosition,
    DraftSection,
    FeedbackReply,
    GiveFeedback,
    ParagraphReply,
    ReviseSection,
    SectionFeedback,
    SectionReply,
    Task,
)
from marwg.text.markup import citations_of
from marwg.text.references import cited
from marwg.types import POSITION, Draft, Outline, Parameters, Request, Topic
from tests.fake_model import FakeModels
from tests.paper_world import CANDIDATES, CARDS, FOCAL, FOCAL_CARD, OUTLINE, REQUEST, MemoryLibrary


def reply(*sentences: str, note: str = "") -> SectionReply:
    cited = tuple(CitedSentence(sentence=s, cite=citations_of(s)) for s in sentences)
    return SectionReply(paragraphs=(ParagraphReply(sentences=cited),), note=note)


TEXTS = {
    "t1": ("Karpukhin et al. [@p1] learn a dual encoder.", "Lewis et al. [@p2] combine a generator with an index."),
    "t2": ("Gao and Yen [@p3] propose a benchmark of citations.",),
    POSITION: ("Closest to this work is the benchmark of citations [@p3].", "We check every claim against passages."),
}


def first(task: Task) -> SectionReply:
    return reply(*TEXTS[POSITION if isinstance(task, DraftPosition) else task.plan.topic_id])  # type: ignore[attr-defined]


def models(**replies: object) -> FakeModels:
    return FakeModels({"draft_section": first, "draft_position": first, **replies})  # type: ignore[arg-type]


async def write(
    fake: FakeModels, rounds: int = 0, events: list[Event] | None = None, outline: Outline = OUTLINE
) -> Draft:
    request = Request(focal=FOCAL, parameters=Parameters(feedback_rounds=rounds, words=300))
    report = (events if events is not None else []).append
    return await integration.write(request, outline, CANDIDATES, CARDS, FOCAL_CARD, fake, MemoryLibrary(), report)  # type: ignore[arg-type]


def texts(draft: Draft, topic_id: str) -> list[str]:
    (section,) = [s for s in draft.sections if s.topic_id == topic_id]
    return [s.text for s in section.sentences]


async def test_sections_come_from_their_own_papers_and_the_closing_one_last() -> None:
    fake, events = models(), []
    draft = await write(fake, events=events)
    assert [(s.topic_id, s.title) for s in draft.sections] == [
        ("t1", "Retrieval"),
        ("t2", "Citation evaluation"),
        (POSITION, "Position of this work"),
    ]
    assert texts(draft, "t1") == list(TEXTS["t1"])
    assert draft.author == "fake generator"
    assert draft.uncited == ()
    asked = {t.plan.topic_id: t for t in fake.asked if isinstance(t, DraftSection)}
    assert [s.id for s in asked["t1"].papers] == ["p1", "p2"]
    assert [s.id for s in asked["t2"].papers] == ["p3"]
    assert [s.id for s in asked["t2"].mentioned] == ["p2"]
    assert [f.id for f in asked["t1"].facts] == ["p1", "p2"]
    (position,) = [t for t in fake.asked if isinstance(t, DraftPosition)]
    assert position.titles == ("Retrieval", "Citation evaluation")
    assert sum(t.plan.words for t in asked.values()) + position.words == pytest.approx(300, abs=10)
    done = [e for e in events if isinstance(e, SectionWritten) and e.done]
    assert {e.topic_id for e in done} == {"t1", "t2", POSITION}
    growing = [e for e in events if isinstance(e, SectionWritten) and not e.done]
    assert growing


async def test_an_unknown_id_is_repaired_and_otherwise_taken_out_but_never_mapped() -> None:
    wrong = reply(*TEXTS["t2"], "Wu et al. [@p7] measure it too.")

    def bad(task: Task) -> SectionReply:
        return wrong if isinstance(task, DraftSection) and task.plan.topic_id == "t2" else first(task)

    fake = models(draft_section=bad, revise_section=[reply(*TEXTS["t2"], "Gao and Yen [@p3] use ELI5.")])
    draft = await write(fake)
    assert texts(draft, "t2") == [*TEXTS["t2"], "Gao and Yen [@p3] use ELI5."]
    (repair,) = [t for t in fake.asked if isinstance(t, ReviseSection)]
    assert "[@p7]" in repair.problem

    events: list[Event] = []
    stubborn = models(draft_section=bad, revise_section=wrong)
    draft = await write(stubborn, events=events)
    assert texts(draft, "t2") == list(TEXTS["t2"])
    assert len([t for t in stubborn.asked if isinstance(t, ReviseSection)]) == integration.REPAIRS
    assert any("[@p7]" in e.text for e in events if isinstance(e, Notice))
    assert set(cited(draft)) == {"p1", "p2", "p3"}


async def test_a_paper_that_is_not_cited_is_listed_with_the_reason() -> None:
    def short(task: Task) -> SectionReply:
        if isinstance(task, DraftSection) and task.plan.topic_id == "t1":
            return reply(TEXTS["t1"][0], note="[@p2] is not on retrieval.")
        return first(task)

    draft = await write(models(draft_section=short))
    assert [(u.paper_id, u.reason) for u in draft.uncited] == [("p2", "[@p2] is not on retrieval.")]
    lone = Outline(topics=(Topic(topic_id="t1", title="Retrieval", papers=("p1", "p2")),))

    def only(task: Task) -> SectionReply:
        return reply(TEXTS["t1"][0]) if isinstance(task, DraftSection) else reply("We check every claim.")

    draft = await write(models(draft_section=only, draft_position=only), outline=lone)
    assert {u.paper_id: u.reason for u in draft.uncited} == {
        "p2": "the section “Retrieval” found no place for it",
        "p3": "no topic of the outline has it",
    }


async def test_feedback_leads_to_a_revision_of_the_sections_it_names() -> None:
    asked = FeedbackReply(
        sections=(SectionFeedback(topic_id="t1", critical_analysis="Compare them."), SectionFeedback(topic_id="t2"))
    )
    better = reply(*TEXTS["t1"], "Both rely on passages [@p1; @p2].")
    fake = models(give_feedback=[asked, FeedbackReply(sections=())], revise_section=[better])
    draft = await write(fake, rounds=3)
    assert texts(draft, "t1")[-1] == "Both rely on passages [@p1; @p2]."
    assert texts(draft, "t2") == list(TEXTS["t2"])
    assert [f.topic_id for f in draft.feedback] == ["t1"]
    assert sum(isinstance(t, GiveFeedback) for t in fake.asked) == 2
    (revision,) = [t for t in fake.asked if isinstance(t, ReviseSection)]
    assert revision.feedback == "Critical analysis: Compare them."
    assert not revision.by_user


async def test_a_revision_that_breaks_the_guards_leaves_the_text() -> None:
    asked = FeedbackReply(sections=(SectionFeedback(topic_id="t1", concise_language="Shorter."),))
    events: list[Event] = []
    fake = models(give_feedback=asked, revise_section=reply(TEXTS["t1"][0]))
    draft = await write(fake, rounds=1, events=events)
    assert texts(draft, "t1") == list(TEXTS["t1"])
    assert any("stays as it was" in e.text for e in events if isinstance(e, Notice))
    problems = [t.problem for t in fake.asked if isinstance(t, ReviseSection)]
    assert problems[0] == ""
    assert "[@p2]" in problems[1]


async def test_failing_feedback_is_said_and_stops_nothing() -> None:
    events: list[Event] = []
    draft = await write(models(give_feedback=InvalidReply("No usable answer.")), rounds=1, events=events)
    assert texts(draft, "t1") == list(TEXTS["t1"])
    assert any("No usable answer." in e.text for e in events if isinstance(e, Notice))


@pytest.mark.parametrize("error", [KeyRefused("The key is refused."), LimitReached("The limit is reached.")])
async def test_what_no_section_can_mend_is_raised(error: Exception) -> None:
    with pytest.raises(type(error)):
        await write(models(draft_section=error))
    with pytest.raises(type(error)):
        await write(models(give_feedback=error), rounds=1)


# ---------------------------------------------------------------- revisions


async def revise(fake: FakeModels, draft: Draft, wish: str, topics: tuple[str, ...] = ()) -> tuple[Draft, str]:
    args = (REQUEST, draft, OUTLINE, CANDIDATES, CARDS, FOCAL_CARD, fake, MemoryLibrary(), [].append)
    return await integration.revise(*args, instruction=wish, topic_ids=topics)  # type: ignore[arg-type]


async def test_a_users_wish_changes_its_sections_only() -> None:
    draft = await write(models())
    fake = models(
        revise_section=reply(
            "Karpukhin et al. [@p1] learn a dual encoder for passages.", note="Nothing is known of cost."
        )
    )
    version, note = await revise(fake, draft, "shorter, and say what it costs", ("t1",))
    assert (version.version, version.parent, version.reason) == (2, 1, "shorter, and say what it costs")
    assert texts(version, "t1") == ["Karpukhin et al. [@p1] learn a dual encoder for passages."]
    assert [s for s in version.sections if s.topic_id != "t1"] == [s for s in draft.sections if s.topic_id != "t1"]
    assert note == "Nothing is known of cost."
    assert [(u.paper_id, u.reason) for u in version.uncited] == [("p2", "left out by the revision that was asked for")]
    (task,) = fake.asked
    assert isinstance(task, ReviseSection)
    assert task.by_user
    assert task.feedback == "shorter, and say what it costs"


async def test_a_wish_that_needs_an_invention_changes_nothing() -> None:
    draft = await write(models())
    fake = models(revise_section=reply(*TEXTS["t1"], "DPR costs 900 dollars [@p1]."))
    version, note = await revise(fake, draft, "say what it costs", ("t1", "t9"))
    assert version.sections == draft.sections
    assert "900" in note
    assert "t9" in note
    assert len(fake.asked) == 1 + integration.REPAIRS


async def test_without_topics_every_section_is_meant() -> None:
    draft = await write(models())

    def same(task: Task) -> SectionReply:
        assert isinstance(task, ReviseSection)
        return reply(*TEXTS[task.plan.topic_id])

    fake = models(revise_section=same)
    version, note = await revise(fake, draft, "in British English")
    assert [t.plan.topic_id for t in fake.asked] == ["t1", "t2", POSITION]  # type: ignore[attr-defined]
    assert (version.sections, note) == (draft.sections, "")


async def test_nothing_is_written_from_nothing() -> None:
    with pytest.raises(InvalidReply):
        await write(models(draft_section=reply(), draft_position=reply(), revise_section=reply()))
    args = (REQUEST, OUTLINE, CANDIDATES, CARDS, FOCAL_CARD, models(), MemoryLibrary(papers=()), [].append)
    with pytest.raises(NothingFound):
        await integration.write(*args)  # type: ignore[arg-type]


async def test_a_removed_paper_goes_even_if_the_writer_keeps_it() -> None:
    draft = await write(models())
    rest = CANDIDATES.model_copy(update={"shortlist": tuple(s for s in CANDIDATES.shortlist if s.paper_id != "p2")})
    outline = Outline(topics=(Topic(topic_id="t1", title="Retrieval", papers=("p1",)), *OUTLINE.topics[1:]))
    args = (
        REQUEST,
        draft,
        outline,
        rest,
        CARDS,
        FOCAL_CARD,
        models(revise_section=reply(*TEXTS["t1"])),
        MemoryLibrary(),
        [].append,
    )
    version, note = await integration.revise(*args, instruction="remove the paper by Lewis", topic_ids=("t1",))  # type: ignore[arg-type]
    assert texts(version, "t1") == [TEXTS["t1"][0]]
    assert "[@p2]" in note
    assert version.uncited == ()
