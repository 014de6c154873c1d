"""Abstracts to clean sentences, and sentences to what they are about: contribution, method, result, gap, background."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from marwg.extractive.generic import is_common_word

Kind = Literal["contribution", "method", "result", "limitation", "background"]

ADVERBS = r"(?:\w+ly |also |first |then |further |thus |therefore |next |here |now |instead |hence |additionally )*"
PROPOSE = (
    r"(?:propose|present|introduce|develop|design|describe|devise|formulate|build|construct|create|release|provide|"
    r"offer|contribute|establish|implement|advocate|put forward|extend|adapt|combine|suggest|define)"
)
STUDY = (
    r"(?:study|studied|investigate|explore|examine|analyz|analys|evaluate|consider|address|tackle|focus|revisit|"
    r"review|survey|compare|conduct|characteriz|characteris|measure|quantif|benchmark|perform|reproduce|aim|seek|ask|"
    r"identify|discover|assess|test|argue|treat|cast)"
)
SHOW = (
    r"(?:show|find|found|demonstrate|prove|observe|report|achieve|obtain|reveal|derive|outperform|improve|conclude|"
    r"verify|confirm|uncover)"
)
WORK = r"(?:paper|work|study|article|survey|review|thesis|tutorial|report|research|note)"


@dataclass(frozen=True)
class SourceSentence:
    """A sentence as its source has it (`raw`), and as it reads without markup and with "we" for its authors."""

    raw: str
    text: str
    kind: Kind = "background"
    page: int = 0


# ---------------------------------------------------------------- cleaning

_SYMBOLS = {
    "``": '"', "''": '"', "\\$": "§", "\n": " ", "’": "'", "‘": "'", "“": '"', "”": '"', "\\%": "%", "~": " ",
    "\\&": "&", "\\ ": " ", "—": " — ", "---": " — ", " -- ": " — ", "--": "–", "$\\times$": "×", "\\times": "×", "$\\sim$": "~", "\\sim": "~",
    "\\pm": "±", "\\epsilon": "ε", "\\varepsilon": "ε", "\\alpha": "α", "\\beta": "β", "\\lambda": "λ",
    "\\ell": "ℓ", "\\mu": "μ", "\\sigma": "σ", "\\delta": "δ", "\\gamma": "γ", "\\tau": "τ", "\\approx": "≈", "\\leq": "≤",
    "\\geq": "≥", "\\rightarrow": "→", "\\to": "→", "\u00ad": "",
}  # fmt: skip
_MARKUP: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), new)
    for pattern, new in (
        (r"\\(?:text|math)?(?:it|bf|sc|tt|rm|sf|cal|bb|emph|underline|text)\s*\{([^{}]*)\}", r"\1"),
        (r"\\(?:text|math)?(?:it|bf|sc|tt|rm|sf|cal|bb|emph|underline|text)\s*\{([^{}]*)\}", r"\1"),
        (r"\{\\(?:it|bf|em|sc|tt)\s+([^{}]*)\}", r"\1"),
        (r"\\(?:emph|textit|textbf|textsc|texttt)\s*\{([^{}]*)\}", r"\1"),
        (r"\\(?:cite|citep|citet|footnote|url|href|ref)\s*\{[^{}]*\}", ""),
        (r"</?(?:i|b|em|strong|sub|sup|p|br|jats:\w+)\s*/?>", ""),
    )
)
_BROKEN_WORD = re.compile(r"\b([A-Za-z]{2,})- ([a-z]{2,})\b")
_CUT_WORD = re.compile(r"\b([A-Za-z][a-z]{2,})-([a-z]{3,})\b")
_SMALL_MATH = re.compile(r"\$([^$\\{}]{1,18})\$")
_TIDY: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), new)
    for pattern, new in (
        (r"https?://\S+", ""),
        (r"\^\{?([\w*]+)\}?", r"\1"),
        (r"\{([A-Za-z0-9 -]+)\}", r"\1"),
        (r"(\w)-(?=(?:an?|the|which) )", r"\1, "),
        (r"(\w)- (?=(?:an?|the) )", r"\1, "),
        (r"(\w)-(and|or) (?=\w+-)", r"\1- \2 "),
        (r"\*\*([^*]+)\*\*", r"\1"),
        (r"(?<!\w)[*_]([A-Za-z][^*_]{1,60})[*_](?!\w)", r"\1"),
        (r"\s+([,.;:)])", r"\1"),
        (r"\(\s+", "("),
        (r"\s*\[\d+(?:\s*[,–-]\s*\d+)*\]", ""),
        (r"§", "$"),
        (r"\bupon publication\b.*?\.|\b(?:at|on|in) (?:GitHub|this repository)\b", ""),
        (r"\s+", " "),
    )
)


def clean(text: str) -> str:
    """The text without LaTeX and Markdown markup, typographic quotes, links and reference numbers."""
    for old, new in _SYMBOLS.items():
        text = text.replace(old, new)
    for pattern, new in _MARKUP:
        text = pattern.sub(new, text)
    text = _SMALL_MATH.sub(lambda m: re.sub(r"[\^_]", "", m[1]), text)
    for pattern, new in _TIDY:
        text = pattern.sub(new, text)
    return _CUT_WORD.sub(_joined_if_cut, _BROKEN_WORD.sub(_joined, text)).strip()


def _joined_if_cut(match: re.Match[str]) -> str:
    """ "domi-nance" is "dominance", as the whole is a word and a part is none; "self-training" stays."""
    whole = (match[1] + match[2]).lower()
    parts = is_common_word(match[1].lower()) and is_common_word(match[2].lower())
    return match[1] + match[2] if is_common_word(whole) and not parts else match[0]


def _joined(match: re.Match[str]) -> str:
    """A word that a line break cut in two, where the whole is a common word."""
    whole = match[1] + match[2]
    return whole if is_common_word(whole.lower()) else match[0]


# ---------------------------------------------------------------- splitting

_ABBREVIATION = re.compile(r"(?:\b(?:et al|e\.g|i\.e|Fig|Eq|cf|vs|resp|approx|w\.r\.t|etc|Dr|No|St)|\b[A-Z])\.$")
_BOUNDARY = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"(“$\\])|(?<=[.!?])(?=[A-Z][a-z]+ [a-z])")


def split(text: str) -> list[str]:
    """The sentences of a text as they stand in it."""
    sentences: list[str] = []
    start = 0
    for boundary in [*_BOUNDARY.finditer(text), None]:
        end = boundary.start() if boundary else len(text)
        before = text[start:end].rstrip()
        if boundary and _ABBREVIATION.search(before) and not before.endswith("etc."):
            continue
        if before.strip():
            sentences.append(before.strip())
        start = boundary.end() if boundary else end
    return sentences


# ---------------------------------------------------------------- notes in the third person

_PEOPLE = (
    r"(?:The authors|[A-Z][\w'’-]+(?: et al\.|(?: and|,) (?:\w+ )?(?:colleagues|co-?authors|coworkers|co-workers|collaborators)"
    r"| and (?:his|her|their) (?:colleagues|co-?authors|coworkers|co-workers|collaborators)))"
)
_NOTE_SUBJECT = re.compile(rf"^((?:[^,]{{3,80}}, )?){_PEOPLE},? (?=(?:\w+ly |also |then |first |further )?[a-z]+\b)")
_NOTE_CUE = re.compile(rf"\b(?:[Tt]he authors|[Tt]he {WORK}|colleagues|et al\.)\b|\bThe {WORK} ")
_VERB_AFTER_IT = r"(?:also |then |further |\w+ly )?(?:is|can|\w+s)\b"
_PAPER_START = re.compile(rf"^(?:In \d{{4}}, )?(?:[Tt]his|[Tt]he|[Tt]heir|An?) (?:\w+ ){{0,2}}?(?:{WORK})\b")


def _as_authors(texts: list[str], name: str) -> list[str]:
    """Notes speak of "the authors"; told as "we" they can be converted like any abstract. "It" after the system is its name."""
    whole = " ".join(texts)
    is_note = not re.search(r"\b(?:[Ww]e|[Oo]ur)\b", whole) and bool(_NOTE_CUE.search(whole))
    told: list[str] = []
    subject = ""  # whom a following "They" or "It" means
    for text in texts:
        new = _resolved(text, subject, name, is_note)
        subject = _subject_of(new, name)
        if is_note:
            new = re.sub(r"\b([Tt])he authors\b", lambda m: "We" if m[1] == "T" else "we", new)
        told.append(new)
    return told


def _resolved(text: str, subject: str, name: str, is_note: bool) -> str:
    """The sentence with its first word replaced where it is known what that points to."""
    if subject == "name" and re.match(rf"It {_VERB_AFTER_IT}", text):
        return f"{name}{text[2:]}"
    if not is_note:
        return text
    if subject == "authors" and re.match(r"They (?:\w+ly |also |then |further )?[a-z]+\b", text):
        return f"We{text[4:]}"
    if subject == "authors" and re.match(r"Their (?=\w+)", text):
        return f"Our{text[5:]}"
    if subject == "paper" and re.match(rf"It {_VERB_AFTER_IT}", text):
        return f"This paper{text[2:]}"
    if _PAPER_START.match(text):
        return re.sub(rf"^[Tt]he (?=(?:{WORK})\b)", "This ", text)
    return _NOTE_SUBJECT.sub(lambda m: f"{m[1]}{'we' if m[1] else 'We'} ", text)


def _subject_of(text: str, name: str) -> str:
    if re.match(rf"(?:This|The) (?:\w+ )?{WORK}\b", text):
        return "paper"
    if name and re.match(rf"(?:We {ADVERBS}{PROPOSE}s? (?:the )?)?{re.escape(name)}\b", text):
        return "name"
    return "authors" if re.match(r"(?:[^,]+, )?(?:[Ww]e|Our|the authors|The authors)\b", text) else ""


# ---------------------------------------------------------------- classes

_CUES: dict[Kind, re.Pattern[str]] = {
    "contribution": re.compile(
        rf"\b[Ww]e {ADVERBS}(?:{PROPOSE}|{STUDY})"
        rf"|\b(?:[Tt]his|[Tt]he|[Oo]ur|[Tt]he present) {WORK}\b(?! is (?:not|only))"
        r"|^(?:In this \w+, )?(?:A|An|The|Two|Three|Novel|New)\b[^,]{3,90} (?:is|are) "
        r"(?:proposed|presented|introduced|developed|investigated|studied)\b"
        r"|\b(?:[Tt]he )?(?:[Mm]ain|[Kk]ey) (?:contribution|idea|goal)|\b[Oo]ur (?:main |key )?(?:contribution|goal|aim|objective)"
    ),
    "limitation": re.compile(
        r"\b(?:[Hh]owever|[Nn]evertheless|[Nn]onetheless|[Uu]nfortunately|[Yy]et,|[Dd]espite"
        r"|but (?:they|it|is|are|often|still|suffer)"
        r"|remains? (?:\w+ )?(?:unclear|unexplored|underexplored|under-explored|challeng|open|unknown|limited|difficult|elusive|a )"
        r"|suffers? from|fails? to|struggles?|limited (?:by|to|in)|lacks?\b|lack of|little (?:is known|attention|work)"
        r"|not (?:been )?(?:well |fully )?(?:studied|explored|understood)|ignor|overlook|neglect|under-?explored"
        r"|bottleneck|drawback|shortcoming|limitation"
        r"|(?:is|are) (?:often |still |usually )?(?:costly|expensive|prohibitive|impractical|insufficient|inefficient|sub-?optimal)"
        r"|rarely|challenging|difficult)"
    ),
    "result": re.compile(
        r"\b(?:[Ee]xperiment\w*|[Rr]esults?|[Ee]valuations?|[Ss]imulations?|[Ff]indings?|[Aa]nalys[ie]s|[Ee]mpirical\w*)\b[^.]{0,80}"
        r"\b(?:show|demonstrat|indicat|reveal|suggest|confirm|validat|verif|illustrat|prov|highlight|establish|support)"
        rf"|\b[Ww]e {ADVERBS}{SHOW}|\boutperform|\bachiev\w+ |\bsurpass|state-of-the-art (?:performance|results|accuracy)"
        r"|\bimprov\w+ [^.]{0,60}\bby \d|\d+(?:\.\d+)? ?%|\d ?×"
        r"|\bimproves? (?:significantly|substantially|clearly|consistently)|\bbeats?\b|\bnew best|\bbetter than\b|\bthe best (?:results|model|system)"
        r"|\b(?:significantly|consistently|substantially) (?:better|improve|reduce|outperform)|\bcompetitive (?:with|performance|results)"
    ),
    "method": re.compile(
        r"\b(?:[Ss]pecifically|[Ii]n particular|[Oo]ur (?:\w+ ){0,2}(?:method|approach|model|framework|algorithm|system|architecture"
        r"|key idea|technique|scheme|pipeline|solution)|[Tt]he (?:proposed|key idea|core)|[Bb]y (?:\w+ly )?\w+ing\b"
        r"|[Ff]irst,|[Ss]econd,|[Ff]inally,|[Tt]hen,)"
        rf"|\b[Ww]e {ADVERBS}(?:use|employ|leverage|utilize|adopt|apply|train|learn|model|combine|incorporate|integrate|exploit|optimi"
        r"|fine-tune|define|merge|take|perform|encode|generate|estimate|decompose|align|augment|collect|annotate)"
        r"|\b(?:consists? of|composed of|comprises|leverag|is based on|based on|that (?:uses|learns|combines))"
    ),
    "background": re.compile(
        r"\b(?:[Rr]ecent(?:ly)?\b|[Ii]n recent years"
        r"|(?:has|have) (?:been|become|shown|emerged|gained|attracted|received|achieved|demonstrated|made)"
        r"|[Ww]idely|[Ee]xisting|[Pp]revious|[Pp]rior|[Tt]raditional|[Cc]onventional|[Cc]urrent"
        r"|(?:is|are) (?:a|an|one of|the|crucial|essential|important|critical|fundamental|often|increasingly|typically|commonly|usually)\b"
        r"|aims? to|refers? to|plays? )"
    ),
}  # fmt: skip


def classify(texts: list[str], name: str = "") -> list[Kind]:
    """The class of each sentence by cues in a fixed order, where none matches by position; `name` is the system's own."""
    kinds: list[Kind] = []
    seen = False  # a contribution was seen: what follows is the paper's own
    for index, text in enumerate(texts):
        own = bool(re.search(r"\b([Ww]e|[Oo]ur)\b", text))
        hit = {kind: bool(cue.search(text)) for kind, cue in _CUES.items()}
        late = index >= len(texts) / 2
        if name and not seen and re.match(rf"{re.escape(name)},? (?:\w+[^.]{{0,120}}, )?(?:is|\w+s) ", text):
            hit["contribution"] = True
        if hit["contribution"] and not (seen and hit["result"]) and not re.match(r"(However|Existing|Previous)", text):
            kind: Kind = "contribution"
            seen = True
        elif hit["result"] and (seen or late):
            kind = "result"
        elif hit["limitation"] and not seen:
            kind = "limitation"
        elif hit["method"] and (seen or own):
            kind = "method"
            seen = seen or own
        elif hit["result"] and own:
            kind = "result"
            seen = True
        elif hit["limitation"]:
            kind = "limitation"
        elif re.match(r"(?:[^,]+, )?[Ww]e [a-z]+\b(?! (?:know|see|need))", text):
            kind = "result" if hit["result"] else "method"
            seen = True
        elif hit["background"] and not seen:
            kind = "background"
        elif hit["result"]:
            kind = "result"
        else:
            kind = "method" if any(k in ("contribution", "method", "result") for k in kinds) else "background"
        kinds.append(kind)
    return kinds


def _name_in(title: str) -> str:
    before, colon, _ = clean(title).partition(":")
    return before.strip() if colon and len(before.split()) <= 2 else ""


@lru_cache(maxsize=20_000)
def read(text: str, page: int = 0, title: str = "") -> tuple[SourceSentence, ...]:
    """The classified sentences of an abstract, a note or a passage; the title may give the name of the system."""
    raws = [raw for raw in split(text) if clean(raw)]
    texts = _as_authors([clean(raw) for raw in raws], _name_in(title))
    kinds = classify(texts, _name_in(title))
    sentences = [SourceSentence(raw, text, kind) for raw, text, kind in zip(raws, texts, kinds, strict=True)]
    return tuple(replace(sentence, page=page) for sentence in sentences)
