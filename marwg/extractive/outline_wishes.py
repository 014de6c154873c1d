"""Wishes about the outline in words, to edits; several in one message, in the order in which they are made."""

import re
from collections.abc import Sequence

from marwg.extractive import outline_shapes
from marwg.extractive.mentions import TOPIC, number_of, papers_in, topics_in
from marwg.extractive.text import capitalise
from marwg.tasks import OutlineEditReply, Source

_VERBS = (
    r"(?:rename|retitle|call|name|title|merge|combine|join|fuse|unite|drop|remove|delete|omit|skip|add|create|insert|include|introduce|move"
    r"|put|shift|transfer|reassign|assign|swap|switch|exchange|reorder|rearrange|order|sort|reverse|change|leave out|get rid of|cut|take out"
    r"|regenerate|redo|split|divide|break|limit|reduce|exclude|keep|use|make)"
)
_SPLIT = re.compile(
    rf"\s*(?:;|(?<!al)\.\s+|\n+|,?\s+(?:and|but|also|then|and then|after that|and also|plus)\s+(?=(?:please |also |then )?{_VERBS}\b)"
    rf"|,\s*(?=(?:please |also |then )?{_VERBS}\b))\s*",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^(?:(?:please|can you|could you|would you|will you|i(?:'d| would) (?:like|prefer|want)(?: you)?(?: to)?|i want(?: you)? to|let's|let us|we should"
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
    verb = ""
    for clause in _SPLIT.split(message):
        clause = _POLITE.sub("", clause.strip()).strip(" .!?")
        if not clause or _NOT_WISHED.match(clause):
            continue
        edit = _edit(clause, titles, papers)
        if edit is None and verb and re.match(r"(?:the |topics? |sections? |#?\d)", clause.lower()):
            edit = _edit(f"{verb} {clause}", titles, papers)
        if edit:
            edits.append(edit)
            verb = clause.split()[0]
    return edits


def _edit(clause: str, titles: Sequence[str], papers: Sequence[Source]) -> OutlineEditReply | None:
    return (
        _regenerate(clause)
        or outline_shapes.sort(clause)
        or _rename(clause, titles)
        or outline_shapes.split(clause, titles)
        or _merge(clause, titles)
        or outline_shapes.resize(clause, len(titles))
        or _move(clause, titles, papers)
        or _reorder(clause, titles)
        or _drop(clause, titles)
        or _leave_out(clause, papers)
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


_DROP_VERB = r"(?:drop|remove|delete|omit|skip|leave out|get rid of|cut(?: out)?|take out|exclude|kill|ditch|erase|discard|no|without|i don't (?:need|want)|we don't need|forget)"


def _drop(clause: str, titles: Sequence[str]) -> OutlineEditReply | None:
    match = re.match(rf"^{_DROP_VERB}\s+(?P<refs>.+)$", clause, re.IGNORECASE)
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
    return OutlineEditReply(kind="add", title=_title(title))


_MOVE = re.compile(
    r"^(?:move|put|shift|transfer|reassign|assign|place|bring|add|include)\s+(?P<rest>.+)$", re.IGNORECASE
)
_BELONG = re.compile(
    r"^(?P<what>.+?)\s+(?:belongs?|should (?:all )?(?:go|be)|(?:all )?goes?)\s+(?:to|into|in|under)\s+(?P<ref>.+)$",
    re.IGNORECASE,
)
_TO = re.compile(r"\s+(?:over to|in with|to|into|under|in|with)\s+", re.IGNORECASE)
_PAPERS = re.compile(
    r"\b(?:papers?|articles?|works?|stud(?:y|ies)|surveys?|reviews?|everything|every|all|rest|others|ones|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    rf"(?:the\s+)?(?:it|this|that|these|those|them|one|ones|both|him|her|papers?|#?\d+|(?:\w+\s+)?{TOPIC}(?:\s+\w+)?|first|second|third|fourth|last)\W*",
    re.IGNORECASE,
)


def _move(clause: str, titles: Sequence[str], papers: Sequence[Source]) -> OutlineEditReply | None:
    """Papers to a topic, named or described; moving topics is reordering."""
    if match := _BELONG.match(clause):
        pairs = [(match["what"], match["ref"])]
    elif match := _MOVE.match(clause):
        rest = match["rest"]
        pairs = [(rest[: m.start()], rest[m.end() :]) for m in reversed(list(_TO.finditer(rest)))]
    else:
        return None
    for what, ref in pairs:
        target = topics_in(ref, titles)
        # A bare number may count papers: what is meant to move has to say so.
        if len(target) != 1 or not target[0] or _POINTING.fullmatch(what.strip()):
            continue
        ids, description = _meant(what, papers)
        new = re.match(r"(?:add|include)\b", clause, re.IGNORECASE) and not (ids or _PAPERS.search(what))
        if (ids or description) and not new:
            return OutlineEditReply(kind="move_papers", topics=(target[0],), papers=tuple(ids), description=description)
    return None


def _meant(what: str, papers: Sequence[Source]) -> tuple[list[str], str]:
    """The papers that a phrase names; one that speaks of all, of years or of topics is passed on as a description."""
    several = re.search(
        rf"\b(?:all|every|everything|each|rest|others|remaining|uncovered|before|after|since|until|between)\b|\b(?:from|in|of)\s+(?:the\s+)?(?:\w+\s+)?{TOPIC}\b"
        r"|\b(?:papers|works|articles|ones) (?:from|of) (?:19|20)\d\d\b",
        what,
        re.IGNORECASE,
    )
    if several:
        return [], what.strip()
    named = papers_in(what, papers)
    return (named, "") if named else ([], what.strip())


def _leave_out(clause: str, papers: Sequence[Source]) -> OutlineEditReply | None:
    """Papers to be taken out of the outline."""
    match = re.match(
        rf"^(?:{_DROP_VERB}|don't (?:cite|use|mention|include)|do not (?:cite|use|mention|include)|take|keep)\s+(?P<what>.+)$",
        clause,
        re.IGNORECASE,
    )
    if not match:
        return None
    what = re.sub(
        r"\s+(?:out(?: of (?:it|this|the (?:outline|section)))?|from (?:it|the (?:outline|section|list)))$",
        "",
        match["what"],
        flags=re.IGNORECASE,
    )
    if re.match(r"(?:take|keep)\b", clause, re.IGNORECASE) and what == match["what"]:
        return None
    if _POINTING.fullmatch(what.strip()):
        return None
    ids, description = _meant(what, papers)
    if not ids and not _PAPERS.search(what):
        return None
    return OutlineEditReply(kind="leave_out", papers=tuple(ids), description=description)


def _reorder(clause: str, titles: Sequence[str]) -> OutlineEditReply | None:
    total = len(titles)
    order = list(range(1, total + 1))
    if not total:
        return None
    if re.match(r"^(?:reverse|invert|flip|turn around)\b", clause, re.IGNORECASE):
        return OutlineEditReply(kind="reorder", topics=tuple(reversed(order)))
    if match := re.match(r"^(?:swap|switch|exchange)\s+(?P<refs>.+)$", clause, re.IGNORECASE):
        pair = topics_in(match["refs"], titles)
        if len(pair) == 2 and max(pair) <= total and min(pair) >= 1:
            a, b = order.index(pair[0]), order.index(pair[1])
            order[a], order[b] = order[b], order[a]
            return OutlineEditReply(kind="reorder", topics=tuple(order))
        return None
    if match := re.match(
        r"^(?:re-?order|re-?arrange|order|sort|new order|put them in(?: the)? order)\b\D*(?P<list>(?:\d+\W*(?:and|then)?\W*)+)$",
        clause,
        re.IGNORECASE,
    ):
        said = [int(n) for n in re.findall(r"\d+", match["list"])]
        return _completed(said, total)
    return _relative(clause, titles, order)


def _relative(clause: str, titles: Sequence[str], order: list[int]) -> OutlineEditReply | None:
    verb = r"(?:move|put|place|bring|shift|start with|begin with|end with|finish with)"
    if match := re.match(r"^(?:start|begin|open)\s+with\s+(?P<ref>.+)$", clause, re.IGNORECASE):
        topic = topics_in(match["ref"], titles)
        return _completed(topic, len(order)) if len(topic) == 1 else None
    if match := re.match(r"^(?:end|finish|close)\s+with\s+(?P<ref>.+)$", clause, re.IGNORECASE):
        topic = topics_in(match["ref"], titles)
        return _completed([n for n in order if n not in topic] + topic, len(order)) if len(topic) == 1 else None
    match = re.match(
        rf"^(?:{verb}\s+)?(?P<ref>.+?)\s+(?:should (?:come|go|be)\s+|comes?\s+|goes?\s+)?(?:(?P<side>before|after|in front of|behind|above|below)\s+(?P<other>.+)"
        r"|(?:(?:to|at|in) )?(?:the )?(?P<place>first|last|front|beginning|start|top|end|bottom|very end|second|third|fourth|up|down)(?: place| position)?)$",
        clause,
        re.IGNORECASE,
    )
    if not match:
        return None
    topic = topics_in(match["ref"], titles)
    if len(topic) != 1 or not 1 <= topic[0] <= len(order):
        return None
    rest = [n for n in order if n != topic[0]]
    if match["side"]:
        other = topics_in(match["other"], titles)
        if len(other) != 1 or other[0] not in rest:
            return None
        at = rest.index(other[0]) + (match["side"].lower() in ("after", "behind", "below"))
    else:
        at = _place(match["place"].lower(), order.index(topic[0]), len(rest))
    return OutlineEditReply(kind="reorder", topics=(*rest[:at], topic[0], *rest[at:]))


def _place(word: str, now: int, last: int) -> int:
    if word in ("first", "front", "beginning", "start", "top"):
        return 0
    if word in ("last", "end", "bottom", "very end"):
        return last
    if word in ("up", "down"):
        return max(0, now - 1) if word == "up" else min(last, now + 1)
    return min(last, max(0, number_of(word) - 1))


def _completed(said: Sequence[int], total: int) -> OutlineEditReply | None:
    """An order in which topics that were not named follow as they stand."""
    kept = [n for n in dict.fromkeys(said) if 1 <= n <= total]
    if not kept:
        return None
    return OutlineEditReply(kind="reorder", topics=(*kept, *(n for n in range(1, total + 1) if n not in kept)))
