"""Numbers as texts state them: digits, words, percent, factors, thousands; and whether one number backs another."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Unit = Literal["", "percent", "factor", "money"]

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_WORDS: dict[str, float] = {word: float(n) for n, word in enumerate(re.findall(r"\w+", _SMALL))}
_WORDS |= {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "hundred": 100,
}
_WORDS |= {"thousand": 1e3, "million": 1e6, "billion": 1e9, "dozen": 12, "half": 0.5}
_ALSO: dict[str, float] = {
    "both": 2, "two-fold": 2, "twofold": 2, "dual": 2, "pair": 2, "pairs": 2, "twice": 2, "double": 2, "doubles": 2,
    "doubling": 2, "second": 2, "bi": 2, "three-fold": 3, "threefold": 3, "triple": 3, "triples": 3, "third": 3,
    "fourfold": 4, "fourth": 4, "quadruple": 4, "fifth": 5, "tenfold": 10, "half": 50, "halves": 2, "single": 1,
}  # fmt: skip
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9, "trillion": 1e12}
_NUMBER = re.compile(
    r"(?<![\w.@/-])(?P<money>[$€£])?(?P<sign>[-−])?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:[ \u202f\u00a0]\d{3})+(?!\d)|\d+\.\d+|\d+)"
    r"(?P<after>\s?(?:%|percent\b|per cent\b|percentage points?\b|points?\b|[x×](?!\w)|times\b|-?fold\b|[KkMB](?![\w-])"
    r"|(?:thousand|million|billion|trillion|bn)\b))?"
)
_HEDGE = re.compile(
    r"(?:about|around|roughly|approximately|nearly|almost|some|over|more than|at least|up to|~|≈|under|less than)\s*$"
)
_MEASURED = re.compile(
    r"[-–](?:points?|steps?|stages?|layers?|dim\w*|thousand|million|billion|parameter|class|hours?|years?|days?|months?|"
    r"pages?|tokens?|words?|second|minute|fold|turn|level)\b"
)
_NOT_A_COUNT = re.compile(
    r"(?:Fig(?:ure|\.)?|Table|Section|Sec\.|Eq(?:uation|\.)?|Chapter|Appendix|top|Top|hit|Hits|task|track|step|stage|phase|"
    r"version|layer|level|type|GPT|BERT|ResNet|Llama|LLaMA|T|F|R|[A-Z][A-Za-z]+)[\s-]?$"
)

_OPENERS = frozenset(
    re.findall(
        r"\w+",
        "In With On Of By From Using Across Over Around About Roughly The At Since After Before Until Only Some Most These "
        "Those All Between Within Its Their Nearly Another And Up For To As Among Under Both Every Each Our We Than Or But "
        "Almost Approximately When While If No Fewer More Less Least Exactly Just Given Out Per",
    )
)


@dataclass(frozen=True)
class Quantity:
    """A number in a text: its value, how finely it is given, what it counts in, and whether it is hedged."""

    value: float
    decimals: int
    unit: Unit
    words: str
    hedged: bool = False
    spelled: bool = False
    year: bool = False


def quantities(text: str) -> tuple[Quantity, ...]:
    """The numbers of a text; those inside names (`GPT-4`, `F1`, `top-5`) and of figures and tables are none."""
    found = [q for m in _NUMBER.finditer(text) if (q := _from_digits(text, m))]
    for match in re.finditer(r"(?<![\w-])[A-Za-z]+(?![\w])", text):
        word = match.group().lower()
        if word in _WORDS and word not in {"one", "zero", "half", "hundred", "thousand", "million", "billion", "dozen"}:
            found.append(Quantity(_WORDS[word], 0, "", match.group(), spelled=True))
    return tuple(found)


def _from_digits(text: str, match: re.Match[str]) -> Quantity | None:
    before, after = text[: match.start()], (match.group("after") or "").strip().lower()
    digits = re.sub(r"[, \u202f\u00a0]", "", match.group("digits"))
    following = text[match.end() :]
    if not match.group("after") and re.match(r"(?:[A-Za-z]|-?D\b|[-–](?:shot|way|hop|gram|bit|th\b))", following):
        return None
    if re.match(r"(?:st|nd|rd|th)\b|/\d", following):
        return None
    if re.match(r"[-–][a-z]", following) and not _MEASURED.match(following):
        return None
    year = re.fullmatch(r"(?:19|20)\d\d", match.group("digits")) is not None
    name = _NOT_A_COUNT.search(before[-16:])
    large = year or "," in match.group("digits")
    if name and not after and not (large and name.group().endswith(" ")) and not _opens(name.group()):
        return None
    unit: Unit = "money" if match.group("money") else ""
    if after.startswith(("%", "per")):
        unit = "percent"
    elif after in {"x", "×", "times", "fold", "-fold"}:
        unit = "factor"
    value = float(digits) * _SCALES.get(after, 1.0)
    decimals = len(digits.partition(".")[2]) if _SCALES.get(after, 1.0) == 1.0 else 0
    plain_year = not unit and not after and year
    return Quantity(value, decimals, unit, match.group().strip(), bool(_HEDGE.search(before[-16:])), year=plain_year)


def _opens(word: str) -> bool:
    """Words such as "In" or "Since" are capitals before a number only because a sentence begins."""
    return word.strip(" -") in _OPENERS


def backed(claimed: Quantity, stated: Iterable[Quantity], text: str) -> bool:
    """Whether one of the stated numbers, or a word of the text, says what the claimed number says."""
    lowered = text.lower()
    if any(value == claimed.value and re.search(rf"\b{re.escape(word)}\b", lowered) for word, value in _ALSO.items()):
        return True
    if claimed.value in _WORDS.values() and any(
        value == claimed.value and re.search(rf"\b{word}\b", lowered) for word, value in _WORDS.items()
    ):
        return True
    return any(_agrees(claimed, s) for s in stated)


def _agrees(claimed: Quantity, stated: Quantity) -> bool:
    if {claimed.unit, stated.unit} in ({"percent", "factor"}, {"money", "percent"}, {"money", "factor"}):
        return False
    values = [stated.value]
    if stated.unit == "percent" or claimed.unit == "percent":
        values += [stated.value * 100] if 0 < stated.value <= 1 and stated.unit != "percent" else []
        values += [stated.value / 100] if claimed.unit != "percent" else []
    return any(_same(claimed, value) for value in values)


def _same(claimed: Quantity, value: float) -> bool:
    """Equal, or rounded as finely as the claimed number is written; a hedged round number may be farther off."""
    difference = abs(claimed.value - value)
    if difference <= abs(value) * 1e-9:
        return True
    zeros = _trailing_zeros(claimed.value) if not claimed.decimals else 0
    grain = 10.0 ** (zeros - claimed.decimals)
    if not zeros and not claimed.decimals and float(value).is_integer():
        return False
    tolerance = 0.08 if claimed.hedged and zeros else 0.05
    return difference <= (grain if claimed.hedged else grain / 2) * 1.0001 and difference <= abs(value) * tolerance


def _trailing_zeros(value: float) -> int:
    digits = f"{value:.0f}"
    return len(digits) - len(digits.rstrip("0")) if value >= 10 else 0
