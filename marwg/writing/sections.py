"""From a writer's reply to a section, and the last polish of a whole draft."""

import re
from collections.abc import Mapping, Sequence

from marwg.tasks import CitedSentence, SectionReply
from marwg.text.markup import add_citations, citations_of, normalise_markers, split_sentences, without_citations
from marwg.text.sources import find_quote
from marwg.types import PaperId, Passage, Section, Sentence
from marwg.verification.claims import FOCAL, points_back
from marwg.writing.guards import near_repeats, sentence_key


def section_of(
    reply: SectionReply, topic_id: str, title: str, texts: Mapping[PaperId, Sequence[tuple[int, str]]] | None = None
) -> Section:
    """The section that a reply holds, with ids as they were given, right or wrong.

    `cite` and the markers in a sentence are brought together: an id without marker is appended before the final period.
    `texts` are the pages (0: abstract) of each paper, in which the `source` of a sentence is looked up.
    """
    paragraphs = []
    for paragraph in reply.paragraphs:
        sentences = tuple(s for cited in paragraph.sentences for s in _sentences(cited, texts or {}))
        if sentences:
            paragraphs.append(sentences)
    return merged(Section(topic_id=topic_id, title=title, paragraphs=tuple(paragraphs)))


def merged(section: Section) -> Section:
    """Sentences that say the same words of different papers as one sentence that cites all of them."""
    place: dict[str, tuple[int, int]] = {}
    paragraphs: list[list[Sentence]] = []
    for number, paragraph in enumerate(section.paragraphs):
        paragraphs.append([])
        for sentence in paragraph:
            key = sentence_key(sentence.text)
            at = place.get(key)
            first = paragraphs[at[0]][at[1]] if at else None
            if at and first and set(citations_of(sentence.text)) - set(citations_of(first.text)):
                text = normalise_markers(add_citations(first.text, citations_of(sentence.text)))
                sources = (*first.sources, *(s for s in sentence.sources if s not in first.sources))
                paragraphs[at[0]][at[1]] = Sentence(text=text, sources=sources)
                continue
            place.setdefault(key, (number, len(paragraphs[-1])))
            paragraphs[-1].append(sentence)
    kept = tuple(tuple(p) for p in paragraphs if p)
    return section if kept == section.paragraphs else section.model_copy(update={"paragraphs": kept})


def _sentences(cited: CitedSentence, texts: Mapping[PaperId, Sequence[tuple[int, str]]]) -> tuple[Sentence, ...]:
    text = normalise_markers(re.sub(r"\s+", " ", re.sub(r"^#+\s|^[-*]\s", "", cited.sentence.strip())))
    if not text:
        return ()
    text = add_citations(text, [i.strip(" []@") for i in cited.cite if i.strip(" []@")])
    text = text if re.search(r"[.!?][\"”’)\]]*$", text) else f"{text}."
    sources = _sources(cited, citations_of(text), texts)
    parts = split_sentences(text)
    if len(parts) == 1:
        return (Sentence(text=text, sources=sources),)
    # Several sentences in one place: only those that cite the source keep it.
    return tuple(
        Sentence(text=p, sources=tuple(s for s in sources if s.paper_id in {*citations_of(p), FOCAL})) for p in parts
    )


def _sources(
    cited: CitedSentence, citations: Sequence[PaperId], texts: Mapping[PaperId, Sequence[tuple[int, str]]]
) -> tuple[Passage, ...]:
    """The passage that a sentence was made from, where the words given are found in a paper that it cites, or, in a
    sentence that cites none of them, in the focal abstract."""
    if not cited.source.strip():
        return ()
    for paper_id in (*citations, FOCAL):
        pages = sorted(texts.get(paper_id, ()), key=lambda p: p[0] != cited.source_page)
        for page, text in pages:
            if span := find_quote(cited.source, text):
                words = text[span[0] : span[1]]
                return (Passage(paper_id=paper_id, page=page, start=span[0], end=span[1], text=words),)
    return ()


def body_text(reply: SectionReply) -> str:
    """A growing reply as text to show while it is written."""
    return "\n\n".join(
        " ".join(normalise_markers(s.sentence.strip()) for s in p.sentences if s.sentence.strip())
        for p in reply.paragraphs
        if p.sentences
    )


# ---------------------------------------------------------------- polish

_DEFINED = re.compile(r"\b([A-Za-z][\w-]*(?:[ -][A-Za-z][\w-]*){1,7}) \(([A-Z][A-Za-z]*[A-Z]s?)\)")


def polish(sections: Sequence[Section]) -> tuple[Section, ...]:
    """The draft with each acronym defined once and no sentence said twice; nothing else is touched."""
    return _acronyms_once(_without_repeats(sections))


def _without_repeats(sections: Sequence[Section]) -> tuple[Section, ...]:
    """Later sentences that repeat an earlier one go, unless they cite a paper that nothing else does."""
    seen: set[str] = set()
    said: list[str] = []
    result = []
    for section in sections:
        near = set(near_repeats(section, said))
        paragraphs, index = [], -1
        for paragraph in section.paragraphs:
            kept: list[Sentence] = []
            for place, sentence in enumerate(paragraph):
                index += 1
                exact = sentence_key(sentence.text) in seen
                leaned_on = place + 1 < len(paragraph) and points_back(paragraph[place + 1].text)
                if exact or (index in near and not leaned_on and _cited_elsewhere(sentence, said)):
                    continue
                seen.add(sentence_key(sentence.text))
                kept.append(sentence)
            if kept:
                paragraphs.append(tuple(kept))
        said += [s.text for p in paragraphs for s in p]
        result.append(section.model_copy(update={"paragraphs": tuple(paragraphs)}))
    return tuple(result)


def _cited_elsewhere(sentence: Sentence, said: Sequence[str]) -> bool:
    return set(citations_of(sentence.text)) <= {i for text in said for i in citations_of(text)}


def _acronyms_once(sections: Sequence[Section]) -> tuple[Section, ...]:
    defined: dict[str, str] = {}
    result = []
    for section in sections:
        paragraphs = tuple(tuple(_once(s, defined) for s in p) for p in section.paragraphs)
        result.append(section.model_copy(update={"paragraphs": paragraphs}))
    return tuple(result)


def _once(sentence: Sentence, defined: dict[str, str]) -> Sentence:
    """The sentence with definitions that were given before replaced by the acronym alone."""

    def replaced(match: re.Match[str]) -> str:
        phrase, acronym = match.groups()
        long = _long_form(phrase, acronym)
        if not long:
            return match.group()
        known = defined.get(acronym)
        defined.setdefault(acronym, _folded(long))
        if known != _folded(long):
            return match.group()  # first use, or another sense of the same letters
        before = phrase[: len(phrase) - len(long)]
        return f"{before}{acronym}"

    text = _DEFINED.sub(replaced, sentence.text)
    return sentence if text == sentence.text else Sentence(text=text, sources=sentence.sources)


def _folded(words: str) -> str:
    return re.sub(r"s\b", "", re.sub(r"[\s-]+", " ", words.lower()))


def _long_form(phrase: str, acronym: str) -> str:
    """The last words of the phrase whose initials are the acronym; nothing where they are not."""
    letters = re.sub(r"s$", "", acronym).lower()
    words = re.findall(r"[A-Za-z]\w*", phrase)
    initials = [w[0].lower() for w in words]
    for start in range(len(words) - 1, -1, -1):
        if "".join(initials[start:]) == letters:
            spelled = r"[\s-]+".join(re.escape(w) for w in words[start:])
            found = re.search(rf"\b{spelled}$", phrase)
            return found.group() if found else ""
    return ""


def plain_text(section: Section) -> str:
    """The words of a section without markers, for reading."""
    return " ".join(without_citations(s.text) for s in section.sentences)
