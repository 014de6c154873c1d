"""Sentences: cleaned, split, classified, told in the third person, shortened; and what the lint says of them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marwg.extractive.acronyms import Expander, agreed, definitions
from marwg.extractive.casing import Casing
from marwg.extractive.conversion import Voice, convert
from marwg.extractive.lint import faults, section_faults
from marwg.extractive.papers import read_paper
from marwg.extractive.phrases import can_name, display_form, names_in
from marwg.extractive.sentences import clean, read, split
from marwg.extractive.shortening import shorten
from marwg.extractive.text import fix_articles
from marwg.extractive.titles import as_noun_phrase, statement
from marwg.tasks import Source

LI = Voice("Li et al.", True, "p1")
WU = Voice("Wu", False, "p2")
NAMED = Voice("Li et al.", True, "p1", "RoCEL")


@pytest.mark.parametrize(
    ("sentence", "voice", "expected"),
    [
        ("We propose a method that ranks passages.", LI, "Li et al. [@p1] propose a method that ranks passages."),
        ("In this paper, we study how our users cite.", LI, "Li et al. [@p1] study how their users cite."),
        ("We propose and train a ranker, and evaluate it on three sets.", WU, "Wu [@p2] proposes and trains a ranker, and evaluates it on three sets."),
        ("This paper presents a corpus of claims.", LI, "The paper by Li et al. [@p1] presents a corpus of claims."),
        ("We propose RoCEL, a method that links tables.", NAMED, "RoCEL [@p1] is a method that links tables."),
        ("We present a linking method called RoCEL that uses rows and columns.", NAMED, "RoCEL [@p1] is a linking method that uses rows and columns."),
        ("RoCEL outperforms earlier methods on four datasets.", NAMED, "RoCEL [@p1] outperforms earlier methods on four datasets."),
        ("To address this limitation, we introduce a memory for claims.", LI, "Li et al. [@p1] introduce a memory for claims."),
        ("Extensive experiments on two sets show that claims are found faster.", LI, "Li et al. [@p1] report that claims are found faster."),
        ("We introduce a novel and general framework for ranking.", LI, "Li et al. [@p1] introduce a general framework for ranking."),
        ("Our method ranks passages by their words.", LI, "The method of Li et al. [@p1] ranks passages by their words."),
        ("FMLP is superior to competitive methods.", LI, "FMLP is superior to competitive methods [@p1]."),
        ("However, existing methods ignore rows.", LI, "Existing methods ignore rows [@p1]."),
        ("By comparing passages, we find that words suffice.", LI, "By comparing passages, Li et al. [@p1] find that words suffice."),
    ],
)  # fmt: skip
def test_conversion(sentence: str, voice: Voice, expected: str) -> None:
    assert convert(sentence, voice).text == expected


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("The authors propose a ranker for claims. They evaluate it on two sets.", ["Li et al. [@p1] propose a ranker for claims.", "Li et al. [@p1] evaluate it on two sets."]),
        ("The paper presents a corpus. It shows that claims differ.", ["The paper by Li et al. [@p1] presents a corpus.", "The paper by Li et al. [@p1] shows that claims differ."]),
        ("Lewis and colleagues combine a retriever with a generator.", ["Li et al. [@p1] combine a retriever with a generator."]),
        ("With two stages, the authors train a ranker. Their method uses words.", ["With two stages, Li et al. [@p1] train a ranker.", "The method of Li et al. [@p1] uses words."]),
    ],
)  # fmt: skip
def test_notes_in_the_third_person_convert_as_well(note: str, expected: list[str]) -> None:
    assert [convert(sentence.text, LI).text for sentence in read(note)] == expected


def test_it_is_the_system_that_was_just_named() -> None:
    note = "LangDA is an approach that builds context. It aligns features of the image. The authors evaluate it."
    texts = [sentence.text for sentence in read(note, title="LangDA: Context by Language")]
    assert texts[1] == "LangDA aligns features of the image."


@given(
    st.lists(
        st.sampled_from("we our us propose a method that shows ranks , and the results this paper it is".split()),
        max_size=25,
    )
)
@settings(max_examples=60, deadline=None)
def test_no_first_person_survives_and_the_citation_is_there(words: list[str]) -> None:
    text = convert(" ".join(["We", *words]), LI).text
    assert text.count("[@p1]") == 1
    assert not {"we", "our", "us", "We", "Our"} & set(text.replace(".", " ").replace(",", " ").split())


@given(st.text(alphabet="ab .!?AB\n()", max_size=80))
@settings(deadline=None)
def test_sentences_stand_verbatim_in_their_text(text: str) -> None:
    position = 0
    for sentence in split(text):
        position = text.index(sentence, position) + len(sentence)


def test_markup_goes_and_abbreviations_do_not_end_sentences() -> None:
    assert clean(r"We reach \textbf{801$\times$} over~CPU, see \cite{x} [3, 4].") == "We reach 801× over CPU, see."
    assert clean("They pro- pose a cross- and self-trained model") == "They propose a cross- and self-trained model"
    assert split("Smith et al. rank it, e.g. by words. It works. See Fig. 2 there.") == [
        "Smith et al. rank it, e.g. by words.", "It works.", "See Fig. 2 there.",
    ]  # fmt: skip


def test_classes_follow_cues_and_order() -> None:
    abstract = (
        "Ranking is an important task. However, existing rankers ignore tables. We propose a ranker for tables. "
        "Specifically, our model reads rows. Experiments show that it improves accuracy by 3%."
    )
    assert [s.kind for s in read(abstract)] == ["background", "limitation", "contribution", "method", "result"]


def test_a_background_sentence_is_never_the_papers_claim() -> None:
    paper = read_paper(
        Source(id="p1", title="On Rankers", authors="Li", abstract="Rankers are widely used. We study rankers.")
    )
    assert convert(paper.sentences[0].text, paper.voice).shape == "end"


@pytest.mark.parametrize("limit", [14, 20, 32])
def test_shortening_keeps_a_whole_sentence(limit: int) -> None:
    text = (
        "Li et al. [@p1] propose a model that ranks the passages of long papers by their words, which makes it possible to "
        "check claims quickly, while earlier models need several hours on large machines."
    )
    shorter = shorten(text, limit)
    assert text.startswith(shorter)
    assert not faults(f"{shorter}.")


@pytest.mark.parametrize(
    ("sentence", "fault", "hard"),
    [
        ("Li et al. [@p1] show that we can rank.", "first person", True),
        ("This paper [@p1] ranks passages by words.", "this paper", True),
        ("Li et al. [@p1] rank (passages by words.", "unbalanced", True),
        (r"Li et al. [@p1] reach \alpha in all of the cases.", "markup", True),
        ("Li et al. [@p1] propose an and general method.", "doubled words", True),
        ("Li et al. [@p1] solve this problem with a ranker.", "dangling reference", False),
        ("Li et al. [@p1] address both by prototypes of classes.", "dangling reference", False),
        ("It [@p1] ranks passages by their words.", "anaphoric start", False),
        ("Li et al. [@p1] ask whether words are enough?", "question", False),
        ("Li et al. [@p1] rank passages of the.", "cut off", False),
        ("Li et al. [@p1] take an important step for ranking.", "praise", False),
        ("Li et al. [@p1] make observations, and the code is available.", "code announcement", False),
    ],
)
def test_lint(sentence: str, fault: str, hard: bool) -> None:
    assert (fault, hard) in [(f.name, f.hard) for f in faults(sentence)]


def test_lint_is_silent_on_a_good_sentence() -> None:
    for sentence in (
        "Li et al. [@p1] propose a ranker that reads both rows and columns of a table.",
        "More recently, Wu [@p2] introduces Starmie, a framework for finding data.",
        'Wu [@p2] asks "What is the Added Value of UDA?".',
    ):
        assert faults(sentence) == ()


def test_section_lint_sees_what_stands_in_a_row() -> None:
    found = section_faults(
        [
            [
                "Li [@a] proposes a ranker for claims.",
                "Wu [@b] proposes a ranker for tables.",
                "Xu [@c] proposes a ranker for maps.",
            ]
        ],
        {"a", "b"},
    )
    assert {(f.name, f.hard) for f in found} == {("sameness", False), ("invalid citation", True)}
    assert [f.name for f in section_faults([["Rankers are often used for claims."]], set())] == ["unattributed"]
    assert not section_faults([["Rankers are often used, and we check them."]], set(), focal=True)


def test_acronyms_are_expanded_once_and_by_the_papers_own_sense() -> None:
    own = {"p1": definitions("We use unsupervised domain adaptation (UDA).")}
    expander = Expander(
        own, agreed(["Universal domain access (UDA) is new.", "Retrieval-augmented generation (RAG) helps."]), ["MARS"]
    )
    assert expander.apply("Li [@p1] studies UDA and RAG with MARS.", "p1") == (
        "Li [@p1] studies unsupervised domain adaptation (UDA) and retrieval-augmented generation (RAG) with MARS."
    )
    assert (
        expander.apply("Wu [@p2] uses retrieval-augmented generation (RAG) and UDA.", "p2")
        == "Wu [@p2] uses RAG and UDA."
    )
    assert "UDA" not in agreed(["Universal domain access (UDA).", "Unsupervised domain adaptation (UDA)."])


def test_casing_lowers_whole_phrases_or_nothing() -> None:
    casing = Casing(["the ranking model is used", "a ranking model ranks", "some model ranks"], ["Starmie"])
    assert (
        casing.sentence("Li uses Triple Sequence Learning and Reasoning (TSLR) here.")
        == "Li uses triple sequence learning and reasoning (TSLR) here."
    )
    assert (
        casing.sentence("They use the Seamless Zorblax Dataset here.") == "They use the Seamless Zorblax Dataset here."
    )
    assert casing.title("Learning to Rank with Starmie and BERT") == "learning to rank with Starmie and BERT"
    assert casing.sentence('Li asks "What is the Model Worth".') == 'Li asks "What is the Model Worth".'


def test_titles_become_statements() -> None:
    casing = Casing([])

    def of(title: str, authors: str = "Li et al.") -> str:
        return statement(read_paper(Source(id="p", title=title, authors=authors)), casing)

    assert of("Learning to Rank Passages of Papers") == "Li et al. [@p] work on learning to rank passages of papers."
    assert of("RoCEL: A Framework for Linking Tables") == "Li et al. [@p] present a framework for linking tables."
    assert of("Dense Retrieval of Long Passages", "Wu") == "Wu [@p] studies dense retrieval of long passages."
    assert of("Is Attention All You Need?") == 'Li et al. [@p] ask "Is Attention All You Need?".'
    paper = read_paper(Source(id="p", title="Silk Road: Recommending Items from Domains to Users", authors="Li"))
    assert not as_noun_phrase(paper, casing).startswith("a Silk")


def test_phrases_that_can_name_a_theme() -> None:
    assert "semantic segmentation" in names_in("We study semantic segmentation of urban scenes.")
    assert can_name("semantic segmentation")
    assert not any(
        can_name(p) for p in ("novel method", "model", "author propose", "high performance", "mean intersection")
    )
    assert display_form("sequential recommender", "sequential recommender") == "sequential recommenders"
    assert display_form("semantic segmentation", "semantic segmentation") == "semantic segmentation"


@pytest.mark.parametrize(
    ("text", "fixed"),
    [("an general", "a general"), ("a efficient", "an efficient"), ("a LLM", "an LLM"), ("an unified", "a unified")],
)
def test_articles(text: str, fixed: str) -> None:
    assert fix_articles(text) == fixed
