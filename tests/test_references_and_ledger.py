"""Which papers a draft cites, how they are named, and how a ledger is told."""

from marwg.text.references import bibliography, cited, labels, with_keys, with_names
from marwg.types import (
    Claim,
    ClaimState,
    Correction,
    Draft,
    ErrorType,
    Evidence,
    Finding,
    Judgement,
    Ledger,
    LedgerEntry,
    Paper,
    Passage,
    Section,
    Sentence,
)
from marwg.verification.ledger import by_risk, counts, entry_of, explain, summary
from tests.paper_world import PAPERS

DRAFT = Draft(
    author="m",
    sections=(
        Section(
            topic_id="t1",
            title="T",
            paragraphs=(
                (Sentence(text="Gao and Yen [@p3] and others [@p1; @p3] agree."), Sentence(text="So does [@gone].")),
            ),
        ),
    ),
)


def test_the_bibliography_is_what_is_cited() -> None:
    assert cited(DRAFT) == ("p3", "p1", "gone")
    assert [p.paper_id for p in bibliography(DRAFT, PAPERS, by="appearance")] == ["p3", "p1"]
    assert [p.paper_id for p in bibliography(DRAFT, PAPERS)] == ["p3", "p1"]


def test_markers_become_keys_or_names() -> None:
    text = "Gao and Yen [@p3] and others [@p1; @p3] agree [@gone]."
    assert with_keys(text, {p.paper_id: p.key for p in PAPERS}) == (
        "Gao and Yen [@gao2023] and others [@karpukhin2020; @gao2023] agree [@gone]."
    )
    assert with_names(text, PAPERS) == (
        "Gao and Yen (2023) and others (Karpukhin et al., 2020; Gao and Yen, 2023) agree (@gone)."
    )


def test_a_particle_at_the_beginning_of_a_sentence_is_the_same_name() -> None:
    paper = PAPERS[0].model_copy(update={"authors": ("de Andrade, Ana", "Gonçalves, Rui")})
    assert with_names("De Andrade and Gonçalves [@p1] agree.", [paper]) == "De Andrade and Gonçalves (2020) agree."


def test_equal_labels_get_letters() -> None:
    twins = [Paper(paper_id=i, key=i, title="T", authors=("Li, Wei",), year=2020) for i in ("a", "b")]
    nobody = Paper(paper_id="c", key="c", title="A Long Title Without Any Author")
    assert labels([*twins, nobody]) == {
        "a": ("Li", "2020a"),
        "b": ("Li", "2020b"),
        "c": ("“A Long Title Without…”", "n.d."),
    }


def entry(number: int, state: ClaimState, **more: object) -> LedgerEntry:
    claim = Claim(
        claim_id=f"c{number}",
        number=number,
        topic_id="t1",
        sentence=f"S{number} [@p1].",
        kind="cited",
        citations=("p1",),
    )
    return LedgerEntry.model_validate({"claim": claim, "state": state, **more})


def test_a_ledger_is_counted_and_ordered_by_risk() -> None:
    ledger = Ledger(
        version=1,
        judges=("a", "b"),
        entries=(entry(1, ClaimState.SUPPORTED), entry(2, ClaimState.DISPUTED), entry(3, ClaimState.UNSUPPORTED)),
    )
    assert [e.claim.number for e in by_risk(ledger)] == [3, 2, 1]
    assert counts(ledger)[ClaimState.DISPUTED] == 1
    assert sum(counts(ledger).values()) == 3
    assert summary(ledger) == "3 claims: 1 supported, 1 disputed, 1 unsupported."
    assert entry_of(ledger, 2) == ledger.entries[1]
    assert entry_of(ledger, 9) is None


def test_why_is_told_from_the_ledger() -> None:
    passage = Passage(paper_id="p1", page=4, start=0, end=22, text="trained with negatives")
    told = explain(
        entry(
            4,
            ClaimState.CORRECTED,
            error_type=ErrorType.MISREPRESENTATION,
            findings=(Finding(rule="number", words="29%", message="the number is not in the cited text", paper_id="p1"),),
            judgements=(Judgement(judge="judge-a", citations=("p1",), label="supported", confidence=0.9, reason="It says so.", quote="with negatives"),),
            evidence=(Evidence(passage=passage, score=0.8, marks=((8, 22),)),),
            corrections=(Correction(kind="rewritten", before="Old [@p1].", after="New [@p1].", reason="Too much.", by="writer"),),
        ),
        PAPERS,
    )  # fmt: skip
    for words in ("Claim 4: corrected", "Misrepresentation", "“29%”", "judge-a on Karpukhin et al. (2020): **supported**, 90% sure",
                  "page 4: “with negatives”", "rewritten by writer: Too much.", "before: Old.", "after: New."):  # fmt: skip
        assert words in told
