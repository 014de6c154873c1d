"""British and American spelling, word by word from a list; names, quotations and citations are left alone."""

import re
from collections.abc import Callable
from functools import cache

from marwg.text.markup import MARKER

_IZE = (
    "general organ reorgan summar optim recogn util real minim maxim normal regular token initial character categor "
    "parameter discret quant local visual formal emphas hypothes synthes custom central decentral special stabil "
    "standard modern neutral priorit random sequential serial vector binar linear symbol memor penal personal popular "
    "revolution rational scrutin synchron theor contextual conceptual crystal critic capital harmon material mobil "
    "modular parallel polar public verbal amort digit diagonal equal final global ideal marginal mechan orthogonal "
    "raster social factor vocal tabular anonym author canon lexical nominal spatial temporal textual "
    "item legal metabol natural regional jeopard fantas familiar internal external colon econom"
).split()
_OUR = ("behavi", "col", "fav", "neighb", "lab", "hon", "hum", "rum", "flav", "endeav", "harb", "vap", "arm", "od")
_DOUBLED = "model label travel signal cancel level channel tunnel fuel total counsel quarrel marvel dial rival".split()
_PAIRS = (
    ("center", "centre"), ("centers", "centres"), ("centered", "centred"), ("centering", "centring"),
    ("fiber", "fibre"), ("fibers", "fibres"), ("theater", "theatre"), ("liter", "litre"), ("liters", "litres"),
    ("kilometer", "kilometre"), ("kilometers", "kilometres"), ("centimeter", "centimetre"),
    ("centimeters", "centimetres"), ("millimeter", "millimetre"), ("millimeters", "millimetres"),
    ("caliber", "calibre"), ("defense", "defence"), ("defenses", "defences"), ("offense", "offence"),
    ("catalog", "catalogue"), ("catalogs", "catalogues"), ("cataloged", "catalogued"),
    ("dialog", "dialogue"), ("dialogs", "dialogues"), ("analog", "analogue"), ("analogs", "analogues"),
    ("gray", "grey"), ("grayscale", "greyscale"), ("aging", "ageing"), ("judgment", "judgement"),
    ("judgments", "judgements"), ("acknowledgment", "acknowledgement"), ("acknowledgments", "acknowledgements"),
    ("artifact", "artefact"), ("artifacts", "artefacts"), ("skeptic", "sceptic"), ("skeptical", "sceptical"),
    ("skepticism", "scepticism"), ("fulfill", "fulfil"), ("fulfills", "fulfils"), ("fulfillment", "fulfilment"),
    ("enroll", "enrol"), ("enrollment", "enrolment"), ("skillful", "skilful"), ("maneuver", "manoeuvre"),
    ("maneuvers", "manoeuvres"), ("mold", "mould"), ("pediatric", "paediatric"), ("anesthesia", "anaesthesia"),
    ("hemoglobin", "haemoglobin"), ("leukemia", "leukaemia"), ("tumor", "tumour"), ("tumors", "tumours"),
    ("plow", "plough"), ("cozy", "cosy"), ("sulfur", "sulphur"), ("aluminum", "aluminium"),
    ("toward", "towards"), ("analyze", "analyse"), ("analyzes", "analyses"), ("analyzed", "analysed"),
    ("analyzing", "analysing"), ("analyzer", "analyser"), ("analyzers", "analysers"), ("catalyze", "catalyse"),
    ("catalyzed", "catalysed"), ("paralyze", "paralyse"), ("paralyzed", "paralysed"),
)  # fmt: skip
_ONE_WAY = frozenset({"analyses"})
"""British spellings that are a right American word too ("two analyses"), and so are never changed back."""

_WORD = re.compile(r"(?<![\w’'/_.@-])[A-Za-z]+(?:-[A-Za-z]+)*(?![\w_/@])")
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|`[^`]*`|https?://\S+")


def british(text: str) -> str:
    """A sentence in British spelling (-ise)."""
    return _respelled(text, _tables()[0].get)


def american(text: str) -> str:
    """A sentence in American spelling."""
    return _respelled(text, _tables()[1].get)


def _respelled(text: str, other: Callable[[str], str | None]) -> str:
    kept = [m.span() for pattern in (MARKER, _QUOTED) for m in pattern.finditer(text)]
    first = re.search(r"[A-Za-z]", text)
    begins = first.start() if first else -1

    def changed(match: re.Match[str]) -> str:
        if any(a <= match.start() < b for a, b in kept):
            return match.group()
        pieces = match.group().split("-")
        return "-".join(_word(p, other, n == 0 and match.start() == begins) for n, p in enumerate(pieces))

    return _WORD.sub(changed, text)


def _word(word: str, other: Callable[[str], str | None], begins: bool) -> str:
    if word.islower():
        return other(word) or word
    # A capital inside a sentence is a name; at its beginning it is the sentence's.
    if begins and word[1:].islower() and (new := other(word.lower())):
        return new[0].upper() + new[1:]
    return word


@cache
def _tables() -> tuple[dict[str, str], dict[str, str]]:
    """American → British and British → American."""
    pairs = [*_PAIRS, *_ize(), *_our(), *_doubled()]
    return dict(pairs), {b: a for a, b in pairs if b not in _ONE_WAY}


def _ize() -> list[tuple[str, str]]:
    endings = ("e", "es", "ed", "ing", "er", "ers", "able", "ation", "ations")
    return [
        (f"{before}{stem}iz{end}", f"{before}{stem}is{end}")
        for before in ("", "un", "re", "de", "over")
        for stem in _IZE
        for end in endings
    ]


def _our() -> list[tuple[str, str]]:
    endings = ("", "s", "ed", "ing", "able", "al", "ally", "hood", "hoods", "ful", "less", "ite", "ites")
    return [(f"{stem}or{end}", f"{stem}our{end}") for stem in _OUR for end in endings]


def _doubled() -> list[tuple[str, str]]:
    return [
        (f"{before}{stem}{end}", f"{before}{stem}l{end}")
        for before in ("", "un", "re", "mis", "pre")
        for stem in _DOUBLED
        for end in ("ed", "ing", "er", "ers", "ings")
    ]
