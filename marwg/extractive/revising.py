"""Revisions that rules can make: shorter, without a paper or a sentence, cleaner; what they cannot do is said."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from marwg.extractive import support, titles
from marwg.extractive.casing import Casing
from marwg.extractive.choice import Choice, Chooser
from marwg.extractive.conversion import without_hype
from marwg.extractive.feedback import beginning, paragraphs_of
from marwg.extractive.lint import Fault, faults
from marwg.extractive.mentions import number_of, papers_in
from marwg.extractive.papers import Encode, PaperText, read_paper, read_papers, vectors, whole_text
from marwg.extractive.shortening import shorten, without_asides
from marwg.extractive.text import cited, word_count
from marwg.tasks import (
    CitedSentence,
    ParagraphReply,
    ReviseSection,
    SectionReply,
    Source,
)
from marwg.text.markup import map_citations
from marwg.text.wording import content_words, overlap
from marwg.types import Focal
from marwg.verification.claims import FOCAL

# ---------------------------------------------------------------- revision


@dataclass
class _Revision:
    """A section as it is being changed."""

    task: ReviseSection
    encode: Encode
    paragraphs: list[list[str]]
    papers: dict[str, PaperText]
    casing: Casing
    notes: list[str]

    @property
    def words(self) -> int:
        """Words of the section as it stands."""
        return sum(word_count(s) for p in self.paragraphs for s in p)

    def each(self, change: Callable[[str], str]) -> None:
        """Changes every sentence; one that becomes empty goes."""
        changed = [[new for sentence in p if (new := change(sentence))] for p in self.paragraphs]
        self.paragraphs = [p for p in changed if p]

    def times_cited(self, paper_id: str) -> int:
        """In how many sentences a paper is cited."""
        return sum(paper_id in cited(s) for p in self.paragraphs for s in p)


def revise_section(task: ReviseSection, encode: Encode) -> SectionReply:
    """The section with what rules can change; `note` says what they cannot."""
    papers = {paper.id: paper for paper in read_papers(task.papers)}
    texts = [task.focal.abstract, *(p.body for p in papers.values())]
    casing = Casing(texts, [p.voice.name for p in papers.values() if p.voice.name])
    revision = _Revision(task, encode, paragraphs_of(task.section.text), papers, casing, [])
    _only_allowed(revision)
    if task.by_user:
        _follow_wish(revision, task.feedback)
    else:
        _mend(revision)
    reply = tuple(
        ParagraphReply(sentences=tuple(_reply(sentence, revision) for sentence in paragraph))
        for paragraph in revision.paragraphs
    )
    return SectionReply(paragraphs=reply, note=" ".join(revision.notes))


def _reply(sentence: str, revision: _Revision) -> CitedSentence:
    """A sentence with the passage that it restates, where there is one."""
    ids = cited(sentence)
    if len(ids) > 1:
        return CitedSentence(sentence=sentence, cite=ids)
    paper = revision.papers.get(ids[0]) if ids else None
    candidates = paper.sentences if paper else _read_focal(revision.task.focal).sentences
    words = content_words(support.bare_claim(sentence))
    best = max(candidates, key=lambda s: overlap(words, content_words(s.text)), default=None)
    if best is None or overlap(words, content_words(best.text)) < 0.7:
        return CitedSentence(sentence=sentence, cite=ids)
    return CitedSentence(sentence=sentence, cite=ids, source=best.raw, source_page=best.page)


def _read_focal(focal: Focal) -> PaperText:
    """The focal paper read like any other."""
    return read_paper(Source(id=FOCAL, title=focal.title, abstract=focal.abstract))


def _only_allowed(revision: _Revision) -> None:
    """Papers that may no longer be cited go, and sentences that stood on them alone."""

    def change(sentence: str) -> str:
        ids = cited(sentence)
        kept = [i for i in ids if i in revision.papers]
        if ids and not kept:
            return ""
        return (
            map_citations(sentence, lambda group: [i for i in group if i in revision.papers])
            if len(kept) < len(ids)
            else sentence
        )

    revision.each(change)


# ---------------------------------------------------------------- after the lint


def _mend(revision: _Revision) -> None:
    """Faulty sentences are shortened, cleaned, or replaced by another sentence of their paper."""
    for paragraph in revision.paragraphs:
        for index, sentence in enumerate(paragraph):
            found = _sentence_faults(sentence, index)
            if found:
                paragraph[index] = _mended(sentence, found, revision, index)


def _sentence_faults(sentence: str, index: int) -> tuple[Fault, ...]:
    if not cited(sentence):
        return ()
    return faults(sentence, follows=index > 0, limit=60 if len(cited(sentence)) > 3 else 36)


def _mended(sentence: str, found: Sequence[Fault], revision: _Revision, index: int) -> str:
    candidates = [without_hype(sentence), f"{shorten(without_asides(without_hype(sentence)), 30)}."]
    ids = cited(sentence)
    if len(ids) == 1 and ids[0] in revision.papers:
        paper = revision.papers[ids[0]]
        candidates += [choice.text for choice in _choices(paper, revision)[:2] if choice.printable]
        candidates.append(titles.statement(paper, revision.casing))
    for candidate in candidates:
        keeps = set(cited(candidate)) == set(ids)
        if keeps and len(_sentence_faults(candidate, index)) < len(found):
            return candidate
    return sentence


def _choices(paper: PaperText, revision: _Revision) -> list[Choice]:
    if not paper.sentences:
        return []
    focal = whole_text(revision.task.focal.title, revision.task.focal.abstract)
    row = revision.encode([focal])[0]
    return Chooser([paper], row, vectors([paper], revision.encode), revision.encode).ranked(paper)


# ---------------------------------------------------------------- the user's wish

_SHORTER = re.compile(
    r"\b(?:short(?:er|en)?|brief(?:er)?|concise(?:ly)?|condense|trim|tighten|cut (?:it|this|down|by|the section|the text)|reduce|less (?:wordy|text|words)|fewer words"
    r"|too long|compress|at most \d+ words|to \d+ words|under \d+ words|by (?:a|one) (?:third|half|quarter|fifth)|in half|halve)\b",
    re.IGNORECASE,
)
_AMOUNTS = (
    ("half", 0.5),
    ("halve", 0.5),
    ("third", 2 / 3),
    ("quarter", 0.75),
    ("fifth", 0.8),
    ("a bit", 0.88),
    ("a little", 0.88),
    ("slightly", 0.88),
)
_REMOVE = re.compile(
    r"\b(?:remove|drop|delete|take out|take away|exclude|leave out|omit|get rid of|without|don't (?:cite|mention)|do not (?:cite|mention)|cut)\b",
    re.IGNORECASE,
)
_NTH = re.compile(
    r"\b(?:(first|second|third|fourth|fifth|sixth|last|final|opening|closing) sentence|sentence (?:number )?(\d+))\b",
    re.IGNORECASE,
)
_ADD = re.compile(r"\b(?:add|include|mention|cite|discuss)\b", re.IGNORECASE)


def _follow_wish(revision: _Revision, wish: str) -> None:
    done = [_remove(revision, wish), _add(revision, wish), _shorter(revision, wish)]
    if not any(done):
        revision.notes.append(
            "The built-in writer has no language model: it can shorten a section, take papers or sentences out, and add a "
            f"sentence on a paper, but it cannot do this: “{beginning(wish)}”."
        )


def _shorter(revision: _Revision, wish: str) -> bool:
    if not _SHORTER.search(wish):
        return False
    before = revision.words
    target = _target(wish, before)
    _drop_findings(revision, target)
    for limit in (26, 20, 16):
        if revision.words <= target:
            break
        revision.each(lambda s, limit=limit: _cut(s, limit))  # type: ignore[misc]
    _to_titles(revision, target)
    _drop_uncited(revision, target)
    if revision.words > target * 1.03:
        revision.notes.append(
            f"The section went from {before} to {revision.words} words; to reach {round(target)} a cited paper would have to go."
        )
    return True


def _target(wish: str, words: int) -> float:
    lower = wish.lower()
    if match := re.search(r"\b(?:to|at most|under|below|about|around|max(?:imum)?(?: of)?)\s+(\d+)\s+words", lower):
        return float(match[1])
    if match := re.search(r"\bby\s+(\d+)\s+words", lower):
        return max(20.0, words - int(match[1]))
    if match := re.search(r"(\d+)\s*(?:%|percent|per cent)", lower):
        share = min(90, int(match[1])) / 100
        return words * (share if re.search(r"\bto\s+\d+\s*(?:%|percent)", lower) else 1 - share)
    return words * next((share for name, share in _AMOUNTS if name in lower), 0.75)


def _drop_findings(revision: _Revision, target: float) -> None:
    """ "They report …" goes first: its paper keeps a sentence."""
    for paragraph in revision.paragraphs:
        for sentence in [s for s in reversed(paragraph) if re.match(r"(?:They|Their|Its authors|The author)\b", s)]:
            if revision.words <= target:
                return
            if all(revision.times_cited(i) > 1 for i in cited(sentence)):
                paragraph.remove(sentence)


def _cut(sentence: str, limit: int) -> str:
    """The sentence without asides and tails, if all its citations stay and it stays whole."""
    if word_count(sentence) <= limit:
        return sentence
    shorter = f"{shorten(without_asides(sentence), limit, least=9)}."
    return (
        shorter
        if set(cited(shorter)) == set(cited(sentence)) and not any(f.hard for f in faults(shorter, True))
        else sentence
    )


def _to_titles(revision: _Revision, target: float) -> None:
    """The longest sentences give way to what the title says."""
    longest = sorted(
        ((word_count(s), p, i) for p, paragraph in enumerate(revision.paragraphs) for i, s in enumerate(paragraph)),
        reverse=True,
    )
    for words, p, i in longest:
        if revision.words <= target:
            return
        ids = cited(revision.paragraphs[p][i])
        if len(ids) == 1 and ids[0] in revision.papers:
            text = titles.statement(revision.papers[ids[0]], revision.casing)
            if word_count(text) < words:
                revision.paragraphs[p][i] = text


def _drop_uncited(revision: _Revision, target: float) -> None:
    """The user's own sentences at the end of the closing go from the back, the first of them stay."""
    for paragraph in revision.paragraphs:
        while revision.words > target and len(paragraph) > 2 and not cited(paragraph[-1]):
            paragraph.pop()


def _remove(revision: _Revision, wish: str) -> bool:
    if not _REMOVE.search(wish):
        return False
    done = False
    if nth := _NTH.search(wish):
        done = _remove_sentence(revision, nth)
    gone = set(papers_in(wish, [paper.source for paper in revision.papers.values()]))
    if gone:
        for paper_id in gone:
            del revision.papers[paper_id]
        _only_allowed(revision)
        done = True
    elif re.search(r"\bpapers?\b|\bby [A-Z]", wish) and not done:
        # The paper was taken from the allow-list before, so that its sentences are gone already.
        done = True
    return done


def _remove_sentence(revision: _Revision, nth: re.Match[str]) -> bool:
    places = [(p, i) for p, paragraph in enumerate(revision.paragraphs) for i in range(len(paragraph))]
    word = (nth[1] or nth[2]).lower()
    position = {"last": -1, "final": -1, "closing": -1, "opening": 0}.get(word, number_of(word) - 1)
    if not -1 <= position < len(places):
        revision.notes.append(f"There is no sentence {word} in this section.")
        return True
    p, i = places[position]
    lost = [paper_id for paper_id in cited(revision.paragraphs[p][i]) if revision.times_cited(paper_id) == 1]
    del revision.paragraphs[p][i]
    revision.paragraphs = [paragraph for paragraph in revision.paragraphs if paragraph]
    if lost:
        titles_lost = ", ".join(f"“{revision.papers[i].title}”" for i in lost if i in revision.papers)
        revision.notes.append(f"No longer cited here, as you asked: {titles_lost}.")
    return True


def _add(revision: _Revision, wish: str) -> bool:
    """A sentence on each paper that the wish names and the section does not cite."""
    if not _ADD.search(wish):
        return False
    named = papers_in(wish, [paper.source for paper in revision.papers.values()])
    missing = [paper_id for paper_id in named if revision.times_cited(paper_id) == 0]
    for paper_id in missing:
        paper = revision.papers[paper_id]
        choices = _choices(paper, revision)
        text = choices[0].text if choices and choices[0].printable else titles.statement(paper, revision.casing)
        if not revision.paragraphs:
            revision.paragraphs.append([])
        revision.paragraphs[-1].append(text)
    return bool(missing)
