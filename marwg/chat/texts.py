"""What the screen says of a run, as Markdown: pure functions of the run."""

import re
import unicodedata
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import urlsplit

from marwg.conversation.views import PaperView
from marwg.language_models.choice import BUILT_IN
from marwg.text import markup
from marwg.types import (
    ABSTRACT_PAGE,
    CandidateSet,
    Card,
    ClaimState,
    Draft,
    Feedback,
    Ledger,
    LedgerEntry,
    PaperId,
    Run,
    Section,
    Sentence,
    Stage,
    Usage,
)

PaperOf = Callable[[PaperId], PaperView]

RISK = (
    ClaimState.UNSUPPORTED,
    ClaimState.DISPUTED,
    ClaimState.NOT_CHECKED,
    ClaimState.REATTRIBUTED,
    ClaimState.CORRECTED,
    ClaimState.SUPPORTED,
)
"""The states, the one that needs the author most first."""

SIGN = {
    ClaimState.SUPPORTED: "✓",
    ClaimState.DISPUTED: "?",
    ClaimState.CORRECTED: "✎",
    ClaimState.REATTRIBUTED: "↷",
    ClaimState.UNSUPPORTED: "✗",
    ClaimState.NOT_CHECKED: "○",
}


# ---------------------------------------------------------------- words


def plain(text: str) -> str:
    """Text of a source so that Markdown shows it as it is."""
    return re.sub(r"([\\`*_\[\]<>#|~!])", r"\\\1", " ".join(text.split()))


def safe_url(url: str) -> str:
    """The address where it leads to the web, else nothing."""
    return url if urlsplit(url).scheme in ("http", "https") else ""


def label(paper: PaperView) -> str:
    """How a paper is named inside brackets: "Li et al., 2023"."""
    return re.sub(r" \(([^()]*)\)$", r", \1", paper.cited_as)


def with_names(text: str, paper: PaperOf) -> str:
    """The text with author and year in the place of citation markers; a marker not yet whole is left out.

    Where the authors stand right before a marker, the year alone takes its place.
    """
    opened = text.rfind("[@")
    if opened >= 0 and "]" not in text[opened:]:
        text = text[:opened]
    for group in reversed(markup.groups(text)):
        names = [label(paper(p)) for p in group.citations]
        before = text[: group.start]
        authors, _, year = names[0].rpartition(", ")
        alone = len(names) == 1 and authors and before.rstrip().casefold().endswith(authors.casefold())
        text = f"{before}({plain(year if alone else '; '.join(names))}){text[group.end :]}"
    return text


def unmarked(text: str, paper: PaperOf) -> str:
    """A sentence with names for citation markers, as plain text and not as Markdown."""
    return re.sub(r"\\(.)", r"\1", with_names(text, paper))


def plural(count: int, noun: str) -> str:
    """ "1 paper", "2 papers"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def page_name(page: int, is_note: bool = False) -> str:
    """ "abstract", "our note on the abstract", or "page 4"."""
    if page != ABSTRACT_PAGE:
        return f"page {page}"
    return "our note on the abstract" if is_note else "abstract"


def cost(usage: Usage) -> str:
    """What models did so far in a few words; nothing where there was nothing."""
    parts = []
    if usage.calls or usage.cached:
        parts.append(plural(usage.calls, "call") + (f" + {usage.cached} cached" if usage.cached else ""))
    if tokens := usage.input_tokens + usage.output_tokens:
        parts.append(f"{tokens / 1000:.1f}k tokens" if tokens >= 1000 else f"{tokens} tokens")
    if usage.dollars:
        parts.append(f"${usage.dollars:.3f}" if usage.dollars < 1 else f"${usage.dollars:.2f}")
    return ", ".join(parts)


def short_cost(usage: Usage) -> str:
    """The one figure that says most."""
    return cost(usage).rsplit(", ", 1)[-1]


# ---------------------------------------------------------------- what a run has


def done_stages(run: Run) -> tuple[Stage, ...]:
    """The stages whose output the run has."""
    output = {
        Stage.CANDIDATES: run.candidates,
        Stage.SUMMARIES: run.cards,
        Stage.TAXONOMY: run.taxonomy,
        Stage.DRAFT: run.draft,
        Stage.VERIFICATION: run.ledger,
    }
    return tuple(stage for stage in Stage if output[stage] is not None)


def waits_for_approval(run: Run) -> bool:
    """Whether the run goes on only when the user approves its outline."""
    return run.outline is not None and not run.outline_approved and run.draft is None


def is_finished(run: Run) -> bool:
    """Whether the newest draft of the run is verified."""
    return run.draft is not None and run.ledger is not None and run.ledger.version == run.draft.version


def allowed_papers(run: Run) -> tuple[PaperId, ...]:
    """The papers that an outline of this run may hold."""
    shortlist = [s.paper_id for s in run.candidates.shortlist] if run.candidates else []
    in_topics = [p for t in run.outline.topics for p in t.papers] if run.outline else []
    return markup.unique([*shortlist, *in_topics])


# ---------------------------------------------------------------- stages


def card_markdown(card: Card, paper: PaperView) -> str:
    """One summary as a list item."""
    cells = [
        (name, getattr(card, name)) for name in ("problem", "method", "data", "evaluation", "result", "limitation")
    ]
    lines = [f"- **{plain(paper.title)}** ({plain(label(paper))}) · *{card.relation}*"]
    lines += [f"    - {name.capitalize()}: {plain(cell.text)}" for name, cell in cells if cell.text]
    if card.relation_reason:
        lines.append(f"    - To this paper: {plain(card.relation_reason)}")
    return "\n".join(lines) + "\n"


def feedback_markdown(feedback: Iterable[Feedback], titles: Mapping[str, str]) -> str:
    """What the reader asked of the sections, and nothing where it asked for nothing."""
    lines = []
    for item in feedback:
        asked = [
            ("Structural logic", item.structural_logic),
            ("Critical analysis", item.critical_analysis),
            ("Prominent contribution", item.prominent_contribution),
            ("Concise language", item.concise_language),
        ]
        if any(text for _, text in asked):
            lines.append(f"- **{plain(titles.get(item.topic_id, item.topic_id))}**")
            lines += [f"    - {name}: {plain(text)}" for name, text in asked if text]
    return "\n".join(["Feedback that the revision answers:", "", *lines]) if lines else ""


# ---------------------------------------------------------------- draft


def draft_markdown(draft: Draft, ledger: Ledger | None, paper: PaperOf) -> str:
    """The draft with the number and the state of its claim behind each checked sentence, and its references."""
    waiting = _claims_by_sentence(ledger)
    parts = []
    for section in draft.sections:
        paragraphs = [
            " ".join(_sentence(section, s, waiting, paper) for s in paragraph)
            for paragraph in section.paragraphs
            if paragraph
        ]
        heading = [f"### {plain(section.title)}"] if section.title else []
        parts.append("\n\n".join(heading + paragraphs))
    parts.append(references_markdown(draft, paper))
    return "\n\n".join(p for p in parts if p)


def _claims_by_sentence(ledger: Ledger | None) -> dict[tuple[str, str], deque[LedgerEntry]]:
    waiting: dict[tuple[str, str], deque[LedgerEntry]] = defaultdict(deque)
    for entry in ledger.entries if ledger else ():
        texts = {entry.claim.sentence} | {c.after for c in entry.corrections if c.after}
        for sentence in texts:
            waiting[entry.claim.topic_id, sentence].append(entry)
    return waiting


def _sentence(
    section: Section, sentence: Sentence, waiting: Mapping[tuple[str, str], deque[LedgerEntry]], paper: PaperOf
) -> str:
    shown = with_names(sentence.text, paper)
    entries = waiting.get((section.topic_id, sentence.text))
    return f"{shown} {badge(entries.popleft())}" if entries else shown


def badge(entry: LedgerEntry) -> str:
    """The mark behind a sentence: a link that opens the claim's row in the ledger."""
    state = entry.state.value.replace(" ", "-")
    return f"[{entry.claim.number} {SIGN[entry.state]}](#claim-{entry.claim.number}-{state})"


def references_markdown(draft: Draft, paper: PaperOf) -> str:
    """The papers that this version cites, by name."""
    cited = markup.unique(
        p for section in draft.sections for s in section.sentences for p in markup.citations_of(s.text)
    )
    views = sorted(map(paper, cited), key=lambda v: (_letters(label(v)), _letters(v.title)))
    lines = [
        f"- {plain(label(v))}. {_linked(plain(v.title), safe_url(v.url))}.{f' *{plain(v.venue)}*.' if v.venue else ''}"
        for v in views
    ]
    return "\n".join(["### References", "", *lines]) if lines else ""


def _letters(text: str) -> str:
    """The text as it is sorted: "Şahinuç" among the S."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().casefold()


def _linked(text: str, url: str) -> str:
    return f"[{text}](<{url}>)" if url else text


def verdicts_line(ledger: Ledger) -> str:
    """ "21 claims: 17 supported, 3 corrected, 1 disputed"."""
    counts = {state: sum(e.state is state for e in ledger.entries) for state in reversed(RISK)}
    told = ", ".join(f"{count} {state.value}" for state, count in counts.items() if count)
    return f"{plural(len(ledger.entries), 'claim')}: {told}" if ledger.entries else "no sentence that has to be checked"


def candidates_line(candidates: CandidateSet) -> str:
    """How many papers were found and taken."""
    taken, found = len(candidates.shortlist), len(candidates.candidates)
    return f"**Candidates.** {plural(taken, 'paper')} of {found} taken, the best first."


def closing_line(run: Run) -> str:
    """Which version this is, who made and checked it, and what can be done next."""
    assert run.draft is not None
    writer = _writer(run.draft.author)
    judges = " and ".join(_writer(j) for j in markup.unique(run.ledger.judges)) if run.ledger else ""
    made = f"**Version {run.draft.version}**, written {'and checked ' if judges == writer else ''}by {writer}"
    if judges and judges != writer:
        made += f", checked by {judges}"
    if spent := cost(run.usage):
        made += f" ({spent})"
    lines = [f"{made}."]
    if run.draft.author == str(BUILT_IN):
        lines.append(
            "The built-in writer is no language model: this draft is made of sentences from the abstracts of the cited papers. "
            "Put it in your own words before you use it."
        )
    if run.ledger and run.ledger.note:
        lines.append(plain(run.ledger.note))
    lines.append(
        "Say what to change (“shorter”, “compare the first two on data”), ask why a claim was flagged, or take it with you:"
    )
    return "\n\n".join(lines)


def _writer(name: str) -> str:
    return "the built-in writer" if name == str(BUILT_IN) else plain(name)
