"""The sentences around the extracted ones: openers, connectives, rotation of verbs, lists of titles."""

import re
from collections.abc import Sequence

from marwg.extractive.papers import PaperText
from marwg.extractive.phrases import is_term, names_in
from marwg.extractive.tagging import tag
from marwg.extractive.text import enumerate_words, marker, without_markers

# ---------------------------------------------------------------- openers

_WITH_TERMS = (
    ("Work on {theme} touches on {terms}.", "Research on {theme} touches on {terms}."),
    (
        "A second group of papers deals with {theme}, in particular with {terms}.",
        "Another group of papers is concerned with {theme}, notably with {terms}.",
    ),
    ("Studies of {theme} address {terms}.", "Papers on {theme} look at {terms}."),
    (
        "Closest to the present topic is work on {theme}, which includes {terms}.",
        "The papers nearest to the present topic are about {theme}; recurring subjects are {terms}.",
    ),
)
_PLAIN = (
    "Several papers deal with {theme} {keys}.",
    "Another group of papers is concerned with {theme} {keys}.",
    "A further line of work is about {theme} {keys}.",
    "Closest to the present topic is work on {theme} {keys}.",
)
_LISTS = (
    "Further papers are on {items}.", "Related work includes {items}.", "Other papers treat {items}.", "Also relevant are {items}.",
)  # fmt: skip


def _place(index: int, total: int) -> int:
    return 3 if total > 1 and index == total - 1 else min(index, 2)


def opener(theme: str, terms: Sequence[str], keys: str, index: int, total: int) -> str:
    """The first sentence of a theme: `terms` are phrases with their markers, `keys` the marker of papers on the theme itself."""
    place = _place(index, total)
    variant = sum(map(ord, theme)) % 2
    if len(terms) >= 2:
        return _WITH_TERMS[place][variant].format(theme=theme, terms=enumerate_words(terms))
    return _PLAIN[place].format(theme=theme, keys=keys) if keys else ""


def title_list(items: Sequence[str], index: int, total: int) -> str:
    """One sentence that names papers by their titles."""
    return _LISTS[_place(index, total)].format(items=enumerate_words(items))


# ---------------------------------------------------------------- connectives

_OPPOSITES = tuple(
    (re.compile(one, re.IGNORECASE), re.compile(other, re.IGNORECASE))
    for one, other in (
        (r"\bunsupervised", r"(?<!un)(?<!semi-)(?<!self-)\bsupervised"),
        (r"training-free|without (?:any )?training", r"fine-tun"),
        (r"non-adversarial", r"(?<!non-)adversarial"),
        (r"\bdynamic", r"\bstatic"),
        (r"\boffline", r"\bonline"),
        (r"rehearsal-free|exemplar-free|without rehearsal", r"(?<!-)\brehearsal(?!-free)|replay"),
        (r"source-free", r"source data"),
        (r"model-free", r"model-based"),
        (r"\bgenerative", r"discriminative"),
        (r"non-?parametric", r"(?<!non)parametric"),
        (r"zero-shot|training-free", r"(?<!un)(?<!semi-)(?<!self-)\bsupervised"),
        (r"sequence-based", r"structure-based"),
    )
)
_ABOUT_EVALUATION = re.compile(r"benchmark|dataset|corpus|evaluat|test collection")


def _opposed(first: str, second: str) -> bool:
    for one, other in _OPPOSITES:
        for a, b in ((first, second), (second, first)):
            if one.search(a) and not one.search(b) and other.search(b):
                return True
    return False


def connective(
    paper: PaperText,
    text: str,
    before: PaperText,
    text_before: str,
    peers: Sequence[PaperText],
    said: Sequence[str],
    theme: str,
) -> str:
    """A connective that both printed sentences bear out, or nothing; none twice in a paragraph."""
    printed = " ".join(said)
    shared = sorted(
        phrase
        for phrase in names_in(without_markers(text)) & names_in(without_markers(text_before))
        if is_term(phrase) and phrase not in theme and sum(p.mentions(phrase) for p in peers) <= 0.35 * len(peers)
    )
    candidates = (
        (paper.kind == "theory" and before.kind != "theory", "On the theoretical side"),
        (
            paper.kind == "benchmark"
            and before.kind != "benchmark"
            and bool(_ABOUT_EVALUATION.search(" ".join(text.split()[:16]))),
            "For evaluation",
        ),
        (_opposed(without_markers(text), without_markers(text_before)), "By contrast"),
        (bool(shared), "Likewise"),
        (bool(shared), "Similarly"),
        (bool(before.year) and paper.year - before.year >= 3, "More recently"),
    )
    return next((f"{word}, " for holds, word in candidates if holds and f"{word}, " not in printed), "")


# ---------------------------------------------------------------- variety

_ROTATION = {
    "propose": ("propose", "introduce", "present", "put forward"),
    "present": ("present", "describe", "introduce", "propose"),
    "introduce": ("introduce", "propose", "present", "describe"),
}
_PROPOSING = re.compile(
    r"(\[@[^\]]+\]) (propose|present|introduce)(s?)(?= (?:a|an|the|two|three|several|new|[A-Z][\w*-]*)\b)"
)


def rotate_verb(text: str, history: list[str]) -> str:
    """Another verb for "propose" where the last two sentences had the same; only before a determiner or a name."""
    match = _PROPOSING.search(text)
    if not match:
        return text
    verb = next((v for v in _ROTATION[match[2]] if v not in history[-2:]), match[2])
    history.append(verb)
    if match[3]:
        verb = "puts forward" if verb == "put forward" else f"{verb}s"
    return f"{text[: match.start()]}{match[1]} {verb}{text[match.end() :]}"


def purpose_first(text: str, subject: str) -> str:
    """ "A propose a Y to Z." → "To Z, A propose a Y.", where "to Z" surely is the purpose; else nothing."""
    match = re.match(
        rf"^({re.escape(subject)} \[@[^\]]+\] (?:propose|present|introduce|put forward|describe|develop|design)s? (?:a|an|the) [^.]*?)"
        r" to ((?!be\b)[a-z]+ [^.]*)\.$",
        text,
    )
    if not match or len(match[1].split()) < 9 or not 3 <= len(match[2].split()) <= 18:
        return ""
    if re.search(
        r"\b(that|which|used|designed|able|ability|aims?|need|order|how|and|attempt|effort|way|means|approach)$",
        match[1],
    ):
        return ""
    if re.search(r"\b(that|which|and)\b", match[1]) or re.search(r"\b(it|its|they|their|them)\b", match[2]):
        return ""
    words = tag(f"{without_markers(match[1])} to {match[2]}")
    at = next(i for i, word in enumerate(words) if word.text == "to")
    if not (words[at - 1].tag.startswith("N") or words[at - 1].text == ",") or words[at + 1].tag not in (
        "VVI",
        "VBI",
        "VVB",
    ):
        return ""
    return f"To {match[2].rstrip(',')}, {match[1].rstrip(',')}."


def key_group(papers: Sequence[PaperText], similarity: dict[str, float], most: int = 5) -> str:
    """The marker of the nearest of some papers, in order of their years."""
    near = sorted(papers, key=lambda p: (-similarity[p.id], p.id))[:most]
    return marker(*(p.id for p in sorted(near, key=lambda p: (p.year, p.id))))
