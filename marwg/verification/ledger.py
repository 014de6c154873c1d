"""Reading a ledger: counts by state, the order of risk, and why a claim was flagged, told from the ledger alone."""

from collections.abc import Iterable, Mapping, Sequence

from marwg.text.markup import without_citations
from marwg.text.references import labels
from marwg.types import ClaimState, Evidence, Judgement, Ledger, LedgerEntry, Paper, PaperId
from marwg.verification.claims import FOCAL, says_only_what_is_near

RISK = (
    ClaimState.UNSUPPORTED,
    ClaimState.DISPUTED,
    ClaimState.NOT_CHECKED,
    ClaimState.REATTRIBUTED,
    ClaimState.CORRECTED,
    ClaimState.SUPPORTED,
)
"""States from the one that most needs the author to the one that needs them least."""


def counts(ledger: Ledger) -> dict[ClaimState, int]:
    """How many claims stand in each state; every state is there."""
    return {state: sum(e.state is state for e in ledger.entries) for state in ClaimState}


def by_risk(ledger: Ledger) -> tuple[LedgerEntry, ...]:
    """The entries, those that most need a look first."""

    def risk(entry: LedgerEntry) -> tuple[int, int, int, int]:
        return (RISK.index(entry.state), -len(entry.findings), not entry.abstract_only, entry.claim.number)

    return tuple(sorted(ledger.entries, key=risk))


def entry_of(ledger: Ledger, number: int) -> LedgerEntry | None:
    """The entry of claim N, as numbered on screen."""
    return next((e for e in ledger.entries if e.claim.number == number), None)


def summary(ledger: Ledger) -> str:
    """One line: how many claims, and how they stand."""
    shown = [f"{n} {state.value}" for state, n in counts(ledger).items() if n]
    total = len(ledger.entries)
    return f"{total} claim{'s' if total != 1 else ''}: {', '.join(shown)}." if total else "No claim to check."


# ---------------------------------------------------------------- why

_STANDS = {
    ClaimState.SUPPORTED: "Both judges find it supported by what it cites.",
    ClaimState.DISPUTED: "The judges, or a judge and the comparison of words, disagree about it, so it is for you to decide.",
    ClaimState.CORRECTED: "As first written it was not supported; it was changed, and the new wording was checked again.",
    ClaimState.REATTRIBUTED: "Its first source does not say it; another paper of the list does and is cited now.",
    ClaimState.UNSUPPORTED: "The sources at hand do not support it.",
    ClaimState.NOT_CHECKED: "It was not checked, so nothing is said about whether it is right.",
}


def explain(entry: LedgerEntry, papers: Mapping[PaperId, Paper] | Iterable[Paper]) -> str:
    """Why a claim stands where it stands, in Markdown, with the words of its sources; nothing is added to the ledger."""
    known = dict(papers) if isinstance(papers, Mapping) else {p.paper_id: p for p in papers}
    names = {i: f"{a} ({y})" for i, (a, y) in labels(known.values()).items()} | {FOCAL: "your abstract"}
    claim = entry.claim
    lines = [f"**Claim {claim.number}: {entry.state.value}.** {_STANDS[entry.state]}", "", f"> {claim.sentence}", ""]
    if claim.kind == "uncited":
        lines.append("It states something about others and cites no paper.")
    elif says_only_what_is_near(claim.sentence):
        lines.append("It only names the nearest papers, which no passage can confirm or deny.")
    if entry.error_type:
        lines.append(f"Kind of error: **{entry.error_type.value}**.")
    if entry.abstract_only and claim.citations:
        lines.append(
            "Only the abstracts of the cited papers are at hand, so details could not be looked up in a full text."
        )
    lines += _findings(entry, names)
    lines += _judgements(entry.judgements, names)
    lines += _passages(entry.evidence, names)
    lines += _corrections(entry)
    return "\n".join(lines).rstrip() + "\n"


def _name(paper_id: PaperId | None, names: Mapping[PaperId, str]) -> str:
    return names.get(paper_id or "", f"[@{paper_id}]")


def _findings(entry: LedgerEntry, names: Mapping[PaperId, str]) -> list[str]:
    if not entry.findings:
        return []
    rows = []
    for f in entry.findings:
        where = f" ({_name(f.paper_id, names)})" if f.paper_id else ""
        rows.append(f"- {f.rule}: “{f.words}” {f.message}{where}")
    return ["", "**Found by comparing words, without a model**", *rows]


def _judgements(judgements: Sequence[Judgement], names: Mapping[PaperId, str]) -> list[str]:
    if not judgements:
        return []
    rows = []
    for j in judgements:
        whom = " and ".join(_name(i, names) for i in j.citations) or "no source"
        sure = f", {j.confidence:.0%} sure" if j.confidence is not None else ""
        row = f"- {j.judge} on {whom}: **{j.label}**{sure}. {j.reason}".rstrip()
        rows.append(f"{row} It points at: “{j.quote}”" if j.quote else row)
    return ["", "**Verdicts**", *dict.fromkeys(rows)]


def _passages(evidence: Sequence[Evidence], names: Mapping[PaperId, str]) -> list[str]:
    rows = []
    for item in evidence:
        page = f"page {item.passage.page}" if item.passage.page else "abstract"
        words = " … ".join(item.passage.text[a:b].strip() for a, b in item.marks)
        if words:
            rows.append(f"- {_name(item.passage.paper_id, names)}, {page}: “{words}”")
    return ["", "**What the sources say nearest to it**", *rows] if rows else []


def _corrections(entry: LedgerEntry) -> list[str]:
    if not entry.corrections:
        return []
    rows = []
    for c in entry.corrections:
        rows.append(f"- {c.kind} by {c.by}: {c.reason}".rstrip())
        if c.before != c.after:
            after = without_citations(c.after) if c.after else "(taken out)"
            rows += [f"  - before: {without_citations(c.before)}", f"  - after: {after}"]
    return ["", "**What was done**", *rows]
