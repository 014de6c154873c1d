"""Feedback by lint: what a reader would ask of a section, on the dimension where it belongs."""

import re

from marwg.extractive.lint import section_faults
from marwg.extractive.text import cited
from marwg.tasks import FeedbackReply, GiveFeedback, SectionFeedback, SectionText
from marwg.text.markup import split_sentences
from marwg.types import POSITION, Focal

_DIMENSION = {
    "long": "concise_language", "praise": "concise_language", "doubled words": "concise_language", "code announcement": "concise_language",
    "connective twice": "concise_language", "about the text": "concise_language", "enumeration": "concise_language",
    "dangling reference": "structural_logic", "anaphoric start": "structural_logic", "sameness": "structural_logic",
    "unattributed": "critical_analysis",
}  # fmt: skip
_ADVICE = {
    "long": "Shorten", "praise": "Take the praise out of", "doubled words": "Mend the doubled words in", "enumeration": "Say one thing in",
    "code announcement": "Take the announcement of code out of", "connective twice": "Use another connective than",
    "about the text": "Say it without speaking of the text in", "dangling reference": "Say what is pointed back to in",
    "anaphoric start": "Name the subject of", "sameness": "Begin in another way:", "unattributed": "Say whose claim this is:",
}  # fmt: skip


def give_feedback(task: GiveFeedback) -> FeedbackReply:
    """What the lint finds in each section, on the dimension where it belongs; nothing where it finds nothing."""
    return FeedbackReply(sections=tuple(_feedback(section, task.focal) for section in task.sections))


def _feedback(section: SectionText, focal: Focal) -> SectionFeedback:
    paragraphs = paragraphs_of(section.text)
    closing = section.topic_id == POSITION
    own = focal.abstract
    found = [
        fault
        for fault in section_faults(paragraphs, {i for p in paragraphs for s in p for i in cited(s)}, focal=closing)
        if not (fault.name == "unattributed" and fault.where in own)
    ]
    said: dict[str, list[str]] = {}
    for fault in found:
        if fault.name in _DIMENSION:
            line = f'{_ADVICE[fault.name]} "{beginning(fault.where)}".'
            lines = said.setdefault(_DIMENSION[fault.name], [])
            if line not in lines and len(lines) < 4:
                lines.append(line)
    if closing and not re.search(r"\b(?:we|our|this (?:paper|work|study))\b", section.text, re.IGNORECASE):
        said["prominent_contribution"] = ["Say what the present paper adds."]
    return SectionFeedback(topic_id=section.topic_id, **{name: " ".join(lines) for name, lines in said.items()})


def beginning(text: str) -> str:
    """The first words of a sentence, to point at it."""
    words = text.split()
    return " ".join(words[:9]) + (" …" if len(words) > 9 else "")


def paragraphs_of(text: str) -> list[list[str]]:
    """The paragraphs of a section in Markdown as lists of sentences."""
    blocks = [block for block in re.split(r"\n\s*\n", text) if block.strip() and not block.lstrip().startswith("#")]
    return [list(split_sentences(block)) for block in blocks]
