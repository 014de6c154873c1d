"""What a message points to: topics by number, ordinal, position or title; papers by author, title, or place."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from marwg.tasks import Source
from marwg.text.wording import content_words, fold

_ORDINALS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5,
    "sixth": 6, "6th": 6, "seventh": 7, "7th": 7, "eighth": 8, "8th": 8, "ninth": 9, "9th": 9, "tenth": 10, "10th": 10,
}  # fmt: skip
_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "couple": 2, "both": 2,
}  # fmt: skip
_COUNT = "|".join(_NUMBERS)
_ORDINAL = "|".join(_ORDINALS)
TOPIC = r"(?:topics?|sections?|subsections?|headings?|themes?|parts?|groups?|items?|points?|paragraphs?|ones?)"


def number_of(word: str) -> int:
    """The number that a word or digits say, 0 if none."""
    word = word.lower().strip("#.")
    return int(word) if word.isdigit() else _ORDINALS.get(word) or _NUMBERS.get(word, 0)


def ordinal_numbers(text: str) -> list[int]:
    """Numbers after "topic", "#", or as ordinals, in order of appearance."""
    pattern = rf"\b({_ORDINAL})\b|#\s?(\d+)\b|\b{TOPIC}\s+(?:no\.?\s*|number\s+)?({_COUNT}|\d+)\b"
    return [number_of(next(g for g in m.groups() if g)) for m in re.finditer(pattern, text.lower())]


def topics_in(text: str, titles: Sequence[str], loose: bool = True) -> list[int]:
    """The numbers (from 1) of the topics that a phrase means, in the order in which it names them.

    `loose` also takes bare numbers, and titles of which only a distinctive word is named.
    """
    found = _by_position(text, len(titles)) or _by_number(text, len(titles), loose)
    return found or topics_by_title(text, titles, loose)


def _by_position(text: str, total: int) -> list[int]:
    lower = text.lower()
    if re.search(rf"\b(?:all|everything|every)\b(?! \w+s? (?:on|about|by))(?:.*\b{TOPIC}\b)?", lower) and total:
        return list(range(1, total + 1))
    if match := re.search(rf"\b(first|last)\s+({_COUNT}|\d+)\b", lower):
        count = min(number_of(match[2]), total)
        return list(range(1, count + 1)) if match[1] == "first" else list(range(total - count + 1, total + 1))
    if re.search(r"\bfirst (?:and|&) (?:the )?last\b", lower):
        return [1, total]
    if re.search(r"\b(?:the )?(?:second|2nd)[ -](?:to[ -])?last\b|\blast but one\b|\bpenultimate\b", lower):
        return [total - 1]
    if re.search(rf"\bboth\b(?: {TOPIC})?", lower) and total == 2:
        return [1, 2]
    if re.search(rf"\b(?:last|final)\b(?: {TOPIC})?", lower) and not re.search(rf"\b(?:{_ORDINAL})\b", lower):
        others = [n for n in ordinal_numbers(lower) if n]
        return [*others, total]
    if re.search(rf"\bmiddle {TOPIC}\b", lower) and total % 2:
        return [total // 2 + 1]
    return []


def _by_number(text: str, total: int, loose: bool) -> list[int]:
    lower = text.lower()
    if match := re.search(rf"(?:{TOPIC}\s+)?\b(\d+)\s*(?:-|–|to|through)\s*(\d+)\b", lower):
        start, end = int(match[1]), int(match[2])
        if 1 <= start < end <= max(total, end) and end - start < 20:
            return list(range(start, end + 1))
    numbered = re.search(
        rf"\b{TOPIC}\s+((?:(?:{_COUNT}|\d+)(?:\s*(?:,|and|&|,\s*and|\+|with)\s*(?:{TOPIC}\s+)?)?)+)", lower
    )
    if numbered:
        return [number_of(word) for word in re.findall(rf"\b({_COUNT}|\d+)\b", numbered[1])]
    words = re.findall(rf"\b({_ORDINAL})\b", lower)
    if words:
        return list(dict.fromkeys(number_of(word) for word in words))
    marked = re.findall(r"#\s?(\d+)", lower)
    if marked:
        return [int(n) for n in marked]
    if loose and re.fullmatch(
        rf"\W*(?:the )?(?:(?:\d+|{_COUNT})\b(?:\s*(?:,|and|&|\+|with)\s*)*)+(?: together)?\W*", lower
    ):
        return [number_of(word) for word in re.findall(rf"\b({_COUNT}|\d+)\b", lower)]
    return []


def topics_by_title(text: str, titles: Sequence[str], loose: bool) -> list[int]:
    """The topics whose titles a text names; `loose` takes a distinctive word for the whole title."""
    lower = fold(text)
    whole = [(lower.index(fold(title)), n) for n, title in enumerate(titles, 1) if title and fold(title) in lower]
    if whole:
        return [n for _, n in sorted(whole)]
    words = content_words(text)
    shared = [content_words(title) for title in titles]
    scored = []
    for number, own in enumerate(shared, 1):
        hit = words & own
        distinctive = {w for w in hit if sum(w in other for other in shared) == 1}
        if own and (len(hit) / len(own) >= 0.6 or (loose and distinctive)):
            scored.append((_first_place(lower, hit), number, len(hit) / len(own)))
    if not loose:
        return [n for _, n, _ in sorted(scored)]
    return [n for _, n, _ in sorted(scored)] if scored else _by_likeness(lower, titles)


def _first_place(text: str, words: set[str] | frozenset[str]) -> int:
    return min((text.find(word) for word in words if word in text), default=0)


def _by_likeness(text: str, titles: Sequence[str]) -> list[int]:
    """A title with a slip of the pen in it."""
    close = [(SequenceMatcher(None, text, fold(title)).ratio(), n) for n, title in enumerate(titles, 1)]
    best = max(close, default=(0.0, 0))
    return [best[1]] if best[0] >= 0.8 else []


# ---------------------------------------------------------------- papers


def papers_in(text: str, papers: Sequence[Source]) -> list[str]:
    """The ids of the papers that a phrase names, in the order of the shortlist."""
    numbers = [number_of(n) for n in re.findall(r"\bpapers?\s+(?:no\.?\s*|number\s+|#\s?)?(\d+)\b", text.lower())]
    if numbers:
        return [papers[n - 1].id for n in numbers if 1 <= n <= len(papers)]
    named = [paper.id for paper in papers if re.search(rf"(?<![\w-]){re.escape(paper.id)}(?![\w-])", text)]
    by_author = [paper for paper in papers if _has_author(text, paper)]
    if by_author:
        years = {int(y) for y in re.findall(r"\b((?:19|20)\d\d)\b", text)}
        narrowed = [p for p in by_author if p.year in years] if years else by_author
        return list(dict.fromkeys([*named, *(p.id for p in narrowed or by_author)]))
    return named or _by_paper_title(text, papers)


def _has_author(text: str, paper: Source) -> bool:
    if not paper.authors:
        return False
    surnames = re.split(r" and |,", paper.authors.replace(" et al.", "").replace(" et al", ""))
    first = fold(surnames[0].strip())
    pattern = rf"(?<![\w-]){re.escape(first)}(?![\w-])"
    if not first or not re.search(pattern, fold(text)):
        return False
    # A surname that is also a word ("Long", "Bright") must be written like a name.
    return (
        bool(re.search(rf"(?<![\w-]){re.escape(surnames[0].strip())}(?![\w-])", text))
        or len(first) > 4
        or bool(re.search(rf"\b(?:by|of|from)\s+{re.escape(first)}|{re.escape(first)}(?:'s| et al| and )", fold(text)))
    )


_NOT_TITLE = re.compile(
    r"\b(?:move|put|shift|transfer|remove|delete|drop|take|out|the|papers?|articles?|works?|about|on|by|of|to|into|under|please|cite|citing"
    r"|citation|reference|references|mention|mentioning|don't|do|not|stop|sentence|leave|exclude|omit|all|both|one|two|three|four|five"
    r"|section|topic|from|draft|outline|text|paper's|that|which|its|and|with|in|a|an)\b",
    re.IGNORECASE,
)


def _by_paper_title(text: str, papers: Sequence[Source]) -> list[str]:
    """By quoted words, by the name before a colon, or by all remaining content words of the phrase."""
    lower = fold(text)
    for quoted in re.findall(r"[\"“'‘]([^\"”'’]{3,})[\"”'’]", text):
        hit = [paper.id for paper in papers if fold(quoted) in fold(paper.title)]
        if hit:
            return hit
    names = [(fold(paper.title.split(":")[0].strip()), paper.id) for paper in papers if ":" in paper.title]
    hit = [pid for name, pid in names if len(name) > 1 and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", lower)]
    if hit:
        return hit
    wanted = content_words(_NOT_TITLE.sub(" ", text))
    if not wanted:
        return []
    return [paper.id for paper in papers if wanted <= content_words(paper.title) or _acronym_in(wanted, paper.title)]


def _acronym_in(wanted: frozenset[str], title: str) -> bool:
    """ "RAG" also means a title with "retrieval-augmented generation"."""
    initials = "".join(word[0] for word in re.findall(r"[a-z]+", fold(title)))
    return all(2 < len(word) <= 5 and word in initials for word in wanted)
