"""What a picky reader would mark, found by patterns: in one sentence, and in a whole section.

A hard fault must never be printed (leftovers of the source, broken text, a claim that no paper stands behind); a soft one
is a matter of taste or a likely but not certain slip. The writer uses this as its gate.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from marwg.extractive.tagging import has_finite_verb
from marwg.extractive.text import cited, without_markers


class Fault(NamedTuple):
    """Something wrong with a text; `where` is the sentence or the words."""

    name: str
    hard: bool
    where: str


_PROBLEM = r"(?:limitations?|issues?|gaps?|problems?|challenges?|drawbacks?|shortcomings?)"
_SOLVE = r"(?:overcome|address|tackle|solve|mitigate|alleviate|resolve|bridge|fill)(?:s|es)?"
_WORK = r"(?:paper|work|study|article|survey|review|tutorial|report|note)"
_SUBJECT = r"[A-Z][\w'-]+(?: et al\.| and [A-Z][\w-]+)?"

_HARD: dict[str, re.Pattern[str]] = {
    "first person": re.compile(r"\b(?:[Ww]e|[Oo]ur|us|I|my|[Oo]urs|ourselves)\b(?!\.[A-Z])"),
    "this paper": re.compile(r"\b(?:in )?[Tt]his (?:paper|work|study|article|survey|thesis|report)\b"),
    "markup": re.compile(r"[\\{}^]|\$[^$]*\$|``|''|\*\*|</?\w+>|\?\?"),
    "link or list number": re.compile(r"\(i+\)|\(1\)|\b1\)|https?:|www\.|github", re.IGNORECASE),
    "doubled words": re.compile(
        r"\b(?:an|a) (?:and|or)\b|\b(?:and|or) (?:and|or)\b|\bachieves? or\b|,\s*[,.]|\ba an?\b|\b(the|a|of|to|in|is|are|that) \1\b"
    ),
    "lower-case start": re.compile(r"^[a-z](?![\w-]*[A-Z0-9])"),
}
_SOFT: dict[str, re.Pattern[str]] = {
    "dangling reference": re.compile(
        r"\b(?:this|these|those(?! (?:of|from|in|that|who|which|with|by|for)\b)|such(?! as| that)|the former|the latter"
        r"|aforementioned|the above)\b"
        rf"|\b{_SOLVE} the (?:\w+ )?{_PROBLEM}(?! of| that| in| posed| caused| between| from| for| when| with| associated)\b"
        rf"|: Their\b|^{_SUBJECT} (?:\w+ ){{1,7}}?(?:of |on |for |to |that |how |the )?its\b"
        rf"|^(?:The {_WORK} by )?{_SUBJECT}(?: (?!that\b|which\b|and\b)[\w-]+){{1,7}} (?:them|it)\b(?! (?:is|are|can|has|to|possible)\b)"
        r"|\bboth\b(?! ?(?:[\w’'/%.()-]+,? ){1,6}?(?:and|or)\b)|\bthe two\b(?=[.,;]| by\b| in\b| with\b)|\bthe (?:two|three|four) (?:issues|problems|challenges|limitations|gaps|aspects|tasks)\b(?! of\b| that\b)|\bthat (?:for|in|on|with|under) [^,]+, (?:it|they)\b|\bthat it (?:does|is|can|has)\b[:.,]"
        r"|\bthe (?:paper|authors)\b(?! (?:by|of)\b)|\b(?:can|is|are|could) then\b"
        r"|\b(?:from|in|of|after) the (?:first|second|previous|last) (?:stage|step|phase)\b"
        r"|^(?:In|By|With|For|During|Moreover|Under|Based)\b[^,]*, (?:it|this|one)\b",
        re.IGNORECASE,
    ),
    "anaphoric start": re.compile(
        r"^(?:It|They|Its|Their|Them|Both|The (?:first|second|two|three|other|resulting|same|proposed|latter|former|authors)"
        r"|Two(?! papers)|Three(?! papers)|Each|One|Another(?! group)|Other(?! papers))\b"
    ),
    "cut off": re.compile(r"\b(?:and|or|that|of|the|a|an|to|by|with|which|is|are|for|from|than|as|in)\.$"),
    "question": re.compile(r"\?"),
    "about the text": re.compile(
        r"\b(?:the following|as follows|the rest of|contributions? (?:are|is|include)|two ?fold|threefold|three-fold|two-fold)\b"
        r"|\b(?:main|key|our|their|major) contributions\b"
    ),
    "praise": re.compile(
        r"\b(?:milestone|important step|significant step|valuable|paves?|foundational knowledge|broader impact|they hope|hopes? to"
        r"|inspires? (?:further|future|new)|believes? that|future (?:work|research)|further research|one (?:could|can|should|may|might)|a try)\b|takes? a (?:\w+ )?step|\bopens? (?:up )?(?:new|the door)"
    ),
    "code announcement": re.compile(r"[Cc]ode (?:is|are|and)|publicly available|will be (?:released|made)|open-?sourced? at"),
    "enumeration": re.compile(
        r"\b(?:two|three|four|several) (?:\w+ )?(?:observations|challenges|contributions|findings|questions|issues|problems)\b[^.]*:"
    ),
}  # fmt: skip
_CONTINUES = re.compile(r"^(?:They|Their|Its authors|The author|The authors)\b")


def faults(sentence: str, follows: bool = False, limit: int = 36) -> tuple[Fault, ...]:
    """The faults of one printed sentence; `follows` says that the sentence before names whom "They" means."""
    bare = re.sub(r"\[@?[^\]]*$", "", without_markers(sentence)).strip()
    found = [Fault(name, True, sentence) for name, pattern in _HARD.items() if pattern.search(bare)]
    if bare.count("(") != bare.count(")") or bare.count('"') % 2 or bare.count("[") != bare.count("]"):
        found.append(Fault("unbalanced", True, sentence))
    outside = re.sub(r'"[^"]*"', '""', bare)  # a quoted title may ask a question
    for name, pattern in _SOFT.items():
        if name == "anaphoric start" and follows and _CONTINUES.match(bare):
            continue
        if pattern.search(outside):
            found.append(Fault(name, False, sentence))
    words = len(bare.split())
    subject = re.match(rf"(?:{_SUBJECT}|[^,]+, [A-Z][\w'-]+(?: et al\.| and [A-Z][\w-]+)) (?:\w+ly )?\w+ ", bare)
    if not subject and not has_finite_verb(bare):
        found.append(Fault("no finite verb", False, sentence))
    if words > limit:
        found.append(Fault("long", False, sentence))
    if words < 5:
        found.append(Fault("short", False, sentence))
    return tuple(found)


CONNECTIVES = ("Likewise", "Similarly", "By contrast", "More recently", "For evaluation", "On the theoretical side")


def section_faults(
    paragraphs: Sequence[Sequence[str]], allowed: Collection[str], focal: bool = False
) -> tuple[Fault, ...]:
    """The faults of a section: each sentence's own, citations, and what only shows in a row.

    `focal` is for the closing paragraph, whose sentences are the user's own: "we" is right there and nothing need be cited.
    """
    found: list[Fault] = []
    for paragraph in paragraphs:
        openings: list[str] = []
        for index, sentence in enumerate(paragraph):
            ids = cited(sentence)
            if focal and not ids:
                continue
            own = ("first person", "this paper", "dangling reference") if focal else ()
            limit = 60 if len(ids) > 2 else 36
            found += [fault for fault in faults(sentence, index > 0, limit) if fault.name not in own]
            found += [Fault("invalid citation", True, f"[@{key}]") for key in ids if key not in allowed]
            if not ids:
                found.append(Fault("unattributed", True, sentence))
            openings.append(_opening(sentence))
        found += _in_a_row(openings, paragraph)
    return tuple(found)


def _opening(sentence: str) -> str:
    """The shape of a sentence's beginning, for finding sameness."""
    if re.match(r"[A-Z][\w'-]+(?: et al\.| and [A-Z][\w'-]+)? \[@[^\]]+\] ", sentence):
        verb = re.search(r"\] (\w+)", sentence)
        return f"author {verb[1] if verb else ''}"
    return " ".join(sentence.split()[:2])


def _in_a_row(openings: Sequence[str], paragraph: Sequence[str]) -> list[Fault]:
    found: list[Fault] = []
    for index in range(2, len(openings)):
        if openings[index] and openings[index - 2 : index + 1] == [openings[index]] * 3:
            found.append(Fault("sameness", False, paragraph[index]))
    counts = Counter(word for sentence in paragraph for word in CONNECTIVES if sentence.startswith(f"{word},"))
    found += [Fault("connective twice", False, word) for word, count in counts.items() if count > 1]
    return found
