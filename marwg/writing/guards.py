"""Guards on a drafted or revised section: what code can see wrong with it, and what code may take out of it."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from marwg.text.markup import citations_of, keep_citations, without_citations
from marwg.text.quantities import backed, quantities
from marwg.text.wording import content_words
from marwg.types import PaperId, Section, Sentence
from marwg.verification.claims import is_about_focal, points_back, speaks_of_focal, states_fact

Rule = Literal[
    "citation",
    "lost citation",
    "number",
    "superiority",
    "comparison",
    "uncited",
    "repeated",
    "length",
    "outline",
    "empty",
]

REFUSED: frozenset[Rule] = frozenset(
    {"citation", "lost citation", "number", "superiority", "comparison", "outline", "empty", "repeated"}
)
"""Rules that a section must keep; the others are worth a repair and are reported by the fact check where they stay."""

_BETTER: tuple[tuple[str, str], ...] = (
    (
        r"\b(?:outperform\w*|surpass\w*|superior\w*|exceeds?|beats?|(?:better|higher \w+|more (?:accurate|effective|robust|reliable)) than"
        r"|state[- ]of[- ]the[- ]art|improv\w+ (?:up)?on|best)\b",
        r"\b(?:outperform\w*|surpass\w*|superior\w*|exceed\w*|beats?|better|higher|more (?:accurate|effective|robust|reliable)"
        r"|state[- ]of[- ]the[- ]art|improv\w+|best|gains?|advantage)\b",
    ),
    (
        r"\b(?:(?:faster|cheaper|smaller|more efficient) than|(?:\w+ )?(?:speed-?up|times faster))\b",
        r"\b(?:fast\w*|cheap\w*|small\w*|efficien\w*|speed\w*|reduc\w*|cost\w*|accelerat\w*|lightweight|scal\w*)\b",
    ),
    (
        r"\b(?:(?:the|are|is) first|for the first time|the only|no (?:prior|previous|existing|other)|unlike (?:all|any))\b",
        r"\b(?:first|only|novel|no (?:prior|previous|existing)|has not|have not|unexplored|under-?explored)\b",
    ),
    (
        r"\b(?:(?:far|much|many) (?:fewer|less|more)|(?:at|with) (?:a )?(?:lower|less|fewer) \w+|(?:than|over) (?:all|any|every) \w+)\b",
        r"\b(?:fewer|less|lower|cheap\w*|reduc\w*|more|than|over)\b",
    ),
)


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a section: the rule, the words, what to tell the writer, and which sentence (or none)."""

    rule: Rule
    words: str
    message: str
    sentence: int | None = None

    @property
    def refused(self) -> bool:
        """Whether the section may not stand with it."""
        return self.rule in REFUSED


@dataclass(frozen=True)
class Ground:
    """What a section is held against: whom it may cite, and every word that it may rest on."""

    allowed: tuple[PaperId, ...]
    texts: Mapping[PaperId, str]
    focal: str
    title: str
    words: int
    most: int | None = None
    """Words that the section may not exceed, where the user set a limit."""

    @cached_property
    def everything(self) -> str:
        """All sources and the focal abstract as one text."""
        return " ".join((*self.texts.values(), self.focal))


def problems(
    section: Section, ground: Ground, before: Section | None = None, note: str = "", user_led: bool = False
) -> tuple[Problem, ...]:
    """What is wrong with a section; `before` is the text that it revises, `note` the writer's reasons.

    Where the user leads, citations and length may change as they wish.
    """
    if not section.sentences:
        return (Problem("empty", "", "The section has no sentence."),)
    found: list[Problem] = []
    if section.title != ground.title:
        found.append(Problem("outline", section.title, f"The title must stay “{ground.title}”."))
    for index, sentence in enumerate(section.sentences):
        found += _sentence_problems(index, sentence, section, ground, before)
    found += _repeated(section)
    if before is not None and not user_led:
        found += _lost(section, before, ground, note)
    if not user_led or ground.most is not None:
        found += _length(section, ground)
    return tuple(found)


def _sentence_problems(
    index: int, sentence: Sentence, section: Section, ground: Ground, before: Section | None
) -> list[Problem]:
    found: list[Problem] = []
    for paper_id in citations_of(sentence.text):
        if paper_id not in ground.allowed:
            message = f"[@{paper_id}] is not one of the papers of this section; cite only {_listed(ground.allowed)}."
            found.append(Problem("citation", f"[@{paper_id}]", message, index))
    if before is not None and sentence.text in {s.text for s in before.sentences}:
        return found  # it was let through when it was written
    found += _numbers(index, sentence, ground)
    found += _superiority(index, sentence, section, ground)
    found += _comparison(index, sentence, ground)
    of_focal = speaks_of_focal(sentence, section.topic_id)
    if not citations_of(sentence.text) and not of_focal and states_fact(sentence.text):
        message = f"This states something about others and cites nothing: “{sentence.text}”"
        found.append(Problem("uncited", sentence.text, message, index))
    return found


def _listed(ids: Sequence[PaperId]) -> str:
    return ", ".join(f"[@{i}]" for i in ids) or "none"


def _numbers(index: int, sentence: Sentence, ground: Ground) -> list[Problem]:
    text = without_citations(sentence.text)
    said = quantities(text)
    if not said:
        return []
    cited = [ground.texts[i] for i in citations_of(sentence.text) if i in ground.texts]
    source = " ".join((*cited, *(p.text for p in sentence.sources), ground.focal)) if cited else ground.everything
    stated = quantities(source)
    found = []
    for claimed in said:
        in_words = claimed.spelled and claimed.value <= 4
        if (
            in_words
            or backed(claimed, stated, source)
            or re.search(rf"(?<!\d){re.escape(claimed.words)}(?!\d)", source)
        ):
            continue
        message = f"The number {claimed.words} is in no source of its sentence: “{text}”"
        found.append(Problem("number", claimed.words, message, index))
    return found


def _superiority(index: int, sentence: Sentence, section: Section, ground: Ground) -> list[Problem]:
    if not speaks_of_focal(sentence, section.topic_id):
        return []
    text = without_citations(sentence.text)
    for claimed, licence in _BETTER:
        match = re.search(claimed, text, re.IGNORECASE)
        if match and not re.search(licence, ground.focal, re.IGNORECASE):
            message = f"“{match.group()}” claims more for the new paper than its abstract does: “{text}”"
            return [Problem("superiority", match.group(), message, index)]
    return []


_OVER_OTHERS = re.compile(
    r"\b(?:outperform\w*|surpass\w*|superior\w* (?:to|over)|beats?|(?:better|faster|cheaper|smaller|higher \w+"
    r"|more (?:accurate|effective|robust|reliable|efficient)) than)\b",
    re.IGNORECASE,
)
_LICENCE = re.compile(
    r"\b(?:outperform\w*|surpass\w*|superior\w*|exceed\w*|beats?|better|faster|cheaper|smaller|higher|more \w+|improv\w+"
    r"|state[- ]of[- ]the[- ]art|best|gains?|speed-?ups?|reduc\w*|compar\w+|over (?:the|previous|prior|existing|strong))\b",
    re.IGNORECASE,
)
_OF_ALL = re.compile(
    r"\b(?:both|all (?:of (?:them|these)|three|four|five)|each of (?:them|these)|likewise|the same)\b", re.IGNORECASE
)
_NAMED = re.compile(r"\b(?=\w*[A-Z]\w*[A-Z\d])[A-Za-z][\w-]+\b")


def _comparison(index: int, sentence: Sentence, ground: Ground) -> list[Problem]:
    """What a sentence says of cited papers against each other must stand in what is known of them."""
    cited = [i for i in citations_of(sentence.text) if i in ground.texts]
    text = without_citations(sentence.text)
    if not cited or is_about_focal(sentence.text):
        return []
    match = _OVER_OTHERS.search(text)
    if match and not any(_LICENCE.search(ground.texts[i]) for i in cited):
        message = f"“{match.group()}” is stated by no source of its sentence: “{text}”"
        return [Problem("comparison", match.group(), message, index)]
    if len(cited) < 2 or not _OF_ALL.search(text):
        return []
    for name in dict.fromkeys(_NAMED.findall(text)):
        having = [i for i in cited if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", ground.texts[i], re.IGNORECASE)]
        # A name that none has is a method's or an author's; one that some have is said of all of them here.
        if having and len(having) < len(cited):
            silent = _listed([i for i in cited if i not in having])
            message = f"“{name}” is said of all papers of this sentence, but not known of {silent}: “{text}”"
            return [Problem("comparison", name, message, index)]
    return []


def _repeated(section: Section) -> list[Problem]:
    found: list[Problem] = []
    seen: dict[str, int] = {}
    for index, sentence in enumerate(section.sentences):
        key = sentence_key(sentence.text)
        if key in seen:
            found.append(Problem("repeated", sentence.text, f"This is said twice: “{sentence.text}”", index))
        seen.setdefault(key, index)
    return found


def _lost(section: Section, before: Section, ground: Ground, note: str) -> list[Problem]:
    now = {i for s in section.sentences for i in citations_of(s.text)}
    lost = dict.fromkeys(
        i for s in before.sentences for i in citations_of(s.text) if i not in now and i in ground.allowed
    )
    return [
        Problem(
            "lost citation",
            f"[@{i}]",
            f"[@{i}] was cited and is not any more; keep it, or name it in the note with the reason.",
        )
        for i in lost
        if i not in note
    ]


def _length(section: Section, ground: Ground) -> list[Problem]:
    count = word_count(section)
    if count <= (ground.words * 1.5 + 40 if ground.most is None else ground.most):
        return []
    if ground.most is not None:
        message = f"The section has {count} words and may have {ground.most} at most."
        return [Problem("length", str(count), message)]
    return [Problem("length", str(count), f"The section has {count} words; about {ground.words} were asked for.")]


def word_count(section: Section) -> int:
    """Words of a section without its markers."""
    return sum(len(without_citations(s.text).split()) for s in section.sentences)


def sentence_key(text: str) -> str:
    """What two sentences share when they say the same in the same words."""
    return " ".join(re.findall(r"\w+", without_citations(text).lower()))


def near_repeats(section: Section, others: Collection[str]) -> tuple[int, ...]:
    """The sentences of a section whose content words nearly all stand in one sentence of `others`."""
    pools = [content_words(without_citations(o)) for o in others]
    found = []
    for index, sentence in enumerate(section.sentences):
        words = content_words(without_citations(sentence.text))
        if len(words) >= 6 and any(len(words & p) >= 0.9 * max(len(words), len(p)) for p in pools):
            found.append(index)
    return tuple(found)


def as_request(found: Sequence[Problem]) -> str:
    """The problems as a writer is told of them."""
    return "\n".join(f"- {p.message}" for p in found)


# ---------------------------------------------------------------- taking out what may not stand

_TAKEN_OUT: frozenset[Rule] = frozenset({"number", "superiority", "comparison", "repeated"})
"""Rules by which a whole sentence goes."""


def mend(section: Section, found: Sequence[Problem]) -> tuple[Section, tuple[str, ...]]:
    """The section without the sentences and citations that may not stand, and what was taken out and why.

    An id outside the allow-list goes and is never replaced by another; a sentence that said something of it goes with it.
    """
    unknown = {p.words[2:-1] for p in found if p.rule == "citation"}
    drop = {p.sentence for p in found if p.rule in _TAKEN_OUT and p.sentence is not None}
    reasons: list[str] = [p.message for p in found if p.rule == "citation" or p.rule in _TAKEN_OUT]
    paragraphs, index, dropped_before = [], -1, False
    for paragraph in section.paragraphs:
        kept: list[Sentence] = []
        dropped_before = False
        for sentence in paragraph:
            index += 1
            cites = citations_of(sentence.text)
            text = keep_citations(sentence.text, [i for i in cites if i not in unknown])
            only_unknown = bool(cites) and not citations_of(text)
            dangling = dropped_before and points_back(sentence.text)
            if index in drop or only_unknown or dangling:
                if dangling and index not in drop and not only_unknown:
                    reasons.append(f"It referred to a sentence that was taken out: “{sentence.text}”")
                dropped_before = True
                continue
            dropped_before = False
            kept.append(sentence if text == sentence.text else Sentence(text=text, sources=sentence.sources))
        if kept:
            paragraphs.append(tuple(kept))
    return section.model_copy(update={"paragraphs": tuple(paragraphs)}), tuple(dict.fromkeys(reasons))
