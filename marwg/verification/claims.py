"""What a draft claims: its sentences as numbered claims, each split into what every citation has to carry."""

import re
from hashlib import sha256
from itertools import pairwise

from marwg.text.markup import Group, citations_of, groups, tidy, unique, without_citations
from marwg.text.wording import content_words
from marwg.types import POSITION, Claim, Draft, PaperId, Sentence, SubClaim

FOCAL = "focal"
"""The id under which the focal paper is a source."""

_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”")
_OURS = re.compile(
    r"\b(?:we|our|ours|us)\b"
    r"|\b(?:this|the present|the current|the focal) (?:work|paper|study|article)\b(?!\s*\[)"
    r"|\bunlike (?:these|those|all|prior|previous|existing|earlier|the above)\b",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"^(?:These|Those|Both|They|Their|This|That|Such|It|Its|Together|Overall|Here|In (?:sum|short|all)|Taken together|"
    r"The (?:former|latter|first|second|third|two|three|next|following|remaining|above|other)|Others?|Neither|Each|"
    r"None of (?:these|them)|All of (?:these|them)|What)\b"
)
_SAYS_OF_OTHERS = re.compile(
    r"\b(?:et al\.|(?:existing|prior|previous|recent|earlier|current|most|many|several|all|no) (?:\w+ ){0,2}"
    r"(?:methods?|approach(?:es)?|works?|models?|systems?|stud(?:y|ies)|techniques?|algorithms?|frameworks?|papers?|"
    r"benchmarks?|datasets?|researchers?|authors?)|every (?:model|method|system|approach|paper|study)|the most \w+"
    r"|state[- ]of[- ]the[- ]art|the first|has been|have been|it is known|evaluations? (?:found|showed?)"
    r"|in (?:a|one) (?:half|third|quarter) of)\b",
    re.IGNORECASE,
)
_LEAST_WORDS = 6
_NEAR = re.compile(r"\b(?:closest|nearest|most (?:closely )?related|most similar|closely related)\b", re.IGNORECASE)
_NAME = re.compile(r"\b(?:[A-Z][a-z]+[A-Z]\w*|[A-Z]{2,}[\w-]*\d|[a-z]+[A-Z]\w*)\b")
_STRONG_CUT = re.compile(
    r"\s*(?:;\s*(?:while |whereas |but |and |however, )?|,\s*(?:while|whereas|although|though|but|yet|and|or)\s+"
    r"|\s+(?:while|whereas)\s+)",
    re.IGNORECASE,
)
_LIST_OPENING = re.compile(
    r"^(.*\b(?:such as|like|including|e\.g\.,?|namely|for example,?|notably|both|:))\s+(.+)$", re.IGNORECASE
)


def claim_id(sentence: str) -> str:
    """A digest of what a sentence says and cites; white space does not count."""
    return "c" + sha256(" ".join(sentence.split()).encode()).hexdigest()[:12]


def claims_of(draft: Draft) -> tuple[Claim, ...]:
    """The claims of a draft in reading order, numbered from 1; sentences that only lead the reader are none."""
    claims: list[Claim] = []
    for section in draft.sections:
        for sentence in section.sentences:
            of_focal = speaks_of_focal(sentence, section.topic_id)
            claim = claim_of(sentence.text, section.topic_id, len(claims) + 1, of_focal)
            if claim is not None:
                claims.append(claim)
    return tuple(claims)


def from_focal(sentence: Sentence) -> bool:
    """Whether a sentence was made from the focal abstract, and so speaks of the focal paper whatever its words."""
    return any(p.paper_id == FOCAL for p in sentence.sources)


def speaks_of_focal(sentence: Sentence, topic_id: str) -> bool:
    """Whether a sentence says something of the focal paper: by its words, by its source, or by standing uncited in the
    closing section, where the subject is the focal paper also where it is named or is "it".
    """
    if from_focal(sentence) or is_about_focal(sentence.text):
        return True
    return topic_id == POSITION and not citations_of(sentence.text) and len(sentence.text.split()) >= _LEAST_WORDS


def claim_of(sentence: str, topic_id: str, number: int, of_focal: bool = False) -> Claim | None:
    """One sentence as a claim, or nothing where it states nothing that could be checked."""
    citations = citations_of(sentence)
    if of_focal or is_about_focal(sentence):
        kind = "focal"
    elif citations:
        kind = "cited"
    elif states_fact(sentence):
        kind = "uncited"
    else:
        return None
    return Claim(
        claim_id=claim_id(sentence),
        number=number,
        topic_id=topic_id,
        sentence=sentence,
        kind=kind,
        citations=citations,
        parts=parts_of(sentence),
    )


def is_about_focal(sentence: str) -> bool:
    """Whether a sentence says something of the paper that the section is written for."""
    return bool(_OURS.search(without_citations(_QUOTED.sub("", sentence))))


def states_fact(sentence: str) -> bool:
    """Whether a sentence without a citation states something about others that would need one."""
    text = without_citations(sentence)
    if len(text.split()) < _LEAST_WORDS:
        return False
    if re.search(r"\d", text) or _NAME.search(text):
        return True
    return not _BACK.match(text) and bool(_SAYS_OF_OTHERS.search(text))


def says_only_what_is_near(sentence: str) -> bool:
    """Whether a sentence does no more than name the papers nearest to the focal one, which no passage can decide."""
    text = without_citations(sentence)
    if not _NEAR.search(text):
        return False
    text = re.sub(r"\b[A-ZÀ-Þ][\w'’-]*", " ", _NEAR.sub(" ", text))
    return not content_words(re.sub(r"\bours\b", " ", text))


# ---------------------------------------------------------------- sub-claims


def parts_of(sentence: str) -> tuple[SubClaim, ...]:
    """What each citation group of a sentence has to carry.

    Clauses are cut at connectives between two groups; the items of an enumeration keep what is said of them all; where
    neither is seen, every group carries the whole sentence.
    """
    marked = groups(sentence)
    whole = without_citations(sentence)
    if not marked:
        return ()
    if len(marked) == 1:
        return (SubClaim(text=whole, citations=marked[0].citations),)
    listed = _listed(sentence, marked)
    texts = listed if listed else _clauses(sentence, marked)
    parts: dict[str, tuple[PaperId, ...]] = {}
    for text, group in zip(texts, marked, strict=True):
        text = text if len(text.split()) >= 4 else whole
        parts[text] = unique((*parts.get(text, ()), *group.citations))
    return tuple(SubClaim(text=text, citations=citations) for text, citations in parts.items())


def _clauses(sentence: str, marked: tuple[Group, ...]) -> list[str]:
    """The clause around each group, cut where a connective or a comma separates it from the next one."""
    cuts: list[tuple[int, int] | None] = []
    for left, right in pairwise(marked):
        between = sentence[left.end : right.start]
        strong = list(_STRONG_CUT.finditer(between))
        # A clause needs words on its far side: "…, and Wu et al. [@b]" is cut before "Wu", "[@a], [@b]" is not.
        good = [m for m in strong if len(between[m.end() :].split()) >= 1]
        best = good[0] if good else None
        cuts.append((left.end + best.start(), left.end + best.end()) if best else None)
    texts, start = [], 0
    waiting = 1
    for cut in [*cuts, (len(sentence), len(sentence))]:
        if cut is None:
            waiting += 1
            continue
        texts += [_as_sentence(without_citations(sentence[start : cut[0]]))] * waiting
        start, waiting = cut[1], 1
    return texts


def _listed(sentence: str, marked: tuple[Group, ...]) -> list[str]:
    """For "methods such as A [@a], B [@b] and C [@c] do X": "methods such as B do X", and so on; else nothing."""
    between = [sentence[a.end : b.start] for a, b in pairwise(marked)]
    items = [
        re.fullmatch(r"\s*(?:,|;|,?\s*(?:and|or|as well as))\s+(?:(?:and|or)\s+)?(.{1,60}?)\s*", text)
        for text in between
    ]
    if not all(item and len(item.group(1).split()) <= 6 for item in items):
        return []
    head, tail = sentence[: marked[0].start].strip(), sentence[marked[-1].end :].strip()
    opening = _LIST_OPENING.match(head)
    lead, first = (opening.group(1), opening.group(2)) if opening else ("", head)
    if not opening and len(tail.split()) < 3:
        return []
    if re.match(r"^,?\s*(?:and|while|whereas|but)\b", tail):
        return []
    names = [first, *(item.group(1) for item in items if item)]
    return [_as_sentence(tidy(f"{lead} {name} {tail}")) for name in names]


def _as_sentence(text: str) -> str:
    text = text.strip(" ,;")
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


# ---------------------------------------------------------------- context


def contexts(draft: Draft) -> dict[str, str]:
    """For each claim id the sentence as it can be understood alone: one that points back brings the one before it."""
    shown: dict[str, str] = {}
    for section in draft.sections:
        for paragraph in section.paragraphs:
            before = ""
            for sentence in paragraph:
                points_back = bool(before) and bool(_BACK.match(without_citations(sentence.text)))
                shown[claim_id(sentence.text)] = f"{before} {sentence.text}" if points_back else sentence.text
                before = sentence.text
    return shown


def points_back(sentence: str) -> bool:
    """Whether a sentence needs the one before it to be understood."""
    return bool(_BACK.match(without_citations(sentence)))
