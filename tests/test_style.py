"""Style: settings in words, spelling by rule, a word limit that holds, and nothing said twice."""

from argparse import Namespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marwg.agents import integration
from marwg.errors import InputError
from marwg.tasks import CitedSentence, DraftPosition, DraftSection, ParagraphReply, ReviseSection, SectionReply, Task
from marwg.terminal import parameters_of
from marwg.text.markup import citations_of
from marwg.text.references import cited, cited_in
from marwg.text.spelling import american, british
from marwg.text.style import instructions, shaped, wished
from marwg.types import POSITION, Draft, Parameters, Request, Section, Sentence, Style
from marwg.writing.fitting import fitted, length
from marwg.writing.guards import Ground, problems
from marwg.writing.redundancy import overlaps, redundancy
from marwg.writing.scope import Scope, kept_to, scope_of
from marwg.writing.sections import merged
from tests.fake_model import FakeModels
from tests.paper_world import CANDIDATES, CARDS, FOCAL, FOCAL_CARD, OUTLINE, REQUEST, MemoryLibrary
from tests.test_integration import TEXTS, first, reply

# ---------------------------------------------------------------- spelling


def test_british_and_american():
    us = "Modeling behavior centers on generalizing labeled, color-coded data; we analyze size and prizes [@color]."
    uk = "Modelling behaviour centres on generalising labelled, colour-coded data; we analyse size and prizes [@color]."
    assert british(us) == uk
    assert american(uk) == us


@pytest.mark.parametrize(
    "text",
    ["The Modeling Center of Color", "“modeling behavior”", 'so-called "color"', "see https://labeled.org/color [@color]", "color_map and a@color.org",
     "two analyses of a parameter exercise a wise noise otherwise"],
)  # fmt: skip
def test_names_quotations_and_citations_are_left_alone(text: str):
    assert british(f"In {text}.") == f"In {text}."
    assert american(f"In {text}.") == f"In {text}."


@given(st.text(alphabet="abcdeilmnorsuzyALM -.“”@[]1", max_size=60))
def test_spelling_keeps_what_is_no_word(text: str):
    for respelled in (british, american):
        once = respelled(text)
        assert respelled(once) == once
        assert citations_of(once) == citations_of(text)


# ---------------------------------------------------------------- wishes


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        ("in British English", {"english": "british"}),
        ("please use American spelling", {"english": "american"}),
        ("without headings", {"headings": False}),
        ("remove the subsection headings please", {"headings": False}),
        ("show the headings", {"headings": True}),
        ("no closing paragraph", {"closing": False}),
        ("add a closing paragraph", {"closing": True}),
        ("at most 400 words", {"word_limit": 400}),
        ("write it for a vision audience", {"audience": "vision"}),
        ("make it more formal", {"tone": "formal"}),
        ("write it in German", {"language": "German"}),
        ("British English without headings", {"english": "british", "headings": False}),
    ],
)
def test_a_wish_in_words_becomes_settings(message: str, changes: dict):
    wish = wished(message)
    assert wish is not None
    assert (wish.changes, wish.whole) == (changes, True)


@pytest.mark.parametrize(
    "message",
    ["shorter by a third", "be more critical of the second group", "compare A and B on data", "remove the paper by Li", "make section 2 more formal",
     "explain why ours differs from Li", "merge these paragraphs"],
)  # fmt: skip
def test_other_wishes_are_not_style(message: str):
    assert wished(message) is None


def test_what_a_writer_is_told():
    assert instructions(Style()) == ()
    told = " ".join(
        instructions(Style(english="british", tone="critical", person="we", audience="vision", headings=False))
    )
    assert all(word in told for word in ("British", "cannot do", "first person", "vision", "headings"))
    assert "German" in instructions(Style(language="German"))[0]


def test_style_on_the_command_line():
    names = "breadth depth diversity words until selection minimum_similarity only_my_library pinned excluded".split()
    given = Namespace(**dict.fromkeys(names), english="british", headings=False, closing=None, word_limit=500)
    style = parameters_of(given).style
    assert style == Style(english="british", headings=False, word_limit=500)
    with pytest.raises(InputError, match="--word-limit cannot be 5"):
        parameters_of(Namespace(**vars(given) | {"word_limit": 5}))


# ---------------------------------------------------------------- shape


def section(topic_id: str, *paragraphs: str) -> Section:
    made = tuple(tuple(Sentence(text=f"{s}.") for s in p.split(". ")) for p in paragraphs)
    return Section(topic_id=topic_id, title=topic_id.upper(), paragraphs=made)


def test_shaping_leaves_what_needs_no_change():
    draft = Draft(author="m", sections=(section("t1", "A color [@p1]. A form [@p2]"), section(POSITION, "We do")))
    made = shaped(draft, Style(english="british", closing=False, headings=False))
    assert [s.topic_id for s in made.sections] == ["t1"]
    assert not made.headings
    assert made.sections[0].sentences[0].text == "A colour [@p1]."
    assert made.sections[0].sentences[1] is draft.sections[0].sentences[1]
    assert shaped(draft, Style()).sections == draft.sections


DRAFT = (
    section(
        "t1",
        "One says a thing [@p1]. Another says the thing again [@p1]. Words without any citation here",
        "A last one here [@p2]",
    ),
    section("t2", "A third paper is alone here [@p3]. It is said once more of two [@p1; @p2]"),
)


@given(st.integers(0, 60))
def test_a_word_limit_holds_and_citations_go_last(limit: int):
    kept, gone = fitted(DRAFT, limit)
    assert length(kept) <= limit or all(len(s.sentences) == 1 for s in kept)
    assert all(s.sentences for s in kept)
    assert sorted([s.text for x in kept for s in x.sentences] + [s.text for s in gone]) == sorted(
        s.text for x in DRAFT for s in x.sentences
    )
    if length(kept) >= 20:
        assert set(cited_in(kept)) == {"p1", "p2", "p3"}


def test_repeated_sentences_of_different_papers_are_one():
    made = merged(section("t1", "They retrieve passages [@p1]. They retrieve passages [@p2]. They rank"))
    assert [s.text for s in made.sentences] == ["They retrieve passages [@p1; @p2].", "They rank."]


def test_overlaps_between_sections_are_measured():
    long = "Dense retrieval encodes questions and passages with two separate encoders trained on pairs"
    sections = (
        section("t1", f"{long} [@p1]"),
        section("t2", f"{long} of questions [@p1]. Something else entirely is said here"),
    )
    (found,) = overlaps(sections)
    assert (found.topic_id, found.earlier_id) == ("t2", "t1")
    assert redundancy(sections) == pytest.approx(1 / 3)
    assert overlaps((section("t1", f"{long}. {long}"),)) == ()  # within a paragraph the guards see it


# ---------------------------------------------------------------- guards


def ground(most: int | None = None) -> Ground:
    texts = {"p1": "DPR is trained on NQ and outperforms BM25.", "p2": "RAG is evaluated on NQ and MARCO."}
    return Ground(("p1", "p2"), texts, "We check claims.", "T1", 40, most)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Both are trained on MARCO [@p1; @p2].", "MARCO"),
        ("RAG outperforms the others [@p2].", "outperforms"),
        ("DPR outperforms BM25 [@p1].", ""),
        ("Both are evaluated on NQ [@p1; @p2].", ""),
        ("Both follow MAR-WG2 [@p1; @p2].", ""),
    ],
)
def test_comparisons_are_held_against_what_is_known(text: str, words: str):
    made = Section(topic_id="t1", title="T1", paragraphs=((Sentence(text=text),),))
    found = [p.words for p in problems(made, ground()) if p.rule == "comparison"]
    assert found == ([words] if words else [])


def test_a_limit_is_told_of_at_once_and_also_where_the_user_leads():
    made = section("t1", "They retrieve very many passages here [@p1]. They rank them all as well [@p2]")
    assert not [p for p in problems(made, ground()) if p.rule == "length"]
    for user_led in (False, True):
        (found,) = [p for p in problems(made, ground(6), made, user_led=user_led) if p.rule == "length"]
        assert "6 at most" in found.message


# ---------------------------------------------------------------- writing with a style


async def write(fake: FakeModels, style: Style, events: list | None = None) -> Draft:
    request = Request(focal=FOCAL, parameters=Parameters(feedback_rounds=0, words=300, style=style))
    report = (events if events is not None else []).append
    return await integration.write(request, OUTLINE, CANDIDATES, CARDS, FOCAL_CARD, fake, MemoryLibrary(), report)  # type: ignore[arg-type]


def fake(**replies: object) -> FakeModels:
    return FakeModels({"draft_section": first, "draft_position": first, **replies})  # type: ignore[arg-type]


async def test_writers_are_told_and_the_closing_can_be_off():
    models = fake()
    draft = await write(models, Style(tone="critical", closing=False, headings=False))
    assert not draft.headings
    assert POSITION not in {s.topic_id for s in draft.sections}
    assert not any(isinstance(t, DraftPosition) for t in models.asked)
    asked = [t for t in models.asked if isinstance(t, DraftSection)]
    assert all("cannot do" in " ".join(t.style) for t in asked)
    assert asked[0].plan.titles == ("Retrieval", "Citation evaluation")


async def test_the_word_limit_holds_and_what_it_cost_is_listed():
    def long(task: Task):
        if isinstance(task, DraftPosition):
            return first(task)
        more = ["It goes on and on about this one thing for long [@p2]."] * (task.plan.topic_id == "t1")
        return reply(
            *TEXTS[task.plan.topic_id], *more, *[f"Filler number {'i' * n} of many [@p3]." for n in range(1, 9)]
        )

    events: list = []
    draft = await write(fake(draft_section=long, revise_section=long), Style(word_limit=80), events)
    assert length(draft.sections) <= 80
    assert {u.paper_id for u in draft.uncited} | set(cited(draft)) == {"p1", "p2", "p3"}
    assert any("limit of 80 words" in getattr(e, "text", "") for e in events)


async def test_a_section_that_repeats_another_is_written_again():
    said = "Karpukhin et al. [@p1] learn a dual encoder for passages from pairs of questions and answers."
    again = (
        "In retrieval, Karpukhin et al. [@p2] learn a dual encoder for passages from pairs of questions and answers."
    )

    def twice(task: Task):
        if isinstance(task, DraftPosition):
            return first(task)
        return reply(said, TEXTS["t1"][1]) if task.plan.topic_id == "t1" else reply(*TEXTS["t2"], again)

    models = fake(draft_section=twice, revise_section=reply(*TEXTS["t2"], "Lewis et al. [@p2] add a generator."))
    draft = await write(models, Style())
    assert redundancy(draft.sections) == 0
    (revision,) = [t for t in models.asked if isinstance(t, ReviseSection)]
    assert "This repeats what an earlier paragraph says" in revision.feedback
    assert revision.plan.topic_id == "t2"


# ---------------------------------------------------------------- a wish about one paragraph

LONG = Draft(
    author="m",
    sections=(section("t1", "One [@p1]", "Two here is a sentence [@p2]"), section("t2", "Three [@p3]", "Four")),
)


@pytest.mark.parametrize(
    ("wish", "topics", "expected"),
    [
        ("make the second paragraph shorter", (), ("t1", 1)),
        ("paragraph 3 is too long", (), ("t2", 0)),
        ("shorten the last paragraph of section 1", ("t1",), ("t1", 1)),
        ("soften claim 2 (claim 2: “Two here is a sentence [@p2].”)", (), ("t1", 1)),
    ],
)
def test_the_paragraph_that_a_wish_names(wish: str, topics: tuple[str, ...], expected: tuple[str, int]):
    scope = scope_of(wish, LONG, topics)
    assert scope is not None
    assert (scope.topic_id, scope.paragraph) == expected


@pytest.mark.parametrize(
    "wish",
    ["shorter", "merge the first paragraphs", "paragraph 9", "merge the first paragraph with the second paragraph"],
)
def test_other_wishes_name_none(wish: str):
    assert scope_of(wish, LONG) is None


@given(st.integers(0, 2), st.lists(st.sampled_from(["A", "B", "C"]), min_size=1, max_size=4))
def test_only_the_paragraph_meant_changes(index: int, written: list[str]):
    before, after = section("t1", "One", "Two", "Three"), section("t1", *written)
    made = kept_to(Scope("t1", index), before, after)
    assert made.paragraphs[:index] == before.paragraphs[:index]
    assert made.paragraphs[len(made.paragraphs) - (2 - index) :] == before.paragraphs[index + 1 :]


async def test_a_revision_of_one_paragraph_keeps_the_others_whatever_the_writer_does():
    draft = await write(fake(), Style())
    two = draft.sections[0].model_copy(update={"paragraphs": tuple((s,) for s in draft.sections[0].sentences)})
    draft = draft.model_copy(update={"sections": (two, *draft.sections[1:])})
    wild = SectionReply(
        paragraphs=tuple(
            ParagraphReply(sentences=(CitedSentence(sentence=s),))
            for s in ("Everything is new [@p1].", "Lewis et al. [@p2] add an index.")
        )
    )
    args = (
        REQUEST,
        draft,
        OUTLINE,
        CANDIDATES,
        CARDS,
        FOCAL_CARD,
        fake(revise_section=wild),
        MemoryLibrary(),
        [].append,
    )
    version, _ = await integration.revise(*args, instruction="simplify the second paragraph")  # type: ignore[arg-type]
    assert version.sections[0].paragraphs[0] == draft.sections[0].paragraphs[0]
    assert version.sections[0].sentences[1].text == "Lewis et al. [@p2] add an index."
    assert version.sections[1:] == draft.sections[1:]
