"""What a person's text misses: a better source for claims that do not stand, and the closest papers it does not cite."""

from collections.abc import Sequence

from marwg.agents.fact_checking.examination import Examined, Examiner
from marwg.events import Report
from marwg.index import Index
from marwg.language_models import Models
from marwg.library import Library
from marwg.text.markup import add_citations, map_citations, without_citations
from marwg.text.references import cited
from marwg.types import (
    BetterSource,
    Candidate,
    Claim,
    ClaimState,
    Draft,
    Ledger,
    LedgerEntry,
    PaperId,
    Request,
    SubClaim,
    TextReview,
)
from marwg.verification.claims import claim_of

CLOSEST = 8
"""Papers that are told as missed."""

NEAR = 0.45
"""Cosine to the text below which a paper is not called close."""

_LOOKED_AT = 12
"""Claims for which a better source is looked for: those of highest risk come first in a ledger."""

_AGREES = {True: 0.9, False: 0.5}


async def review(
    request: Request,
    draft: Draft,
    ledger: Ledger,
    found: TextReview,
    known: Sequence[PaperId],
    models: Models,
    library: Library,
    index: Index,
    report: Report,
) -> TextReview:
    """`found` with better sources for the claims that do not stand or cite nothing, and the closest papers missed."""
    missed = await _missed(request, draft, known, library, index)
    others = list(dict.fromkeys([*known, *(c.paper_id for c in missed)]))
    examiner = Examiner(request, others, models, library, index, report)
    least = _AGREES[models.is_built_in("generator") and models.is_built_in("verifier")]
    better = await _better(ledger, examiner, least)
    return found.model_copy(update={"better": better, "missed": missed[:CLOSEST]})


async def _missed(
    request: Request, draft: Draft, known: Sequence[PaperId], library: Library, index: Index
) -> tuple[Candidate, ...]:
    """The papers of the library nearest to the focal paper and to the text's sections, without those it has."""
    focal = request.focal
    queries = [f"{focal.title}. {focal.abstract}"] if focal.abstract else []
    for section in draft.sections:
        text = without_citations(" ".join(s.text for s in section.sentences))
        queries.append(f"{section.title}. {' '.join(text.split()[:200])}".strip(". "))
    have = {*known, *cited(draft)}
    best: dict[PaperId, Candidate] = {}
    for query in queries:
        for hit in await index.search(query, CLOSEST + len(have)):
            old = best.get(hit.paper_id)
            if hit.paper_id not in have and hit.similarity >= NEAR and (not old or old.similarity < hit.similarity):
                best[hit.paper_id] = Candidate(paper_id=hit.paper_id, similarity=hit.similarity, score=hit.score)
    there = {p.paper_id: p for p in library.papers(sorted(best))}
    ranked = sorted(best.values(), key=lambda c: (-c.similarity, c.paper_id))
    until = request.parameters.until
    return tuple(c for c in ranked if until is None or (there[c.paper_id].year or 0) <= until.year)


async def _better(ledger: Ledger, examiner: Examiner, least: float) -> tuple[BetterSource, ...]:
    """For each claim that does not stand or cites nothing, the paper that both judges find to carry it."""
    tried: list[tuple[LedgerEntry, Claim, PaperId, tuple[PaperId, ...]]] = []
    for entry in ledger.entries:
        if len(tried) >= _LOOKED_AT:
            break
        part = _weak_part(entry)
        other = await examiner.best_other(entry.claim, part.text, least) if part else None
        claim = _with(entry.claim, part, other) if part and other else None
        if part and other and claim:
            tried.append((entry, claim, other, part.citations))
    examined = await examiner.examine([c for _, c, _, _ in tried], {}) if tried else []
    return tuple(
        _source(entry, other, gone, found)
        for (entry, _, other, gone), found in zip(tried, examined, strict=True)
        if found.outcome.good and not any(f.rule == "name" and "et al." not in f.words for f in found.findings)
    )


def _weak_part(entry: LedgerEntry) -> SubClaim | None:
    claim = entry.claim
    if claim.kind == "uncited":
        return SubClaim(text=without_citations(claim.sentence), citations=())
    if claim.kind != "cited" or entry.state not in (ClaimState.UNSUPPORTED, ClaimState.DISPUTED):
        return None
    against = {i for j in entry.judgements if j.label == "not supported" for i in j.citations}
    return next((p for p in claim.parts if against & set(p.citations)), claim.parts[0] if claim.parts else None)


def _with(claim: Claim, part: SubClaim, other: PaperId) -> Claim | None:
    """The claim as it would be with the other paper; authors that it names are for the user to change."""
    gone = set(part.citations)
    if gone:
        text = map_citations(claim.sentence, lambda ids: [other if i in gone else i for i in ids])
        return claim_of(text, claim.topic_id, claim.number)
    return claim_of(add_citations(claim.sentence, [other]), claim.topic_id, claim.number)


def _source(entry: LedgerEntry, other: PaperId, gone: tuple[PaperId, ...], found: Examined) -> BetterSource:
    """The better source with the words of it that come nearest."""
    quote, page = "", 0
    for evidence in found.evidence():
        if evidence.passage.paper_id == other and evidence.marks:
            start, end = evidence.marks[0]
            quote, page = evidence.passage.text[start:end].strip(), evidence.passage.page
            break
    return BetterSource(claim_id=entry.claim.claim_id, instead_of=gone, paper_id=other, quote=quote, page=page)
