"""Chat turns to actions by rules; what no rule understands is asked back, never guessed."""

import re

from marwg.extractive import ledger_questions, outline_asking, version_asking
from marwg.extractive.mentions import TOPIC, number_of, papers_in, topics_by_title, topics_in
from marwg.extractive.outline_papers import which_paper
from marwg.extractive.outline_wishes import edits_in
from marwg.tasks import RouteTurn, TurnReply

_ABSTRACT_LABEL = re.compile(r"(?:^|\n|(?<=[.?!]) |(?<=\s))\W*abstract\W*[:.—–-]?\s*\n?\s*", re.IGNORECASE)
_TITLE_LABEL = re.compile(r"^\W*title\W*[:=—–-]\s*", re.IGNORECASE)
_LONG_ENOUGH = 30
"""Words that an abstract has at least, when a message is recognised as one."""


def route(task: RouteTurn) -> TurnReply:
    """The action that a message asks for at this stage."""
    message = task.message.strip()
    for rule in (_start, version_asking.asked, ledger_questions.asked, _version, _undo, _help, _export, _why):
        reply = rule(message, task)
        if reply:
            return reply
    if task.stage == "empty":
        return _unclear(_ask_for_paper(message))
    if task.stage == "outline":
        return _outline_turn(message, task)
    return _draft_turn(message, task)


def _unclear(question: str) -> TurnReply:
    return TurnReply(kind="unclear", question=question)


# ---------------------------------------------------------------- a focal paper


def _start(message: str, task: RouteTurn) -> TurnReply | None:
    title, abstract = _title_and_abstract(message)
    if title and len(abstract.split()) >= _LONG_ENOUGH:
        return TurnReply(kind="start", title=title, abstract=abstract)
    labelled = _TITLE_LABEL.match(message) and re.search(r"\babstract\b", message, re.IGNORECASE)
    if labelled and title and abstract:
        return TurnReply(kind="start", title=title, abstract=abstract)
    return None


def _title_and_abstract(message: str) -> tuple[str, str]:
    """From "# Title" with text below, from labels, from LaTeX, or from a first line that is no sentence."""
    latex = re.search(r"\\title\{(.+?)\}", message, re.DOTALL)
    body = re.search(r"\\begin\{abstract\}(.+?)\\end\{abstract\}", message, re.DOTALL)
    if latex and body:
        return " ".join(latex[1].split()), " ".join(body[1].split())
    label = _ABSTRACT_LABEL.search(message)
    if label and label.start() > 0 and (_TITLE_LABEL.match(message) or "\n" in message[: label.end()]):
        before = [line.strip() for line in message[: label.start()].splitlines() if line.strip()]
        if before:
            return _clean_title(before), " ".join(message[label.end() :].split())
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if len(lines) < 2:
        return "", ""
    first = re.sub(r"^#+\s*", "", lines[0])
    if not 2 <= len(first.split()) <= 35 or _looks_like_wish(first):
        return "", ""
    return _clean_title([first]), " ".join(" ".join(lines[1:]).split())


def _clean_title(lines: list[str]) -> str:
    kept = [line for line in lines if not re.match(r"(?:authors?|keywords|by)\b\s*:", line, re.IGNORECASE)]
    titled = [line for line in kept if _TITLE_LABEL.match(line)] or kept[-1:] or lines[:1]
    return _TITLE_LABEL.sub("", re.sub(r"^#+\s*", "", titled[0])).strip(' *_"').rstrip(".")


def _looks_like_wish(line: str) -> bool:
    return bool(
        re.match(
            r"(?:please|can you|could you|i want|i'd like|merge|rename|drop|remove|move|hi|hello)\b",
            line,
            re.IGNORECASE,
        )
    )


def _ask_for_paper(message: str) -> str:
    if len(message.split()) >= _LONG_ENOUGH:
        return "This looks like an abstract. What is the title of the paper? Send the title on the first line and the abstract below it."
    return "Which paper is the section for? Send its title on the first line and its abstract below it."


# ---------------------------------------------------------------- what can be asked at any stage

_HELP = re.compile(
    r"^(?:/?help|\?+|hi|hello|hey|good (?:morning|day|evening)|what can (?:you|i|this) do\b.*|how does (?:this|it) work\b.*|how do (?:i|you) (?:use|start)\b.*"
    r"|what (?:is this|are you|now)\b.*|what (?:should|do) i do\b.*|who are you\b.*|help me\b.{0,20}|instructions|commands|what are my options\b.*"
    r"|what else can (?:you|i) do\b.*)[\s.!?]*$",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"\b(?:version|v|draft|revision)\s*(?:number\s+|no\.?\s*|#\s*)?(\d+|one|two|three|four|five|six|seven|eight|nine|ten)\b",
    re.IGNORECASE,
)
_ORDINAL_VERSION = re.compile(
    r"\b(first|original|initial|second|third|fourth|fifth)\s+(?:version|draft)\b", re.IGNORECASE
)
_SHOWING = re.compile(
    r"\b(?:show|see|view|open|display|go back to|back to|return to|restore|revert to|give me|let me see|bring back|use|switch to|load|what (?:was|did))\b",
    re.IGNORECASE,
)
_UNDO = re.compile(
    r"^(?:please |no,? |ok,? |can you |could you )*(?:undo|revert|roll ?back|take (?:that|it) back|go back(?: (?:one|a) (?:step|version))?|step back"
    r"|restore (?:the )?(?:previous|last|old)|back to (?:the )?(?:previous|last)|(?:the )?previous version|that was (?:better|worse)"
    r"|i liked (?:the )?(?:old|previous|earlier)|change it back|put it back|never ?mind the last|discard (?:that|the last|this) change|cancel (?:that|the last))\b",
    re.IGNORECASE,
)
_EXPORT = re.compile(
    r"\b(?:export|download|save (?:it|this|the|as|to)|(?:give|send|get) me (?:the )?(?:files?|latex|tex|bib\w*|markdown|docx|word|pdf|json|report|references|ledger)"
    r"|as (?:latex|tex|markdown|word|docx|a (?:latex|word|markdown|pdf) file|bib\w*)|in (?:latex|word format)|(?:latex|bibtex|markdown|docx|word|tex) (?:file|version|please|export)"
    r"|(?:the )?\.(?:tex|bib|docx|md)\b|take it away)\b|^(?:latex|bibtex|markdown|docx|word|tex)\W*$|^\.(?:tex|bib|docx|md)\W*$",
    re.IGNORECASE,
)
_CLAIM = re.compile(
    r"\b(?:claims?|sentences?|statements?|number|no\.|badge|verdict(?: (?:on|of|for))?|citation)\s*#?\s*(\d+|one|two|three|four|five|six|seven|eight|nine|ten)\b|#\s?(\d+)\b"
    r"|\b(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\s+(?:claim|sentence|statement)\b",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"\b(?:why|explain|what(?:'s| is| was) (?:wrong|the (?:problem|matter|issue|evidence|source|reason))|evidence|reasons?|justify|how come|where does|where is"
    r"|is .{0,40}(?:supported|true|right|correct|in the paper)|flagged|disputed|unsupported|verdict|on what basis|show me the (?:passages?|source)|tell me (?:more )?about)\b",
    re.IGNORECASE,
)
_BARE_WHY = re.compile(r"^(?:and )?why (?:was|is|were|did|about|not)?\s*#?(\d+)\b", re.IGNORECASE)


def _help(message: str, task: RouteTurn) -> TurnReply | None:
    return TurnReply(kind="help") if _HELP.match(message) else None


def _version(message: str, task: RouteTurn) -> TurnReply | None:
    if task.stage != "drafted":
        return None
    found = _VERSION.search(message) or _ORDINAL_VERSION.search(message)
    if not found or not (_SHOWING.search(message) or len(message.split()) <= 3):
        return None
    word = found[1].lower()
    number = 1 if word in ("original", "initial") else number_of(word)
    return TurnReply(kind="show_version", version=number)


def _undo(message: str, task: RouteTurn) -> TurnReply | None:
    return TurnReply(kind="undo") if task.stage != "empty" and _UNDO.match(message) else None


def _export(message: str, task: RouteTurn) -> TurnReply | None:
    return TurnReply(kind="export") if task.stage == "drafted" and _EXPORT.search(message) else None


def _why(message: str, task: RouteTurn) -> TurnReply | None:
    if task.stage != "drafted":
        return None
    claim = _CLAIM.search(message)
    bare = _BARE_WHY.match(message)
    if claim and (_WHY.search(message) or len(message.split()) <= 3):
        return TurnReply(kind="why", claim=number_of(next(g for g in claim.groups() if g)))
    if bare:
        return TurnReply(kind="why", claim=int(bare[1]))
    if _WHY.match(message) and re.search(
        r"\b(?:claim|flagged|disputed|unsupported|verdict|badge)\b", message, re.IGNORECASE
    ):
        return _unclear("Which claim do you mean? Give its number, for example: why was claim 4 flagged?")
    return None


# ---------------------------------------------------------------- outline

_APPROVAL = re.compile(
    r"(?:good to go|ready to go|ok(?:ay)?|yes|yep|yeah|yup|sure|fine|great|good|perfect|excellent|nice|cool|super|lgtm|approved?|agreed|accept(?:ed)?|correct"
    r"|right|alright|all right|(?:i )?(?:approve|accept|agree|like)(?: (?:it|this|that|the outline|with (?:it|this|that)))?"
    r"|(?:it|that|this|the outline|everything)?(?: all)? ?(?:looks?|sounds?|seems|is|'s) (?:very |really |all |quite )?"
    r"(?:good|great|fine|ok(?:ay)?|perfect|right|nice)|(?:that|this|it) works(?: for me)?|go(?: ahead| on| for it)?|continue|proceed"
    r"|next(?: step)?|carry on|do it|let's go|(?:start|begin) (?:writing|drafting)|write (?:it|the (?:section|draft|text)|now)"
    r"|draft (?:it|the section|now)|keep (?:it|the outline)(?: as it is| like this)?|no changes?(?: needed)?|nothing to change|as it is"
    r"|all good|good to go|ship it|that's it|use (?:it|this|that)(?: outline)?)",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"(?:please|now|then|and|so|thanks|thank you|with (?:it|this|that)|(?:with )?the (?:outline|draft|section|writing)|to me|for me|it|this|that|as is|very much)",
    re.IGNORECASE,
)
_BUT = re.compile(r"\b(?:but|except|however|although|apart from|not|don't|doesn't|isn't)\b", re.IGNORECASE)


def _approves(message: str) -> bool:
    """Whether every piece of a message is approval or filler, and at least one approves."""
    if _BUT.search(message):
        return False
    approved = False
    for piece in re.split(r"[,.!;:\n]+|\b(?:and|then|so)\b", message):
        rest = piece.strip()
        while rest:
            match = _APPROVAL.match(rest)
            approved = approved or bool(match)
            match = match or _FILLER.match(rest)
            if not match or re.match(r"\w", rest[match.end() :]):
                return False
            rest = rest[match.end() :].strip()
    return approved


def _outline_turn(message: str, task: RouteTurn) -> TurnReply:
    question, wish = _question_and_wish(message, task)
    if question and not wish:
        return question
    if _approves(message):
        return TurnReply(kind="approve")
    if _HYPOTHETICAL.match(message):
        return _unclear(
            "Shall I change that? Then say it as a wish, for example: merge 1 and 2. Or say that the outline is good."
        )
    if edits := edits_in(wish or message, task.topics, task.papers):
        if several := which_paper(message, edits, task.papers):
            return _unclear(several)
        asked = {"ask": question.ask, "papers": question.papers, "node": question.node} if question else {}
        topics = question.topics if question else ()
        return TurnReply(kind="edit_outline", edits=tuple(edits), topics=topics).model_copy(update=asked)
    for pattern, ask_back in _HALF_SAID:
        if re.search(pattern, message, re.IGNORECASE):
            return _unclear(ask_back)
    return _unclear(
        "What should change in the outline? For example: merge the first two, call the third one Evaluation, drop topic 2, "
        "split 1 by method, order by time, add a topic on data, move the paper by Li to topic 1. Or say that it is good."
    )


_HYPOTHETICAL = re.compile(
    r"^(?:what if|what would|what about|how about|should (?:we|i|it)|shouldn't|would it|is it (?:better|good|possible|ok)|wouldn't|do you think|are you sure|isn't it)\b",
    re.IGNORECASE,
)
_HALF_SAID = (
    (r"\b(?:don't|do not|never)\b", "I change nothing then. What should change in the outline, or is it good as it is?"),
    (r"\b(?:merge|combine|join|put .* together)\b", "Which topics should be merged? Give their numbers, for example: merge 1 and 2."),
    (r"\b(?:rename|retitle|call|another title|other title|new title)\b", "Which topic, and what should it be called? For example: call 2 Evaluation."),
    (r"\b(?:split|divide|break)\b", "Which topic should be split, and by what? For example: split 3 by dataset."),
    (r"\b(?:move|put|shift|belongs?)\b", "Which papers should go to which topic? For example: move the paper by Li to topic 1."),
    (r"\b(?:drop|remove|delete|take out|leave out|get rid of|cut)\b", "What should be left out: which topic, or which paper? For example: drop topic 2."),
    (r"\b(?:order|sort|swap|reorder)\b", "In which order? For example: 3, 1, 2; or order by time."),
    (r"\b(?:add|another topic|new topic|missing)\b", "What should the new topic be on? For example: add a topic on human studies."),
)  # fmt: skip


def _question_and_wish(message: str, task: RouteTurn) -> tuple[TurnReply | None, str]:
    """A question about the outline, and the sentences beside it where they wish for something."""
    sentences = re.split(r"(?<=[?.!])\s+|\n+", message)
    for place, sentence in enumerate(sentences):
        question = outline_asking.asked(sentence, task)
        if question and question.kind == "ask_outline":
            rest = " ".join(s for i, s in enumerate(sentences) if i != place)
            rest = re.sub(r"\b(?:it|them|that one|(?:this|that) paper)\b", " and ".join(question.papers) or "it", rest)
            return question, rest if edits_in(rest, task.topics, task.papers) else ""
    return outline_asking.asked(message, task), ""


# ---------------------------------------------------------------- draft

_OUTLINE_WORD = re.compile(
    rf"^(?:please |can you |could you )*(?:(?:split|divide|break up) (?:the )?(?:\w+ )?{TOPIC}\b(?!.*\b(?:sentence|paragraph)s?\b)|(?:order|sort) (?:the |them|it|by)|(?:at most|no more than|only) \w+ {TOPIC}|\w+ {TOPIC} at most|rename|retitle|merge|combine|swap|reorder|add (?:a |another |one more )?(?:new )?{TOPIC}|(?:drop|remove|delete) (?:the )?(?:\w+ )?{TOPIC}\b"
    rf"|call (?:the )?(?:\w+ )?{TOPIC}|move )",
    re.IGNORECASE,
)
_REMOVE = re.compile(
    r"\b(?:remove|drop|delete|take out|take away|exclude|leave out|omit|cut|get rid of|without|don't (?:cite|mention|use)|do not (?:cite|mention|use)|stop citing"
    r"|no longer cite|uncite)\b",
    re.IGNORECASE,
)
_REVISE = re.compile(
    r"\b(?:short(?:er|en)|longer|long|brief(?:er|ly)?|concise|condense|trim|tighten|expand|more|less|fewer|rewrite|rephrase|reword|revise|improve|polish|simplify|simpler"
    r"|clear(?:er|ly)?|critical|compare|contrast|emphasi[sz]e|stress|focus|mention|discuss|cite|add|include|explain|formal|tone|style|english|spelling|tense|voice"
    r"|sentence|paragraph|section|merge|split|move|swap|change|replace|fix|correct|edit|update|make|use|write|reorder|remove|drop|delete|cut|tie|link|connect|avoid|start|end)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^(?:what|which|who|when|where|how|is|are|does|do|did|has|have|was|were|can i|may i|should i)\b", re.IGNORECASE
)


def _draft_turn(message: str, task: RouteTurn) -> TurnReply:
    if _approves(message):
        return TurnReply(kind="approve")
    if _OUTLINE_WORD.match(message):
        edits = edits_in(message, task.topics, task.papers)
        if edits:
            return TurnReply(kind="edit_outline", edits=tuple(edits))
    if question := outline_asking.asked(message, task):
        return question
    if _QUESTION.match(message) and not re.match(r"(?:can|could|would|will) you\b", message, re.IGNORECASE):
        return _unclear(
            "I can change the draft, explain a claim, show a version or export. Which of these? For a claim, give its number."
        )
    removed = papers_in(message, task.papers) if _REMOVE.search(message) else []
    if (
        _REMOVE.search(message)
        and re.search(
            r"\b(?:papers?|article|citation|reference|work) (?:by|of|on|about|from)\b|\bet al\b", message, re.IGNORECASE
        )
        and not removed
    ):
        return _unclear(
            "Which paper do you mean? Name its first author or words of its title as they stand in the references."
        )
    if not removed and not _REVISE.search(message):
        return _unclear(
            "What should change in the draft? For example: make section 2 shorter, remove the paper by Li. "
            "You can also ask why a claim was flagged, undo, or export."
        )
    return TurnReply(kind="revise", topics=tuple(_sections(message, task)), remove_papers=tuple(removed))


def _sections(message: str, task: RouteTurn) -> list[int]:
    """The sections that a wish is about: by number or ordinal beside "section", or by title; none means all."""
    lower = message.lower()
    phrase = re.search(
        rf"\b(?:(?:the )?(?:first|second|third|fourth|fifth|last|final|\d+(?:st|nd|rd|th))(?:\s+(?:two|three|and (?:the )?\w+))?\s+{TOPIC}"
        rf"|{TOPIC}\s+(?:(?:\d+|one|two|three|four|five)(?:\s*(?:,|and|&|to|-)\s*(?:section )?)?)+)",
        lower,
    )
    if phrase and not re.search(r"\b(?:sentence|word|paragraph|paper)s?\b", phrase[0]):
        return [n for n in topics_in(phrase[0], task.topics) if 1 <= n <= len(task.topics)] or topics_in(
            phrase[0], task.topics
        )
    return topics_by_title(message, task.topics, loose=False) if not re.search(r"\ball\b|\bevery", lower) else []
