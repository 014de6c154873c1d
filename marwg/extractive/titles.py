"""What a title says when no sentence of the paper will do: as a noun phrase, or as what the authors do."""

import re

from marwg.extractive.casing import Casing
from marwg.extractive.papers import PaperText
from marwg.extractive.phrases import COUNT_NOUNS
from marwg.extractive.tagging import FINITE_TAGS, tag
from marwg.extractive.text import fix_articles

_NOT_A_PHRASE = re.compile(
    r"[?!:]|\b(is|are|do|does|can|should|how|why|what|when|where|need|your|don't|we|meets?|matters?|may|helps?|makes?|improves?|all|just"
    r"|you|it|let's)\b",
    re.IGNORECASE,
)
_BAD_START = frozenset("VVG VVI VVB PRP TO0 AV0 VVN CJS PRF DT0".split())
_COUNT_HEAD = re.compile(
    r"\b(dataset|benchmark|framework|model|network|method|approach|system|algorithm|library|toolkit)\b"
    r"(?! (?:of|for) \w+ (?:models|networks))"
)
_GERUND_START = re.compile(r"(?!learning|reasoning|training|engineering)\w+ing\b (?!of|for|in|via|with|by)")


def _essential(paper: PaperText) -> str:
    """The half of a title with a colon that describes."""
    title = paper.title
    if ":" not in title:
        return title
    before, after = (part.strip() for part in title.split(":", 1))
    is_name = before == paper.voice.name or "?" in before
    short = len(before.split()) <= 4 and len(after.split()) >= 4
    return after if is_name or short else before


def as_noun_phrase(paper: PaperText, casing: Casing) -> str:
    """The title as a noun phrase with its article, or nothing."""
    title = _essential(paper)
    if _NOT_A_PHRASE.search(title) or not 3 <= len(title.split()) <= 13:
        return ""
    lower = casing.title(title)
    words = tag(lower)
    if not words or any(word.tag in FINITE_TAGS for word in words) or words[0].tag in _BAD_START:
        return ""
    phrase = re.sub(r"^(towards?|on) ", "", lower)
    head = re.split(r" (?:for|of|in|via|with|by|from|on|through|using|to|over|under|as|at|towards?) ", phrase)[0]
    if not any(word.tag.startswith("N") for word in words[-1:]):
        return ""
    if words[0].tag == "AT0" or head.split()[-1].lower() not in COUNT_NOUNS:
        return phrase
    return fix_articles(f"a {phrase}")


def as_statement(paper: PaperText, casing: Casing) -> str:
    """A predicate for the authors: "work on X-ing", "present a Y", "study Z"; nothing if the title gives none."""
    title = _essential(paper)
    if not 3 <= len(title.split()) <= 16 or re.search(r"[?!]", title):
        return ""
    lower = re.sub(r"^(?:towards?|on|beyond) ", "", casing.title(title), flags=re.IGNORECASE)
    words = tag(lower)
    if not words or any(word.tag in FINITE_TAGS for word in words[1:]):
        return ""
    plural = paper.voice.plural
    if words[0].tag == "VVG" or _GERUND_START.match(lower):
        return f"{'work' if plural else 'works'} on {lower}"
    phrase = as_noun_phrase(paper, casing)
    if not phrase:
        return ""
    if paper.kind == "survey":
        return (
            f"{'survey' if plural else 'surveys'} {re.sub(r'^an? (?:survey|review|overview) (?:of|on) ', '', phrase)}"
        )
    if _COUNT_HEAD.search(phrase.split(" for ")[0]) and phrase.startswith(("a ", "an ")):
        return f"{'present' if plural else 'presents'} {phrase}"
    if phrase.startswith(("a ", "an ")):
        return f"{'present' if plural else 'presents'} {phrase}"
    return f"{'study' if plural else 'studies'} {phrase}"


def statement(paper: PaperText, casing: Casing) -> str:
    """A whole sentence from the title alone: always possible."""
    predicate = as_statement(paper, casing)
    if not predicate:
        asks = paper.title.endswith("?")
        verb = "ask" if asks else "present"
        predicate = f'{verb if paper.voice.plural else f"{verb}s"} "{paper.title}"'
    return f"{paper.voice.cited} {predicate}."
