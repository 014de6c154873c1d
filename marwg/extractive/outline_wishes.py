"""Wishes about the outline in words, to edits; several in one message, in the order in which they are made."""

import re
from collections.abc import Sequence

from marwg.extractive import outline_order, outline_papers, outline_shapes
from marwg.extractive.mentions import TOPIC, topics_in
from marwg.extractive.outline_papers import DROP_VERB
from marwg.extractive.text import capitalise
from marwg.tasks import OutlineEditReply, Source

_VERBS = (
    r"(?:rename|retitle|call|name|title|merge|combine|join|fuse|unite|drop|remove|delete|omit|skip|add|create|insert|include|introduce|move"
    r"|put|shift|transfer|reassign|assign|swap|switch|exchange|reorder|rearrange|order|sort|reverse|change|leave out|get rid of|cut|take out"
    r"|regenerate|redo|split|divide|break|limit|reduce|exclude|keep|use|make)"
)
_STARTS = (
    rf"(?:(?:please |also |then )?{_VERBS}\b|(?:at most|no more than|newest first|oldest first|in chronological order)\b"
    r"|\w+ (?:topics|sections) (?:at most|max)\b)"
)
_SPLIT = re.compile(
    rf"\s*(?:;|(?<!al)\.\s+|\n+|,?\s+(?:and|but|also|then|and then|after that|and also|plus)\s+(?={_STARTS})|,\s*(?={_STARTS}))\s*",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^(?:(?:please|can you|could you|would you|will you|i(?:'d| would) (?:like|prefer|want)(?: you)?(?: to)?|i(?:'d| would) (?=(?:merge|split|rename|drop|move|put|call|add|order|sort)\b)|i want(?: you)? to|let's|let us|we should"
    r"|you should|maybe|perhaps|ok(?:ay)?|yes|great|good|fine|looks good|nice|thanks|hmm|well|but|and|also|then|just|now|first)\b[,:.!]?\s*)+",
    re.IGNORECASE,
)
_NOT_WISHED = re.compile(
    r"^(?:don't|do not|never|not|no need to|i (?:don't|do not|wouldn't|would not) (?:want|like) (?:you )?to|why|what if|should|shouldn't|is it|would it|what would|how about|what about)\b",
    re.IGNORECASE,
)
_CALLED = r"(?:called|named|titled|entitled|with the title|under the title|under the name|as|into|to be called|and call it|and name it|and title it|and rename it(?: to)?)"


def edits_in(message: str, titles: Sequence[str], papers: Sequence[Source]) -> list[OutlineEditReply]:
    """The edits of a message in the order in which they are to be made; nothing for clauses that ask for none.

    Numbers mean the outline as the user sees it, so that of several edits those that take topics away come last.
    """
    message = re.sub(r"\b(and|,)\s+(call|name|title|rename) it\b", r" called", message.strip())
    edits: list[OutlineEditReply] = []
    verb = before = ""
    for clause in (part for whole in _SPLIT.split(message) for part in _moves(whole)):
        clause = _POLITE.sub("", clause.strip()).strip(" .!?")
        if not clause or _NOT_WISHED.match(clause):
            continue
        if re.fullmatch(
            r"(?:merge|combine|join|unite) (?:them|these|those|both|the two)(?: together)?", clause, re.IGNORECASE
        ):
            clause = f"merge {before}"
        edit = _edit(clause, titles, papers)
        if (
            edit is None
            and verb
            and re.match(
                rf"(?:the |topics? |sections? |#?\d|\S.* (?:to|into|under) (?:the |{TOPIC} )?#?\w+$)",
                clause,
                re.IGNORECASE,
            )
        ):
            edit = _edit(f"{verb} {clause}", titles, papers)
        if edit:
            if edit.kind == "sort" and edits and edits[-1].kind == "sort":  # "by date, newest first" is one order
                edits.pop()
            edits.append(edit)
            verb = clause.split()[0]
        before = clause
    return edits


def _moves(clause: str) -> list[str]:
    """ "Move A to 2 and B to 1" in its parts; any other clause as it is."""
    ends = r"(?:to|into|under)\s+(?:the\s+)?(?:\w+\s+)?#?(?:\d+|first|second|third|fourth|last)(?:\s+(?:one|topic|section))?"
    if (
        not re.match(r"(?:please )?(?:move|put|shift)\b", clause.strip(), re.IGNORECASE)
        or len(re.findall(rf"\b{ends}\b", clause, re.IGNORECASE)) < 2
    ):
        return [clause]
    return re.split(
        rf"(?<=\w)(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?=[^,]+?\s+{ends}\s*[.!]*$)", clause, flags=re.IGNORECASE
    )


def _edit(clause: str, titles: Sequence[str], papers: Sequence[Source]) -> OutlineEditReply | None:
    return (
        _regenerate(clause)
        or outline_shapes.sort(clause)
        or _rename(clause, titles)
        or outline_shapes.split(clause, titles)
        or _merge(clause, titles)
        or outline_shapes.resize(clause, len(titles))
        or outline_papers.move(clause, titles, papers)
        or outline_order.reorder(clause, titles)
        or _drop(clause, titles)
        or outline_papers.leave_out(clause, papers)
        or _add(clause)
    )


def _title(text: str) -> str:
    """A title as the user wrote it, without quotes and tail."""
    quoted = re.search(r"[\"“'‘]([^\"”]{2,}?)[\"”'’](?:\W|$)", text)
    plain = (
        quoted[1] if quoted else re.sub(r"\s*(?:instead|please|thanks|thank you)\W*$", "", text, flags=re.IGNORECASE)
    )
    return capitalise(plain.strip(" .,:;\"'“”"))


def _regenerate(clause: str) -> OutlineEditReply | None:
    asks = re.search(
        r"\b(?:regenerate|redo|start (?:over|again)|try again|again from scratch|from scratch|(?:another|a new|a different|a fresh|new|different)"
        r" (?:outline|structure|grouping|set of topics)|(?:suggest|propose|make|give me|show me) (?:another|something else|a new one|a different one)"
        r"|group (?:them|the papers|by) |organi[sz]e (?:it|them|the papers|by) (?!time|year|date))",
        clause,
        re.IGNORECASE,
    )
    specific = re.search(
        r"\b(?:merge|rename|drop|add|move|delete|swap|remove|keep|first|last)\b", clause, re.IGNORECASE
    )
    if not asks or specific or re.match(r"(?:split|divide|break)\b", clause, re.IGNORECASE):
        return None
    return OutlineEditReply(kind="regenerate", title=clause, fresh=bool(_FRESH.search(clause)))


_FRESH = re.compile(
    r"\b(?:from scratch|start (?:over|again)|(?:forget|ignore|discard|throw away|drop|without|lose) (?:all )?(?:of )?my (?:changes|edits))\b",
    re.IGNORECASE,
)
_RENAME = (
    re.compile(r"^(?:rename|retitle)\s+(?P<ref>.+?)\s+(?:(?:to|as|into)\b|:|->|→|=>)\s*(?P<title>.+)$", re.IGNORECASE),
    re.compile(r"^(?:change|set|make) (?:the )?(?:title|name|heading) of\s+(?P<ref>.+?)\s+(?:(?:to|into)\b|:)\s*(?P<title>.+)$", re.IGNORECASE),
    re.compile(rf"^(?:change|turn|make)\s+(?P<ref>.*?\b(?:{TOPIC}|[\"”])(?:\s+\S+)?)\s+(?:to|into)\s+(?P<title>.+)$", re.IGNORECASE),
    re.compile(r"^(?:change)\s+(?P<ref>[\"“'‘].+?[\"”'’])\s+(?:to|into)\s+(?P<title>.+)$", re.IGNORECASE),
    re.compile(r"^(?:the )?(?P<ref>.+?)\s+(?:should|could|must|ought to) be (?:called|named|titled|renamed(?: to)?)\s+(?P<title>.+)$", re.IGNORECASE),
    re.compile(r"^(?:call|name|title)\s+(?P<ref>.+?)\s*:\s*(?P<title>.+)$", re.IGNORECASE),
    re.compile(r"^(?:call|name|title)\s+(?P<ref>.+?)\s+(?P<title>[\"“'‘].+)$", re.IGNORECASE),
    re.compile(rf"^(?P<ref>(?:{TOPIC}\s+)?#?\d+)\s*(?:->|→|=>|=|:)\s*(?P<title>[A-Za-z\"“].+)$", re.IGNORECASE),
)  # fmt: skip
_CALL = re.compile(
    rf"^(?:call|name|title)\s+(?P<ref>(?:the\s+)?(?:\w+\s+)?(?:{TOPIC})(?:\s+(?:number\s+)?(?:\d+|one|two|three|four|five))?|#?\d+|(?:the )?(?:first|second|third|fourth|last))"
    r"\s+(?P<title>.+)$",
    re.IGNORECASE,
)


def _rename(clause: str, titles: Sequence[str]) -> OutlineEditReply | None:
    for pattern in (*_RENAME, _CALL):
        match = pattern.match(clause)
        if not match:
            continue
        topics = topics_in(match["ref"], titles)
        if len(topics) == 1 and match["title"].strip():
            return OutlineEditReply(kind="rename", topics=(topics[0],), title=_title(match["title"]))
    return None


def _merge(clause: str, titles: Sequence[str]) -> OutlineEditReply | None:
    match = re.match(
        rf"^(?:merge|combine|join|fuse|unite|unify|put together|bring together|collapse)\s+(?P<refs>.+?)(?:\s*,?\s+{_CALLED}\s+(?P<title>.+))?$",
        clause,
        re.IGNORECASE,
    )
    if not match:
        match = re.match(
            r"^(?:put|make)\s+(?P<refs>.+?)\s+(?:together|one (?:topic|section))(?P<title>)$", clause, re.IGNORECASE
        )
    if not match:
        return None
    topics = topics_in(match["refs"], titles)
    title = match["title"] or ""
    into = topics_in(title, titles, loose=False) if title else []
    if title and (into or re.match(r"(?:a single|a|one) (?:topic|section|one)\b|one$", title, re.IGNORECASE)):
        called = re.search(rf"{_CALLED}\s+(.+)$", title, re.IGNORECASE)
        topics, title = [*topics, *into], called[1] if called else ""
    if title and len(topics) == 1 and (target := topics_in(title, titles)):
        topics, title = [*topics, *target], ""
    topics = list(dict.fromkeys(topics))
    if len(topics) < 2:
        return None
    return OutlineEditReply(kind="merge", topics=tuple(topics), title=_title(title) if title else "")


def _drop(clause: str, titles: Sequence[str]) -> OutlineEditReply | None:
    match = re.match(rf"^{DROP_VERB}\s+(?P<refs>.+)$", clause, re.IGNORECASE)
    if not match:
        match = re.match(
            r"^(?P<refs>.+?)\s+(?:is|are) not (?:needed|necessary|relevant)|^(?P<more>.+?)\s+can go$",
            clause,
            re.IGNORECASE,
        )
    if not match:
        return None
    refs = next(group for group in match.groups() if group)
    if re.search(r"\b(?:papers?|articles?|citations?|references?|work by)\b", refs, re.IGNORECASE):
        return None
    topics = topics_in(refs, titles)
    return OutlineEditReply(kind="drop", topics=tuple(topics)) if topics and len(topics) < max(2, len(titles)) else None


def _add(clause: str) -> OutlineEditReply | None:
    match = re.match(
        rf"^(?:add|create|insert|include|introduce|append|i(?:'d)? (?:want|need|like)|there should be|make)\s+"
        rf"(?:(?:a|an|another|one more|one|the|some)\s+)?(?:(?:new|further|extra|fourth|separate|additional)\s+)*(?P<kind>{TOPIC})?\s*"
        r"(?P<link>on|about|for|covering|called|named|titled|entitled|that covers|dealing with|:)?\s*(?P<title>.+)$",
        clause,
        re.IGNORECASE,
    )
    if not match or not (match["kind"] or match["link"] or re.match(r"^add\b", clause, re.IGNORECASE)):
        return None
    title = re.sub(
        rf"\s+as (?:a |an |another |the )?(?:new |first |last |final |\w+ )?{TOPIC}$",
        "",
        match["title"],
        flags=re.IGNORECASE,
    )
    if (
        re.search(r"\b(?:papers?|arxiv|doi|citations?|references?|sentences?)\b", title, re.IGNORECASE)
        and not match["kind"]
    ):
        return None
    if re.fullmatch(rf"(?:(?:a|an|another|the|new|one|more)\s+)*{TOPIC}", title.strip(), re.IGNORECASE):
        return None
    return OutlineEditReply(kind="add", title=_title(title))
