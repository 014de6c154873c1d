"""Questions about the papers, answered with their own words and the page: from the cards, then from the pages at hand."""

import re
from collections.abc import Iterable, Mapping, Sequence

from marwg.tasks import PaperAspect
from marwg.text.markup import split_sentences
from marwg.text.references import labels
from marwg.text.wording import content_words
from marwg.types import ABSTRACT_PAGE, Card, Paper, PaperId
from marwg.writing.matrix import cells_of, clipped, page_name

SHOWN = 3
"""Quotes of one paper in an answer."""

_ASPECT_WORDS: dict[str, str] = {
    "problem": r"\b(?:problem|task|challenge|goal|aim|address|tackl)\w*",
    "method": r"\b(?:we (?:propose|present|introduce|describe|develop|use|combine|train)|method|approach|architecture|algorithm)\w*",
    "data": r"\b(?:data ?sets?|data|corp(?:us|ora)|benchmarks?|collections?|trained on|annotat\w+)\b",
    "evaluation": r"\b(?:evaluat|metric|measur|experiment|baseline|human stud)\w*",
    "result": r"\b(?:result|show|achiev|outperform|improv|accura|find)\w*",
    "limitation": r"\b(?:limit|drawback|weakness|fail|however|only|future work|cannot|does not)\w*",
}
_ASKING = frozenset(
    "paper papers use uses used using does did what which how say says said work works author authors data dataset datasets method".split()
)

Pages = Mapping[PaperId, Sequence[tuple[int, str]]]
"""The texts of papers by page; page 0 is the abstract."""


def of_papers(
    asked: Sequence[PaperId],
    aspect: PaperAspect | None,
    question: str,
    cards: Iterable[Card],
    papers: Sequence[Paper],
    pages: Pages,
) -> str:
    """What some papers say on an aspect, each with a quote and its page, or that the library does not say."""
    by_id = {c.paper_id: c for c in cards}
    known = {p.paper_id: p for p in papers}
    names = labels(known.values())
    blocks = []
    for paper_id in asked:
        if paper_id not in known:
            continue
        name = f"**{names[paper_id][0]} ({names[paper_id][1]})**"
        blocks.append(
            f"{name}: {_one(known[paper_id], aspect, question, by_id.get(paper_id), pages.get(paper_id, ()))}"
        )
    return "\n\n".join(blocks) or "The library does not have that paper."


def _one(
    paper: Paper, aspect: PaperAspect | None, question: str, card: Card | None, texts: Sequence[tuple[int, str]]
) -> str:
    cell = cells_of(card).get(aspect) if card and aspect else None
    lines = []
    if cell:
        lines.append(f"{clipped(cell.text, 240)}\n> {cell.quote} ({page_name(cell.page)})")
    words = content_words(question) - content_words(f"{paper.title} {' '.join(paper.authors)}") - _ASKING
    for page, sentence in _quotes(words, aspect, texts):
        if cell is None or (sentence not in cell.quote and cell.quote not in sentence):
            lines.append(f"> {sentence} ({page_name(page)})")
    alone = "" if any(page != ABSTRACT_PAGE for page, _ in texts) else " Only its abstract is in the library."
    if paper.abstract_is_note:
        alone += " The text at hand is a note on it, not its authors' abstract."
    if not lines:
        return f"the library does not say.{alone}"
    return "\n".join([lines[0], *lines[1 : 1 + SHOWN - bool(cell)]]) + (f"\n\n{alone.strip()}" if alone else "")


def _quotes(
    words: frozenset[str] | set[str], aspect: PaperAspect | None, texts: Sequence[tuple[int, str]]
) -> list[tuple[int, str]]:
    """Sentences that speak of what is asked, those with most of its words first, abstract before pages."""
    scored = []
    for place, (page, text) in enumerate(texts):
        for number, sentence in enumerate(split_sentences(text)):
            shared = len(words & content_words(sentence))
            speaks = bool(aspect and re.search(_ASPECT_WORDS[aspect], sentence, re.IGNORECASE))
            if not 5 <= len(sentence.split()) <= 70 or not (speaks if aspect else shared):
                continue
            scored.append((-shared, place, number, page, sentence))
    return [(page, sentence) for _, _, _, page, sentence in sorted(scored)[:SHOWN]]


def with_phrase(phrase: str, papers: Sequence[Paper], pages: Pages) -> str:
    """The papers whose text has a phrase, each with the sentence and its page; or that the library does not say."""
    words = r"[\s-]+".join(re.escape(w) for w in phrase.split())
    pattern = re.compile(rf"(?<!\w){words}(?:s|es)?(?!\w)", re.IGNORECASE)
    names = labels(papers)
    lines = []
    for paper in papers:
        for page, text in pages.get(paper.paper_id, ()):
            found = next((s for s in split_sentences(text) if pattern.search(s)), None)
            if found:
                authors, year = names[paper.paper_id]
                lines.append(f"- **{authors} ({year})**: “{clipped(found, 300)}” ({page_name(page)})")
                break
    if not lines:
        return f"The library does not say: none of the {len(papers)} papers at hand has the words “{phrase}”."
    return "\n".join([f"{len(lines)} of {len(papers)} papers have the words “{phrase}”:", "", *lines])
