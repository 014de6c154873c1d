"""Guards on sections, what they take out, and the polish of a draft."""

from dataclasses import replace

import pytest

from marwg.tasks import CitedSentence, ParagraphReply, SectionReply
from marwg.text.markup import citations_of, parse_body
from marwg.types import POSITION, Cell, Section, Sentence
from marwg.writing.drafting import Material, plans
from marwg.writing.guards import Ground, Problem, as_request, mend, problems
from marwg.writing.sections import polish, section_of
from tests.paper_world import CANDIDATES, CARDS, FOCAL_CARD, OUTLINE, REQUEST, MemoryLibrary

MATERIAL = Material.of(REQUEST, CANDIDATES, CARDS, FOCAL_CARD, MemoryLibrary())
PLAN = plans(REQUEST, OUTLINE, CANDIDATES, MATERIAL)[0]
GROUND = PLAN.ground(MATERIAL)
GOOD = "Karpukhin et al. [@p1] learn a dual encoder. Lewis et al. [@p2] add a generator."


def section(text: str, title: str = "Retrieval") -> Section:
    return parse_body("t1", title, text)


def rules(text: str, **more: object) -> list[str]:
    return [p.rule for p in problems(section(text), GROUND, **more)]  # type: ignore[arg-type]


def test_a_good_section_has_no_problem() -> None:
    assert rules(GOOD + " It gains 9% to 19% over BM25 [@p1].") == []


def test_each_guard() -> None:
    assert rules(f"{GOOD} Wu et al. [@p9] do too.") == ["citation"]
    assert rules(f"{GOOD} It gains 42% [@p1].") == ["number"]
    assert rules(f"{GOOD} In contrast, this work outperforms them all [@p1].") == ["superiority"]
    assert rules(f"{GOOD} Most existing methods ignore the order of passages.") == ["uncited"]
    assert rules(f"{GOOD} Karpukhin et al. [@p1] learn a dual encoder.") == ["repeated"]
    assert rules("") == ["empty"]
    assert [p.rule for p in problems(section(GOOD, "Other"), GROUND)] == ["outline"]
    assert (
        rules(
            " ".join(
                [f"Sentence number {w} speaks of retrieval [@p1; @p2]." for w in "abcdefghijklmnopqrstuvwxyz" * 2][:52]
            )
        ).count("length")
        == 1
    )


def test_a_revision_may_not_lose_a_citation_silently() -> None:
    before, text = section(GOOD), "Karpukhin et al. [@p1] learn a dual encoder."
    assert rules(text, before=before) == ["lost citation"]
    assert rules(text, before=before, note="[@p2] went, it repeats p1.") == []
    assert rules(text, before=before, user_led=True) == []


def test_superiority_needs_the_abstract() -> None:
    focal = "Ours. It outperforms all baselines."
    ground = Ground(GROUND.allowed, GROUND.texts, focal, GROUND.title, GROUND.words)
    text = f"{GOOD} In contrast, this work outperforms them [@p1]."
    assert problems(section(text), ground) == ()


@pytest.mark.parametrize(
    "praise",
    [
        "We present the first pipeline that checks claims.",
        "It is the only framework that abstains.",
        "The pipeline outperforms SciClaims in accuracy.",
        "This work checks claims at a lower cost.",
        "This work makes far fewer errors than all existing systems.",
    ],
)
def test_praise_that_the_focal_abstract_does_not_give_is_refused_in_the_closing_section(praise: str) -> None:
    ground = replace(GROUND, focal="Drafts invent references, yet checks exist. However, few verify. We check claims.")
    closing = parse_body(POSITION, GROUND.title, praise)
    assert "superiority" in [p.rule for p in problems(closing, ground)]


def test_a_number_that_only_a_card_has_does_not_license_itself() -> None:
    wrong = CARDS[0].model_copy(update={"result": Cell(text="It gains 42% over BM25.")})
    material = Material.of(REQUEST, CANDIDATES, (wrong, *CARDS[1:]), FOCAL_CARD, MemoryLibrary())
    ground = plans(REQUEST, OUTLINE, CANDIDATES, material)[0].ground(material)
    found = problems(section("Karpukhin et al. [@p1] gain 42% over BM25. Lewis et al. [@p2] add a generator."), ground)
    assert [p.rule for p in found] == ["number"]


def test_mending_takes_out_and_never_maps() -> None:
    text = f"Both [@p1; @p9] learn vectors. Wu et al. [@p9] differ. They use labels. {GOOD} It gains 42% [@p1]."
    whole = section(text)
    mended, reasons = mend(whole, problems(whole, GROUND))
    assert [s.text for s in mended.sentences] == [
        "Both [@p1] learn vectors.",
        *(s.text for s in section(GOOD).sentences),
    ]
    assert {i for s in mended.sentences for i in citations_of(s.text)} == {"p1", "p2"}
    assert len(reasons) == 3
    assert problems(mended, GROUND) == ()
    assert "p9" in as_request([Problem("citation", "[@p9]", "[@p9] is unknown")])


def test_a_reply_becomes_a_section() -> None:
    sentences = (
        CitedSentence(sentence="Retrieval is dense", cite=("p1",), source="a dual encoder", source_page=0),
        CitedSentence(sentence="It helps [@p2,@p1]. It is old."),
    )
    made = section_of(SectionReply(paragraphs=(ParagraphReply(sentences=sentences),)), "t1", "T", MATERIAL.pages)
    assert [s.text for s in made.sentences] == ["Retrieval is dense [@p1].", "It helps [@p2; @p1].", "It is old."]
    (source,) = made.sentences[0].sources
    page = MATERIAL.papers["p1"].abstract
    assert (source.paper_id, source.page, page[source.start : source.end]) == ("p1", 0, "a dual encoder")


def test_polish_defines_an_acronym_once_and_says_nothing_twice() -> None:
    one = section(
        "Dense passage retrieval (DPR) is common [@p1]. A shared sentence about the dense index of passages [@p1]."
    )
    two = Section(
        topic_id="t2",
        title="U",
        paragraphs=(
            (
                Sentence(text="A shared sentence about the dense index of passages [@p1]."),
                Sentence(text="Newer dense passage retrieval (DPR) needs labels [@p2]."),
            ),
        ),
    )
    first, second = polish((one, two))
    assert first == one
    assert [s.text for s in second.sentences] == ["Newer DPR needs labels [@p2]."]
    assert polish((first, second)) == (first, second)
