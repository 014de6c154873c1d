"""The claim ledger as a file that stands alone: every claim with its passages, verdicts and corrections."""

import json
from collections.abc import Iterable

from marwg.text.references import with_keys
from marwg.types import Draft, Focal, Ledger, LedgerEntry, Paper


def ledger_json(focal: Focal, draft: Draft, ledger: Ledger, papers: Iterable[Paper]) -> str:
    """The ledger as JSON, with the user's citation keys; `papers` are those that may be cited."""
    papers = list(papers)
    keys = {p.paper_id: p.key for p in papers}
    states: dict[str, int] = {}
    for entry in ledger.entries:
        states[entry.state.value] = states.get(entry.state.value, 0) + 1
    document = {
        "format": "marwg claim ledger 1",
        "title": focal.title,
        "version": draft.version,
        "written_by": draft.author,
        "judges": list(ledger.judges),
        "independent_judges": ledger.independent,
        "note": ledger.note,
        "states": states,
        "claims": [_entry(entry, keys) for entry in ledger.entries],
        "uncited": [{"key": keys.get(u.paper_id, u.paper_id), "reason": u.reason} for u in draft.uncited],
        "papers": {p.key: {"title": p.title, "year": p.year, "doi": p.doi, "arxiv": p.arxiv_id} for p in papers},
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _entry(entry: LedgerEntry, keys: dict[str, str]) -> dict[str, object]:
    claim = entry.claim
    return {
        "number": claim.number,
        "kind": claim.kind,
        "sentence": with_keys(claim.sentence, keys),
        "citations": [keys.get(c, c) for c in claim.citations],
        "state": entry.state.value,
        "error_type": entry.error_type.value if entry.error_type else None,
        "abstract_only": entry.abstract_only,
        "passages": [
            {
                "key": keys.get(e.passage.paper_id, e.passage.paper_id),
                "page": e.passage.page or "abstract",
                "start": e.passage.start,
                "end": e.passage.end,
                "text": e.passage.text,
                "supporting_words": [e.passage.text[a:b] for a, b in e.marks],
            }
            for e in entry.evidence
        ],
        "findings": [{"rule": f.rule, "words": f.words, "message": with_keys(f.message, keys)} for f in entry.findings],
        "verdicts": [
            {
                "judge": j.judge,
                "citations": [keys.get(c, c) for c in j.citations],
                "label": j.label,
                "error_type": j.error_type.value if j.error_type else None,
                "confidence": j.confidence,
                "reason": with_keys(j.reason, keys),
                "quote": j.quote,
            }
            for j in entry.judgements
        ],
        "corrections": [
            {
                "kind": c.kind,
                "before": with_keys(c.before, keys),
                "after": with_keys(c.after, keys),
                "reason": with_keys(c.reason, keys),
                "by": c.by,
            }
            for c in entry.corrections
        ],
    }
