"""The verification report of one version: a single HTML page that needs nothing else, and a table as CSV."""

import csv
import io
from collections.abc import Iterable, Sequence

from marwg.exports.report_html import html_report
from marwg.text.markup import citations_of
from marwg.text.references import with_keys
from marwg.types import Decision, Draft, Focal, Ledger, LedgerEntry, Paper, TextReview

__all__ = ["csv_report", "html_report", "report_files"]

COLUMNS = (
    "number", "state", "error_type", "kind", "section", "sentence", "citations", "abstract_only", "findings", "first_judge",
    "first_verdict", "second_judge", "second_verdict", "reasons", "best_words", "best_words_from", "corrections", "decision",
    "decided_at",
)  # fmt: skip


def report_files(
    focal: Focal,
    draft: Draft,
    ledger: Ledger,
    papers: Sequence[Paper],
    review: TextReview | None = None,
    decided: Sequence[Decision] = (),
) -> dict[str, str]:
    """verification.html and verification.csv, by name; `papers` may be more than those that they name."""
    papers = _named(ledger, papers, review)
    return {
        "verification.html": html_report(focal, draft, ledger, papers, review, decided),
        "verification.csv": csv_report(draft, ledger, papers, decided),
    }


def _named(ledger: Ledger, papers: Iterable[Paper], review: TextReview | None) -> list[Paper]:
    """The papers that a ledger and its review speak of, those of sentences before they were changed too."""
    ids = {i for e in ledger.entries for i in e.claim.citations}
    ids |= {i for e in ledger.entries for c in e.corrections for i in (*citations_of(c.before), *citations_of(c.after))}
    ids |= {e.passage.paper_id for entry in ledger.entries for e in entry.evidence}
    if review:
        ids |= {*review.unused, *review.without_text, *(c.paper_id for c in review.missed)}
        ids |= {i for b in review.better for i in (b.paper_id, *b.instead_of)}
    return [p for p in papers if p.paper_id in ids]


def csv_report(draft: Draft, ledger: Ledger, papers: Iterable[Paper], decided: Sequence[Decision] = ()) -> str:
    """One row a claim, in the order of the draft, with the user's citation keys; spreadsheets find no formula in it."""
    keys = {p.paper_id: p.key for p in papers}
    titles = {s.topic_id: s.title for s in draft.sections}
    latest = {d.claim_id: d for d in decided}
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for entry in ledger.entries:
        row = _row(entry, keys, titles, latest.get(entry.claim.claim_id))
        writer.writerow({name: _harmless(str(value)) for name, value in row.items()})
    return out.getvalue()


def _harmless(text: str) -> str:
    """A cell that begins like a formula is set in a quote, as spreadsheets would run it."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _row(
    entry: LedgerEntry, keys: dict[str, str], titles: dict[str, str], decision: Decision | None
) -> dict[str, object]:
    claim = entry.claim
    whole = [j for j in entry.judgements if set(j.citations) >= set(claim.citations)][:2]
    first, second = (whole[0] if whole else None), (whole[1] if len(whole) > 1 else None)
    marked = next((e for e in entry.evidence if e.marks), None)
    start, end = marked.marks[0] if marked else (0, 0)
    page = f"p. {marked.passage.page}" if marked and marked.passage.page else "abstract"
    return {
        "number": claim.number,
        "state": entry.state.value,
        "error_type": entry.error_type.value if entry.error_type else "",
        "kind": claim.kind,
        "section": titles.get(claim.topic_id, ""),
        "sentence": with_keys(claim.sentence, keys),
        "citations": "; ".join(keys.get(i, i) for i in claim.citations),
        "abstract_only": "yes" if entry.abstract_only else "no",
        "findings": "; ".join(f"{f.rule}: {f.words}: {with_keys(f.message, keys)}" for f in entry.findings),
        "first_judge": first.judge if first else "",
        "first_verdict": first.label if first else "",
        "second_judge": second.judge if second else "",
        "second_verdict": second.label if second else "",
        "reasons": " | ".join(dict.fromkeys(j.reason for j in whole if j.reason)),
        "best_words": marked.passage.text[start:end].strip() if marked else "",
        "best_words_from": f"{keys.get(marked.passage.paper_id, marked.passage.paper_id)}, {page}" if marked else "",
        "corrections": " | ".join(f"{c.kind}: {with_keys(c.after, keys) or '(taken out)'}" for c in entry.corrections),
        "decision": decision.kind if decision else "",
        "decided_at": decision.made if decision else "",
    }
