"""Papers as tasks show them, and whether what a task gave back is in them: ids and quotes."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, Protocol, TypeVar

from rapidfuzz import fuzz

from marwg.tasks import Source, SourceText
from marwg.types import Page, Paper, PaperId, Passage

# ---------------------------------------------------------------- papers

_OTHERS = re.compile(r"^(?:and )?others$|^et\.? al\.?$", re.IGNORECASE)


def cited_as(paper: Paper) -> str:
    """The authors as cited in text: "Li", "Li and Wu", "Li et al."; empty where no source gave any."""
    names = [name for name in (_family(author) for author in paper.authors) if name]
    known = [name for name in names if not _OTHERS.match(name)]
    if not known:
        return ""
    if len(known) == len(names) == 1:
        return known[0]
    if len(known) == len(names) == 2:
        return f"{known[0]} and {known[1]}"
    return f"{known[0]} et al."


def _family(author: str) -> str:
    """The family name of "Family, Given" with its particles, or a name in one piece (a group, a mononym) whole."""
    name = " ".join(author.replace("~", " ").split())
    if name.startswith("{") and name.endswith("}") and "{" not in name[1:]:
        return name[1:-1].strip()
    return re.sub(r"[{}]", "", name.partition(",")[0]).strip()


def source_of(paper: Paper, texts: Iterable[Page | Passage] = (), words: int | None = None) -> Source:
    """The paper as a task shows it, with these pages or passages; `words` cuts the abstract after so many."""
    return Source(
        id=paper.paper_id,
        title=paper.title,
        authors=cited_as(paper),
        year=paper.year,
        abstract=_first_words(paper.abstract, words),
        passages=tuple(
            SourceText(page=t.number if isinstance(t, Page) else t.page, text=t.text) for t in texts if t.text.strip()
        ),
    )


def _first_words(text: str, words: int | None) -> str:
    parts = text.split()
    if words is None or len(parts) <= words:
        return text
    return f"{' '.join(parts[:words])} …" if words else ""


def same_title(first: str, second: str) -> bool:
    """Whether two titles name one paper: at least .95 alike, with the same numbers ("part 1" is not "part 2")."""
    a, b = _title(first), _title(second)
    return bool(a) and _NUMBERS.findall(a) == _NUMBERS.findall(b) and fuzz.ratio(a, b) >= 95


def appeared(paper: Paper) -> tuple[int, int] | None:
    """The first year and month that the paper can be from: those of its arXiv id, or January of its year."""
    if match := re.search(r"(?:^|/)(\d\d)(0[1-9]|1[0-2])(?=\.\d|\d{3}$)", paper.arxiv_id):
        year = int(match[1]) + (1900 if int(match[1]) > 90 else 2000)
        if paper.year is None or year <= paper.year:
            return year, int(match[2])
    return (paper.year, 1) if paper.year else None


def _title(title: str) -> str:
    return " ".join(re.findall(r"\w+", "".join(_plain(c) for c in title)))


# ---------------------------------------------------------------- ids


class WithId(Protocol):
    @property
    def id(self) -> PaperId: ...


Item = TypeVar("Item", bound=WithId)


@dataclass(frozen=True)
class Matched(Generic[Item]):
    """What a reply says of which id: `found` in the order asked for, each id once, the first word counts."""

    found: dict[PaperId, Item]
    missing: tuple[PaperId, ...]
    unknown: tuple[str, ...]


def match_ids(items: Iterable[Item], wanted: Sequence[PaperId]) -> Matched[Item]:
    """Sort a reply by the ids that were asked for; an id that was not is reported and never mapped to another."""
    said: dict[PaperId, Item] = {}
    for item in items:
        said.setdefault(item.id.strip(" []@"), item)
    return Matched(
        found={i: said[i] for i in wanted if i in said},
        missing=tuple(i for i in wanted if i not in said),
        unknown=tuple(i for i in said if i not in set(wanted)),
    )


# ---------------------------------------------------------------- quotes

ALIKE = 90
"""How alike, of 100, a quote and the words of the source must be: a broken hyphen passes, a paraphrase does not."""

_SHORTEST_FUZZY = 30
_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATIONS = re.compile(r"\b(?:not|no|nor|never|none|neither|without|cannot|hardly)\b|n't")
_SAME = str.maketrans(
    {**dict.fromkeys("‘’‚‛′`´", "'"), **dict.fromkeys("“”„‟″«»", '"'), **dict.fromkeys("‐‑‒–—―−", "-")}
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Where the text says this: offsets into `text`, or None.

    Case, accents, quotation marks, dashes, spaces and broken lines do not matter; small slips do not either (at least
    .9 alike), but a number or a negation that differs does.
    """
    wanted = _normalised(quote)[0].strip(" .,;:!?…\"'")
    plain, origin = _normalised(text)
    if not wanted or not plain:
        return None
    span = _exactly(wanted, plain) or _nearly(wanted, plain)
    if span is None:
        return None
    start, end = origin[span[0]], origin[span[1] - 1] + 1
    mark = quote.rstrip()[-1]
    return (start, end + 1) if mark in ".!?" and text[end : end + 1] == mark else (start, end)


def _exactly(wanted: str, plain: str) -> tuple[int, int] | None:
    match = re.search(rf"(?<![a-z0-9]){re.escape(wanted)}(?![a-z0-9])", plain)
    return match.span() if match else None


def _nearly(wanted: str, plain: str) -> tuple[int, int] | None:
    if len(wanted) < _SHORTEST_FUZZY:
        return None
    if len(wanted) > len(plain):  # a partial match would look for the text in the quote
        span = (0, len(plain)) if fuzz.ratio(wanted, plain) >= ALIKE else None
    else:
        match = fuzz.partial_ratio_alignment(wanted, plain, score_cutoff=ALIKE)
        span = _trimmed(wanted, plain, *_whole_words(plain, match.dest_start, match.dest_end)) if match else None
    if span is None:
        return None
    there = plain[slice(*span)]
    same = all(rule.findall(there) == rule.findall(wanted) for rule in (_NUMBERS, _NEGATIONS))
    return span if same else None


def _whole_words(plain: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and plain[start - 1].isalnum() and plain[start].isalnum():
        start -= 1
    while end < len(plain) and plain[end].isalnum() and plain[end - 1].isalnum():
        end += 1
    return start, end


def _trimmed(wanted: str, plain: str, start: int, end: int) -> tuple[int, int]:
    """The stretch without words at its ends that the quote has not: the window is as long as the quote, not as apt."""
    spans = [(start + m.start(), start + m.end()) for m in re.finditer(r"\S+", plain[start:end])]
    alike = fuzz.ratio(wanted, plain[spans[0][0] : spans[-1][1]])
    while len(spans) > 1:
        shorter = max(spans[1:], spans[:-1], key=lambda s: fuzz.ratio(wanted, plain[s[0][0] : s[-1][1]]))
        better = fuzz.ratio(wanted, plain[shorter[0][0] : shorter[-1][1]])
        if better <= alike:
            break
        spans, alike = shorter, better
    return spans[0][0], spans[-1][1]


@lru_cache(maxsize=256)
def _normalised(text: str) -> tuple[str, tuple[int, ...]]:
    """The text in plain small letters with single spaces, and for each of its characters the place it came from."""
    characters: list[str] = []
    origin: list[int] = []
    broken = {i for m in re.finditer(r"(?<=\w)[-\u2010\u00ad]\s*\n\s*(?=\w)", text) for i in range(*m.span())}
    for place, character in enumerate(text):
        if place in broken:
            continue
        for plain in _plain(character):
            if plain.isspace():
                if not characters or characters[-1] == " ":
                    continue
                plain = " "
            characters.append(plain)
            origin.append(place)
    return "".join(characters), tuple(origin)


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    if _INVISIBLE.match(character):
        return ""
    folded = unicodedata.normalize("NFKD", character.translate(_SAME)).casefold()
    return "".join(c for c in folded if not unicodedata.combining(c)).translate(_SAME)
