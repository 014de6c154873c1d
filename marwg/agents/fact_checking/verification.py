"""From a draft to its corrected draft and claim ledger."""

from collections.abc import Sequence

from marwg.agents.fact_checking.correction import Case, Corrector, idle_note
from marwg.agents.fact_checking.examination import JUDGING, Examiner
from marwg.events import Progress, Report
from marwg.index import Index
from marwg.language_models import Models
from marwg.library import Library
from marwg.types import (
    CandidateSet,
    Card,
    Claim,
    ClaimState,
    Correction,
    Draft,
    Ledger,
    LedgerEntry,
    Passage,
    Request,
    Stage,
)
from marwg.verification.claims import claims_of, contexts
from marwg.verification.mending import with_sentences


async def verify(
    request: Request,
    draft: Draft,
    candidates: CandidateSet,
    cards: tuple[Card, ...],
    models: Models,
    library: Library,
    index: Index,
    report: Report,
    previous: Ledger | None = None,
    fresh: bool = False,
) -> tuple[Draft, Ledger]:
    """The draft with its claims corrected where that was needed, and the ledger of exactly this text.

    Claims that `previous` holds unchanged, from the same two judges, keep their verdicts. The text of a user is checked
    and flagged, never changed. With `fresh` no judge answers from the cache.
    """
    judges = judges_of(models)
    claims = claims_of(draft)
    if fresh and previous is not None:  # one claim is asked about anew; the others keep theirs, whoever judged them
        judges = previous.judges
    kept = _kept(claims, previous, judges)
    new = [c for c in claims if c.number not in kept]
    known = [s.paper_id for s in candidates.shortlist]
    examiner = Examiner(request, known, models, library, index, report, fresh)

    def progress(done: int, note: str) -> None:
        report(Progress(stage=Stage.VERIFICATION, done=done, total=len(new), note=note))

    progress(0, "passages")
    used = _passages_used(draft, cards, new)
    examined = await examiner.examine(new, contexts(draft), used, lambda done: progress(done, "verdicts"))
    cases = {e.claim.number: Case.of(e) for e in examined}
    wrong = sum(c.open for c in cases.values())
    if wrong:
        progress(len(new) - wrong, "correction")
    attempts = request.parameters.correction_attempts
    gentle = not attempts or models.is_built_in("generator") or models.is_built_in("verifier")
    if draft.author == "user":
        for case in cases.values():
            _flag(case, judges)
    else:
        corrector = Corrector(draft, examiner, models, report, gentle)
        await corrector.mend(list(cases.values()), attempts)
    progress(len(new), "done")
    return _results(draft, claims, cases, kept, judges, _note(models, judges))


def judges_of(models: Models) -> tuple[str, str]:
    """The two models that judge claims, which may be others than those that write."""
    return models.name("generator", JUDGING), models.name("verifier", JUDGING)


def _kept(claims: Sequence[Claim], previous: Ledger | None, judges: tuple[str, str]) -> dict[int, LedgerEntry]:
    """The entries of unchanged claims by their number now; what was not checked is tried again."""
    if previous is None or previous.judges != judges:
        return {}
    known = {
        e.claim.claim_id: e
        for e in previous.entries
        if e.state is not ClaimState.NOT_CHECKED and not any(c.kind == "dropped" and not c.after for c in e.corrections)
    }
    return {c.number: known[c.claim_id].model_copy(update={"claim": c}) for c in claims if c.claim_id in known}


def _passages_used(draft: Draft, cards: Sequence[Card], claims: Sequence[Claim]) -> dict[str, tuple[Passage, ...]]:
    """The passages that a sentence was made from, and those that the cards of its papers quote."""
    made = {s.text: s.sources for section in draft.sections for s in section.sentences}
    quoted = {c.paper_id: c.quotes for c in cards}
    return {
        c.claim_id: (*made.get(c.sentence, ()), *(q for i in c.citations for q in quoted.get(i, ()))) for c in claims
    }


def _flag(case: Case, judges: tuple[str, str]) -> None:
    sentence, by = case.now.claim.sentence, " and ".join(dict.fromkeys(judges))
    if case.now.outcome.superfluous:
        case.corrections.append(
            Correction(kind="flagged", before=sentence, after=sentence, reason=idle_note(case), by=by)
        )
    if case.open:
        reason = f"Your text is not changed. {case.now.against}".strip()
        if case.now.rests_on_missing_pages:
            case.state, case.error_type = ClaimState.NOT_CHECKED, None
            reason = f"Held back: only the abstract is at hand, and such a detail stands in the full text. {case.now.against}"
        case.corrections.append(Correction(kind="flagged", before=sentence, after=sentence, reason=reason, by=by))


def _note(models: Models, judges: tuple[str, str]) -> str:
    if models.is_built_in("generator") and models.is_built_in("verifier"):
        return "Judged by comparing words, numbers and names, without a language model: nothing was taken out, only flagged."
    if not models.independent:
        return f"Both verdicts come from {judges[0]}, which is weaker than two different models."
    return ""


def _results(
    draft: Draft,
    claims: Sequence[Claim],
    cases: dict[int, Case],
    kept: dict[int, LedgerEntry],
    judges: tuple[str, str],
    note: str,
) -> tuple[Draft, Ledger]:
    """Draft and ledger with the claims numbered as they now stand; sentences taken out come last."""
    changed: dict[int, str | None] = {n: None if c.dropped else c.now.claim.sentence for n, c in cases.items()}
    mended = with_sentences(draft, changed, "the sentence that cited it was not supported and was taken out")
    staying = [c.number for c in claims if changed.get(c.number, "") is not None]
    entries = []
    for old, claim in zip(staying, claims_of(mended), strict=True):
        entries.append(kept[old].model_copy(update={"claim": claim}) if old in kept else _entry(cases[old], claim))
    for _, case in sorted(cases.items()):
        if case.dropped:
            entries.append(_entry(case, case.now.claim.model_copy(update={"number": len(entries) + 1})))
    return mended, Ledger(version=mended.version, entries=tuple(entries), judges=judges, note=note)


def _entry(case: Case, claim: Claim) -> LedgerEntry:
    return LedgerEntry(
        claim=claim,
        evidence=case.now.evidence(),
        findings=case.now.findings,
        judgements=case.now.judgements,
        corrections=tuple(case.corrections),
        state=case.state,
        error_type=case.error_type,
        abstract_only=case.now.abstract_only,
    )
