"""Small operations on English text that several rules share: articles, capitals, lists, words."""

import re
from collections.abc import Sequence

_MARKER = re.compile(r"\s*\[@[^\]]+\]")


def fix_articles(text: str) -> str:
    """ "a" or "an" as the following word asks for it."""
    text = re.sub(r"\b([Aa])n (?=(?:uni|use|one|eu)|[bcdfgjklmnpqrstvwxyz][a-z])(?!hour|honest)", r"\1 ", text)
    text = re.sub(r"\b([Aa]) (?=(?!one\b|one-|eu)[aeio][a-z]|u(?!n[i]|s[eia]|biq|t[ie])[a-z])", r"\1n ", text)
    return re.sub(r"\b([Aa])n? (?=[FHLMNRSX][A-Z]{1,4}s?\b)", r"\1n ", text)


def capitalise(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def enumerate_words(items: Sequence[str]) -> str:
    """ "a", "a and b", "a, b, and c"."""
    if len(items) < 3:
        return " and ".join(items)
    return f"{', '.join(items[:-1])}, and {items[-1]}"


def without_markers(text: str) -> str:
    """The text without its citation markers."""
    return _MARKER.sub("", text)


def cited(text: str) -> tuple[str, ...]:
    """The ids that a text cites, in order and once each."""
    ids = [key.strip().lstrip("@") for group in re.findall(r"\[(@[^\]]+)\]", text) for key in group.split(";")]
    return tuple(dict.fromkeys(ids))


def marker(*paper_ids: str) -> str:
    """The citation marker of some papers."""
    return f"[{'; '.join(f'@{paper_id}' for paper_id in paper_ids)}]"


def flat(text: str) -> str:
    """Lower-case words between single spaces, for looking phrases up."""
    return f" {' '.join(re.sub(r'[^a-z0-9]+', ' ', text.lower()).split())} "


def add_marker(text: str, paper_id: str) -> str:
    """The sentence with a marker before its full stop."""
    return f"{text.rstrip(' .')} {marker(paper_id)}."


def word_count(text: str) -> int:
    """Words without markers."""
    return len(without_markers(text).split())
