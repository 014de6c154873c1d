"""Questions to the ledger on many phrasings, and what is no question to it."""

import pytest

from marwg.extractive.turns import route
from marwg.tasks import RouteTurn, Source, TurnReply

PAPERS = (
    Source(id="p1", title="Dense Passage Retrieval", authors="Karpukhin et al.", year=2020),
    Source(id="p3", title="Text with Citations", authors="Gao and Yen", year=2023),
)


def ask(message: str, stage: str = "drafted") -> TurnReply:
    topics = ("Retrieval", "Evaluation")
    return route(RouteTurn(message=message, stage=stage, topics=topics, papers=PAPERS, claims=12))  # type: ignore[arg-type]


PHRASINGS = {
    "abstract_only": (
        "which claims rest on abstracts only?", "Which claims are based on the abstract only", "what rests only on abstracts?",
        "show me the claims without full text", "are there sentences for which only an abstract was read?",
        "list all claims that rest on abstracts alone", "Which statements have no full text behind them?",
        "Which citations are just backed by an abstract?", "for which papers is the full text missing?",
    ),
    "changed": (
        "what did you change and why?", "What did you change?", "which claims were corrected?", "what was changed by the check?",
        "show me the corrections", "list all changes you made", "Which sentences did you rewrite?", "what have you fixed?",
        "tell me what you corrected and why", "did you change anything?", "Which claims have been rephrased?", "what changed?",
        "what did you correct?", "How were the claims modified?", "explain your changes",
    ),
    "flagged": (
        "which claims are flagged?", "what should I look at first?", "which claims are risky?", "what are the weakest claims?",
        "any problems?", "where are the problems in the draft?", "which sentences need my attention?", "what should I worry about here?",
        "Is there anything I should check?", "show the problematic claims", "What are you unsure about in this text?",
    ),
    "disputed": (
        "which claims are disputed?", "where do the judges disagree?", "show me the disputed claims", "do the two models disagree anywhere here?",
        "list disputed statements", "on which claims did the judges differ?",
    ),
    "unsupported": (
        "which claims are unsupported?", "what is not supported?", "which sentences are wrong?", "list the unsupported claims",
        "is anything hallucinated in the draft?", "are there false claims?", "show me everything that isn't supported here",
    ),
    "not_checked": (
        "which claims were not checked?", "what could not be verified?", "which claims are unverified?", "what hasn't been checked yet in this draft? anything not checked?",
        "list the unchecked sentences",
    ),
    "supported": (
        "which claims are supported?", "how do I see the supported claims?", "list the confirmed claims", "which sentences are safe?",
    ),
    "uncited": (
        "which sentences lack a citation?", "which claims cite nothing?", "where do I need a citation in the text?", "are there facts without a citation?",
        "list uncited claims", "which statements have no reference?",
    ),
    "dropped": (
        "what did you remove?", "which sentences were taken out?", "did you drop anything from the draft?", "which claims were deleted?",
    ),
    "reattributed": (
        "which claims were re-attributed?", "which citations did you move?", "where did you swap the citation?", "which claims have another source now?",
    ),
    "summary": (
        "how many claims are supported?", "how reliable is this draft?", "can I trust this?", "summarise the verification",
        "give me an overview of the verdicts", "how did the check go?", "show me the ledger",
    ),
    "judges": (
        "who checked the claims?", "which models judged this?", "are the judges independent?", "which model verified the claims?",
    ),
    "unknown": (
        "which keys are unknown?", "are there citations that do not exist?", "which citations are missing from the bib?", "list the unknown references",
    ),
    "unused": (
        "which references are never cited?", "which references does nothing cite? which are unused?", "list the unused references", "which papers in the bib are not cited?",
    ),
    "missed": (
        "which papers did I miss?", "what papers am I missing?", "which papers should I also cite?", "did I forget any important papers?",
    ),
    "better": (
        "which citations are misattributed?", "is there a better source for any of the claims?", "which claims cite the wrong paper?",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("about", "message"), [(a, m) for a, all_of in PHRASINGS.items() for m in all_of])
def test_a_question_to_the_ledger(about: str, message: str) -> None:
    reply = ask(message)
    assert (reply.kind, reply.about) == ("ask_ledger", about)


@pytest.mark.parametrize(
    ("message", "statement", "papers"),
    [
        ("is it true that dense retrieval beats BM25?", "dense retrieval beats BM25", ()),
        ("Is it correct that models lack citation support?", "models lack citation support", ()),
        ("did Karpukhin et al. really show that dense retrieval beats BM25?", "dense retrieval beats BM25", ("p1",)),
        ("does the paper by Gao and Yen say that models lack support?", "models lack support", ("p3",)),
        ("do they really claim that the encoder is dual?", "the encoder is dual", ()),
        ("where does it say that the encoder is dual?", "the encoder is dual", ()),
        ("is there evidence that the encoder is dual?", "the encoder is dual", ()),
        ("what is the evidence for dense retrieval being better?", "dense retrieval being better", ()),
        ("Is “the encoder is dual” in the paper?", "the encoder is dual", ()),
        ("please, is it true that the encoder is dual", "the encoder is dual", ()),
    ],
)
def test_is_it_true_that(message: str, statement: str, papers: tuple[str, ...]) -> None:
    reply = ask(message)
    assert (reply.kind, reply.about, reply.statement, reply.papers) == ("ask_ledger", "true", statement, papers)


@pytest.mark.parametrize("message", ["which claims cite Karpukhin?", "where do you cite Karpukhin et al.?"])
def test_claims_of_a_paper(message: str) -> None:
    reply = ask(message)
    assert (reply.kind, reply.about, reply.papers) == ("ask_ledger", "paper", ("p1",))


@pytest.mark.parametrize(
    "message",
    [
        "check my related work", "please check what I wrote", "can you verify this?", "verify my section", "check this text", "check it again",
        "fact-check my draft", "I want you to check my citations", "could you proofread my own section", "verify the claims again", "check again",
    ],
)  # fmt: skip
@pytest.mark.parametrize("stage", ["empty", "drafted"])
def test_a_wish_to_check(message: str, stage: str) -> None:
    assert ask(message, stage).kind == "check"


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("why was claim 4 flagged?", "why"),
        ("what did you change in claim 3?", "why"),
        ("remove the unsupported claims", "revise"),
        ("make section 2 shorter", "revise"),
        ("remove the paper by Karpukhin", "revise"),
        ("be more critical about the weak claims", "revise"),
        ("undo", "undo"),
        ("show version 2", "show_version"),
        ("export the report", "export"),
        ("give me the ledger", "export"),
        ("help", "help"),
        ("looks good", "approve"),
    ],
)
def test_what_is_no_question_to_the_ledger(message: str, kind: str) -> None:
    assert ask(message).kind == kind


def test_before_there_is_a_draft_nothing_is_asked_of_it() -> None:
    assert ask("which claims rest on abstracts only?", "empty").kind == "unclear"
