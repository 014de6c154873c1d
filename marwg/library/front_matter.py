"""Title, authors and abstract from the first page of a paper. Pure; says nothing where it is not sure."""

import re
from collections import Counter
from collections.abc import Sequence

from marwg.library.identity import normal_title
from marwg.library.layout import Line, clean, text_of
from marwg.library.names import read_names

_NO_TITLE = re.compile(r"^(?:untitled|microsoft word|.*\.(?:dvi|tex|docx?|pdf|indd|qxd)$|\W*$|\S+$)", re.IGNORECASE)
_BANNER = re.compile(
    r"^(?:proceedings of|published as|under review|preprint|research article|original (?:article|research)|review(?: article)?|article"
    r"|journal of|jss journal|open access|arxiv:|doi:|https?:|\S+ \d{4}, volume|copyright|©|accepted|submitted|letter|editorial)",
    re.IGNORECASE,
)
_ABSTRACT = re.compile(r"^(?:a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|summary)\b\s*[.:—–-]*\s*", re.IGNORECASE)
_AFTER_ABSTRACT = re.compile(
    r"^(?:(?:1|I)\.?\s+)?(?:i\s?n\s?t\s?r\s?o\s?d\s?u\s?c\s?t\s?i\s?o\s?n|author summary|summary|statement of need|background)\b[.:]?$"
    r"|^(?:key\s?words?|index terms|ccs concepts|categories and subject|general terms|pacs|msc|jel)\b|^\d{1,2}\.?\s+[A-Z][\w\s]{2,50}$",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"universi|institut|depart|school|college|laborator|\blab\b|centre|center|research|inc\b|google|microsoft|facebook|corporation|\bltd"
    r"|academy|faculty|hospital|@|\d{4,}|http|street|usa\b|google|deepmind|openai|\bai\b|correspond|contribut|equal|work done|author",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[^\w\s.,;&'’-]|[\d_ªº\u0370-\u03ff]+|(?<=[a-z])ID\b")
_PARTICLES = "de|van|von|der|den|del|della|la|le|di|da|dos|el|al|ter|ten|bin|ibn"
_WORD = rf"(?:[^\W\d_a-zß-öø-ÿ][^\W\d_]*(?:['’.\-]+[^\W\d_]*)*|{_PARTICLES})"
_NAME = re.compile(rf"^{_WORD}(?: {_WORD}){{1,4}}$")
_BETWEEN_NAMES = re.compile(r"[,;&]|\band\b")


def title_of(first: Sequence[Line], metadata: dict[str, str]) -> str:
    """The title: the one in the metadata if it stands on the page, else the largest text of its upper half."""
    told = " ".join(metadata.get("Title", "").split())
    page = normal_title(" ".join(clean(line.text) for line in first))
    if not _NO_TITLE.match(told) and normal_title(told) and normal_title(told) in page:
        return told
    lines = _title_lines(first)
    return text_of(lines, Counter()).replace("\n", " ") if lines else ""


def _title_lines(first: Sequence[Line]) -> list[Line]:
    if not first:
        return []
    bottom = max(line.bottom for line in first)
    upper = [
        line
        for line in first
        if line.top < 0.5 * bottom and not _BANNER.match(clean(line.text)) and len(clean(line.text)) > 3
    ]
    letters = [line for line in upper if sum(c.isalpha() for c in line.text) > 0.5 * len(line.text.strip())]
    if not letters:
        return []
    if max(line.size for line in letters) <= 4:  # where font sizes are scaled by a matrix, the ink tells
        first = [line._replace(size=line.height) for line in first]
        letters = [line._replace(size=line.height) for line in letters]
    sizes = [line.size for line in letters]
    largest = max(sizes)
    if largest < 1.1 * _body_size(first):
        return []
    start = sizes.index(largest)
    chosen: list[Line] = []
    for line, size in zip(letters[start:], sizes[start:], strict=True):
        if size < 0.93 * largest or len(chosen) >= 5:
            break
        chosen.append(line)
    return chosen


def _body_size(lines: Sequence[Line]) -> float:
    """The size that most of the characters have."""
    weight: Counter[float] = Counter()
    for line in lines:
        weight[round(line.size, 1)] += len(line.text)
    return weight.most_common(1)[0][0]


def abstract_of(first: Sequence[Line], words: Counter[str]) -> str:
    """The text between the heading "Abstract" and what follows it; empty where there is no such heading or no end."""
    for start, line in enumerate(first):
        text = clean(line.text)
        heading = _ABSTRACT.match(text)
        if not heading or (text[:1].islower()):
            continue
        rest = text[heading.end() :]
        if rest and not re.match(r"abstract\W*[.:—–-]|abstract [A-Z]", text, re.IGNORECASE):
            continue
        end = next((i for i in range(start + 1, len(first)) if _AFTER_ABSTRACT.match(clean(first[i].text))), len(first))
        chosen = [line._replace(text=rest)] if rest else []
        chosen += first[start + 1 : end]
        abstract = text_of(chosen, words).replace("\n", " ") if chosen else ""
        return abstract if 200 <= len(abstract) <= 4000 else ""
    return ""


def authors_of(first: Sequence[Line], title: str, metadata: dict[str, str]) -> tuple[str, ...]:
    """The authors of the metadata, else the names between title and abstract; none where a line is no list of names."""
    told = metadata.get("Author", "").strip()
    if told and " " in told and not _PLACE.search(told):
        listed = [" ".join(name.split()) for name in re.split(r"[;,]|\s+and\s+", told) if name.strip()]
        if all(_NAME.match(name.title()) for name in listed):
            return read_names(" and ".join(listed))
    names: list[str] = []
    for line in _between(first, title):
        text = clean(line.text)
        if _PLACE.search(text) or not (found := _names_in(text)):
            if names:
                break
            continue
        if names and _is_cut(names[-1]) and _NAME.match(f"{names[-1]} {found[0]}"):
            names[-1] += f" {found.pop(0)}"
        elif names and not any(_NAME.match(name) for name in found):
            break
        names += found
    good = [name for name in names if _NAME.match(name)]
    return read_names(" and ".join(dict.fromkeys(good))) if len(good) == len(names) else ()


def _names_in(text: str) -> list[str]:
    """The pieces between commas and footnote marks, where most of them look like names; a last one may be cut."""
    pieces = [" ".join(piece.split()) for piece in _BETWEEN_NAMES.split(_MARKS.sub(" , ", text))]
    pieces = [piece.strip(" -'’") for piece in pieces if re.search(r"[^\W\d_]", piece)]
    names = [piece for piece in pieces if _NAME.match(piece) or re.fullmatch(_WORD, piece)]
    return pieces if pieces and len(names) == len(pieces) else []


def _is_cut(name: str) -> bool:
    return " " not in name or bool(re.search(r" [A-Z]\.?$", name))


def _between(first: Sequence[Line], title: str) -> list[Line]:
    """The lines below the title and above the abstract."""
    wanted, seen = normal_title(title), ""
    below: list[Line] = []
    started = False
    for line in first:
        plain = normal_title(clean(line.text))
        if not started:
            if plain and plain in wanted:
                seen += plain
                started = wanted.endswith(plain) and len(seen) >= len(wanted) - 2
            continue
        if _ABSTRACT.match(clean(line.text)) or len(below) > 25:
            break
        below.append(line)
    return below
