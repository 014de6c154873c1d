"""Which sentence of a paper to print: all are converted first, then scored, so that the lint has its say."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from marwg.extractive.conversion import (
    Shape,
    convert,
    inflect,
    reports_something,
    without_asides,
    without_hype,
    without_lead,
)
from marwg.extractive.lint import faults
from marwg.extractive.papers import Encode, PaperText
from marwg.extractive.sentences import ADVERBS, PROPOSE, WORK, SourceSentence
from marwg.extractive.tagging import plain_form
from marwg.extractive.text import add_marker, marker, without_markers

LEAST_SCORE = 0.6
"""Below this the title says more than the best sentence."""

_WORTH_EMBEDDING = ("contribution", "method", "result")
"""Background and gaps are hardly ever printed, so their nearness need not be known."""

_CLASS_WEIGHT = {"contribution": 1.0, "method": 0.45, "result": 0.25, "background": -0.6, "limitation": -0.5}
_FAULT_WEIGHT = {
    "dangling reference": 0.5, "anaphoric start": 0.7, "no finite verb": 1.0, "long": 0.4, "short": 0.6, "unbalanced": 0.8,
    "markup": 0.8, "first person": 2.0, "this paper": 1.0, "cut off": 1.5, "link or list number": 0.8, "question": 1.0,
    "lower-case start": 0.5, "about the text": 0.6, "praise": 0.7, "doubled words": 1.5, "code announcement": 0.8, "enumeration": 0.8,
    "unattributed": 0.8, "vacuous": 0.8,
}  # fmt: skip
_PROPOSES = re.compile(rf"\b[Ww]e {ADVERBS}(?:{PROPOSE})|^This {WORK} ")
_VACUOUS = re.compile(
    r"\] (?:also )?(?:evaluate|test|assess|validate|verify)s? (?:their|the) (?:\w+ )?(?:method|approach|model|framework)"
    r"|their submission|challenges? that (?:they|the author) address|will be released|\bprovides? discussion|\] conducts? (?:\w+ )?(?:experiments|evaluations)|\beffectiveness of their\b"
    r"|\] (?:focus(?:es)?|work) on (?:this|the) (?:problem|task)\.|\] is a (?:\w+ )?(?:method|model|framework|approach)\.$"
)
_EVALUATES = re.compile(r"\] (?:also |then )?(?:evaluate|test|assess|validate|verif)(?:s|y|ies)? (?!whether|how)")
_GENERAL_WE = re.compile(
    r"\b[Ww]e (?:may|might|would|could|should|must|often|typically|usually|need|know|expect|want|live|see|have seen|tend)\b"
)
"""A "we" that is everybody is not the authors."""
_IDEA = re.compile(r"The (?:key|main|core|basic) (?:idea|goal|challenge)")


@dataclass(frozen=True)
class Choice:
    """One sentence of a paper as it would be printed; `source` is verbatim from the paper."""

    text: str
    source: str
    page: int
    shape: Shape
    score: float
    faults: tuple[str, ...]
    position: int

    @property
    def printable(self) -> bool:
        """Whether nothing is wrong with it but its shortness, and it says enough."""
        return not set(self.faults) - {"short"} and self.score >= LEAST_SCORE


class Chooser:
    """Embeds the sentences of all papers once and ranks them, as contributions and as findings."""

    def __init__(self, papers: Sequence[PaperText], focal_row: np.ndarray, rows: np.ndarray, encode: Encode) -> None:
        texts = [s.text for paper in papers for s in paper.sentences if s.kind in _WORTH_EMBEDDING]
        embedded = dict(zip(texts, encode(texts), strict=True)) if texts else {}
        nothing = np.zeros(len(focal_row))
        self._to_focal: dict[str, np.ndarray] = {}
        self._to_paper: dict[str, np.ndarray] = {}
        for paper, row in zip(papers, rows, strict=True):
            sentence_rows = np.array([embedded.get(s.text, nothing) for s in paper.sentences]).reshape(
                -1, len(focal_row)
            )
            self._to_focal[paper.id] = sentence_rows @ focal_row
            self._to_paper[paper.id] = sentence_rows @ row
        self._ranked = {paper.id: self._rank(paper) for paper in papers}

    def ranked(self, paper: PaperText) -> list[Choice]:
        """The sentences of a paper as statements of what it does, best first."""
        return self._ranked[paper.id]

    def _rank(self, paper: PaperText) -> list[Choice]:
        kinds = [sentence.kind for sentence in paper.sentences]
        first = kinds.index("contribution") if "contribution" in kinds else -1
        choices = [self._judge(paper, i, i == first) for i in range(len(paper.sentences))]
        return sorted(choices, key=lambda choice: (-choice.score, choice.position))

    def _judge(self, paper: PaperText, index: int, is_first: bool) -> Choice:
        sentence = paper.sentences[index]
        conversion = convert(sentence.text, paper.voice)
        text, source = _with_next(conversion.text, paper, index)
        found = [fault.name for fault in faults(text)]
        score = _CLASS_WEIGHT[sentence.kind] + 0.25 * is_first
        score += 0.35 * bool(_PROPOSES.search(without_lead(sentence.text)))
        score += {"name": 0.25, "end": -0.25}.get(conversion.shape, 0.0)
        if conversion.shape == "end" and not _is_own(text, sentence, paper):
            found.append("unattributed")
        if _GENERAL_WE.search(sentence.text):
            found.append("unattributed")
        if _VACUOUS.search(text) or (paper.kind == "method" and _EVALUATES.search(text)):
            found.append("vacuous")
        words = len(without_markers(text).split())
        score += 0.6 * float(self._to_focal[paper.id][index]) + 0.5 * float(self._to_paper[paper.id][index])
        score -= 0.02 * max(0, words - 28) + 0.05 * max(0, 17 - words)
        score -= sum(_FAULT_WEIGHT.get(name, 0.5) for name in found)
        return Choice(text, source, sentence.page, conversion.shape, score, tuple(found), index)

    def by_authors(self, paper: PaperText, choice: Choice) -> Choice | None:
        """The same sentence with its authors as the subject instead of the system, if that can be printed."""
        conversion = convert(paper.sentences[choice.position].text, replace(paper.voice, name=""))
        if conversion.shape != "author" or faults(conversion.text):
            return None
        source = paper.sentences[choice.position].raw
        return replace(choice, text=conversion.text, shape=conversion.shape, source=source)

    def finding(self, paper: PaperText, used: int) -> Choice | None:
        """A result sentence to follow the paper's own sentence ("They report that …"), if a good one exists."""
        best: Choice | None = None
        for index, sentence in enumerate(paper.sentences):
            if index == used or sentence.kind not in ("result", "limitation"):
                continue
            if sentence.kind == "limitation" and index < used:
                continue
            choice = self._as_finding(paper, index)
            if choice and (best is None or choice.score > best.score):
                best = choice
        return best if best and best.score > 0.35 else None

    def _as_finding(self, paper: PaperText, index: int) -> Choice | None:
        sentence = paper.sentences[index]
        plain = without_lead(without_asides(sentence.text)).rstrip(" .")
        conversion = convert(sentence.text, paper.voice)
        text = _continued(conversion.text, conversion.shape, paper)
        found = [fault.name for fault in faults(text, follows=True)]
        if re.match(r"(?:It|Its|This|These|Both|The author's) ", text):
            found.append("dangling reference")
        if not re.match(r"(?:They|Their|The author) ", text) and not (paper.voice.name and paper.voice.name in text):
            found.append("unattributed")
        empty = _PRAISE_RESULT.search(plain) and not re.search(r"(?<![A-Za-z])\d", plain)
        words = len(text.split())
        score = 0.6 * float(self._to_focal[paper.id][index]) + 0.3 * reports_something(text)
        score += (
            0.15 * bool(re.search(r"(?<![A-Za-z])\d", text))
            - 0.6 * bool(empty)
            - 0.6 * len(found)
            - 0.02 * max(0, words - 24)
        )
        score -= 0.3 * (conversion.shape == "end")
        if found:
            return None
        return Choice(add_marker(text, paper.id), sentence.raw, sentence.page, conversion.shape, score, (), index)


_PRAISE_RESULT = re.compile(
    r"\b(effectiveness|superiority|state-of-the-art|SOTA|promising|advantages?|potential|pave|insights|verify|validate|feasibility|is effective)\b"
    r"|\b(?:outperform|surpass|exceed|beat)\w* (?:\w+[ -]){0,3}(?:baselines?|methods|approaches|models|competitors|algorithms|techniques)\b"
)


def _is_own(text: str, sentence: SourceSentence, paper: PaperText) -> bool:
    """The attribution guard: a sentence without authors or their system's name is background, not the paper's claim."""
    if _IDEA.match(text):
        return False
    return bool(paper.voice.name and paper.voice.name in text) or sentence.kind == "contribution"


def _continued(text: str, shape: Shape, paper: PaperText) -> str:
    """A converted sentence without its marker, as it follows another about the same paper."""
    voice = paper.voice
    text = text.replace(f" {marker(paper.id)}", "")
    they = "They" if voice.plural else "The author"
    if shape in ("author", "method", "paper"):
        whole = re.match(rf"The {WORK} by {re.escape(voice.subject)} (\w+)", text)
        if whole:
            verb = plain_form(whole[1]) if voice.plural else whole[1]
            return f"{they} {verb}{text[whole.end() :]}"
        if text.startswith(f"{voice.subject} "):
            return they + text[len(voice.subject) :]
    if shape == "front":
        return text.replace(f", {voice.subject} ", f", {they.lower()} ", 1)
    if text.startswith("The ") and f" of {voice.subject}" in text:
        their = "Their " if voice.plural else "The author's "
        return text.replace(f" of {voice.subject}", "", 1).replace("The ", their, 1)
    return text


_PROPOSED_NAME = re.compile(
    r"(?:propose|present|introduce|develop)s? (?:a [\w -]+ called |the )?([A-Z][\w+*-]+(?: [A-Z][\w-]+)*)(?: \(([\w +*-]+)\))?\.$"
)


def _with_next(text: str, paper: PaperText, index: int) -> tuple[str, str]:
    """ "X propose Y." and the next sentence "Y uses Z." become one, and so do their sources."""
    raw = paper.sentences[index].raw
    name = _PROPOSED_NAME.search(text)
    if not name or index + 1 >= len(paper.sentences):
        return text, raw
    following = paper.sentences[index + 1]
    either = "|".join(re.escape(n) for n in (name[1], name[2]) if n)
    rest = re.match(
        rf"(?:{either}) ((?:\w+ly )?(?:is|are|can|uses?|\w+s) .+)$", without_lead(without_asides(following.text))
    )
    if not rest or len(rest[1].split()) >= 22 or re.search(r"\b(we|our|this|these|such)\b", rest[1]):
        return text, raw
    joined = f"{text.rstrip('.')}, which {without_hype(rest[1]).rstrip('.')}."
    abstract = paper.source.abstract
    start = abstract.find(raw)
    end = abstract.find(following.raw, start)
    if start < 0 or end < 0:
        return text, raw
    return joined, abstract[start : end + len(following.raw)]


def agree(predicate: str, plural: bool) -> str:
    """A predicate with its verb in the number of its subject."""
    return predicate if plural else inflect(f" {predicate}").strip()
