"""A draft within the user's word limit: sentences are taken out from where they are missed least."""

from collections.abc import Sequence

from marwg.text.markup import citations_of, without_citations
from marwg.types import Section, Sentence
from marwg.verification.claims import points_back
from marwg.writing.guards import word_count


def length(sections: Sequence[Section], headings: bool = True) -> int:
    """The words of a draft without its markers, those of its headings too where they are shown."""
    titles = sum(len(s.title.split()) for s in sections) if headings else 0
    return sum(word_count(s) for s in sections) + titles


def fitted(
    sections: Sequence[Section], limit: int, headings: bool = True
) -> tuple[tuple[Section, ...], tuple[Sentence, ...]]:
    """The draft with at most `limit` words, and the sentences that were taken out for it, in that order.

    First go sentences that cite nothing or only what others cite, then the last of the longest section; the first
    sentence of a section stays as long as another can go.
    """
    kept = [[list(p) for p in s.paragraphs] for s in sections]
    gone: list[Sentence] = []
    while length(_rebuilt(sections, kept), headings) > limit:
        place = _least_missed(kept)
        if place is None:
            break
        section, paragraph, index = place
        gone.append(kept[section][paragraph].pop(index))
        following = kept[section][paragraph]
        if index < len(following) and points_back(following[index].text):
            gone.append(following.pop(index))
    return _rebuilt(sections, kept), tuple(gone)


def _rebuilt(sections: Sequence[Section], kept: list[list[list[Sentence]]]) -> tuple[Section, ...]:
    return tuple(
        s if [list(p) for p in s.paragraphs] == left
        else s.model_copy(update={"paragraphs": tuple(tuple(p) for p in left if p)})
        for s, left in zip(sections, kept, strict=True)
    )  # fmt: skip


def _least_missed(kept: list[list[list[Sentence]]]) -> tuple[int, int, int] | None:
    """Where the sentence stands that goes next; None where every section is down to one sentence."""
    times: dict[str, int] = {}
    for section in kept:
        for sentence in (s for p in section for s in p):
            for paper_id in citations_of(sentence.text):
                times[paper_id] = times.get(paper_id, 0) + 1

    def free(sentence: Sentence) -> bool:
        return all(times[i] > 1 for i in citations_of(sentence.text))

    words = [sum(len(without_citations(s.text).split()) for p in section for s in p) for section in kept]
    places = [
        (not free(sentence), -words[n], -p, -i, (n, p, i))
        for n, section in enumerate(kept)
        for p, paragraph in enumerate(section)
        for i, sentence in enumerate(paragraph)
        if sum(len(q) for q in section) > 1 and (p, i) != (0, 0)
    ]
    return min(places)[-1] if places else None
