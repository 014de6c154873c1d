"""Which papers a description means ("all diffusion papers", "the ones from 2020 by Li", "everything in topic 3")."""

import re
from collections.abc import Mapping, Sequence

from marwg.text.sources import cited_as
from marwg.text.wording import content_words, expands, fold
from marwg.types import Outline, Paper, PaperId, Taxonomy, Topic

_YEAR = r"((?:19|20)\d\d)"
_BETWEEN = re.compile(rf"(?:between |from )?\b{_YEAR}\s*(?:-|–|to|and|until|through)\s*{_YEAR}\b")
_UNTIL = re.compile(rf"\b(?:until|up to|till)\s+{_YEAR}\b|\b{_YEAR} (?:and|or) (?:earlier|older|before)\b")
_BEFORE = re.compile(rf"\b(?:before|earlier than|older than|prior to|pre)[ -]{_YEAR}\b")
_SINCE = re.compile(
    rf"\b(?:since|from {_YEAR} on(?:wards?)?|starting(?: in| from)?)\b(?: {_YEAR})?|\b{_YEAR} (?:and|or) (?:later|newer|after)\b"
)
_AFTER = re.compile(rf"\b(?:after|later than|newer than|post)[ -]{_YEAR}\b")
_IN = re.compile(rf"\b{_YEAR}\b")
_BY = re.compile(r"\b(?:by|of)\s+((?:[^\W\d_][\w'’-]+)(?:(?:,| and| &)\s+[^\W\d_][\w'’-]+)*)(?:\s+et al\.?)?")
_WITHIN = re.compile(
    r"\b(?:from|in|of|under|out of)\s+(?:the\s+)?(?:(?:topic|section|group|part)\s+(?:no\.?\s*|number\s+|#\s?)?(\d+|one|two|three|four|five|six)"
    r"|(first|second|third|fourth|fifth|sixth|last)\s+(?:topic|section|group|part|one))\b"
)
_REST = re.compile(
    r"\b(?:uncovered|unassigned|left[- ]?over|remaining|rest|no topic|not covered|in no topic|without (?:a )?topic|homeless)\b"
)
_ALL = re.compile(r"\b(?:all|every|everything|each)\b")
_FILLER = re.compile(
    r"\b(?:all|every|everything|each|any|both|the|other|these|those|ones?|papers?|articles?|works?|stud(?:y|ies)|approach(?:es)?|methods?|that"
    r"|which|are|is|use[sd]?|using|do|does|deal(?:s|ing)? with|about|on|with|from|in|of|for|by|published|appeared|written|year|years|and|or|to"
    r"|something|anything|concern(?:s|ing)|related|work(?:s|ing)?|mention(?:s|ing)?|cover(?:s|ing)?|et al|please|my|our|also|kind|type|based)\b"
)
_NUMBER = {w: n for n, w in enumerate(("first", "second", "third", "fourth", "fifth", "sixth"), 1)} | {
    w: n for n, w in enumerate(("one", "two", "three", "four", "five", "six"), 1)
}


def described(
    words: str, papers: Sequence[Paper], taxonomy: Taxonomy | None = None, outline: Outline | None = None
) -> tuple[PaperId, ...]:
    """The papers that a description means, in the order given; none where nothing in it says which.

    A subject must be said in the title, the abstract or a subtopic of the paper; years, authors and a topic of the
    outline narrow it.
    """
    text = fold(" ".join(words.split()))
    chosen, said = list(papers), False
    if outline and (match := _WITHIN.search(text)):
        inside = _papers_of(outline, match[1] or match[2])
        chosen, said = [p for p in chosen if p.paper_id in inside], True
        text = text[: match.start()] + text[match.end() :]
    if outline and (match := _REST.search(text)):
        inside = {u.paper_id for u in outline.uncovered}
        chosen, said = [p for p in chosen if p.paper_id in inside], True
        text = text[: match.start()] + text[match.end() :]
    years, text = _years(text)
    if years:
        chosen, said = [p for p in chosen if p.year and years[0] <= p.year <= years[1]], True
    if (match := _BY.search(text)) and (names := _names(match[1], papers)):
        chosen, said = [p for p in chosen if names & _families(p)], True
        text = text[: match.start()] + text[match.end() :]
    everything = bool(_ALL.search(text))
    subject = " ".join(_FILLER.sub(" ", re.sub(r"[^\w\s-]", " ", text)).split())
    if wanted := content_words(subject):
        labels = _labels(taxonomy)
        return tuple(p.paper_id for p in chosen if _is_about(p, subject, wanted, labels.get(p.paper_id, "")))
    return tuple(p.paper_id for p in chosen) if said or everything else ()


def _is_about(paper: Paper, subject: str, wanted: frozenset[str], labels: str) -> bool:
    text = f"{paper.title} {paper.abstract} {labels}"
    if wanted <= content_words(text):
        return True
    acronyms = subject.split()
    return len(acronyms) == 1 and 3 <= len(acronyms[0]) <= 6 and expands(acronyms[0], f"{paper.title} {labels}")


def _labels(taxonomy: Taxonomy | None) -> dict[PaperId, str]:
    below = {child for _, child in taxonomy.edges} if taxonomy else set()
    found: dict[PaperId, str] = {}
    for node in taxonomy.nodes if taxonomy else ():
        for paper in node.papers if node.node_id in below else ():
            found[paper] = f"{found.get(paper, '')} {node.label}"
    return found


def _papers_of(outline: Outline, word: str) -> set[PaperId]:
    number = len(outline.topics) if word == "last" else _NUMBER.get(word) or int(word)
    topics: Sequence[Topic] = outline.topics[number - 1 : number]
    return {p for topic in topics for p in topic.papers}


def _years(text: str) -> tuple[tuple[int, int] | None, str]:
    """The first and last year that a text allows, and the text without them."""
    rules = (
        (_BETWEEN, 0, 0),
        (_UNTIL, None, 0),
        (_BEFORE, None, -1),
        (_SINCE, 0, None),
        (_AFTER, 1, None),
        (_IN, 0, 0),
    )
    for pattern, low, high in rules:
        match = pattern.search(text)
        said = [int(g) for g in match.groups() if g] if match else []
        if match and said:
            first = 0 if low is None else said[0] + low
            last = 9999 if high is None else said[-1] + high
            return (min(first, last), max(first, last)), text[: match.start()] + " " + text[match.end() :]
    return None, text


def _families(paper: Paper) -> set[str]:
    names = {fold(author.partition(",")[0]).strip() for author in paper.authors}
    return names | {fold(cited_as(paper).removesuffix(" et al."))}


def _names(said: str, papers: Sequence[Paper]) -> set[str]:
    """Those of the words that are family names of authors here."""
    there: Mapping[str, None] = {name: None for p in papers for name in _families(p)}
    return {name for name in re.split(r",\s*|\s+and\s+|\s+&\s+", fold(said)) if name in there}
