"""Words that turn a claim: names, quotes, negations, directions, superlatives, and what sentences share."""

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache

COMMON_ACRONYMS = frozenset(
    re.findall(
        r"\S+",
        "AI ML NLP NLU NLG CV LLM LM MLLM VLM PLM NN DNN CNN RNN LSTM GNN GAN VAE RL RLHF QA RAG IR GPU CPU TPU API URL "
        "PDF SOTA OOD IID KG SGD AUC ROC MAP GPT US UK EU ASR OCR NER SVM KNN IoT AR VR 2D 3D CL ICL COT SFT PEFT LORA",
    )
)
_STOP = frozenset(
    re.findall(
        r"\S+",
        "a an the of in on at to for from by with without and or but while whereas as is are was were be been being it its "
        "this that these those their they them he she we our us i you which who whose what when where how than then thus "
        "also both each other such some any can could may might will would should do does did done has have had having "
        "not no nor more most very much many so if into over under between among through during using use used uses via "
        "et al propose proposes proposed present presents introduce introduces show shows report reports find finds "
        "study studies paper work method approach model models new novel based",
    )
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|cannot|hardly|fails? to|unable to|lacks?)\b|n't\b", re.IGNORECASE
)
_UNLESS = re.compile(
    r"\bnot only\b|\bno (?:more|less) than\b|\bnot just\b|\bnot necessarily\b|\bwhether or not\b", re.IGNORECASE
)
_QUOTE = re.compile(r"\"([^\"]{3,400})\"|“([^”]{3,400})”")
_NAME = re.compile(
    r"(?<![\w@])(?:[A-Z][a-z]+(?:[A-Z][A-Za-z0-9]*)+|[a-z]{1,3}[A-Z][A-Za-z0-9]+|[A-Z]{2,}[a-z]?[A-Za-z0-9]*|[A-Z][A-Za-z]*\d[\w.]*)"
    r"(?:-(?:[A-Z0-9][A-Za-z0-9.]*))*(?![\w])"
)
_SUFFIX = re.compile(r"(?:ational|ization|isation|ations?|ments?|ings?|edly|ed|ies|es|ly|s|e)$")

_PAIRS = (
    (
        r"increas|higher|rais(?:e|ing)|grow|larger|boost|gains?\b",
        r"decreas|lower|reduc|shrink|smaller|drops?\b|declin|fewer|diminish",
    ),
    (
        "improv|better|outperform|surpass|exceed|superior|enhanc|strengthen|more accurate",
        "degrad|worse|underperform|f[ae]lls? short|inferior|weaken|impair|less accurate",
    ),
    (r"faster|accelerat|quicker|speeds? up", r"slower|decelerat|slows?\b"),
    ("longer", "shorter"),
    ("more (?:efficient|robust|effective|reliable|stable)", "less (?:efficient|robust|effective|reliable|stable)"),
)
"""What points up and what points down, each pair on one scale."""
_FAMILY: dict[str, tuple[str, str]] = {
    "first": (r"\b(?:the first (?:to|that|who|\w+ (?:to|that|method|work|model|system|study|dataset|benchmark|framework)|"
              r"work|method|study|model|system|dataset|benchmark|framework|approach)|for the first time|(?:is|was|were|are) (?:among )?the first)\b",
              r"\b(?:first|novel|pioneer\w*|unprecedented|previously un\w+|has not been|have not been|no (?:prior|previous|existing))\b"),
    "only": (r"\bthe only\b|\bsolely\b|\bexclusively\b|\buniquely\b", r"\b(?:only|solely|exclusively|unique\w*|sole|alone|just|no other)\b"),
    "all": (r"\b(?:all|every) (?:existing|prior|previous|other|known|current|cases|tasks|settings|datasets|benchmarks|"
            r"baselines|methods|models|competitors|languages|domains)\b",
            r"\b(?:all|every|each|any|entire|whole|universal\w*|across|consistently|always)\b"),
    "best": (r"\b(?:the best|best-performing|state[- ]of[- ]the[- ]art|unmatched|unrivall?ed|the (?:most|highest|lowest|fastest|strongest|largest|biggest|broadest)|of its kind|by far|optimal)\b",
             r"\b(?:best|state[- ]of[- ]the[- ]art|sota|most|highest|lowest|fastest|strongest|largest|biggest|broadest|outperform\w*|surpass\w*|superior|"
             r"exceed\w*|top|record|optimal\w*|leading|beats?|better|cutting[- ]edge|new (?:high|standard))\b"),
    "always": (r"\b(?:always|never|guarantees?|guaranteed|completely|perfectly|entirely|eliminates?|fully solves?)\b",
               r"\b(?:always|never|guarantee\w*|complete\w*|perfect\w*|entire\w*|eliminat\w*|full\w*|prov\w+|zero|without|remov\w+|avoid\w*|free)\b"),
}  # fmt: skip


def fold(text: str) -> str:
    """Small letters without accents."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).lower()


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A rough stem, so that "improves", "improved" and "improvement" agree."""
    stemmed = _SUFFIX.sub("", word)
    return stemmed if len(stemmed) >= 3 else word


@lru_cache(maxsize=20_000)
def content_words(text: str) -> frozenset[str]:
    """The stems of the words of a text that carry its content."""
    return frozenset(stem(w) for w in re.findall(r"[a-z0-9]+", fold(text)) if w not in _STOP and len(w) > 1)


def overlap(wanted: Collection[str], present: Collection[str]) -> float:
    """The share of the wanted words that are present."""
    return len(set(wanted) & set(present)) / len(wanted) if wanted else 0.0


# ---------------------------------------------------------------- names and quotes


def names_in(text: str) -> tuple[str, ...]:
    """Names of systems, data sets and the like: mixed case, capitals, letters with digits; author names are none."""
    text = re.sub(r"[A-ZÀ-Þ][\w'’-]+(?: and [A-ZÀ-Þ][\w'’-]+)?(?= et al\.)", " ", text)
    found = (m.group().rstrip(".") for m in _NAME.finditer(text))
    return tuple(dict.fromkeys(n for n in found if not _surname_like(n)))


def _surname_like(name: str) -> bool:
    """ "McCallum", "DeVries" and roman numerals are no system names."""
    return bool(re.fullmatch(r"(?:Mc|Mac|De|Di|La|Le|Van|O)[A-Z][a-z]+|[IVX]+", name))


def expands(acronym: str, text: str) -> bool:
    """Whether consecutive words of the text begin with the letters of the acronym."""
    letters = re.sub(r"[^a-z]", "", fold(re.sub(r"s$", "", acronym)))
    if not 2 <= len(letters) <= 7:
        return False
    initials = "".join(w[0] for w in re.findall(r"[a-z]+", fold(text)))
    skipped = "".join(w[0] for w in re.findall(r"[a-z]+", fold(text)) if w not in _STOP)
    return letters in initials or letters in skipped


def quotes_in(text: str) -> tuple[str, ...]:
    """Quoted words, at least three of them; shorter ones are terms."""
    found = (a or b for a, b in _QUOTE.findall(text))
    return tuple(q for q in found if len(q.split()) >= 3)


# ---------------------------------------------------------------- negation and direction


def negated(text: str) -> bool:
    """Whether a text denies something."""
    return bool(_NEGATION.search(_UNLESS.sub(" ", text)))


def negated_pairs(claim: str, sentence: str) -> str:
    """The negating words, where exactly one of two sentences about the same thing denies it; else nothing."""
    claim, sentence = _UNLESS.sub(" ", claim), _UNLESS.sub(" ", sentence)
    in_claim, in_sentence = _NEGATION.search(claim), _NEGATION.search(sentence)
    if bool(in_claim) == bool(in_sentence):
        return ""
    text, match = (claim, in_claim) if in_claim else (sentence, in_sentence)
    assert match is not None
    # The word that is denied must be said by the other sentence too, or the two speak of different things.
    denied = content_words(" ".join(text[match.end() :].split()[:3]))
    other = content_words(sentence if in_claim else claim)
    return " ".join(text[match.start() :].split()[:4]).strip(" ,.;") if denied and denied <= other else ""


def directions(text: str) -> frozenset[tuple[int, bool]]:
    """The direction words of a text, as (pair, up)."""
    lowered = text.lower()
    found = set()
    for index, (up, down) in enumerate(_PAIRS):
        found |= {(index, True)} if re.search(rf"\b(?:{up})", lowered) else set()
        found |= {(index, False)} if re.search(rf"\b(?:{down})", lowered) else set()
    return frozenset(found)


def opposite_direction(claim: str, sentence: str) -> tuple[str, str] | None:
    """The word of the claim and that of the sentence, where they point in opposite ways for the same thing."""
    said = directions(sentence)
    for index, up in sorted(directions(claim)):
        if (index, not up) not in said or (index, up) in said:
            continue
        mine, theirs = _PAIRS[index] if up else _PAIRS[index][::-1]
        ours, source = _with_object(claim, mine), _with_object(sentence, theirs)
        if ours and source and (ours[1] & source[1]):
            return ours[0], source[0]
    return None


def _with_object(text: str, direction: str) -> tuple[str, frozenset[str]] | None:
    match = re.search(rf"\b(?:{direction})\w*", text, re.IGNORECASE)
    if not match:
        return None
    around = [*text[: match.start()].split()[-3:], *text[match.end() :].split()[:4]]
    return match.group(), content_words(" ".join(around))


# ---------------------------------------------------------------- superlatives


def superlatives(text: str) -> tuple[tuple[str, str], ...]:
    """The words of a text that claim the most, each with its family."""
    found = []
    for family, (claimed, _) in _FAMILY.items():
        if match := re.search(claimed, text, re.IGNORECASE):
            found.append((match.group(), family))
    return tuple(found)


def superlative_said(family: str, text: str) -> bool:
    """Whether a text claims as much."""
    return bool(re.search(_FAMILY[family][1], text, re.IGNORECASE))
