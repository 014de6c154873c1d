"""Verification: passages, gate, two verdicts, correction, re-attribution, dropping and flagging, the ledger."""

from collections.abc import Callable

import pytest

from marwg.agents import fact_checking
from marwg.errors import KeyRefused, LimitReached, ModelTimeout
from marwg.events import Event, Notice, Progress
from marwg.tasks import (
    ClaimVerdict,
    ClaimVerdicts,
    ClaimView,
    CorrectClaims,
    CorrectedClaim,
    CorrectedClaims,
    ErroneousClaim,
    JudgeClaims,
    Task,
)
from marwg.types import ClaimState, Draft, ErrorType, Ledger, LedgerEntry, Parameters, Request, Section, Sentence
from tests.fake_model import FakeModels
from tests.paper_world import CANDIDATES, CARDS, FOCAL, MemoryIndex, MemoryLibrary

S1 = "Karpukhin et al. [@p1] learn dense representations with a dual encoder."
S2 = "The generator is combined with an index of Wikipedia [@p2]."
LABELS = {True: "supported", False: "not supported"}

Supports = Callable[[ClaimView], bool]


def draft(*sentences: str, author: str = "m") -> Draft:
    paragraph = tuple(Sentence(text=s) for s in sentences)
    return Draft(author=author, sections=(Section(topic_id="t1", title="T", paragraphs=(paragraph,)),))


def judging(supports: Supports) -> Callable[[Task], ClaimVerdicts]:
    def judge(task: Task) -> ClaimVerdicts:
        assert isinstance(task, JudgeClaims)
        return ClaimVerdicts(
            verdicts=tuple(
                ClaimVerdict.model_validate(
                    {"id": v.id, "label": LABELS[ok], "error_type": None if ok else ErrorType.MISREPRESENTATION,
                     "confidence": 0.9, "reason": "" if ok else "It is not there.", "quote": "not in any source at all"}
                )
                for v in task.claims
                for ok in [supports(v)]
            )
        )  # fmt: skip

    return judge


def correcting(change: Callable[[ErroneousClaim], str]) -> Callable[[Task], CorrectedClaims]:
    def correct(task: Task) -> CorrectedClaims:
        assert isinstance(task, CorrectClaims)
        return CorrectedClaims(
            claims=tuple(
                CorrectedClaim(id=c.id, sentence=change(c), reason="as the source has it") for c in task.claims
            )
        )

    return correct


def models(supports: Supports, change: Callable[[ErroneousClaim], str] = lambda c: "", **more: object) -> FakeModels:
    return FakeModels({"judge_claims": judging(supports), "correct_claims": correcting(change)}, **more)  # type: ignore[arg-type]


async def verify(
    fake: FakeModels, made: Draft, events: list[Event] | None = None, previous: Ledger | None = None, attempts: int = 1
) -> tuple[Draft, Ledger]:
    request = Request(focal=FOCAL, parameters=Parameters(correction_attempts=attempts))
    library = MemoryLibrary()
    report = (events if events is not None else []).append
    return await fact_checking.verify(
        request,
        made,
        CANDIDATES,
        CARDS,
        fake,
        library,
        MemoryIndex(library),
        report,
        previous,  # type: ignore[arg-type]
    )


def only(ledger: Ledger) -> LedgerEntry:
    (entry,) = ledger.entries
    return entry


async def test_what_both_support_is_supported_with_its_evidence() -> None:
    events: list[Event] = []
    fake = models(lambda v: True)
    made, ledger = await verify(fake, draft(S1, S2), events)
    assert made == draft(S1, S2)
    assert [e.state for e in ledger.entries] == [ClaimState.SUPPORTED] * 2
    first, second = ledger.entries
    assert [j.judge for j in first.judgements] == ["fake generator", "fake verifier"]
    assert all(j.quote == "" for j in first.judgements), "a quote that no passage has is dropped"
    assert [e.passage.page for e in first.evidence] == [0, 4]
    assert not first.abstract_only
    assert second.abstract_only
    abstract = first.evidence[0]
    assert "dense representations" in abstract.passage.text[slice(*abstract.marks[0])]
    assert ledger.judges == ("fake generator", "fake verifier")
    assert ledger.independent
    progress = [e for e in events if isinstance(e, Progress)]
    assert (progress[0].done, progress[-1].done, progress[-1].total) == (0, 2, 2)
    assert sorted(fake.roles) == ["generator", "verifier"]


async def test_a_quote_is_kept_as_the_source_has_it() -> None:
    def judge(task: Task) -> ClaimVerdicts:
        assert isinstance(task, JudgeClaims)
        said = {"id": "c1", "label": "supported", "quote": "learned by a DUAL  encoder"}
        return ClaimVerdicts(verdicts=(ClaimVerdict.model_validate(said),))

    _, ledger = await verify(FakeModels({"judge_claims": judge}), draft(S1))
    entry = only(ledger)
    assert entry.judgements[0].quote == "learned by a dual encoder"
    passage = entry.evidence[0]
    assert passage.passage.text[slice(*passage.marks[0])] == "learned by a dual encoder"


async def test_disagreement_is_disputed_and_left_to_the_author() -> None:
    fake = FakeModels()
    by_role = {"generator": judging(lambda v: True), "verifier": judging(lambda v: False)}
    fake.replies = {
        "judge_claims": lambda task: by_role[fake.roles[-1]](task),
        "correct_claims": correcting(lambda c: ""),
    }
    made, ledger = await verify(fake, draft(S1, S2))
    assert made == draft(S1, S2)
    assert {e.state for e in ledger.entries} == {ClaimState.DISPUTED}
    assert [c.kind for c in ledger.entries[0].corrections] == ["flagged"]
    assert ledger.entries[0].error_type is ErrorType.MISREPRESENTATION


async def test_an_error_is_corrected_and_checked_again() -> None:
    wrong = "Karpukhin et al. [@p1] learn sparse representations with a dual encoder."
    fake = models(lambda v: "sparse" not in v.claim, lambda c: c.sentence.replace("sparse", "dense"))
    made, ledger = await verify(fake, draft(wrong, S2))
    assert [s.text for s in made.sections[0].sentences] == [S1, S2]
    entry = ledger.entries[0]
    assert (entry.state, entry.error_type, entry.claim.sentence) == (
        ClaimState.CORRECTED,
        ErrorType.MISREPRESENTATION,
        S1,
    )
    (step,) = entry.corrections
    assert (step.kind, step.before, step.after, step.by) == ("rewritten", wrong, S1, "fake generator")
    assert "Misrepresentation: It is not there." in step.reason
    assert {j.label for j in entry.judgements} == {"supported"}


async def test_a_correction_may_not_bring_in_another_paper() -> None:
    fake = models(
        lambda v: "sparse" not in v.claim and "p3" not in v.citations,
        lambda c: c.sentence.replace("sparse", "dense").replace("@p1", "@p2"),
    )
    _, ledger = await verify(fake, draft("Encoders are sparse and dual [@p1].", S2))
    assert not any(c.kind == "rewritten" for c in ledger.entries[0].corrections)


async def test_the_better_source_is_found_in_the_shortlist() -> None:
    misattributed = "A benchmark for the evaluation of citations generated by language models is proposed [@p1]."
    fake = models(lambda v: v.citations == ("p3",) or "Wikipedia" in v.claim)
    made, ledger = await verify(fake, draft(misattributed, S2))
    assert made.sections[0].sentences[0].text == misattributed.replace("@p1", "@p3")
    entry = ledger.entries[0]
    assert entry.state is ClaimState.REATTRIBUTED
    assert entry.corrections[-1].kind == "re-attributed"
    assert entry.claim.citations == ("p3",)
    assert [u.paper_id for u in made.uncited] == ["p1"]


async def test_weaker_words_come_before_dropping() -> None:
    strong = "Karpukhin et al. [@p1] solve passage retrieval."
    fake = models(
        lambda v: "address" in v.claim,
        lambda c: "Karpukhin et al. [@p1] address passage retrieval." if c.weaken else "",
    )
    made, ledger = await verify(fake, draft(strong))
    assert made.sections[0].sentences[0].text == "Karpukhin et al. [@p1] address passage retrieval."
    assert [c.kind for c in only(ledger).corrections] == ["weakened"]
    assert only(ledger).state is ClaimState.CORRECTED


async def test_what_two_models_find_unsupported_is_taken_out_and_recorded() -> None:
    bad = "Passage retrieval cures diseases [@p1]."
    made, ledger = await verify(
        models(lambda v: "cures" not in v.claim), draft(S2, bad, S2.replace("Wikipedia", "pages"))
    )
    assert bad not in [s.text for s in made.sections[0].sentences]
    assert [e.claim.number for e in ledger.entries] == [1, 2, 3]
    gone = ledger.entries[-1]
    assert (gone.claim.sentence, gone.state) == (bad, ClaimState.UNSUPPORTED)
    assert [c.kind for c in gone.corrections] == ["dropped"]
    assert [u.paper_id for u in made.uncited] == ["p1"]


async def test_word_comparison_flags_and_never_drops() -> None:
    bad = "Passage retrieval cures diseases [@p1]."
    made, ledger = await verify(models(lambda v: "cures" not in v.claim, built_in=True), draft(S2, bad))
    assert made == draft(S2, bad)
    assert ledger.entries[1].state is ClaimState.UNSUPPORTED
    assert [c.kind for c in ledger.entries[1].corrections] == ["flagged"]
    assert "without a language model" in ledger.note


async def test_a_users_text_is_checked_and_never_changed() -> None:
    made, ledger = await verify(models(lambda v: False, lambda c: S1), draft(S1, S2, author="user"))
    assert made == draft(S1, S2, author="user")
    assert [[c.kind for c in e.corrections] for e in ledger.entries] == [["flagged"], ["flagged"]]


async def test_a_sentence_that_the_next_one_points_at_is_flagged() -> None:
    made, ledger = await verify(
        models(lambda v: "cures" not in v.claim),
        draft("Retrieval cures diseases [@p1].", "It is built on Wikipedia [@p2]."),
    )
    assert len(made.sections[0].sentences) == 2
    assert ledger.entries[0].corrections[-1].kind == "flagged"


# ---------------------------------------------------------------- several citations


async def test_each_part_is_judged_alone_and_all_together() -> None:
    both = "Karpukhin et al. [@p1] learn a dual encoder, while Lewis et al. [@p2] add an index of Wikipedia."
    fake = models(lambda v: True)
    _, ledger = await verify(fake, draft(both))
    (task,) = [t for t, r in zip(fake.asked, fake.roles, strict=True) if r == "verifier"]
    assert [(v.claim, v.citations) for v in task.claims] == [  # type: ignore[attr-defined]
        (both.replace(" [@p1]", "").replace(" [@p2]", ""), ("p1", "p2")),
        ("Karpukhin et al. learn a dual encoder.", ("p1",)),
        ("Lewis et al. add an index of Wikipedia.", ("p2",)),
    ]
    assert only(ledger).state is ClaimState.SUPPORTED
    assert len(only(ledger).judgements) == 6


async def test_one_attribute_given_to_two_papers_is_an_incorrect_attribution() -> None:
    both = "Karpukhin et al. [@p1] use an index of Wikipedia, while Lewis et al. [@p2] add an index of Wikipedia."
    _, ledger = await verify(models(lambda v: v.citations != ("p1",)), draft(both, S2), attempts=0)
    assert ledger.entries[0].state is ClaimState.UNSUPPORTED
    assert ledger.entries[0].error_type is ErrorType.INCORRECT_ATTRIBUTION


async def test_a_citation_that_carries_nothing_goes() -> None:
    joint = "Retrieval uses an index of Wikipedia [@p1; @p2]."
    made, ledger = await verify(models(lambda v: v.citations != ("p1",)), draft(S1.replace("p1", "p2"), joint))
    assert made.sections[0].sentences[1].text == "Retrieval uses an index of Wikipedia [@p2]."
    assert ledger.entries[1].state is ClaimState.CORRECTED
    assert ledger.entries[1].corrections[0].kind == "dropped"


# ---------------------------------------------------------------- other kinds


async def test_claims_about_this_work_are_read_against_its_abstract() -> None:
    fake = models(lambda v: True)
    await verify(fake, draft("Unlike [@p1], we check every claim against passages."))
    view = fake.asked[0].claims[0]  # type: ignore[attr-defined]
    assert view.citations == ("focal", "p1")
    assert [s.id for s in view.passages] == ["focal", "p1"]
    assert view.passages[0].abstract == FOCAL.abstract


async def test_a_fact_without_citation_is_reported_and_asks_no_model() -> None:
    fake = models(lambda v: True)
    _, ledger = await verify(fake, draft("Most existing methods ignore the order of passages."))
    assert only(ledger).state is ClaimState.NOT_CHECKED
    assert [f.rule for f in only(ledger).findings] == ["citation"]
    assert fake.asked == []


async def test_an_invented_number_does_not_pass_two_believing_judges() -> None:
    _, ledger = await verify(models(lambda v: True), draft("DPR gains 42% over BM25 [@p1].", S2))
    assert ledger.entries[0].state is ClaimState.UNSUPPORTED
    assert [f.words for f in ledger.entries[0].findings] == ["42%"]


async def test_one_opinion_twice_does_not_outweigh_the_opposite_words() -> None:
    denied = "Retrieval cannot be implemented with dense representations learned by a dual encoder [@p1]."
    _, ledger = await verify(models(lambda v: True, names=("one", "one")), draft(denied))
    assert (only(ledger).state, only(ledger).error_type) == (ClaimState.DISPUTED, ErrorType.DIRECT_CONTRADICTION)
    assert "weaker" in ledger.note
    _, ledger = await verify(models(lambda v: True), draft(denied))
    assert only(ledger).state is ClaimState.SUPPORTED
    assert [f.rule for f in only(ledger).findings] == ["negation"]


async def test_an_unknown_id_is_unsupported_and_not_mapped() -> None:
    made, ledger = await verify(models(lambda v: True), draft("It works very well [@p9].", S2))
    entry = next(e for e in ledger.entries if e.claim.sentence.startswith("It works"))
    assert (entry.state, entry.error_type) == (ClaimState.UNSUPPORTED, ErrorType.INCORRECT_ATTRIBUTION)
    assert made.sections[0].sentences[0].text == "It works very well [@p9]."


# ---------------------------------------------------------------- failures


async def test_a_judge_that_fails_gives_not_checked_and_says_so() -> None:
    fake = FakeModels()
    good = judging(lambda v: True)

    def answer(task: Task) -> ClaimVerdicts:
        if fake.roles[-1] == "verifier":
            raise ModelTimeout("No answer in time.")
        return good(task)

    fake.replies = {"judge_claims": answer}
    events: list[Event] = []
    made, ledger = await verify(fake, draft(S1, S2), events)
    assert made == draft(S1, S2)
    assert {e.state for e in ledger.entries} == {ClaimState.NOT_CHECKED}
    assert {j.label for j in only(Ledger(version=1, entries=ledger.entries[:1], judges=ledger.judges)).judgements} == {
        "supported",
        "not checked",
    }
    assert len([e for e in events if isinstance(e, Notice)]) == 1


async def test_a_verdict_that_is_missing_is_asked_for_once_more() -> None:
    fake = FakeModels({"judge_claims": lambda task: ClaimVerdicts(verdicts=judging(lambda v: True)(task).verdicts[:1])})
    _, ledger = await verify(fake, draft(S1, S2, S1.replace("learn", "train")))
    assert [e.state for e in ledger.entries] == [ClaimState.SUPPORTED, ClaimState.SUPPORTED, ClaimState.NOT_CHECKED]
    assert len(fake.asked) == 4


@pytest.mark.parametrize("error", [KeyRefused("The key is refused."), LimitReached("The limit is reached.")])
async def test_a_refused_key_or_a_reached_limit_is_raised(error: Exception) -> None:
    with pytest.raises(type(error)):
        await verify(FakeModels({"judge_claims": error}), draft(S1))


async def test_forty_claims_need_at_most_twenty_calls() -> None:
    sentences = [
        f"Retrieval of kind {'abcdefghijklmnopqrstuvwxyz'[n % 26] * (1 + n // 26)} uses passages [@p1]."
        for n in range(40)
    ]
    wrong = {sentences[n] for n in range(0, 40, 5)}
    plain = {s.replace(" [@p1]", "") for s in wrong}
    fake = models(lambda v: v.claim not in plain)
    _, ledger = await verify(fake, draft(*sentences))
    assert len(ledger.entries) == 40
    assert len(fake.asked) <= 20


# ---------------------------------------------------------------- from version to version


async def test_unchanged_claims_keep_their_verdicts() -> None:
    _, before = await verify(models(lambda v: True), draft(S1, S2))
    fake = models(lambda v: True)
    _, after = await verify(fake, draft("Retrieval comes first [@p1].", S2, S1), previous=before)
    assert [v.claim for t in fake.asked for v in t.claims] == ["Retrieval comes first."] * 2  # type: ignore[attr-defined]
    assert [e.claim.number for e in after.entries] == [1, 2, 3]
    assert after.entries[1].evidence == before.entries[1].evidence
    other = models(lambda v: True, names=("a", "b"))
    await verify(other, draft(S1), previous=before)
    assert len(other.asked) == 2, "another judge judges anew"
