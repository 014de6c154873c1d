"""Wishes about papers in words: to be moved to a topic, or left out; and which of several is meant."""

import re
from collections.abc import Sequence

from marwg.extractive.mentions import TOPIC, papers_in, topics_in
from marwg.tasks import OutlineEditReply, Source

DROP_VERB = r"(?:drop|remove|delete|omit|skip|leave out|get rid of|cut(?: out)?|take out|exclude|kill|ditch|erase|discard|no|without|i don't (?:need|want)|we don't need|forget)"
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


def move(clause: str, titles: Sequence[str], papers: Sequence[Source]) -> OutlineEditReply | None:
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


def leave_out(clause: str, papers: Sequence[Source]) -> OutlineEditReply | None:
    """Papers to be taken out of the outline."""
    match = re.match(
        rf"^(?:{DROP_VERB}|don't (?:cite|use|mention|include)|do not (?:cite|use|mention|include)|take|keep)\s+(?P<what>.+)$",
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


_ONE_PAPER = re.compile(
    r"\b(?:the|that|this|one|a) (?:\w+ )?(?:paper|article|work) (?:by|of|from|on|about)\b(?!.*\b(?:papers|both|and the)\b)",
    re.IGNORECASE,
)


def which_paper(message: str, edits: Sequence[OutlineEditReply], papers: Sequence[Source]) -> str:
    """What to ask back where a message speaks of one paper and several fit; empty where there is nothing to ask."""
    names = {p.id: " ".join(filter(None, (p.authors, str(p.year or ""), f"“{p.title}”"))) for p in papers}
    for edit in edits:
        if edit.kind in ("move_papers", "leave_out") and len(edit.papers) > 1 and _ONE_PAPER.search(message):
            return f"Which paper do you mean: {'; or '.join(names[p] for p in edit.papers)}?"
    return ""
