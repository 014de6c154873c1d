"""From the lines of PDF pages to text as one reads it: columns, running heads, hyphens, and where a paper ends. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple


class Line(NamedTuple):
    """A run of text with its place on the page, from the top left, in points."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float

    @property
    def height(self) -> float:
        """From the highest to the lowest ink."""
        return self.bottom - self.top


class PageLines(NamedTuple):
    """One page as it was read."""

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]


_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_SOFT_HYPHEN = "\u00ad"
_HYPHENS = str.maketrans({"\x02": _SOFT_HYPHEN, "\ufffe": _SOFT_HYPHEN, **_LIGATURES})
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\ufffd]")

_NUMBERING = r"(?:(?:\d{1,2}|[IVX]{1,5}|[A-Z])(?:\.\d{1,2})*\.?:?)?"
_BACK_MATTER = re.compile(
    rf"^{_NUMBERING}(references|bibliography|referencesandnotes|literaturecited|workscited|referencescited)[.:]?$", re.I
)
_THANKS = re.compile(
    rf"^{_NUMBERING}(acknowledge?ments?|authorcontributions?|contributions?ofauthors|funding|competinginterests?|conflictsofinterest"
    r"|supportinginformation|supplementarymaterials?|creditauthorshipcontributionstatement|declarationofcompetinginterests?)[.:]?$",
    re.I,
)
_APPENDIX = re.compile(
    r"^(?:(?:[A-Z]\.?)?append(?:ix|ices)(?:[A-Z\d]{1,2})?(?:[.:].*)?|append(?:ix|ices)[A-Z]\b.*)$", re.I
)
_NUMBERED = re.compile(r"^(?:[1-9]\d?|[IVX]{1,5})(?:\.\d{1,2})*\.?\s+[A-Z][^.]{2,70}$")
_BACK_TO_BODY = re.compile(
    rf"^{_NUMBERING}(methods?|materialsandmethods|onlinemethods|methodsandmaterials|limitations?|ethicsstatement|ethicalconsiderations"
    r"|broaderimpact|conclusions?|discussion|introduction)[.:]?$",
    re.I,
)


def read_order(pages: Sequence[PageLines]) -> list[tuple[int, list[Line]]]:
    """For each page its lines in reading order, without running heads, page numbers and rotated text."""
    upright = [page._replace(lines=tuple(_joined(_upright(page.lines)))) for page in pages]
    repeated = _running_heads(upright)
    result = []
    for page in upright:
        kept = [line for line in page.lines if not _is_margin(line, page) or not _is_running(line, repeated)]
        result.append((page.number, _by_columns(kept, page.width)))
    return result


def rotated_text(page: PageLines) -> str:
    """What stands upright along the edge of a page, where arXiv prints its id."""
    return " ".join(clean(line.text) for line in page.lines if line not in _upright(page.lines))


def body(pages: Sequence[tuple[int, list[Line]]]) -> list[tuple[int, list[Line]]]:
    """The pages without references, acknowledgements and appendices, cut at their headings; empty pages are left out."""
    state = "body"
    kept: list[tuple[int, list[Line]]] = []
    for number, lines in pages:
        rest = []
        for line in lines:
            state = _state_after(state, line)
            if state == "body":
                rest.append(line)
        if rest:
            kept.append((number, rest))
    return kept


def _state_after(state: str, line: Line) -> str:
    text = clean(line.text)
    joined = re.sub(r"\s+", "", text)  # small capitals come as "R EFERENCES"
    if len(text) > 90:
        return state
    if _BACK_MATTER.match(joined):
        return "references"
    if state == "body":
        return "thanks" if _THANKS.match(joined) else "appendix" if _APPENDIX.match(joined) else "body"
    if _APPENDIX.match(joined):
        return "appendix"
    if state == "thanks" and not _THANKS.match(joined):
        return "body" if _NUMBERED.match(text) or _BACK_TO_BODY.match(joined) else "thanks"
    # In some journals the methods stand behind the references; an appendix is the end.
    return "body" if state == "references" and _BACK_TO_BODY.match(joined) else state


def text_of(lines: Sequence[Line], words: Counter[str]) -> str:
    """The text of lines in reading order, a paragraph a line, hyphens at line ends undone; `words` are those of the paper."""
    pitch = median([abs(b.top - a.top) for a, b in pairwise(lines)] or [12.0])
    text = ""
    for before, line in zip([None, *lines], lines, strict=False):
        piece = clean(line.text)
        if not piece:
            continue
        if before is None or not text:
            text = piece
        elif _new_paragraph(before, line, pitch):
            text = f"{text}\n{piece}" if not text.endswith(_SOFT_HYPHEN) else _joined_words(text, piece, words)
        else:
            text = _joined_words(text, piece, words)
    return text.replace(_SOFT_HYPHEN, "").strip()


def _new_paragraph(before: Line, line: Line, pitch: float) -> bool:
    if abs(before.size - line.size) > 0.15 * max(before.size, line.size):
        return True
    if any(_NUMBERED.match(clean(one.text)) and len(one.text) < 60 for one in (before, line)):
        return True
    if 0 <= line.top - before.top <= 1.6 * pitch:
        return False
    ends = before.text.rstrip()[-1:] in {".", "!", "?", ":"} or line.top > before.top
    return ends and line.text.strip()[:1].upper() == line.text.strip()[:1]


def _joined_words(text: str, piece: str, words: Counter[str]) -> str:
    if not text.endswith(("-", _SOFT_HYPHEN)):
        return f"{text} {piece}"
    stem, hyphen = text[:-1], text[-1]
    left = re.search(r"(?:[^\W\d_]+-)*[^\W\d_]+$", stem)
    right = re.match(r"[^\W\d_]+", piece)
    if not left or not right or not piece[:1].islower():
        return f"{stem}-{piece}" if hyphen == "-" or piece[:1].isupper() else stem + piece
    whole, compound = (left.group(0) + right.group(0)).casefold(), f"{left.group(0)}-{right.group(0)}".casefold()
    # "state-of-the-" at a line end is one compound more often than a word cut in its last part.
    is_compound = words[compound] > words[whole] or ("-" in left.group(0) and not words[whole])
    return f"{stem}-{piece}" if is_compound else stem + piece


def vocabulary(pages: Sequence[tuple[int, list[Line]]]) -> Counter[str]:
    """How often each word, compounds too, stands within a line of the paper."""
    counts: Counter[str] = Counter()
    for _, lines in pages:
        for line in lines:
            counts.update(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", clean(line.text).casefold()))
    return counts


def clean(text: str) -> str:
    """One line of text with ligatures resolved, hyphens of line ends marked, and single spaces."""
    return " ".join(_UNPRINTABLE.sub("", text.translate(_HYPHENS)).split())


# ---------------------------------------------------------------- lines and columns


def _upright(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if not (len(line.text.strip()) > 3 and line.height > 2.5 * (line.right - line.left))]


def _joined(lines: Sequence[Line]) -> list[Line]:
    """Lines with the runs joined that follow each other on one baseline (superscripts, changes of font)."""
    result: list[Line] = []
    for line in lines:
        last = result[-1] if result else None
        if (
            last
            and _same_row(last, line)
            and -0.3 * last.size <= line.left - last.right <= 1.2 * max(last.size, line.size)
        ):
            gap = " " if line.left - last.right > 0.15 * last.size and not last.text.endswith(" ") else ""
            left, top = min(last.left, line.left), min(last.top, line.top)
            right, bottom = max(last.right, line.right), max(last.bottom, line.bottom)
            size = last.size if len(last.text) >= len(line.text) else line.size
            result[-1] = Line(last.text + gap + line.text, left, top, right, bottom, size)
        else:
            result.append(line)
    return result


def _same_row(one: Line, other: Line) -> bool:
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return shared > 0.3 * max(0.1, min(one.height, other.height))


def _by_columns(lines: Sequence[Line], width: float) -> list[Line]:
    """Lines as one reads them: in one column by the order of the file, in two by bands between lines across both."""
    gutter = _gutter(lines, width)
    if gutter is None:
        return list(lines)
    across = sorted(
        (line for line in lines if line.left < gutter - 2 and line.right > gutter + 2), key=lambda line: line.top
    )
    inside = [line for line in lines if line not in across]
    ordered: list[Line] = []
    for band_end in [*(line.top for line in across), float("inf")]:
        band = [line for line in inside if line.top < band_end]
        inside = [line for line in inside if line.top >= band_end]
        for column in (True, False):
            ordered += [line for line in band if (line.right <= gutter + 2) == column]
        ordered += [line for line in across if line.top == band_end]
    return ordered


def _gutter(lines: Sequence[Line], width: float) -> float | None:
    """Where the white space between two columns is; None where the page has one column."""
    weight = sum(len(line.text) for line in lines)
    if weight < 200:
        return None
    best, least = None, float("inf")
    for step in range(31):
        x = width * (0.40 + 0.20 * step / 30)
        crossing = sum(len(line.text) for line in lines if line.left < x - 2 and line.right > x + 2)
        if crossing < least:
            best, least = x, crossing
    assert best is not None
    left = [line for line in lines if line.right <= best + 2]
    right = [line for line in lines if line.left >= best - 2]
    left_weight, right_weight = (sum(len(line.text) for line in side) for side in (left, right))
    enough = min(left_weight, right_weight) > 0.15 * weight and least < 0.5 * weight
    # A table in one column has two sides too, but short cells and not lines that fill a column.
    filled = [line for line in right if line.right - line.left > 0.25 * width]
    return best if enough and len(filled) > 0.4 * len(right) else None


# ---------------------------------------------------------------- running heads


def _is_margin(line: Line, page: PageLines) -> bool:
    return line.bottom < 0.1 * page.height or line.top > 0.9 * page.height


def _pattern(line: Line) -> str:
    return re.sub(r"\d+", "#", clean(line.text)).casefold()


def _running_heads(pages: Sequence[PageLines]) -> frozenset[str]:
    seen = Counter(
        pattern for page in pages for pattern in {_pattern(line) for line in page.lines if _is_margin(line, page)}
    )
    return frozenset(pattern for pattern, count in seen.items() if count >= 3 or (count == 2 and len(pages) <= 4))


def _is_running(line: Line, repeated: frozenset[str]) -> bool:
    pattern = _pattern(line)
    return pattern in repeated or bool(re.fullmatch(r"(?:page )?[#ivxlc]+(?: ?(?:/|of) ?#)?", pattern))
