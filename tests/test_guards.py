"""Guards on sections, what they take out, and the polish of a draft."""

from marwg.tasks import CitedSentence, ParagraphReply, SectionReply
from marwg.text.markup import citations_of, parse_body
from marwg.types import Section, Sentence
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
