"""The props of the elements of the screen: pure functions of the run."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from marwg.chat.texts import RISK, PaperOf, allowed_papers, label, page_name, safe_url, unmarked
from marwg.conversation.views import EvidenceView
from marwg.types import CandidateSet, Evidence, LedgerEntry, Outline, Run, Taxonomy

EXCERPT = 700
"""Characters of a passage that the ledger shows; the side panel shows it whole."""


def candidate_table(candidates: CandidateSet, paper: PaperOf) -> dict[str, Any]:
    """Props of CandidateTable: every candidate in order, and which of them were taken."""
    pages = {s.paper_id: s.pages for s in candidates.shortlist}
    why = {left.paper_id: left.reason for left in candidates.left_out}
    rows: list[dict[str, Any]] = []
    for candidate in candidates.candidates:
        view = paper(candidate.paper_id)
        rows.append(
            {
                "id": candidate.paper_id,
                "title": view.title,
                "cited_as": view.cited_as,
                "year": view.year,
                "url": safe_url(view.url),
                "topic": candidate.topic,
                "similarity": round(candidate.similarity, 3),
                "grade": candidate.grade,
                "role": candidate.role.value if candidate.role else "",
                "reason": candidate.reason or why.get(candidate.paper_id, ""),
                "full_text": view.full_text,
                "note": view.is_note,
                "pages": list(pages.get(candidate.paper_id, ())),
                "taken": candidate.paper_id in pages,
            }
        )
    order = {s.paper_id: i for i, s in enumerate(candidates.shortlist)}
    rows.sort(key=lambda r: order.get(r["id"], len(order)))
    return {"rows": rows, "queries": list(candidates.queries)}


def taxonomy_graph(taxonomy: Taxonomy, paper: PaperOf) -> dict[str, Any]:
    """Props of TaxonomyGraph: the nodes of each dimension with the column and row where they are drawn."""
    children: dict[str, list[str]] = defaultdict(list)
    parents: dict[str, list[str]] = defaultdict(list)
    for above, below in taxonomy.edges:
        children[above].append(below)
        parents[below].append(above)
    place = _places([n.node_id for n in taxonomy.nodes], children, parents)
    nodes = [
        {
            "id": n.node_id,
            "dimension": n.dimension.value,
            "label": n.label,
            "gloss": n.gloss,
            "papers": [f"{view.title} ({label(view)})" for view in map(paper, n.papers)],
            "column": place[n.node_id][0],
            "row": place[n.node_id][1],
        }
        for n in taxonomy.nodes
    ]
    return {"nodes": nodes, "edges": [list(e) for e in taxonomy.edges]}


def _places(
    ids: Sequence[str], children: Mapping[str, Sequence[str]], parents: Mapping[str, Sequence[str]]
) -> dict[str, tuple[int, float]]:
    """Column (longest way from a root) and row (leaves one below the other, the others amid their children)."""
    place: dict[str, tuple[int, float]] = {}
    column: dict[str, int] = {}

    def depth(node: str) -> int:
        if node not in column:
            column[node] = max((depth(p) + 1 for p in parents.get(node, ())), default=0)
        return column[node]

    for root in (i for i in ids if not parents.get(i)):
        free = 0.0

        def put(node: str) -> float:
            nonlocal free
            if node in place:
                return place[node][1]
            rows = [
                put(c) for c in children.get(node, ()) if c not in place
            ]  # a shared child stands at its first parent
            if rows:
                row = (min(rows) + max(rows)) / 2
            else:
                row, free = free, free + 1
            place[node] = (depth(node), row)
            return row

        put(root)
    return place


def outline_card(run: Run, paper: PaperOf) -> dict[str, Any]:
    """Props of OutlineEditor: the topics, and the names of all papers that may be moved among them."""
    assert run.outline is not None
    known = allowed_papers(run)
    return {
        "state": "open",
        "topics": topics_of(run.outline, run.taxonomy),
        "papers": {p: {"title": view.title, "cited_as": label(view)} for p in known for view in (paper(p),)},
        "uncovered": [{"id": left.paper_id, "reason": left.reason} for left in run.outline.uncovered],
    }


def topics_of(outline: Outline, taxonomy: Taxonomy | None = None) -> list[dict[str, Any]]:
    """The topics as the outline card edits them, with the labels of the taxonomy nodes behind each."""
    nodes = {n.node_id: n.label for n in taxonomy.nodes} if taxonomy else {}
    return [
        {
            "topic_id": t.topic_id,
            "title": t.title,
            "papers": list(t.papers),
            "fixed": t.fixed_by_user,
            "nodes": list(dict.fromkeys(nodes[n] for n in t.nodes if n in nodes)),
        }
        for t in outline.topics
    ]


def ledger_table(run: Run, paper: PaperOf, decisions: Mapping[str, str]) -> dict[str, Any]:
    """Props of ClaimLedger: one row per claim with all that speaks for and against it."""
    assert run.ledger is not None
    titles = {s.topic_id: s.title for s in run.draft.sections} if run.draft else {}
    return {
        "state": "open",
        "version": run.ledger.version,
        "judges": list(run.ledger.judges),
        "independent": run.ledger.independent,
        "note": run.ledger.note,
        "rows": [_row(e, titles, paper, decisions.get(e.claim.claim_id, "")) for e in run.ledger.entries],
    }


def _row(entry: LedgerEntry, titles: Mapping[str, str], paper: PaperOf, decision: str) -> dict[str, Any]:
    claim = entry.claim

    return {
        "id": claim.claim_id,
        "number": claim.number,
        "section": titles.get(claim.topic_id, ""),
        "sentence": unmarked(claim.sentence, paper),
        "kind": claim.kind,
        "state": entry.state.value,
        "risk": RISK.index(entry.state),
        "error_type": entry.error_type.value if entry.error_type else "",
        "abstract_only": entry.abstract_only,
        "decision": decision,
        "evidence": [_passage(e, paper) for e in entry.evidence],
        "findings": [{"rule": f.rule, "words": f.words, "message": f.message} for f in entry.findings],
        "judgements": _judgements(entry, paper),
        "corrections": [
            {
                "kind": c.kind,
                "before": unmarked(c.before, paper),
                "after": unmarked(c.after, paper),
                "reason": c.reason,
                "by": c.by,
            }
            for c in entry.corrections
        ],
    }


def _judgements(entry: LedgerEntry, paper: PaperOf) -> list[dict[str, Any]]:
    """Each judgement once: where both judges are the same, they say the same."""
    told = [
        {
            "judge": j.judge,
            "papers": [label(paper(p)) for p in j.citations],
            "label": j.label,
            "error_type": j.error_type.value if j.error_type else "",
            "confidence": j.confidence,
            "reason": j.reason,
            "quote": j.quote,
        }
        for j in entry.judgements
    ]
    return [t for i, t in enumerate(told) if t not in told[:i]]


def _passage(evidence: Evidence, paper: PaperOf) -> dict[str, Any]:
    passage, view = evidence.passage, paper(evidence.passage.paper_id)
    return {
        "title": view.title,
        "cited_as": label(view),
        "where": page_name(passage.page, view.is_note),
        "url": safe_url(view.url),
        "words": marked_words(passage.text, evidence.marks, EXCERPT),
    }


def source_panel(evidence: Sequence[EvidenceView]) -> dict[str, Any]:
    """Props of SourcePanel: the passages of one claim, whole."""
    return {
        "passages": [
            {
                "title": e.title,
                "cited_as": e.cited_as,
                "where": page_name(e.page, e.is_note),
                "url": safe_url(e.url),
                "words": marked_words(e.text, e.marks),
            }
            for e in evidence
        ]
    }


def marked_words(text: str, marks: Sequence[tuple[int, int]], limit: int | None = None) -> list[list[Any]]:
    """The text in stretches `[words, marked]`; with a limit, only the surroundings of the marks."""
    spans = sorted((max(0, a), min(len(text), b)) for a, b in marks if a < b and a < len(text))
    start, end = 0, len(text)
    if limit is not None and len(text) > limit:
        first = spans[0][0] if spans else 0
        start = max(0, min(first - limit // 4, len(text) - limit))
        end = start + limit
    stretches: list[list[Any]] = [["… ", False]] if start else []
    position = start
    for a, b in spans:
        a, b = max(a, position), min(b, end)
        if a < b:
            stretches += [[text[position:a], False], [text[a:b], True]]
            position = b
    stretches += [[text[position:end], False], ["…" if end < len(text) else "", False]]
    return [s for s in stretches if s[0]]
