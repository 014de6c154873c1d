"""A paper as the rules read it: sentences, who speaks, the name of its system, what kind of paper it is, its phrases."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from marwg.extractive import sentences
from marwg.extractive.conversion import Voice
from marwg.extractive.phrases import Phrases, collect
from marwg.extractive.sentences import ADVERBS, PROPOSE, SourceSentence
from marwg.extractive.text import flat
from marwg.tasks import Source

Encode = Callable[[Sequence[str]], np.ndarray]
"""Texts to unit rows."""

PaperKind = Literal["survey", "benchmark", "theory", "study", "method"]


@dataclass(frozen=True)
class PaperText:
    """What is read from one source; `words` is flat text of title and abstract for looking phrases up."""

    source: Source
    title: str
    sentences: tuple[SourceSentence, ...]
    voice: Voice
    kind: PaperKind
    phrases: Phrases
    words: str

    @property
    def id(self) -> str:
        """The paper's id."""
        return self.source.id

    @property
    def year(self) -> int:
        """The year, or 0 where it is not known."""
        return self.source.year or 0

    @property
    def text(self) -> str:
        """Title and sentences."""
        return f"{self.title}. {' '.join(s.text for s in self.sentences)}"

    @property
    def body(self) -> str:
        """The sentences alone, in which capitals mean something."""
        return " ".join(s.text for s in self.sentences)

    def mentions(self, phrase: str) -> bool:
        """Whether title or abstract hold the (normalised) phrase, in singular or plural."""
        if f" {phrase} " in self.words or f" {phrase}s " in self.words:
            return True
        return phrase.endswith("y") and f" {phrase[:-1]}ies " in self.words


@lru_cache(maxsize=4096)
def read_paper(source: Source) -> PaperText:
    """The source read; without an abstract the passages stand in for it."""
    title = re.sub(r"\s*\((?:Extended|Technical|Full)[^)]*\)", "", sentences.clean(source.title)).rstrip(". ")
    read = sentences.read(source.abstract, title=source.title)
    if not read:
        read = tuple(
            s for passage in source.passages for s in sentences.read(passage.text, passage.page, source.title)
        )[:40]
    body = " ".join(sentence.text for sentence in read)
    name = system_name(title, body)
    voice = Voice(*_subject(source.authors, title), source.id, name)
    phrases = collect([title, title, *(sentence.text for sentence in read)])
    return PaperText(source, title, read, voice, _kind(title, read, name), phrases, flat(f"{title} . {body}"))


def read_papers(sources: Sequence[Source]) -> list[PaperText]:
    """Several sources read."""
    return [read_paper(source) for source in sources]


def vectors(papers: Sequence[PaperText], encode: Encode) -> np.ndarray:
    """One unit row for each paper, from title and abstract."""
    return encode([whole_text(paper.source.title, paper.source.abstract) for paper in papers])


def whole_text(title: str, abstract: str) -> str:
    """What is embedded for a paper."""
    return f"{title}. {abstract}".strip()


def _subject(authors: str, title: str) -> tuple[str, bool]:
    if not authors.strip():
        return f'The authors of "{title}"', True
    return authors, bool(re.search(r" and |et al\.?$|,", authors))


_NAME_LIKE = re.compile(r"[a-z][A-Z]|[A-Z]{2}|\d")


def system_name(title: str, abstract: str) -> str:
    """The name that the authors gave their system, or nothing."""
    match = re.match(r"^([^:?]{2,28}):\s", title)
    if match and len(match[1].split()) <= 2:
        name = match[1].strip()
        if re.search(r"[a-z][A-Z]|[A-Z]{2}|\d|\$|^[A-Z][a-z]+$", name) and re.search(
            rf"(?<![\w-]){re.escape(name)}(?![\w])", abstract
        ):
            return name
    match = re.search(
        r"\b(?:called|named|dubbed|termed|namely|coined)\s+(?:the )?([A-Z][\w*+-]*(?: ?[A-Z0-9][\w*+-]*)?)", abstract
    )
    if match and _NAME_LIKE.search(match[1]):
        return match[1]
    match = re.search(
        rf"\b(?:[Ww]e|paper|work) {ADVERBS}{PROPOSE}s? (?:the )?([A-Z][\w*+-]*[A-Z0-9](?:[\w*+-]*\w)?)[ ,(]", abstract
    )
    return match[1].rstrip("-") if match else ""


_SURVEY = re.compile(r"\b(survey|review|overview|taxonomic|tutorial|roadmap)\b")
_BENCHMARK = re.compile(
    r"\b(benchmark(?!ing)|dataset|(?:a|new|annotated|large-scale|parallel) corpus|testbed|test suite|shared task|test collection)\b"
)
_BUILDS_BENCHMARK = re.compile(
    r"\b(?:we|paper|work) (?:\w+ly )?(?:introduce|present|propose|release|build|construct|create)s? (?:\w+,? )?(?:a |an |the )?"
    r"(?:[\w-]+ ){0,3}(?:benchmark|dataset|corpus|test collection)\b(?! (?:and|for training))"
)
_THEORY = re.compile(r"\b(theory|theoretic\w*|provabl\w+|bounds?|convergence)\b")
_PROVES = re.compile(
    r"\b(we prove|theoretical (?:analysis|results|framework|understanding)|upper bounds?|lower bounds?|theoretically)\b"
)
_STUDY = re.compile(
    r"\b(empirical|study|evaluating|analy[sz]\w+|understanding|exploring|investigating|replicat\w+|reproducib\w+|comparing|assessing"
    r"|how|do|does|is)\b"
)


def _kind(title: str, read: Sequence[SourceSentence], name: str) -> PaperKind:
    lower = title.lower()
    contribution = " ".join(sentence.text for sentence in read if sentence.kind == "contribution").lower()
    if _SURVEY.search(lower) or re.search(r"\bthis (?:survey|review|tutorial|overview)\b", contribution):
        return "survey"
    if _BENCHMARK.search(lower) or _BUILDS_BENCHMARK.search(contribution):
        return "benchmark"
    if _THEORY.search(lower) or len(_PROVES.findall(contribution)) >= 2:
        return "theory"
    if _STUDY.search(lower) and not name:
        return "study"
    return "method"


def nearest(rows: np.ndarray, query: np.ndarray) -> np.ndarray:
    """Cosines of unit rows to one unit vector."""
    return np.asarray(rows @ query)


def document_count(papers: Sequence[PaperText], phrase: str) -> int:
    """How many of the papers mention the phrase."""
    return sum(paper.mentions(phrase) for paper in papers)


def surface_forms(papers: Sequence[PaperText], phrase: str) -> Counter[str]:
    """How the papers write a phrase, with counts."""
    forms: Counter[str] = Counter()
    for paper in papers:
        forms.update(paper.phrases.forms.get(phrase, {}))
    return forms
