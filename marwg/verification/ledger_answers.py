"""Questions to the ledger of a draft, answered from it alone: claims by number, their words, and the words of the sources."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from marwg.tasks import LedgerQuestion
from marwg.text.markup import without_citations
from marwg.text.references import labels, with_names
from marwg.types import ClaimState, Correction, Decision, Ledger, LedgerEntry, Paper, PaperId, TextReview
from marwg.verification.ledger import by_risk, summary

SHOWN = 12
"""Claims that one answer lists; the rest is counted."""

_STATES: dict[str, ClaimState] = {
    "disputed": ClaimState.DISPUTED,
    "unsupported": ClaimState.UNSUPPORTED,
    "not_checked": ClaimState.NOT_CHECKED,
    "supported": ClaimState.SUPPORTED,
    "reattributed": ClaimState.REATTRIBUTED,
}
_NONE = {
    "disputed": "No claim is disputed: the two judges agree on all that they judged.",
    "unsupported": "No claim is unsupported.",
    "not_checked": "Every claim was checked.",
    "supported": "No claim is supported by both judges.",
    "reattributed": "No claim was given another source.",
}
_HEADS = {
    "disputed": "disputed: a judge, or the comparison of words, disagrees",
    "unsupported": "not supported by what is at hand",
    "not_checked": "not checked",
    "supported": "supported by both judges",
    "reattributed": "cited now with another source",
}


def answer(
    about: LedgerQuestion,
    ledger: Ledger,
    papers: Iterable[Paper],
    asked: Sequence[PaperId] = (),
    review: TextReview | None = None,
    decided: Sequence[Decision] = (),
) -> str:
    """The answer to a question about the whole ledger, in Markdown."""
    known = {p.paper_id: p for p in papers}
    if about in _STATES:
        entries = [e for e in ledger.entries if e.state is _STATES[about]]
        shown = _reason if about != "supported" else _best_words
        return _listed(entries, known, _HEADS[about], shown) if entries else _NONE[about]
    match about:
        case "flagged":
            return _flagged(ledger, known, decided)
        case "abstract_only":
            entries = [e for e in by_risk(ledger) if e.abstract_only and e.claim.citations]
            head = "resting on abstracts only, as no full text of what they cite is in the library"
            none = "No claim rests on abstracts only: of each cited paper a full text is at hand."
            return _listed(entries, known, head, _best_words) if entries else none
        case "uncited":
            entries = [e for e in ledger.entries if e.claim.kind == "uncited"]
            none = "No sentence states something about others without a citation."
            head = "stating something about others without a citation"
            return _listed(entries, known, head, lambda e, k: "") if entries else none
        case "changed":
            return _changed(ledger, known, lambda c: c.before != c.after, "Nothing was changed by the check.")
        case "dropped":
            none = "The check took no sentence and no citation out."
            return _changed(ledger, known, lambda c: c.kind == "dropped", none)
        case "paper":
            return _of_paper(ledger, known, asked)
        case "judges":
            return _judges(ledger)
        case "summary" | "true":
            return "\n\n".join(part for part in (summary(ledger), _judges(ledger)) if part)
    return reviewed(review, ledger, known, about)


# ---------------------------------------------------------------- parts of answers

Shown = Callable[[LedgerEntry, Mapping[PaperId, Paper]], str]


def _listed(entries: Sequence[LedgerEntry], known: Mapping[PaperId, Paper], head: str, more: Shown) -> str:
    noun = "claim is" if len(entries) == 1 else "claims are"
    lines = [f"**{len(entries)} {noun} {head}.**", ""]
    for entry in entries[:SHOWN]:
        lines.append(f"- **Claim {entry.claim.number}** ({entry.state.value}): {named(entry.claim.sentence, known)}")
        if text := more(entry, known):
            lines.append(f"  {text}")
    if len(entries) > SHOWN:
        rest = ", ".join(str(e.claim.number) for e in entries[SHOWN:])
        lines += ["", f"Further ones: {rest}."]
    return "\n".join(lines)


def named(sentence: str, known: Mapping[PaperId, Paper]) -> str:
    """A sentence with authors and years in place of ids."""
    return with_names(sentence, known.values())


def _reason(entry: LedgerEntry, known: Mapping[PaperId, Paper]) -> str:
    """Why a claim does not stand, in the words of the gate and the judges."""
    said = [f"“{f.words}”: {f.message}" for f in entry.findings[:2]]
    said += [j.reason for j in entry.judgements if j.label != "supported" and j.reason][:1]
    text = named(" ".join(dict.fromkeys(s.rstrip(".") + "." for s in said)), known)
    words = _best_words(entry, known)
    return " ".join(t for t in (text, words) if t)


def _best_words(entry: LedgerEntry, known: Mapping[PaperId, Paper]) -> str:
    """The words of the sources that a judge points at, else those nearest to the claim."""
    for evidence in entry.evidence:
        if evidence.marks:
            start, end = evidence.marks[0]
            return f"{where(evidence.passage.paper_id, evidence.passage.page, known)}: “{evidence.passage.text[start:end].strip()}”"
    return ""


def where(paper_id: PaperId, page: int, known: Mapping[PaperId, Paper]) -> str:
    """ "Li et al. (2020), page 3" or "…, abstract"."""
    names = labels(known.values())
    name = f"{names[paper_id][0]} ({names[paper_id][1]})" if paper_id in names else "your abstract"
    return f"{name}, page {page}" if page else f"{name}, abstract"


def _flagged(ledger: Ledger, known: Mapping[PaperId, Paper], decided: Sequence[Decision]) -> str:
    accepted = {d.claim_id for d in decided if d.kind == "accept"}
    good = (ClaimState.SUPPORTED, ClaimState.CORRECTED, ClaimState.REATTRIBUTED)
    entries = [e for e in by_risk(ledger) if e.state not in good and e.claim.claim_id not in accepted]
    if not entries:
        return f"Nothing is flagged. {summary(ledger)}"
    return _listed(entries, known, "for you to look at, those of highest risk first", _reason)


def _changed(ledger: Ledger, known: Mapping[PaperId, Paper], which: Callable[[Correction], bool], none: str) -> str:
    lines = []
    for entry in ledger.entries:
        for step in entry.corrections:
            if not which(step):
                continue
            after = named(step.after, known) if step.after else "(taken out)"
            lines += [
                f"- **Claim {entry.claim.number}**, {step.kind} by {step.by}",
                f"  - before: {named(step.before, known)}",
                f"  - after: {after}",
                f"  - why: {named(step.reason, known)}",
            ]
    return "\n".join(lines) if lines else none


def _of_paper(ledger: Ledger, known: Mapping[PaperId, Paper], asked: Sequence[PaperId]) -> str:
    entries = [e for e in ledger.entries if set(asked) & set(e.claim.citations)]
    names = labels(known.values())
    who = " and ".join(" ".join(names[i]) for i in asked if i in names)
    return (
        _listed(entries, known, f"citing {who}", _best_words) if entries else f"No claim cites {who or 'this paper'}."
    )


def _judges(ledger: Ledger) -> str:
    first, second = ledger.judges
    if ledger.independent:
        text = f"The claims were judged by {first} and, independently, by {second}."
    else:
        text = f"Both verdicts come from {first}, which is weaker than two different models."
    note = "" if ledger.note in text else f" {ledger.note}"
    return text + note


# ---------------------------------------------------------------- a person's own text


def reviewed(
    review: TextReview | None, ledger: Ledger, known: Mapping[PaperId, Paper], about: LedgerQuestion | None = None
) -> str:
    """What was found of a person's own text, or the one part of it that is asked for."""
    if review is None:
        return "This draft was written here from the library, so all that it cites is in the list of references."
    numbers = {e.claim.claim_id: e.claim.number for e in ledger.entries}
    names = {i: f"{a} ({y})" for i, (a, y) in labels(known.values()).items()}

    def paper(paper_id: PaperId) -> str:
        return f"{names.get(paper_id, paper_id)}, {known[paper_id].title}" if paper_id in known else paper_id

    better = []
    for item in review.better:
        instead = " and ".join(names.get(i, i) for i in item.instead_of)
        fit = f" instead of {instead}" if instead else ", where nothing is cited"
        page = f"page {item.page}" if item.page else "abstract"
        words = f" ({page}: “{item.quote}”)" if item.quote else ""
        better.append(f"claim {numbers.get(item.claim_id, '?')}: {paper(item.paper_id)}{fit}{words}")
    parts: tuple[tuple[str, str, Sequence[str], str], ...] = (
        ("unknown", "Citations that name no reference", review.unknown, "Every citation names a reference."),
        ("without", "Cited, but neither abstract nor full text is here, so nothing could be checked: add their PDFs",
         [paper(i) for i in review.without_text], ""),
        ("better", "A better source", better, "No better source was found for the claims that do not stand."),
        ("unused", "References that nothing cites", [paper(i) for i in review.unused], "Every reference is cited."),
        ("missed", "Close papers of the library that the text does not cite",
         [f"{paper(c.paper_id)} (similarity {c.similarity:.2f})" for c in review.missed],
         "No close paper of the library is missed."),
    )  # fmt: skip
    blocks = []
    for name, head, items, none in parts:
        if about is not None and name != about:
            continue
        if items:
            rest = [f"- and {len(items) - 2 * SHOWN} more"] if len(items) > 2 * SHOWN else []
            blocks.append("\n".join([f"**{head}** ({len(items)})", "", *(f"- {i}" for i in items[: 2 * SHOWN]), *rest]))
        elif about is not None:
            blocks.append(none)
    return (
        "\n\n".join(blocks)
        or "Every citation names a reference, every reference is cited, and no close paper is missed."
    )


def nearest(
    statement: str, ledger: Ledger, overlap: Callable[[str, str], float], least: float = 0.6
) -> tuple[LedgerEntry, ...]:
    """The claims that say nearly what a statement says, the nearest first."""
    scored = [(overlap(statement, without_citations(e.claim.sentence)), -e.claim.number, e) for e in ledger.entries]
    return tuple(e for s, _, e in sorted(scored, key=lambda x: (-x[0], -x[1])) if s >= least)[:3]
