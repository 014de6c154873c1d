"""The draft given back by the user, edited: which of its parts a message holds, and the version that comes of it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from marwg.text.markup import citations_of, normalise_markers, split_sentences, without_citations
from marwg.text.naming import References
from marwg.text.own_text import sections_of
from marwg.text.references import authors_in_text, cited, with_names
from marwg.text.wording import content_words
from marwg.types import Draft, LeftOut, Paper, PaperId, Section, Sentence

_LIST = re.compile(r"^\W*(?:references|bibliography)\W*$", re.IGNORECASE | re.MULTILINE)
_CITED = re.compile(r"\\[a-z]*cite[a-z]*|\[@|\((?:[^()]*,? )?(?:(?:19|20)\d\d[a-z]?|n\.d\.)")
_SHORTEST = 15
"""Words that a message has at least when it gives text back."""

Paragraphs = tuple[tuple[Sentence, ...], ...]


@dataclass(frozen=True)
class Pasted:
    """The sections that a message gives back, and citations in it that name no known paper."""

    sections: tuple[Section, ...]
    unknown: tuple[str, ...]


def pasted(message: str, draft: Draft, papers: Iterable[Paper]) -> Pasted | None:
    """What of the draft a message gives back, edited; None where it is something else.

    Sentences that did not change are the very ones of the draft; parts that the message does not hold stay as they are.
    """
    text = message.replace("\r\n", "\n").strip()
    if len(text.split()) < _SHORTEST or not _resembles(text, draft):
        return None
    papers = list(papers)
    text = _with_headings(_without_lead(_LIST.split(text)[0], draft), draft)
    chosen = _citable(draft, papers)
    references = References({p.key: p for p in chosen} | {p.paper_id: p for p in chosen})
    ending = ".tex" if re.search(r"\\(?:cite|section|subsection)", text) else ".md"
    parsed = sections_of(text, ending, references)
    known = _Known(draft, papers)
    sections = _put_in(draft, [(s.title, known.paragraphs(s)) for s in parsed if s.paragraphs])
    return Pasted(sections, references.unknown) if sections else None


def version(draft: Draft, sections: tuple[Section, ...], shortlist: Sequence[PaperId], reason: str) -> Draft:
    """The draft as the user wants it, with the papers of the shortlist that it does not cite any more."""
    changed = draft.model_copy(update={"author": "user", "reason": reason, "sections": sections})
    known = {u.paper_id: u.reason for u in draft.uncited}
    there = set(cited(changed))
    left = [LeftOut(paper_id=i, reason=known.get(i, f"not cited since {reason}")) for i in shortlist if i not in there]
    return changed.model_copy(update={"uncited": tuple(left)})


def _citable(draft: Draft, papers: Sequence[Paper]) -> list[Paper]:
    """The papers of the draft as its reader sees them named, and of the others those that are named otherwise."""
    by_id = {p.paper_id: p for p in papers}
    used = [by_id[i] for i in cited(draft) if i in by_id]
    taken = {(authors_in_text(p), p.year) for p in used}
    return [*used, *(p for p in papers if p not in used and (authors_in_text(p), p.year) not in taken)]


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _resembles(text: str, draft: Draft) -> bool:
    """Whether at least a third of the sentences of a text, and two of them or the only one, are near ones of the draft."""
    # The closing paragraph may have sentences of the abstract: without a citation such a message is a title and an abstract.
    citing = bool(_CITED.search(text))
    sentences = [s.text for section in draft.sections for s in section.sentences]
    own = [content_words(without_citations(s)) for s in sentences if citing or citations_of(s)]
    blocks = [b for b in re.split(r"\n\s*\n|\n(?=#)", _LIST.split(text)[0]) if b.strip()]
    said = [content_words(without_citations(s)) for b in blocks for s in split_sentences(b)]
    said = [words for words in said if len(words) >= 5]
    near = sum(
        any(len(words & o) >= 0.6 * len(words | o) or (len(o) >= 6 and o <= words) for o in own) for words in said
    )
    return bool(near) and near >= len(said) / 3 and (near >= 2 or (len(said) <= 2 and citing))


def _without_lead(text: str, draft: Draft) -> str:
    """The text without a first line that only says what it is ("Here is my version:")."""
    first, _, rest = text.partition("\n")
    own = {_plain(s.title) for s in draft.sections}
    if rest.strip() and len(first.split()) <= 20 and first.rstrip().endswith(":") and _plain(first) not in own:
        return rest
    return text


def _with_headings(text: str, draft: Draft) -> str:
    """The text with the titles of the draft as headings where a browser copied them as plain lines."""
    own = {_plain(s.title) for s in draft.sections if s.title}
    lines = text.split("\n")
    return "\n".join(
        f"\n## {line.strip().strip('*# ')}\n" if line.strip() and _plain(line) in own and "\\" not in line else line
        for line in lines
    )


class _Known:
    """The sentences of the draft, by what a reader sees of them."""

    def __init__(self, draft: Draft, papers: Sequence[Paper]) -> None:
        ids = set(cited(draft))
        used = sorted((p for p in papers if p.paper_id in ids), key=lambda p: cited(draft).index(p.paper_id))
        self._exact = {s.text: s for section in draft.sections for s in section.sentences}
        self._read = {with_names(t, used): s for t, s in self._exact.items()}
        self._words: Mapping[tuple[str, tuple[str, ...]], Sentence] = {_key(t): s for t, s in self._exact.items()}

    def paragraphs(self, section: Section) -> Paragraphs:
        return tuple(tuple(self._sentence(s.text) for s in p) for p in section.paragraphs)

    def _sentence(self, text: str) -> Sentence:
        text = normalise_markers(text)
        same = self._exact.get(text) or self._read.get(text)
        # Copying may turn quotes and dashes into others; what else differs is the user's own change.
        alike = self._words.get(_key(text))
        if same is None and alike is not None and _folded(alike.text) == _folded(text):
            same = alike
        return same or Sentence(text=text)


def _key(text: str) -> tuple[str, tuple[str, ...]]:
    return _plain(without_citations(text)), citations_of(text)


def _folded(text: str) -> str:
    text = re.sub(r"[“”\"'‘’`]", "'", re.sub(r"[–—-]+", "-", text))
    return re.sub(r"\s+", " ", text).replace("''", "'")


def _put_in(draft: Draft, given: Sequence[tuple[str, Paragraphs]]) -> tuple[Section, ...]:
    """The sections of the draft with what was given in place of what it answers to."""
    titles = {_plain(s.title): n for n, s in enumerate(draft.sections) if s.title}
    whole: dict[int, list[tuple[Sentence, ...]]] = {}
    parts: dict[int, list[tuple[Sentence, ...]]] = {}
    for title, paragraphs in given:
        if _plain(title) in titles:
            whole.setdefault(titles[_plain(title)], []).extend(paragraphs)
            continue
        place = -1
        for paragraph in paragraphs:
            near = _nearest(paragraph, draft)
            place = near if near >= 0 else place
            parts.setdefault(max(place, 0), []).append(paragraph)
    sections = []
    for number, section in enumerate(draft.sections):
        paragraphs = section.paragraphs
        if number in whole:
            paragraphs = tuple(whole[number])
        elif number in parts:
            paragraphs = _span(section, parts[number])
        sections.append(
            section if paragraphs == section.paragraphs else section.model_copy(update={"paragraphs": paragraphs})
        )
    return tuple(sections)


def _span(section: Section, given: Sequence[tuple[Sentence, ...]]) -> Paragraphs:
    """The paragraphs of a section with those that were given from the first to the last that they answer to."""
    near = [n for n, own in enumerate(section.paragraphs) if any(_alike(own, p) > 0 for p in given)]
    if not near:
        return (*section.paragraphs, *given)
    return (*section.paragraphs[: near[0]], *given, *section.paragraphs[near[-1] + 1 :])


def _nearest(paragraph: tuple[Sentence, ...], draft: Draft) -> int:
    """The number of the section that has the paragraph most like this one; -1 where none has."""
    scores = [max((_alike(own, paragraph) for own in s.paragraphs), default=0) for s in draft.sections]
    best = max(scores, default=0)
    return scores.index(best) if best > 0 else -1


def _alike(own: tuple[Sentence, ...], given: tuple[Sentence, ...]) -> int:
    """How many of the given sentences are near one of a paragraph."""
    words = [content_words(without_citations(s.text)) for s in own]
    said = [content_words(without_citations(s.text)) for s in given]
    return sum(any(len(a & b) >= 0.5 * max(1, min(len(a), len(b))) and len(a & b) >= 3 for b in words) for a in said)
