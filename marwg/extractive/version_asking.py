"""Messages about versions, the comparison table, and the papers themselves, understood by rules."""

import re

from marwg.extractive.mentions import number_of, papers_in
from marwg.tasks import PaperAspect, RouteTurn, TurnReply
from marwg.text.style import wished

_ORDINAL = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last"
_NUMBER = r"\d+|one|two|three|four|five|six|seven|eight|nine|ten"
_REDO = re.compile(
    r"^(?:please |ok,? |no,? |can you |could you )*(?:redo|re-do|undo the undo|undo that undo|put (?:it|that) back again|step forward|(?:go )?forward again)\b",
    re.IGNORECASE,
)
_OF_CLAIM = re.compile(
    r"^(?:please |can you |could you )*(?:soften|weaken|rewrite|rephrase|reword|shorten|simplify|sharpen|tone down|expand) claim\b",
    re.IGNORECASE,
)
_TAKE = re.compile(
    r"^(?:please |can you |could you |now )*(?:take|use|keep|restore|bring back|get|put back|i want|i'd like|give me back|copy|return to|go back to|revert to|switch to)\b.*?"
    rf"\b(?:(?:version|v|draft)\s*(?:number\s+|no\.?\s*|#\s*)?(?P<number>{_NUMBER})|(?P<ordinal>{_ORDINAL}|original|previous)\s+(?:version|draft))\b",
    re.IGNORECASE,
)
_PARAGRAPH = re.compile(
    rf"\b(?:(?P<ordinal>{_ORDINAL})\s+paragraph|paragraph\s+(?:number\s+|#)?(?P<number>{_NUMBER}))\b", re.IGNORECASE
)
_SECTION = re.compile(
    rf"\b(?:(?P<ordinal>{_ORDINAL})\s+(?:sub)?section|(?:sub)?section\s+(?:number\s+|#)?(?P<number>{_NUMBER}))\b",
    re.IGNORECASE,
)
_TABLE = re.compile(
    r"\b(?:comparison|compare)\b.{0,30}\b(?:table|matrix|grid)\b|\b(?:table|matrix) (?:of|that compares|comparing)\b.{0,40}|^(?:show (?:me )?)?(?:the )?(?:matrix|comparison)\W*$",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^(?:and |so |ok,? |then |but |please |can you tell me |could you tell me |tell me |do you know |i wonder )*"
    r"(?:what|which|how|on what|on which|with what|with which|where)\b",
    re.IGNORECASE,
)
_CLAIM = re.compile(
    r"\b(?:claims?|sentences?|statements?|draft|ledger|topics?|outline|sections?|version|cited?|cites|citations?|verdicts?|flagged)\b",
    re.IGNORECASE,
)
_ASPECTS: tuple[tuple[PaperAspect, str], ...] = (
    ("data", r"\bdata(?:[- ]?sets?)?\b|\bcorp(?:us|ora)\b|\bbenchmarks?\b|\b(?:train|test|evaluat)\w* on\b|\bcollections?\b"),
    ("limitation", r"\blimit\w*|\bweakness\w*|\bdrawbacks?\b|\bshortcomings?\b|\bfails?\b|\bcannot do\b|\bdisadvantages?\b|\bopen (?:problems?|questions?)"),
    ("evaluation", r"\bevaluat\w*|\bmetrics?\b|\bmeasur\w*|\bexperiments?\b|\bbaselines?\b"),
    ("result", r"\bresults?\b|\bfind(?:ings?)?\b|\bfound\b|\bachiev\w*|\baccura\w*|\bperform\w*|\bhow (?:well|good|much|fast)\b|\bscores?\b|\breport\w*|\bshow(?:s|n|ed)?\b|\bconclu\w*"),
    ("method", r"\bmethods?\b|\bapproach\w*|\barchitectures?\b|\bmodels?\b|\bhow (?:does|do|did|is|are)\b|\balgorithms?\b|\btechniques?\b|\bpropos\w*|\bintroduc\w*"),
    ("problem", r"\bproblems?\b|\btasks?\b|\bgoals?\b|\baims?\b|\bpurpose\b|\babout\b|\baddress\w*|\bsolves?\b|\btackl\w*|\bmotivat\w*"),
)  # fmt: skip
_WHO = re.compile(
    r"^(?:and |so )*(?:which|what) (?:of (?:the|these|them) )?(?:papers?|works?|methods?|ones?|authors?)\b.{0,20}?"
    r"\b(?:use[sd]?|using|train(?:s|ed)? on|evaluate[sd]? on|test(?:s|ed)? on|report(?:s|ed)?|rel(?:y|ies|ied) on|mention(?:s|ed)?|rest(?:s|ed)? on|need(?:s|ed)?|release[sd]?|employ(?:s|ed)?) (?P<what>.+?)\W*$"
    r"|^(?:and )?who (?:use[sd]?|evaluate[sd]? on|train(?:s|ed)? on|report(?:s|ed)?|mention(?:s|ed)?) (?P<thing>.+?)\W*$",
    re.IGNORECASE,
)


def asked(message: str, task: RouteTurn) -> TurnReply | None:
    """A wish about versions, the comparison table, or a question about what the papers say; nothing where it is another."""
    if task.stage == "empty" or len(message) > 400:
        return None
    if task.stage == "drafted":
        if _REDO.match(message):
            return TurnReply(kind="redo")
        if _OF_CLAIM.match(message):
            return TurnReply(kind="revise")
        if reply := _take(message):
            return reply
        if (wish := wished(message)) and wish.whole:
            return TurnReply(kind="revise")
    if _TABLE.search(message):
        return TurnReply(kind="compare", papers=tuple(papers_in(message, task.papers)))
    return _of_papers(message, task)


def _take(message: str) -> TurnReply | None:
    found = _TAKE.match(message)
    if not found:
        return None
    paragraph, section = _PARAGRAPH.search(message), _SECTION.search(message)
    if not (paragraph or section):
        return None
    number = _number(found)
    if number < 1:
        return TurnReply(kind="unclear", question="From which version? Give its number, for example: from version 1.")
    topics = (_number(section),) if section else ()
    return TurnReply(kind="take", version=number, paragraph=_number(paragraph) if paragraph else 0, topics=topics)


def _number(match: re.Match[str]) -> int:
    word = (match["number"] or match["ordinal"]).lower()
    return 1 if word == "original" else number_of(word)


def _of_papers(message: str, task: RouteTurn) -> TurnReply | None:
    if not _QUESTION.match(message):  # yes or no is for the check of a statement
        return None
    plain = re.sub(r"[“\"][^”\"]*[”\"]", "", message)  # a title that is quoted says nothing of what is asked
    if _CLAIM.search(plain):
        return None
    who = _WHO.match(message)
    if who:
        return TurnReply(kind="ask_papers", statement=(who["what"] or who["thing"]).strip(' "“”'))
    named = papers_in(message, task.papers)
    aspect = next((a for a, pattern in _ASPECTS if re.search(pattern, plain, re.IGNORECASE)), None)
    if not named or aspect is None:
        return None
    return TurnReply(kind="ask_papers", papers=tuple(named), aspect=aspect, statement=message.strip())
