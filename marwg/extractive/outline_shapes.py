"""Wishes about the shape of an outline in words: splitting a topic, an order by time or size, a number of topics."""

import re
from collections.abc import Sequence

from marwg.extractive.mentions import number_of, topics_in
from marwg.extractive.text import capitalise
from marwg.tasks import OutlineEditReply

_NUMBER = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|a single)"
_NOUN = r"(?:topics?|sections?|subsections?|groups?|themes?|parts?|headings?)"

# ---------------------------------------------------------------- a number of topics

_AT_MOST = re.compile(
    rf"\b(?:at most|no more than|not more than|max(?:imum|imal(?:ly)?)?(?: of)?|up to|limit(?:ed)? (?:it|them|this|the outline|the {_NOUN})?\s*to)\s+"
    rf"(?:only )?(?P<a>{_NUMBER})\b|\b(?P<b>{_NUMBER})\s+{_NOUN}\s+(?:at (?:the )?most|max(?:imum|imally)?|or (?:fewer|less)|tops|are enough|is enough"
    rf"|would be enough|will do|suffice)\b",
    re.IGNORECASE,
)
_EXACTLY = re.compile(
    rf"^(?:(?:reduce|shrink|cut|condense|bring|boil|trim|extend|expand|increase|get)\b.{{0,30}}?\b(?:to|down to|up to)|(?:use|make|have|keep|i (?:want|need|prefer)|want|need|give me|with|in|into"
    rf"|there (?:should|must) be|it should (?:be|have)|make (?:it|that|this)|merge (?:them|everything|it|all)?\s*into|group (?:them|it)?\s*into)?)\s*"
    rf"(?:exactly|only|just)?\s*(?P<n>{_NUMBER})\s+(?:\w+ )?{_NOUN}(?:\s+(?:only|instead|in total|altogether|please))*$",
    re.IGNORECASE,
)
_FEWER = re.compile(rf"\b(?:(?P<less>fewer|less|too many)|(?P<more>more|too few))\s+{_NOUN}\b", re.IGNORECASE)


def resize(clause: str, total: int) -> OutlineEditReply | None:
    """So many topics, exactly or at most; one fewer or more where no number is said."""
    if match := _AT_MOST.search(clause):
        return OutlineEditReply(kind="resize", count=_count(match["a"] or match["b"]), at_most=True)
    if match := _EXACTLY.match(clause):
        return OutlineEditReply(kind="resize", count=_count(match["n"]))
    match = _FEWER.search(clause)
    if match and total and not re.search(r"\b(?:group|organi[sz]e|new|another)\b", clause, re.IGNORECASE):
        fewer = match.group().lower().startswith(("fewer", "less", "too many"))
        return OutlineEditReply(kind="resize", count=max(1, total - 1) if fewer else total + 1)
    return None


def _count(word: str) -> int:
    return 1 if word.lower() == "a single" else number_of(word)


# ---------------------------------------------------------------- an order

_SORT = r"(?:order|sort|arrange|re-?order|re-?arrange|list|put|organi[sz]e|present|rank)"
_BY_TIME = re.compile(
    r"\b(?:by|according to|after)\s+(?:the\s+)?(?:publication\s+)?(?:time|years?|dates?|age|chronology)\b|\bchronological(?:ly)?\b|\bhistorical(?:ly)? (?:order|first)\b"
    r"|\b(?:oldest|earliest|newest|latest|most recent)(?: (?:papers?|works?|topics?|ones?))?(?: (?:come|go))? first\b|\bfrom (?:the )?(?:old(?:est)?|earl(?:y|iest)|new(?:est)?)\b.*\bto\b"
    r"|\bin (?:the )?order of (?:time|years?|publication|appearance in time)\b|\b(?:put|start with) the (?:oldest|newest|earliest|latest|most recent)\b",
    re.IGNORECASE,
)
_NEWEST = re.compile(
    r"\b(?:newest|latest|most recent)\b.*\bfirst\b|\b(?:from )(?:the )?new|\b(?:reverse|descending)\b|\bstart with the (?:newest|latest|most recent)|\bput the (?:newest|latest|most recent)(?! .*last)",
    re.IGNORECASE,
)
_BY_SIZE = re.compile(
    r"\b(?:by|according to)\s+(?:the\s+)?(?:size|length|number of (?:the )?(?:papers|citations))\b|\b(?:largest|biggest|smallest|longest|shortest)(?: (?:topics?|ones?|groups?))?(?: (?:come|go))? first\b",
    re.IGNORECASE,
)
_BY_OTHER = re.compile(
    rf"^{_SORT}\b.{{0,40}}?\b(?:by|according to)\s+(?:the\s+|their\s+)?(?P<by>[^,.;]+)$|^{_SORT}\b.{{0,30}}\b(?P<letters>alphabetical(?:ly)?)",
    re.IGNORECASE,
)


def sort(clause: str) -> OutlineEditReply | None:
    """Topics by time or size; an order by something else is passed on to be refused with the reason."""
    if re.match(r"^(?:group|split|divide|separate|regroup|move|rename|drop|merge)\b", clause, re.IGNORECASE):
        return None
    if _BY_TIME.search(clause):
        return OutlineEditReply(kind="sort", by="newest" if _NEWEST.search(clause) else "oldest")
    if _BY_SIZE.search(clause):
        small = re.search(r"\b(?:smallest|shortest)\b|\bascending\b", clause, re.IGNORECASE)
        return OutlineEditReply(kind="sort", by="smallest" if small else "largest")
    match = _BY_OTHER.match(clause)
    if match and not re.match(r"^(?:organi[sz]e|list|put|present)\b", clause, re.IGNORECASE):
        return OutlineEditReply(kind="sort", by=(match["by"] or "the alphabet").strip())
    return None


# ---------------------------------------------------------------- splitting

_SPLIT = re.compile(
    r"^(?:split(?: up)?|divide|break(?: up| down)?|subdivide|partition|separate)\s+(?P<ref>.+?)"
    r"(?:\s+(?:by|according to|along|based on|after|over)\s+(?:the\s+|their\s+|its\s+)?(?P<by>.+?)|\s+(?:into|in)\s+(?P<parts>.+?)|\s+(?:up|down|apart))?$",
    re.IGNORECASE,
)
_PARTS = re.compile(
    rf"^(?:{_NUMBER}|several|some|smaller|separate|different|multiple|a few|sub)\b(?:\s+(?:\w+ )?(?:{_NOUN}|ones?|pieces|subtopics|halves))?(?:\s*[:—-]\s*(?P<names>.+))?$|^(?:halves|half|parts|pieces|subtopics|smaller ones)$",
    re.IGNORECASE,
)


def split(clause: str, titles: Sequence[str]) -> OutlineEditReply | None:
    """A topic by a dimension, by time, into named parts, or just split."""
    match = _SPLIT.match(clause)
    if not match or re.search(r"\b(?:sentences?|paragraphs?)\b", clause, re.IGNORECASE):
        return None
    topics = topics_in(match["ref"], titles)
    if len(topics) != 1:
        return None
    names: tuple[str, ...] = ()
    parts = (match["parts"] or "").strip()
    by = (match["by"] or "").strip(" .")
    if late := re.search(r"\s+(?:by|according to)\s+(?:the\s+|their\s+)?(\w[\w -]*)$", parts, re.IGNORECASE):
        parts, by = parts[: late.start()], late[1]
    if parts:
        unnamed = _PARTS.match(parts)
        named = unnamed.groupdict().get("names") if unnamed else parts
        names = _named_parts(named) if named else ()
    return OutlineEditReply(kind="split", topics=(topics[0],), by=by, titles=names)


def _named_parts(text: str) -> tuple[str, ...]:
    quoted = re.findall(r"[\"“'‘]([^\"”]{2,}?)[\"”'’](?=\W|$)", text)
    pieces = (
        quoted
        if len(quoted) > 1
        else re.split(r"\s*(?:,\s*(?:and\s+)?|\s+and\s+|\s+vs\.?\s+|\s*/\s*|\s*&\s*)\s*", text)
    )
    names = tuple(capitalise(p.strip(" .,:;\"'“”")) for p in pieces if p.strip(" .,:;\"'“”"))
    return names if len(names) > 1 else ()
