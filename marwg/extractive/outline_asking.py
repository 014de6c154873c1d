"""Questions about the outline and its taxonomy, by rules; none of them changes anything."""

import re

from marwg.extractive.mentions import TOPIC, papers_in, topics_in
from marwg.tasks import RouteTurn, TurnReply

_OPENING = re.compile(
    r"^(?:and |so |but |ok(?:ay)?,? |hmm,? |please |tell me |(?:can|could|would|will) you (?:please )?(?:tell|show|explain|list|give)(?: me)?|i(?:'d| would) like to (?:know|see)|do you know)\s*",
    re.IGNORECASE,
)
_UNCOVERED = re.compile(
    r"\b(?:not covered|uncovered|unassigned|not assigned|left out|leave out|leaving out|not in (?:any|a) (?:topic|section)|in no (?:topic|section)"
    r"|without (?:a |any )?(?:topic|section)|homeless|have no topic|has no topic|not included|missing|no topic covers|nothing covers|not placed|unplaced)\b"
    r"|\b(?:are|is) (?:all|every)(?: of)?(?: the)? papers?\b.{0,20}\b(?:covered|included|assigned|placed|used|in)\b|\bdoes (?:the outline|it) cover (?:all|every)"
    r"|\bdo(?:es)? (?:all|every)(?: the)? papers? have\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:what|which|who|where|why|how|is|are|does|do|did|has|have|was|were|list|show|display|see|explain|on what|for what|in (?:what|which)|to (?:what|which)|under (?:what|which)|from (?:what|which)|the reason|reasons?)\b",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"\b(?:why|how come|(?:what(?:'s| is| was)|the|give me the) reasons?|reasons? (?:for|why)|on what (?:grounds|basis)|for what reason|explain|what (?:makes|puts?|brought|speaks)|justif\w+)\b",
    re.IGNORECASE,
)
_WHERE = re.compile(
    rf"^(?:where|(?:in|to|under) (?:what|which) {TOPIC}|(?:what|which) {TOPIC} (?:is|are|has|have|does|do|did|contains?|covers?|holds?|includes?|deals?))\b",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"\b(?:behind|(?:is|are|was|were|falls?|fell|belongs?|go(?:es)?|went) (?:in|under|at|on|to|into)|under|papers (?:are |do you have |is |go |went )?(?:in|of|at|on|about|from|under|for|to|into|with|belong(?:ing)? to)|contents? of|based on|made (?:of|from)|consists? of|draws? on"
    rf"|(?:does|do) .{{1,60}} (?:contain|include|cover|hold|rest on|draw on|consist of)|nodes? |{TOPIC} \w+ about)\b",
    re.IGNORECASE,
)
_OVERVIEW = re.compile(r"\b(?:outline|taxonomy|topics|structure|sections)\b", re.IGNORECASE)
_SHOWS = re.compile(
    r"^(?:show|display|see|list|print|give)\b.*\b(?:outline|taxonomy|topics|structure|graph|tree)\b(?! of| about| on)|^(?:what|which|how many)\b.{0,25}\b(?:topics|sections|outline|taxonomy|structure)\b"
    r"(?:\s+(?:are there|do (?:we|you|i) have|is there|now|again|look(?:s)? like|so far|at the moment))*[?.! ]*$|^how does (?:the outline|the taxonomy|it) look\b|^what(?:'s| is) in (?:the|this) (?:outline|taxonomy)\b",
    re.IGNORECASE,
)
_NODE_WORD = re.compile(
    r"\b(?:the\s+)?(?:nodes?|subtopics?|branch(?:es)?|categor(?:y|ies)|dimensions?|leaf)\b", re.IGNORECASE
)
_NAME = re.compile(
    r"\b(?:behind|in|under|at|of|about|on|into|to|from|for|with|called)\s+(?:the\s+)?(?:(?:nodes?|subtopics?|branch|category|dimension)\s+)?(?P<name>[^?.!]+?)(?:\s+(?:node|subtopic|branch|category|dimension))?\s*[?.!]*$",
    re.IGNORECASE,
)
_PAPER_WORD = re.compile(r"\b(?:papers?|articles?|works?)\b", re.IGNORECASE)
_JUDGED = re.compile(
    r"\b(?:should|good|better|best|ok(?:ay)?|right|correct|enough|think|opinion|recommend|would|could|sense)\b",
    re.IGNORECASE,
)


def asked(message: str, task: RouteTurn) -> TurnReply | None:
    """The question that a message asks about the outline, or None where it asks none that the outline answers."""
    text = _OPENING.sub("", message.strip())
    if not _ASKS.match(text) or not task.topics:
        return None
    if _WHY.search(text):
        return _why(text, task)
    if _UNCOVERED.search(text):
        return TurnReply(kind="ask_outline", ask="uncovered")
    if _JUDGED.search(text):
        return None
    if _SHOWS.search(text):
        return TurnReply(kind="ask_outline", ask="overview")
    if _WHERE.match(text):
        return _where(text, task)
    return _behind(text, task)


def _why(text: str, task: RouteTurn) -> TurnReply | None:
    topics = _numbers(text, task)
    papers = _papers(text, task)
    if papers:
        return TurnReply(kind="ask_outline", ask="why", papers=papers, topics=topics)
    if _NODE_WORD.search(text) and (node := _node(text)):
        return TurnReply(kind="ask_outline", ask="behind", node=node)
    pointing = r"\b(?:it|this|that|he|she|they)\b" if topics else r"\b(?:here|there|it|this|that|he|she|they)\b"
    if _PAPER_WORD.search(text) or re.search(pointing, text, re.IGNORECASE):
        if _about_outline(text, task) or _PAPER_WORD.search(text):
            question = "Which paper do you mean? Name its first author or words of its title."
            return TurnReply(kind="unclear", question=question)
        return None
    if topics:
        return TurnReply(kind="ask_outline", ask="behind", topics=topics)
    return None


def _where(text: str, task: RouteTurn) -> TurnReply | None:
    papers = _papers(text, task)
    if papers:
        return TurnReply(kind="ask_outline", ask="where", papers=papers)
    if _PAPER_WORD.search(text):
        return TurnReply(
            kind="unclear", question="Which paper do you mean? Name its first author or words of its title."
        )
    return None


def _behind(text: str, task: RouteTurn) -> TurnReply | None:
    if not _BEHIND.search(text):
        return None
    node = _node(text)
    if _NODE_WORD.search(text) and node:
        return TurnReply(kind="ask_outline", ask="behind", node=node)
    if topics := _numbers(text, task):
        return TurnReply(kind="ask_outline", ask="behind", topics=topics)
    if node and (
        _PAPER_WORD.search(text)
        or re.search(r"\b(?:what|who)(?:'s| is| are)? (?:behind|in|under|at)\b", text, re.IGNORECASE)
    ):
        return TurnReply(kind="ask_outline", ask="behind", node=node)
    return None


def _numbers(text: str, task: RouteTurn) -> tuple[int, ...]:
    """The topics that a question names by number or whole title, bare numbers only after a word that points."""
    pointed = re.search(r"\b(?:in|under|behind|of|to|at)\s+(?:the\s+)?#?(\d+)\W*$", text, re.IGNORECASE)
    found = [int(pointed[1])] if pointed else []
    if not found and (re.search(rf"\b{TOPIC}\b", text, re.IGNORECASE) or not _PAPER_WORD.search(text)):
        named = re.search(
            rf"(?:\b\w+\s+)?\b{TOPIC}\b(?:\s+(?:number\s+|#)?(?:\d+|one|two|three|four|five|six))?", text, re.IGNORECASE
        )
        found = topics_in(named[0], task.topics, loose=False) if named else []
    found = found or topics_in(text, task.topics, loose=False)
    return tuple(n for n in found if n)


def _papers(text: str, task: RouteTurn) -> tuple[str, ...]:
    """The papers that a question names; titles of topics in it name none."""
    rest = re.sub(
        rf"(?<=\S)\s+(?:in|under|to|into|at)\s+(?:the\s+)?(?:\w+\s+)?{TOPIC}\b.*$", " ", text, flags=re.IGNORECASE
    )
    rest = re.sub(r"\b(?:in|under|to|into|at)\s+(?:the\s+)?#?\d+\W*$", " ", rest)
    for title in task.topics:
        rest = re.sub(re.escape(title), " ", rest, flags=re.IGNORECASE)
    rest = _WHY.sub(" ", rest)
    rest = re.sub(
        rf"\b(?:where|which|what|who|how|is|are|was|were|does|do|did|has|have|been|put|placed|assigned|listed|belong\w*|go(?:es)?|here|there|show|list|me|{TOPIC})\b",
        " ",
        rest,
        flags=re.IGNORECASE,
    )
    rest = rest.strip(" ?.!,")
    return tuple(papers_in(rest, task.papers)) if rest else ()


def _node(text: str) -> str:
    match = _NAME.search(text)
    name = match["name"] if match else ""
    while match and (inner := _NAME.search(name)):
        if len(inner["name"]) >= len(name):
            break
        name = inner["name"]
        match = inner
    quoted = re.search(r"[\"“'‘]([^\"”'’]{2,})[\"”'’]", text)
    name = quoted[1] if quoted else name
    name = re.sub(
        r"^(?:the|a|an|this|that|node|subtopic|branch|category|dimension)\s+", "", name.strip(), flags=re.IGNORECASE
    )
    return (
        ""
        if re.fullmatch(
            rf"(?:it|this|that|them|there|here|(?:\w+ )?{TOPIC}|\d+|outline|taxonomy)?", name, re.IGNORECASE
        )
        else name
    )


def _about_outline(text: str, task: RouteTurn) -> bool:
    return bool(_numbers(text, task)) or bool(_OVERVIEW.search(text))
