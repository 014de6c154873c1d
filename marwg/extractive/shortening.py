"""Shorter sentences that keep their meaning: asides dropped, tails cut at clause boundaries only."""

import re

from marwg.extractive.tagging import has_finite_verb

_ASIDES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), new)
    for pattern, new in (
        (
            r"\s*\((?:i\.e\.|e\.g\.|viz|see|cf|for example|or |with |which|including|where|as |from |in |and )[^()]*\)",
            "",
        ),
        (r"\s*\([^()]{40,}\)", ""),
        (r" \((?:\d|i{1,3}|iv|a|b|c)\)(?= )", ""),
        (r"\b(propose|present|introduce), (?=[A-Z])", r"\1 "),
        (r",? i\.e\.,? [^,;.]+(?=[,;.])", ""),
    )
)
_CUT = re.compile(
    r"(?:;|:| —|,? while|, whereas|, which|, where|, thereby|, thus|, hence|, therefore|, so that|, such that|, enabling|, achieving"
    r"|, outperforming|, leading|, resulting|, allowing|, making|, demonstrating|, showing|, yielding|, providing|, ensuring|, including"
    r"|, with|, without|, by|, as well as|, along with"
    r"|, and (?:we|they|then|also|thus|finally|show\w*|demonstrat\w*|prove\w*|report\w*|evaluate\w*)"
    r"|, but|, because|, since|, using|, based on|, even when|, even if|, rather than|, in which|, in order to|, when|, to| so that"
    r"| thereby| and (?:show|demonstrate|prove)\b| in order to) "
)
_SUBORDINATOR = re.compile(r"\b(?:that|which|who|how|whether|where|why|what|when)\b")
_PREPOSITION = re.compile(r"\s*,? ?(?:given|under|for|with|when|if|in)\b")
_OPEN_END = re.compile(r"\b(?:and|or|that|of|the|a|to|either|not only|both|by|with|for|in|on|from|than|as|is|are)$")
_PAIR = re.compile(r"\b(?:not only|either|both)\b")


def without_asides(text: str) -> str:
    """The text without parentheses that explain, list numbers, and "i.e." insertions."""
    for pattern, new in _ASIDES:
        text = pattern.sub(new, text)
    return text


def shorten(text: str, limit: int = 32, least: int = 13) -> str:
    """The text cut at clause boundaries down to `limit` words where the rest still says something whole."""
    text = text.rstrip(" .")
    for _ in range(4):
        if len(text.split()) <= limit:
            break
        best = ""
        for boundary in _CUT.finditer(text):
            head = text[: boundary.start()]
            count = len(head.split())
            if count < least or not _is_whole(head, boundary[0]):
                continue
            if count <= limit or not best:
                best = head
        if not best or best == text:
            break
        text = best
    return text


def _is_whole(head: str, cut: str) -> bool:
    """Whether the head of a cut keeps a finite verb, also after its last subordinator, and closes what it opens."""
    opened = [match.end() for match in _SUBORDINATOR.finditer(head)]
    if opened:
        clause = head[opened[-1] :]
        if not has_finite_verb(clause) or (_PREPOSITION.match(clause) and clause.count(",") < 2):
            return False
    if head.count("(") != head.count(")") or head.count('"') % 2 or not has_finite_verb(head):
        return False
    return not _OPEN_END.search(head) and not (_PAIR.search(head) and "but" in cut)
