"""Pages cut into passages at the ends of sentences. Pure."""

import re
from collections.abc import Iterator, Sequence

from marwg.types import Page, Passage

MAX_WORDS = 180
MAX_CHARACTERS = 2000
_END = re.compile(
    r"(?<=[.!?。！？])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9À-ÞΑ-Ω\u0400-\u042f\u0590-\u06ff\u3040-\u9fff])|\n+|(?<=[。！？])"
)
_NO_END = re.compile(
    r"(?:\b(?:e\.g|i\.e|et al|cf|vs|fig|figs|eq|eqs|sec|tab|ref|refs|no|vol|pp|approx|resp|dr|prof|mr|mrs|st|al)|\b[A-Z])\.$",
    re.IGNORECASE,
)


def passages_of(pages: Sequence[Page]) -> list[Passage]:
    """Every page as passages of whole sentences, at most about 180 words each; `text == page.text[start:end]`."""
    return [
        Passage(paper_id=page.paper_id, page=page.number, start=start, end=end, text=page.text[start:end])
        for page in pages
        for start, end in _spans(page.text)
    ]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Neighbouring sentences together, as many as fit, and evenly long."""
    sentences = [piece for span in _sentences(text) for piece in _cut(text, *span)]
    words = [len(text[start:end].split()) for start, end in sentences]
    total, size = sum(words), 0
    goal = total / max(1, -(-total // MAX_WORDS))  # no short rest at the end of a page
    begin: int | None = None
    last = 0
    for (start, end), count in zip(sentences, words, strict=True):
        if begin is not None and (size + count / 2 > goal or size + count > MAX_WORDS or end - begin > MAX_CHARACTERS):
            yield begin, last
            begin, size = None, 0
        begin = start if begin is None else begin
        last, size = end, size + count
    if begin is not None:
        yield begin, last


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for gap in _END.finditer(text):
        if "\n" not in gap.group(0) and _NO_END.search(text[max(0, gap.start() - 12) : gap.start()]):
            continue
        if text[start : gap.start()].strip():
            yield _stripped(text, start, gap.start())
        start = gap.end()
    if text[start:].strip():
        yield _stripped(text, start, len(text))


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence too long for a passage, in pieces between words."""
    while end - start > MAX_CHARACTERS or len(text[start:end].split()) > MAX_WORDS:
        words = list(re.finditer(r"\S+", text[start : start + MAX_CHARACTERS]))[:MAX_WORDS]
        cut = start + (words[-1].start() if len(words) > 1 and len(words) < MAX_WORDS else words[-1].end())
        cut = cut if cut > start else start + MAX_CHARACTERS
        yield _stripped(text, start, cut)
        start = cut + len(text[cut:end]) - len(text[cut:end].lstrip())
    if start < end:
        yield start, end
