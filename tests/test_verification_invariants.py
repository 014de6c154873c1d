"""Whatever judges and correctors say, draft and ledger stay together and nothing disappears silently."""

import asyncio
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marwg.agents import fact_checking
from marwg.tasks import (
    ClaimVerdict,
    ClaimVerdicts,
    CorrectClaims,
    CorrectedClaim,
    CorrectedClaims,
    JudgeClaims,
    Reply,
    Task,
)
from marwg.text.markup import citations_of
from marwg.text.references import cited
from marwg.types import ClaimState, Draft, Finding, Judgement, Parameters, Passage, Request, Section, Sentence
from marwg.verification.claims import claim_of, claims_of
from marwg.verification.verdicts import UNION, outcome
from tests.fake_model import FakeModels
from tests.paper_world import CANDIDATES, CARDS, FOCAL, PAPERS, MemoryIndex, MemoryLibrary

SENTENCES = st.sampled_from(
    (
        "Karpukhin et al. [@p1] learn dense representations with a dual encoder.",
        "Retrieval uses an index of Wikipedia [@p1; @p2].",
        "One learns a dual encoder [@p1], while the other cites sources [@p3].",
        "It gains 42% over BM25 [@p1].",
        "They lack complete citation support [@p3].",
        "Nobody knows this paper [@p9].",
        "Most existing methods ignore the order of passages.",
        "Unlike these [@p2], we check every claim.",
        "Drafting with language models invents references.",
        "Two lines matter here.",
    )
)
KNOWN = {p.paper_id for p in PAPERS}


def luck(seed: int, *words: object) -> int:
    return sha256(repr((seed, words)).encode()).digest()[0]


def answer(seed: int) -> FakeModels:
    fake = FakeModels(built_in=seed % 5 == 0)

    def say(task: Task) -> Reply:
        if isinstance(task, JudgeClaims):
            said = [(v, luck(seed, fake.roles[-1], v.claim, v.citations)) for v in task.claims]
            verdicts = tuple(
                ClaimVerdict(id=v.id, label="supported" if n % 3 else "not supported", confidence=n / 255)
                for v, n in said
                if n > 12
            )
            return ClaimVerdicts(verdicts=verdicts)
        assert isinstance(task, CorrectClaims)
        changes = ("", "It is known [@p2].", "{} [@p3].", "Some words: {}")
        return CorrectedClaims(
            claims=tuple(
                CorrectedClaim(id=c.id, sentence=changes[luck(seed, c.sentence) % 4].format(c.sentence), reason="why")
                for c in task.claims
            )
        )

    fake.default = say
    return fake


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(SENTENCES, min_size=1, max_size=4), min_size=1, max_size=3),
    st.integers(0, 10_000),
    st.integers(0, 2),
)
def test_draft_and_ledger_stay_together(paragraphs: list[list[str]], seed: int, attempts: int) -> None:
    focal = Passage(paper_id="focal", page=0, start=0, end=50, text=FOCAL.abstract[:50])
    made = tuple(
        tuple(Sentence(text=t, sources=(focal,) if t.startswith("Drafting") else ()) for t in p) for p in paragraphs
    )
    before = Draft(author="m", sections=(Section(topic_id="t1", title="T", paragraphs=made),))
    library = MemoryLibrary()
    request = Request(focal=FOCAL, parameters=Parameters(correction_attempts=attempts))

    async def verified() -> tuple[Draft, object]:
        return await fact_checking.verify(
            request,
            before,
            CANDIDATES,
            CARDS,
            answer(seed),
            library,
            MemoryIndex(library),
            [].append,  # type: ignore[arg-type]
        )

    after, ledger = asyncio.run(verified())  # type: ignore[misc]
    gone = [e for e in ledger.entries if any(c.kind == "dropped" and not c.after for c in e.corrections)]
    standing = ledger.entries[: len(ledger.entries) - len(gone)]
    assert [e.claim for e in standing] == list(claims_of(after))
    assert [e.claim.number for e in ledger.entries] == list(range(1, len(ledger.entries) + 1))
    assert len(ledger.entries) == len(claims_of(before))
    assert after.version == before.version == ledger.version
    # No id comes from nowhere, and what went uncited is listed.
    assert set(cited(after)) <= set(cited(before)) | KNOWN
    assert {u.paper_id for u in after.uncited} == set(cited(before)) - set(cited(after))
    assert after.sections[0].sentences
    texts = {s.text for s in after.sections[0].sentences}
    assert all(t in texts for p in paragraphs for t in p if t == "Two lines matter here.")
    for entry in ledger.entries:
        changed = [c for c in entry.corrections if c.before != c.after]
        original = changed[0].before if changed else entry.claim.sentence
        assert any(original == t for p in paragraphs for t in p), "every change starts from a sentence of the draft"
        if entry.state in (ClaimState.UNSUPPORTED, ClaimState.DISPUTED):
            assert entry.corrections[-1].kind in ("flagged", "dropped")
        if entry.state is ClaimState.SUPPORTED:
            assert all(i in KNOWN for i in citations_of(entry.claim.sentence))
    if attempts == 0 or seed % 5 == 0:
        assert not gone


@pytest.mark.parametrize("judges", [("one", "one"), ("one", "other")])
def test_a_superlative_that_no_source_has_is_disputed_whoever_judges(judges: tuple[str, str]) -> None:
    claim = claim_of("FEVER [@p1] is the largest dataset of its kind.", "t1", 1)
    assert claim is not None
    said = tuple(Judgement(judge=j, citations=("p1",), label="supported") for j in judges)
    loud = Finding(rule="superlative", words="the largest", message="no passage says so")
    assert outcome(claim, {UNION: said}, ()).state is ClaimState.SUPPORTED
    assert outcome(claim, {UNION: said}, (loud,)).state is ClaimState.DISPUTED
