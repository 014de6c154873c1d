"""What a draft says twice: sentences of one section that repeat those of an earlier one, measured and named."""

from collections.abc import Sequence
from dataclasses import dataclass

from marwg.text.markup import without_citations
from marwg.text.wording import content_words
from marwg.types import Section

REPEATS = 0.6
"""Share of content words from which on two sentences of different sections are taken to say the same."""

_SHORTEST = 6


@dataclass(frozen=True)
class Overlap:
    """A sentence and the earlier one that it repeats; `share` is of the words of the shorter one that both have."""

    topic_id: str
    sentence: str
    earlier_id: str
    earlier: str
    share: float


def overlaps(sections: Sequence[Section], least: float = REPEATS) -> tuple[Overlap, ...]:
    """For each sentence that repeats one of an earlier section or paragraph, the one it repeats most, in reading order."""
    seen: list[tuple[str, str, frozenset[str], int]] = []
    found: list[Overlap] = []
    number = 0
    for section in sections:
        for paragraph in section.paragraphs:
            number += 1
            for sentence in paragraph:
                words = frozenset(content_words(without_citations(sentence.text)))
                if len(words) < _SHORTEST:
                    continue
                shares = [(_share(words, w), i, t) for i, t, w, n in seen if n != number]
                share, earlier_id, earlier = max(shares, key=lambda s: s[0], default=(0.0, "", ""))
                if share >= least:
                    found.append(Overlap(section.topic_id, sentence.text, earlier_id, earlier, share))
                seen.append((section.topic_id, sentence.text, words, number))
    return tuple(found)


def redundancy(sections: Sequence[Section]) -> float:
    """The share of sentences that repeat an earlier paragraph: 0 where nothing is said twice."""
    total = sum(len(s.sentences) for s in sections)
    return len(overlaps(sections)) / total if total else 0.0


def as_request(found: Sequence[Overlap]) -> str:
    """What a writer is asked to do about the overlaps of its section."""
    return "\n".join(
        f"This repeats what an earlier paragraph says; say only what is new here, or another thing of the same paper. "
        f"Here: “{o.sentence}” Earlier: “{o.earlier}”"
        for o in found
    )


def _share(words: frozenset[str], others: frozenset[str]) -> float:
    return len(words & others) / min(len(words), len(others)) if len(others) >= _SHORTEST else 0.0
