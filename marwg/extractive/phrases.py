"""Noun phrases: found by tags, compared in a normal form, filtered by what can stand as the name of a theme."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from marwg.extractive.generic import exact_frequency, frequency
from marwg.extractive.tagging import plural, singular, tag

GENERIC_PHRASES = frozenset(
    " ".join(phrase.split())
    for phrase in """model|method|approach|paper|work|study|task|problem|result|performance|dataset|data|experiment|framework|baseline
    benchmark|code|technique|algorithm|system|analysis|paradigm|challenge|research|limitation|number|set|case|way|order|term|use
    contrast|addition|effectiveness|efficiency|accuracy|improvement|time|cost|training|inference|evaluation|learning|application|second
    first|end|example|lack|author|note|survey|experimental result|extensive experiment|state of the art method
    state of the art performance|training data|test data|real world application|recent year|recent work|previous work|existing method
    existing approach|neural network|deep neural network|deep learning|machine learning|proposed method|proposed approach|novel method
    novel approach|novel framework|strong baseline|language model|wide range|large number|key challenge|one hand|other hand
    best performance|recent advance|recent progress|significant progress|promising result|prior work|real world|state of the art
    real world dataset|empirical result|theoretical analysis|future research|main challenge|benchmark dataset|other method
    current method|downstream task|test set|training set|high quality|recent study|baseline method|public dataset|source code
    performance gap|ablation study|first work|various task|different task|small number|author propose|large language model
    large language|artificial intelligence|natural language|natural language processing|language processing|pre training|fine tuning
    general purpose|large scale|end to end|case study|research question|main finding|key idea|main idea|open source|open problem
    code base|original paper|second stage|first stage""".replace("\n", "|").split("|")
)
GENERIC_WORDS = frozenset(
    """new novel proposed existing previous prior recent extensive experimental state-of-the-art other various different several many
    such better best high low significant main key important first second third same few more most further large small good strong
    simple effective efficient promising real-world comprehensive multiple two three four five theoretical empirical superior
    competitive current traditional conventional general specific great popular common additional possible relevant potential overall
    substantial available challenging standard single whole entire full original original own certain similar different typical usual
    difficult easy able unable public free hidden earlier later early late modern classic classical short long""".split()
)
WEAK_HEADS = frozenset(
    """performance state result setup effect benefit way use case number set type kind part role need aspect example issue fact term
    level amount variety range order step discussion consistency resource idea goal concern source target outperform improvement gain
    ability capability quality effectiveness setting experiment baseline input output sample instance author user people world
    attention line radiologist function horizon forecaster patient researcher practitioner clinician developer degradation standard
    parameter expert process approach query strategy impact implementation datum metric domain paper note colleague work thing point
    time year day hour cost size rate score value group class change difference answer question choice list item word sentence pair
    stage part half third percent factor second minute figure table text document model one intersection union points two three scenario industry ratio count procedure view driven based aware
    level wise guided motivation direction case""".split()
)
WEAK_WORDS = frozenset(
    "increasing growing identifying using providing making including model proposing improving outperform outperforms achieve achieves "
    "comparable wide broad recent able unable prone e g i vs etc author authors colleague colleagues al et paper only both either "
    "given making showing finding learned intra inter non pre post multi sub on off per".split()
)
INNER_S = frozenset("bias analysis across basis loss class sales physics bayes gauss gaus process access news".split())
COUNT_NOUNS = frozenset(
    """framework model network method approach system algorithm dataset benchmark library toolkit survey study review corpus architecture
    accelerator agent platform protocol mechanism scheme tool pipeline loss metric strategy technique paradigm perspective comparison
    overview theory solution transformer attack baseline simulator compiler collection engine recommender encoder decoder procedure
    test-bed testbed challenge taxonomy tutorial roadmap formulation objective criterion task ontology interface assistant estimator
    classifier detector learner optimizer prover solver parser generator kernel layer module unit resource suite package simulator
    gap regime lens look case-study analysis theorem""".split()
)
MASS_NOUNS = frozenset(
    """recommendation translation classification prediction adaptation detection generation segmentation optimization recognition
    retrieval verification summarization estimation localization reconstruction compression quantization distillation augmentation
    attribution extraction navigation perception cognition communication computation consumption information evaluation attention
    inference privacy security safety reasoning learning training understanding modeling planning search memory knowledge feedback
    language speech text vision data behavior similarity diversity fairness robustness uncertainty interpretability consistency
    supervision regularization alignment design control speed energy power software hardware research analysis""".split()
)
_PHRASE_TAGS = frozenset("AJ0 NN1 NN2 NN0 NP0 VVG VVN AJC AJS".split())
_SUPERLATIVES = frozenset("best most largest latest highest lowest least".split())


@dataclass
class Phrases:
    """The noun phrases of one text: how often, in what forms, and how often each ends (and begins) where its chunk does, or not."""

    counts: Counter[str] = field(default_factory=Counter)
    forms: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    bounds: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    starts: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))


@lru_cache(maxsize=100_000)
def normal(phrase: str) -> str:
    """Lower case, no hyphens, the last word in the singular."""
    words = phrase.lower().replace("-", " ").split()
    return " ".join([*words[:-1], singular(words[-1])]) if words else ""


def chunks(text: str) -> list[list[str]]:
    """The maximal runs of adjectives, participles and nouns that end in a noun."""
    found: list[list[str]] = []
    current: list[tuple[str, str]] = []
    for word, _, kind in [*tag(text), (".", ".", "PUN")]:
        if kind in _PHRASE_TAGS and word.lower() not in _SUPERLATIVES and re.match(r"^[A-Za-z][\w-]+$", word):
            current.append((word, kind))
            continue
        while current and not current[-1][1].startswith("N"):
            current.pop()
        if current:
            found.append([word for word, _ in current])
        current = []
    return found


@lru_cache(maxsize=50_000)
def noun_phrases(text: str) -> tuple[tuple[str, bool, bool], ...]:
    """All phrases of one to four words that end in a noun, each with whether it begins and ends where its chunk does.

    A generic adjective before a phrase ("novel", "recent") counts as outside of the chunk.
    """
    kinds = {word.text: word.tag for word in tag(text)}
    found: list[tuple[str, bool, bool]] = []
    for words in chunks(text):
        for length in range(1, 5):
            for start in range(len(words) - length + 1):
                piece = words[start : start + length]
                if kinds.get(piece[-1], "")[:1] == "N" and piece[0].lower() not in GENERIC_WORDS:
                    begins = all(word.lower() in GENERIC_WORDS for word in words[:start])
                    found.append((" ".join(piece), begins, start + length == len(words)))
    return tuple(found)


def collect(texts: Iterable[str]) -> Phrases:
    """The phrases of several texts together."""
    phrases = Phrases()
    for text in texts:
        for phrase, begins, ends in noun_phrases(text):
            key = normal(phrase)
            phrases.counts[key] += 1
            phrases.forms[key][phrase] += 1
            phrases.bounds[key][ends] += 1
            phrases.starts[key][begins] += 1
    return phrases


def names_in(text: str) -> set[str]:
    """The phrases of a text in normal form."""
    return {normal(phrase) for phrase, _, _ in noun_phrases(text)}


def can_name(phrase: str) -> bool:
    """Whether a phrase in normal form says something of its own: no generic word, weak head, or inner plural."""
    words = phrase.split()
    if not words or phrase in GENERIC_PHRASES or len(phrase) < 4 or len(set(words)) < len(words):
        return False
    if (
        words[-1] in WEAK_HEADS
        or any(word in GENERIC_WORDS for word in words)
        or any(word in WEAK_WORDS for word in words)
    ):
        return False
    if words[0] in ("neighbor", "eye", "deep", "supplementary"):
        return False
    if any(re.search(r"[^s]s$", word) and word not in INNER_S for word in words[:-1]):
        return False
    return all(len(word) > 1 or word.isalpha() for word in words)


def is_term(phrase: str) -> bool:
    """Whether a phrase is a term of two words or more."""
    return " " in phrase and can_name(phrase)


def rarity(phrase: str) -> float:
    """Between 0 (everywhere) and 1 (not in the list of common phrases)."""
    scale = 80 if " " in phrase else 25
    return float((1 + frequency(phrase) / 2 / scale) ** -1.2)


def display_form(phrase: str, form: str) -> str:
    """The form to print as a subject: count nouns in the plural, as common usage has them."""
    head = normal(form).split()[-1]
    if not form.lower().endswith(head):
        return form  # it is a plural already
    many = plural(head)
    if many == head:
        return form
    stem = " ".join(phrase.split()[:-1])
    if head in MASS_NOUNS:
        return form
    if head in COUNT_NOUNS or (head.endswith(("er", "or")) and head not in ("power", "order", "transfer", "behavior")):
        return form[: len(form) - len(head)] + many
    one, several = (exact_frequency(f"{stem} {word}".strip()) for word in (head, many))
    if one + several < 8:
        one, several = exact_frequency(head), exact_frequency(many)
    usual = several and several >= 0.12 * max(1, one)
    return (
        form[: len(form) - len(head)] + many
        if usual or exact_frequency(many) >= 0.3 * exact_frequency(head) > 0
        else form
    )
