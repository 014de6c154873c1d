"""How a section is to read: the settings in words for a writer, the words of a wish as settings, and what code can do."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from marwg.text.spelling import american, british
from marwg.types import POSITION, Draft, Section, Sentence, Style

_TONES = {
    "critical": "Weigh the papers: say what each class cannot do, as its sources state it, in sober words.",
    "formal": "A formal register: no contractions, no rhetorical questions, no first names.",
    "plain": "Plain words and short sentences that a reader from a neighbouring field follows.",
}


def instructions(style: Style) -> tuple[str, ...]:
    """What a writer is told; nothing where the style asks for nothing."""
    lines = []
    if style.language.casefold() != "english":
        lines.append(f"Write in {style.language}, though the sources are in other languages; names stay as they are.")
    elif style.english != "as written":
        lines.append(f"{style.english.capitalize()} spelling.")
    if style.tone in _TONES:
        lines.append(_TONES[style.tone])
    if style.person == "we":
        lines.append("Speak of the focal paper in the first person: we, our.")
    if style.person == "this work":
        lines.append("Speak of the focal paper as this work, never in the first person.")
    if style.audience:
        lines.append(f"The readers: {style.audience}. Explain what they cannot be expected to know, as the sources do.")
    if not style.headings:
        lines.append("The section is printed without subsection headings, so each subsection must open by itself.")
    return tuple(lines)


# ---------------------------------------------------------------- what code can do


def shaped(draft: Draft, style: Style) -> Draft:
    """The draft in the spelling and shape of a style; sentences that need no change stay the same objects."""
    sections = tuple(_respelled(s, style) for s in draft.sections if style.closing or s.topic_id != POSITION)
    return draft.model_copy(update={"sections": sections, "headings": style.headings})


def _respelled(section: Section, style: Style) -> Section:
    if style.english == "as written" or style.language.casefold() != "english":
        return section
    spell = british if style.english == "british" else american
    paragraphs = tuple(tuple(_with(s, spell(s.text)) for s in p) for p in section.paragraphs)
    return section if paragraphs == section.paragraphs else section.model_copy(update={"paragraphs": paragraphs})


def _with(sentence: Sentence, text: str) -> Sentence:
    return sentence if text == sentence.text else Sentence(text=text, sources=sentence.sources)


def first_person(sections: Sequence[Section]) -> int:
    """How many sentences speak in the first person."""
    return sum(bool(re.search(r"\b(?:we|our|ours|us)\b", s.text, re.IGNORECASE)) for x in sections for s in x.sentences)


# ---------------------------------------------------------------- a wish as settings


@dataclass(frozen=True)
class Wish:
    """What a message asks of the style; `whole` where it asks for nothing else."""

    changes: dict[str, Any]
    whole: bool

    @property
    def needs_writer(self) -> bool:
        """Whether a writer has to do it, and not code alone."""
        return bool(self.changes.keys() - {"english", "headings", "closing", "word_limit"}) or bool(
            self.changes.get("closing")
        )


_LANGUAGES = "German French Spanish Italian Portuguese Dutch Chinese Japanese Korean Russian Polish Turkish Arabic Hindi Swedish Czech"
_RULES: tuple[tuple[str, dict[str, Any]], ...] = (
    (r"\b(?:british|uk|bre|en-?gb)(?: english| spelling| style)?\b", {"english": "british"}),
    (r"\b(?:american|us|u\.s\.|ame|en-?us)(?: english| spelling)\b|\bin american\b", {"english": "american"}),
    (r"\b(?:without|no|remove|drop|omit|take out)\b(?: the| all| any)?(?: sub)?(?:section)? ?(?:sub)?headings\b", {"headings": False}),
    (r"\bwith(?: the)?(?: sub)?(?:section)? ?(?:sub)?headings\b|\b(?:show|restore|put back)\b(?: the)? ?(?:sub)?headings\b", {"headings": True}),
    (r"\b(?:without|no|remove|drop|omit|take out)\b(?: the| a| any)? (?:closing|final|position(?:ing)?)(?: positioning)?(?: paragraph| section)?\b", {"closing": False}),
    (r"\b(?:with|add|write|restore)\b(?: the| a)? (?:closing|position(?:ing)?)(?: positioning)? (?:paragraph|section)\b", {"closing": True}),
    (r"\b(?:in|use|write in|to) (?:the )?(?:first person|we[- ]form)\b|\b(?:use|say|write) [“\"']?we[”\"']?(?:\W|$)", {"person": "we"}),
    (r"\b(?:avoid|not in|without|no) (?:the )?first person\b|\b(?:don't|do not|never) (?:use|say|write) [“\"']?we[”\"']?(?:\W|$)|[“\"']this work[”\"'] instead of\b", {"person": "this work"}),
    (r"\b(?:more |in a )?(?:formal)(?: tone| style| register)?\b", {"tone": "formal"}),
    (r"\b(?:in )?(?:plainer|simpler|plain)(?: language| words| english| tone)\b", {"tone": "plain"}),
    (r"\bneutral (?:tone|style)\b", {"tone": "neutral"}),
)  # fmt: skip
_LIMIT = re.compile(
    r"\b(?:at most|no more than|(?:a |the )?(?:word )?limit(?: of| to| is|:)?|max(?:imum)?(?: of)?|not (?:exceed|over)|under|within) (\d{2,4})(?: words)?\b",
    re.IGNORECASE,
)
_AUDIENCE = re.compile(
    r"\bfor (?:an? |the )?([\w -]{3,60}?) (?:audience|readers|community|readership)\b", re.IGNORECASE
)
_LANGUAGE = re.compile(rf"\b(?:in|into|to) ({'|'.join(_LANGUAGES.split())}|English)\b", re.IGNORECASE)
_FILLER = re.compile(
    r"\b(?:please|can|could|you|make|it|write|rewrite|put|use|give|me|the|whole|section|text|draft|all|of|in|and|a|with|an|spelling|english|everything"
    r"|this|style|tone|now|i|want|would|like|to|have|keep|change|switch|convert|translate|words|more|set|be|instead|limit|is)\b|\W+",
    re.IGNORECASE,
)


def wished(message: str) -> Wish | None:
    """The settings that a message asks for; None where it asks for none."""
    if len(message) > 300 or re.search(
        r"\bsection \d|\b(?:first|second|third|fourth|last) (?:section|paragraph|sentence)", message, re.I
    ):
        return None
    changes: dict[str, Any] = {}
    rest = message
    for pattern, change in _RULES:
        if match := re.search(pattern, rest, re.IGNORECASE):
            changes = change | changes
            rest = rest.replace(match.group(), " ")
    if (limit := _LIMIT.search(rest)) and 80 <= int(limit[1]) <= 5000 and "word" in message.lower():
        changes["word_limit"] = int(limit[1])
        rest = rest.replace(limit.group(), " ")
    if audience := _AUDIENCE.search(rest):
        changes["audience"] = audience[1].strip()
        rest = rest.replace(audience.group(), " ")
    if "english" not in changes and (language := _LANGUAGE.search(rest)):
        changes["language"] = language[1].capitalize()
        rest = rest.replace(language.group(), " ")
    if not changes:
        return None
    return Wish(changes, whole=not _FILLER.sub("", rest))
