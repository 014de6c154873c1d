"""Which paper a citation in a person's text names: by key, by authors and year, by number in a reference list."""

import re
from collections.abc import Iterable, Mapping, Sequence

from rapidfuzz import fuzz

from marwg.text.markup import marker, unique, valid_id
from marwg.text.references import labels
from marwg.text.sources import cited_as
from marwg.text.wording import fold
from marwg.types import Paper, PaperId

_NAME = r"[A-ZÀ-Þ][\w'’-]+"
_NAMES = (
    rf"(?:(?:van|von|de|der|den|del|di|la|le) )*{_NAME}(?:(?:, {_NAME})*,? (?:and|&) (?:(?:van|von|de|der) )*{_NAME}"
    rf"|,? et al\.?,?| and (?:others|colleagues))?"
)
_YEARS = r"(?:19|20)\d\d[a-z]?(?:\s*[,;]\s*(?:(?:19|20)\d\d)?[a-z]?(?<=[\da-z]))*|n\.d\."
_PIECE = re.compile(
    rf"^(?:see(?: also)?|e\.g\.,?|cf\.|also|i\.e\.,?)?\s*(?P<names>{_NAMES}),?\s+(?P<years>{_YEARS})(?:,?\s*(?:p|pp|Sec|Section|Fig)\..*)?$"
)
_BRACKET = re.compile(r"[(\[](?P<inside>[^()\[\]@]*(?:(?:19|20)\d\d[a-z]?|n\.d\.)[^()\[\]@]*)[)\]]")
_IN_TEXT = re.compile(rf"(?P<names>{_NAMES})\s*[(\[](?P<years>{_YEARS})[)\]]")
_NUMBERS = re.compile(r"\[(?P<numbers>\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]")
_PANDOC = re.compile(r"\[(?P<inside>[^\[\]]*@[^\[\]]*)\]")
_PANDOC_KEY = re.compile(r"-?@(?:\{(?P<braced>[^{}]+)\}|(?P<plain>\w(?:[\w:.#$%&\-+?<>~/]*\w)?))")
_PANDOC_IN_TEXT = re.compile(r"(?<![\w@\[;{])@(?:\{([^{}]+)\}|(\w(?:[\w:.#$%&\-+?<>~/]*\w)?))(?:\s*\[[^\[\]@]*\])?")


class References:
    """The papers that a text may cite, by the user's keys; remembers which were named and what named none."""

    def __init__(self, by_key: Mapping[str, Paper]) -> None:
        self._by_key = dict(by_key)
        papers = list({p.paper_id: p for p in by_key.values()}.values())
        self._papers = papers
        self._labels = {i: (fold(a), y) for i, (a, y) in labels(papers).items()}
        self._ids = {p.paper_id for p in papers}
        self._numbered: dict[int, PaperId] = {}
        self._listed: dict[int, str] = {}
        self._unknown: dict[str, str] = {}
        self._mentioned: dict[PaperId, None] = {}

    @property
    def unknown(self) -> tuple[str, ...]:
        """What was cited and names no known paper, as the user wrote it, in order."""
        return tuple(self._unknown.values())

    @property
    def mentioned(self) -> tuple[PaperId, ...]:
        """The papers that were named, in order, those of `\\nocite` too."""
        return tuple(self._mentioned)

    def mention(self, keys: Iterable[str]) -> None:
        """Counts keys as cited that stand at no word of the text."""
        for key in keys:
            if key in self._by_key:
                self._mentioned[self._by_key[key].paper_id] = None

    def id_of(self, key: str) -> PaperId:
        """The paper of a key, or an id of its own for one that no reference has."""
        if paper := self._by_key.get(key):
            self._mentioned[paper.paper_id] = None
            return paper.paper_id
        return self._stranger(key, key)

    def authors(self, key: str) -> str:
        """How the authors of a key are called in text."""
        paper = self._by_key.get(key)
        return (cited_as(paper) or paper.title) if paper else key

    def marker(self, keys: Sequence[str]) -> str:
        """The marker `[@id; @id]` for some keys."""
        return marker(self.id_of(k) for k in keys)

    def _stranger(self, name: str, shown: str) -> PaperId:
        plain = re.sub(r"[^\w.:/+-]+", "-", name).strip("-.:/+") or "unknown"
        while plain in self._ids or not valid_id(plain):
            plain = f"{plain}-unknown" if valid_id(plain) else "unknown"
        self._unknown.setdefault(plain, shown)
        return plain

    # ------------------------------------------------------------ numbers

    def number(self, listed: str) -> None:
        """Takes the numbers of a reference list: each entry's paper is the one whose title stands in it."""
        for entry in re.split(r"\n(?=\s*\[?\d{1,3}[\].)])", listed):
            match = re.match(r"\s*\[?(\d{1,3})[\].)]\s*(.+)", entry, re.DOTALL)
            if not match:
                continue
            number, text = int(match[1]), " ".join(match[2].split())
            self._listed[number] = text
            folded = re.sub(r"\W+", " ", fold(text))
            near = [
                (fuzz.partial_ratio(title, folded), len(title), p.paper_id)
                for p in self._papers
                if len(title := re.sub(r"\W+", " ", fold(p.title)).strip()) >= 12
            ]
            best = max(near, default=(0, 0, ""))
            if best[0] >= 95:
                self._numbered[number] = best[2]

    def _of_number(self, number: int) -> PaperId:
        if paper_id := self._numbered.get(number):
            self._mentioned[paper_id] = None
            return paper_id
        text = self._listed.get(number, "")
        return self._stranger(f"ref{number}", f"[{number}] {text[:80]}".strip())

    # ------------------------------------------------------------ authors and years

    def _named(self, names: str, years: str) -> list[PaperId]:
        found = []
        year = ""
        for piece in re.split(r"\s*[,;]\s*", years):
            year = piece if len(piece) > 1 else year[:4] + piece
            found.append(self._one_named(names, year))
        return found

    def _one_named(self, names: str, year: str) -> PaperId:
        shown = f"{names.strip(' ,')}, {year}"
        plain = fold(re.sub(r",? et al\.?,?$| and (?:others|colleagues)$", " et al.", names.strip())).replace(
            " & ", " and "
        )
        exact = [p for p in self._papers if self._labels[p.paper_id] == (plain, year)]
        people = re.split(r", | and ", plain.removesuffix(" et al."))
        loose = exact or [p for p in self._papers if _written_by(p, people) and str(p.year) == year[:4]]
        if len(loose) == 1:
            self._mentioned[loose[0].paper_id] = None
            return loose[0].paper_id
        reason = " (several references fit)" if loose else ""
        return self._stranger(f"{people[0].title()}{year}", shown + reason)

    # ------------------------------------------------------------ a whole text

    def marked(self, text: str) -> str:
        """The text with every citation that is recognised as `[@id]`."""
        text = _PANDOC.sub(self._pandoc, text)
        text = _outside(text, _PANDOC_IN_TEXT, self._pandoc_in_text)
        text = _outside(text, _IN_TEXT, self._in_text)
        text = _outside(text, _BRACKET, self._bracket)
        return _outside(text, _NUMBERS, self._by_number) if self._listed else text

    def _pandoc(self, match: re.Match[str]) -> str:
        found = [m["braced"] or m["plain"] for m in _PANDOC_KEY.finditer(match["inside"])]
        return marker(k if k in self._ids or k in self._unknown else self.id_of(k) for k in found) or match.group()

    def _pandoc_in_text(self, match: re.Match[str]) -> str:
        key = match[1] or match[2]
        return f"{self.authors(key)} {self.marker([key])}"

    def _in_text(self, match: re.Match[str]) -> str:
        lead = re.match(
            r"(?:In|See|While|Unlike|By|As|And|But|Although|Since|Both|However, |Recently, )\s", match["names"]
        )
        names = match["names"][lead.end() :] if lead else match["names"]
        before = match["names"][: lead.end()] if lead else ""
        return f"{before}{names} {marker(self._named(names, match['years']))}"

    def _bracket(self, match: re.Match[str]) -> str:
        found: list[PaperId] = []
        rest = []
        for piece in re.split(r"\s*;\s*", match["inside"].strip()):
            named = _PIECE.match(piece.strip())
            if named:
                found += self._named(named["names"], named["years"])
            else:
                rest.append(piece)
        if not found:
            return match.group()
        return (f"({'; '.join(rest)}) " if any(r.strip() for r in rest) else "") + marker(unique(found))

    def _by_number(self, match: re.Match[str]) -> str:
        numbers: list[int] = []
        for piece in re.split(r"\s*[,;]\s*", match["numbers"]):
            first, _, last = re.sub(r"\s*[–-]\s*", "-", piece).partition("-")
            numbers += (
                range(int(first), int(last or first) + 1) if int(last or first) - int(first) < 30 else [int(first)]
            )
        return marker(self._of_number(n) for n in numbers)


def _written_by(paper: Paper, people: Sequence[str]) -> bool:
    """Whether the first of some family names is the paper's first author, and the others are among its authors."""
    families = [fold(a.partition(",")[0]) for a in paper.authors]
    return bool(families) and families[0] == people[0] and all(p in families for p in people[1:])


def _outside(text: str, pattern: re.Pattern[str], change) -> str:  # type: ignore[no-untyped-def]
    """The text changed by a pattern, what is a marker already left alone."""
    pieces = re.split(r"(\[@[^\[\]]*\])", text)
    return "".join(p if p.startswith("[@") else pattern.sub(change, p) for p in pieces)
