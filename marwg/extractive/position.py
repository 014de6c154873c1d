"""The closing paragraph: the nearest papers, what they share with the focal one, and its own words on what it adds."""

import re
from collections.abc import Sequence

from marwg.extractive.conversion import has_anaphor, without_lead
from marwg.extractive.focal import read_focal, shared_terms
from marwg.extractive.papers import Encode, PaperText, read_papers
from marwg.extractive.phrases import normal
from marwg.extractive.sentences import SourceSentence
from marwg.extractive.text import capitalise, cited, enumerate_words
from marwg.tasks import CitedSentence, DraftPosition, ParagraphReply, SectionReply

_NEAREST = 3
_NOT_HERE = re.compile(r"\brelease|code|publicly|In reality|https?:", re.IGNORECASE)


def draft_position(task: DraftPosition, encode: Encode) -> SectionReply:
    """Three nearest papers, the last gap of the focal abstract, its contribution, and a result if there is room."""
    near = read_papers(task.papers)[:_NEAREST]
    written = [CitedSentence(sentence=text, cite=cited(text)) for text in _nearest(task, near)]
    focal = read_focal(task.focal)
    budget = max(60, min(task.words, 140))
    spent = sum(len(s.sentence.split()) for s in written)
    gap = focal.gaps[-1] if focal.gaps else None
    for sentence in _own_words(focal.sentences, gap, focal.first_contribution, budget - spent):
        written.append(sentence)
    return SectionReply(paragraphs=(ParagraphReply(sentences=tuple(written)),) if written else ())


def _nearest(task: DraftPosition, near: Sequence[PaperText]) -> list[str]:
    """Which papers are nearest, and the terms that they share with the focal paper: of all of them, or else of two."""
    if not near:
        return []
    names = enumerate_words([paper.voice.cited for paper in near])
    closest = f"Closest to this work {'is' if len(near) == 1 else 'are'} {names}"
    shared = shared_terms(task.focal, near, least=len(near))
    if shared:
        return [f"{closest}, which also deal{'s' if len(near) == 1 else ''} with {enumerate_words(shared)}."]
    for term in shared_terms(task.focal, near, least=2, most=1):
        having = [paper.voice.cited for paper in near if paper.mentions(normal(term))]
        if len(having) > 1:
            return [f"{closest}.", f"Like this work, {enumerate_words(having)} deal with {term}."]
    return [f"{closest}."]


def _own_words(
    read: tuple[SourceSentence, ...], gap: SourceSentence | None, first: int, budget: int
) -> list[CitedSentence]:
    """The focal gap just before the contributions, which keeps "To address this" true."""
    chosen: list[CitedSentence] = []
    if gap:
        chosen.append(CitedSentence(sentence=gap.text, source=gap.raw))
    for index, sentence in enumerate(read):
        if sentence.kind != "contribution" or _NOT_HERE.search(sentence.text):
            continue
        if chosen and _length(chosen) + len(sentence.text.split()) > budget and _contributes(chosen):
            continue
        text = sentence.text
        follows_gap = bool(gap) and index == first
        hangs = has_anaphor(text.split(",")[0]) or re.match(
            r"(?:Therefore|Thus|Hence|Consequently|Accordingly|As such|So)\b", text
        )
        if not follows_gap and hangs:
            text = capitalise(without_lead(text))
        chosen.append(CitedSentence(sentence=text, source=sentence.raw))
    for sentence in read:
        fits = _length(chosen) + len(sentence.text.split()) <= budget and len(sentence.text.split()) < 34
        if sentence.kind == "result" and fits and not _NOT_HERE.search(sentence.text):
            if re.match(r"\(|[0-9]|Furthermore|Moreover|It\b|They\b|This\b|These\b", sentence.text):
                continue
            chosen.append(CitedSentence(sentence=sentence.text, source=sentence.raw))
            break
    return chosen


def _contributes(chosen: list[CitedSentence]) -> bool:
    return any(re.search(r"\b[Ww]e\b|\b[Oo]ur\b|\b[Tt]his (?:paper|work|study)\b", c.sentence) for c in chosen)


def _length(chosen: list[CitedSentence]) -> int:
    return sum(len(c.sentence.split()) for c in chosen)
