"""How common words and phrases are in computer-science abstracts, from a shipped list of counts."""

from functools import lru_cache
from pathlib import Path

DOCUMENTS = 8000
"""The number of abstracts that were counted."""


@lru_cache(maxsize=1)
def _counts() -> dict[str, int]:
    path = Path(__file__).with_name("generic_phrases.txt")
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = (line.rsplit("\t", 1) for line in lines if line and not line.startswith("#"))
    return {phrase: int(count) for phrase, count in pairs}


def frequency(phrase: str) -> int:
    """In how many of the counted abstracts the phrase occurs, singular and plural taken together; 0 if rare."""
    return _counts().get(phrase, 0) + _counts().get(f"{phrase}s", 0)


def exact_frequency(phrase: str) -> int:
    """In how many of the counted abstracts exactly this form occurs."""
    return _counts().get(phrase, 0)


def is_common_word(word: str) -> bool:
    """Whether a lower-case word is ordinary vocabulary; words that are mostly capitalised are not in the list."""
    return word in _counts()
