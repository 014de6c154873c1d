"""The ledger as one HTML page: no file beside it, nothing loaded, readable without scripts, printable."""

from collections.abc import Mapping, Sequence
from html import escape

from marwg.text.references import labels, with_names
from marwg.types import Decision, Draft, Evidence, Focal, Ledger, LedgerEntry, Paper, PaperId, TextReview
from marwg.verification.ledger import by_risk, counts, summary
from marwg.verification.ledger_answers import reviewed

_STYLE = """
:root{color-scheme:light dark;--line:#8886;--soft:#8881}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}.muted{opacity:.75;font-size:.9rem}
.filters button{font:inherit;padding:.2rem .7rem;margin:0 .3rem .3rem 0;border:1px solid var(--line);border-radius:1rem;background:none;color:inherit;cursor:pointer}
.filters button[aria-pressed=true]{background:var(--soft);font-weight:600}
details.claim{border:1px solid var(--line);border-left-width:.4rem;border-radius:.4rem;margin:.6rem 0;padding:.5rem .8rem}
details.claim>summary{cursor:pointer}summary .state{font-weight:600}
.supported{border-left-color:#2a8}.corrected,.re-attributed{border-left-color:#28c}.disputed{border-left-color:#c80}
.unsupported{border-left-color:#c33}.not-checked{border-left-color:#888}
mark{background:#fd6;color:#000;padding:0 .1em}blockquote{margin:.4rem 0;padding-left:.8rem;border-left:2px solid var(--line)}
del{opacity:.7}li{margin:.2rem 0}@media print{.filters{display:none}details.claim{break-inside:avoid}}
"""
_SCRIPT = """
for(const b of document.querySelectorAll('.filters button'))b.onclick=()=>{
 for(const o of document.querySelectorAll('.filters button'))o.setAttribute('aria-pressed',o===b);
 for(const c of document.querySelectorAll('details.claim'))c.hidden=b.dataset.state&&c.dataset.state!==b.dataset.state;
};
addEventListener('beforeprint',()=>{for(const c of document.querySelectorAll('details.claim'))c.open=true});
"""


def html_report(
    focal: Focal,
    draft: Draft,
    ledger: Ledger,
    papers: Sequence[Paper],
    review: TextReview | None = None,
    decided: Sequence[Decision] = (),
) -> str:
    """The ledger of a version, claims of highest risk first; all that comes from papers and users is escaped."""
    known = {p.paper_id: p for p in papers}
    found = counts(ledger)
    buttons = [f'<button type="button" data-state="" aria-pressed="true">all {len(ledger.entries)}</button>']
    buttons += [
        f'<button type="button" data-state="{_slug(state.value)}" aria-pressed="false">{escape(state.value)} {n}</button>'
        for state, n in found.items()
        if n
    ]
    names = {i: f"{a} ({y})" for i, (a, y) in labels(known.values()).items()}
    own: dict[str, list[Decision]] = {}
    for decision in decided:
        own.setdefault(decision.claim_id, []).append(decision)
    judges = " and ".join(dict.fromkeys(ledger.judges))
    independent = (
        "two different models" if ledger.independent else "one model for both verdicts, which is weaker than two"
    )
    rows = "\n".join(_claim(e, known, names, own.get(e.claim.claim_id, ())) for e in by_risk(ledger))
    misses = f"<h2>The text as a whole</h2>\n{_paragraphs(reviewed(review, ledger, known))}" if review else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Verification: {escape(focal.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>Verification report</h1>\n<p><strong>{escape(focal.title)}</strong><br>\n"
        f'<span class="muted">Version {draft.version}, written by {escape(draft.author)}. Judged by {escape(judges)}: {independent}.'
        f" {escape(ledger.note)}</span></p>\n<p>{escape(summary(ledger))}</p>\n{misses}\n<h2>Claims, those of highest risk first</h2>\n"
        f'<div class="filters">{"".join(buttons)}</div>\n{rows}\n<script>{_SCRIPT}</script>\n</body>\n</html>\n'
    )


def _slug(state: str) -> str:
    return state.replace(" ", "-")


def _claim(
    entry: LedgerEntry, known: Mapping[PaperId, Paper], names: Mapping[PaperId, str], own: Sequence[Decision]
) -> str:
    state = entry.state.value
    label = f"{state}{f': {entry.error_type.value}' if entry.error_type else ''}"
    note = " · abstracts only" if entry.abstract_only else ""
    blocks = [
        f'<details class="claim {_slug(state)}" data-state="{_slug(state)}">\n<summary><span class="state">{entry.claim.number}. '
        f'{escape(label)}</span><span class="muted">{note}</span><br>{escape(with_names(entry.claim.sentence, known.values()))}</summary>'
    ]
    findings = [
        f"{f.rule}: “{f.words}” {f.message}{f' ({_name(f.paper_id, names)})' if f.paper_id else ''}"
        for f in entry.findings
    ]
    verdicts = dict.fromkeys(
        f"{j.judge} on {' and '.join(_name(i, names) for i in j.citations) or 'no source'}: {j.label}"
        f"{f', {j.confidence:.0%} sure' if j.confidence is not None else ''}. {j.reason}"
        f"{f' It points at: “{j.quote}”' if j.quote else ''}"
        for j in entry.judgements
    )
    blocks += [_list("Found by comparing words", findings), _list("Verdicts", list(verdicts))]
    if entry.evidence:
        passages = "".join(_passage(e, names) for e in entry.evidence)
        blocks.append(f"<p><strong>Passages</strong></p>{passages}")
    blocks.append(_corrections(entry, known))
    blocks.append(_list("Decisions of the author", [f"{d.kind}, {d.made[:16].replace('T', ' ')} UTC" for d in own]))
    return "\n".join(b for b in blocks if b) + "\n</details>"


def _name(paper_id: PaperId, names: Mapping[PaperId, str]) -> str:
    return names.get(paper_id, "the focal abstract" if paper_id == "focal" else f"[@{paper_id}]")


def _list(head: str, items: Sequence[str]) -> str:
    if not items:
        return ""
    return f"<p><strong>{escape(head)}</strong></p><ul>{''.join(f'<li>{escape(i)}</li>' for i in items)}</ul>"


def _passage(evidence: Evidence, names: Mapping[PaperId, str]) -> str:
    passage, position, pieces = evidence.passage, 0, []
    for start, end in evidence.marks:
        pieces += [escape(passage.text[position:start]), f"<mark>{escape(passage.text[start:end])}</mark>"]
        position = end
    pieces.append(escape(passage.text[position:]))
    page = f"page {passage.page}" if passage.page else "abstract"
    return f'<blockquote><span class="muted">{escape(_name(passage.paper_id, names))}, {page}</span><br>{"".join(pieces)}</blockquote>'


def _corrections(entry: LedgerEntry, known: Mapping[PaperId, Paper]) -> str:
    rows = []
    for step in entry.corrections:
        changed = ""
        if step.before != step.after:
            after = escape(with_names(step.after, known.values())) if step.after else "(taken out)"
            changed = f"<br><del>{escape(with_names(step.before, known.values()))}</del><br>{after}"
        reason = escape(with_names(step.reason, known.values()))
        rows.append(f"<li>{escape(step.kind)} by {escape(step.by)}: {reason}{changed}</li>")
    return f"<p><strong>What was done</strong></p><ul>{''.join(rows)}</ul>" if rows else ""


def _paragraphs(markdown: str) -> str:
    """Blocks of bold heads with list items, as `reviewed` gives them."""
    blocks = []
    for block in markdown.split("\n\n"):
        lines = block.split("\n")
        items = [escape(line[2:]) for line in lines if line.startswith("- ")]
        if items:
            blocks.append(f"<ul>{''.join(f'<li>{i}</li>' for i in items)}</ul>")
        else:
            blocks.append(f"<p>{escape(block.replace('**', ''))}</p>")
    return "\n".join(blocks)
