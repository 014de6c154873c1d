"""The focal paper's own sentences: gaps it names, what it contributes, which terms it shares with others."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from marwg.extractive import sentences
from marwg.extractive.casing import Casing
from marwg.extractive.papers import Encode, PaperText, document_count, system_name
from marwg.extractive.phrases import collect, is_term, names_in, normal, rarity
from marwg.extractive.sentences import SourceSentence
from marwg.types import Focal

_HANGS = re.compile(
    r"(For (?:example|instance)|This|These|Such|It|They|Their|Its|Furthermore|Moreover|Additionally|In addition|As a result|Hence|Thus"
    r"|The (?:latter|former|first|second|third|other|two|same)|Both|One|Another|Second|Third|Finally|Specifically|In particular|First)\b"
)
_BELONGS_HERE = 0.3


@dataclass(frozen=True)
class FocalText:
    """The focal abstract read: all sentences, the gaps before the first contribution, and where that is."""

    sentences: tuple[SourceSentence, ...]
    gaps: tuple[SourceSentence, ...]
    first_contribution: int


@lru_cache(maxsize=64)
def read_focal(focal: Focal) -> FocalText:
    """The focal abstract with its gaps."""
    read = sentences.read(focal.abstract)
    first = next((i for i, s in enumerate(read) if s.kind == "contribution"), max(0, len(read) - 1))
    gaps = tuple(
        sentence
        for sentence in read[:first]
        if sentence.kind == "limitation"
        and not re.search(r"\b(we|our)\b", sentence.text, re.IGNORECASE)
        and not _HANGS.match(sentence.text)
    )
    return FocalText(read, gaps, first)


def gap_for_theme(focal: Focal, titles: Sequence[str], index: int, encode: Encode) -> str:
    """The focal sentence about earlier work that fits this theme best of all; the last such sentence is kept for the closing."""
    early = read_focal(focal).gaps[:-1]
    if not early or not titles:
        return ""
    scores = encode([gap.text for gap in early]) @ encode(list(titles)).T
    for gap, row in zip(early, scores, strict=True):
        if int(row.argmax()) == index and float(row[index]) > _BELONGS_HERE:
            return gap.text if gap.text == gap.raw else gap.raw
    return ""


def terms(focal: Focal) -> list[tuple[str, str]]:
    """The focal paper's terms (normal form, form to print), most telling first."""
    texts = [s.text for s in read_focal(focal).sentences]
    title = sentences.clean(focal.title)
    phrases = collect([title, title, *texts])
    in_title = names_in(title)
    name = system_name(title, " ".join(texts)).lower()
    casing = Casing(texts)
    kept = [
        phrase
        for phrase in phrases.counts
        if is_term(phrase)
        and phrases.bounds[phrase][1] >= 0.6 * sum(phrases.bounds[phrase])
        and not (name and name in phrase)
        and not re.match(r"(?!learning|training|clustering|sampling|decoding|embedding)\w+ing\b", phrase)
    ]
    kept.sort(key=lambda t: (-(phrases.counts[t] + 2 * (t in in_title)) * rarity(t) ** 0.5, t))
    return [(phrase, casing.title(_commonest(phrases.forms[phrase]))) for phrase in kept]


def _commonest(forms: dict[str, int]) -> str:
    return min(forms.items(), key=lambda item: (-item[1], item[0]))[0]


def shared_terms(focal: Focal, papers: Sequence[PaperText], least: int = 2, most: int = 2) -> list[str]:
    """The focal terms that at least so many of the papers have too; no two of them share a word."""
    chosen: list[str] = []
    words: set[str] = set()
    for phrase, form in terms(focal):
        if document_count(papers, phrase) >= least and not words & set(phrase.split()):
            chosen.append(form)
            words |= set(phrase.split())
        if len(chosen) == most:
            break
    return chosen


def all_phrases(focal: Focal) -> frozenset[str]:
    """Every phrase of the focal title and abstract in normal form."""
    found = {phrase for s in read_focal(focal).sentences for phrase in names_in(s.text)}
    return frozenset(found | {normal(p) for p in names_in(sentences.clean(focal.title))})
