"""CSL-JSON (Zotero, Mendeley, Manubot, Crossref) to papers."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from marwg.errors import UnreadableFile
from marwg.library.latex import plain
from marwg.library.records import paper_from, sorted_out, year_in
from marwg.library.report import Parsed
from marwg.types import Paper

_ENTRY_TYPE = {
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "journal-article": "article",  # as Crossref names it
    "paper-conference": "inproceedings",
    "proceedings-article": "inproceedings",
    "book": "book",
    "chapter": "incollection",
    "thesis": "phdthesis",
    "report": "techreport",
}
_EXTRA = {"volume": "volume", "issue": "number", "page": "pages", "publisher": "publisher", "ISBN": "isbn"}


def read_csl(text: str, source: str = "") -> Parsed:
    """Every item that can be read; UnreadableFile where the text is no CSL-JSON at all."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise UnreadableFile(f"{source} is not valid JSON: {error}.", "Export it again as CSL-JSON.") from error
    items = found.get("items", [found]) if isinstance(found, Mapping) else found
    if not isinstance(items, list) or not any(isinstance(item, Mapping) and "type" in item for item in items):
        raise UnreadableFile(f"{source} is no list of CSL-JSON items.", "Export it again as CSL-JSON.")
    return sorted_out(_papers(items), source)


def _papers(items: list[Any]) -> Iterator[tuple[str, Paper | str]]:
    for number, item in enumerate(items, 1):
        if not isinstance(item, Mapping):
            yield f"item {number}", "not a CSL-JSON item"
            continue
        try:
            paper = paper_of(item)
        except (TypeError, ValueError, AttributeError, KeyError, IndexError) as error:
            yield _where(number, item), f"not a valid CSL-JSON item ({error})"
            continue
        yield _where(number, item), paper


def _where(number: int, item: Mapping[str, Any]) -> str:
    name = item.get("citation-key") or item.get("id")
    return f"item {number}, {name}" if name else f"item {number}"


def paper_of(item: Mapping[str, Any]) -> Paper:
    """One item as a paper without id."""
    key = str(item.get("citation-key") or item.get("id") or "")
    venue = _first(item.get("container-title")) or _first(item.get("event-title"))
    return paper_from(
        key="" if key.startswith("http") else key,
        title=_first(item.get("title")),
        authors=[_name(name) for name in item.get("author") or item.get("editor") or ()],
        year=_year(item.get("issued")),
        venue=venue,
        doi=str(item.get("DOI") or ""),
        url=str(item.get("URL") or ""),
        entry_type="misc" if venue.casefold() == "arxiv" else _ENTRY_TYPE.get(str(item.get("type")), "misc"),
        abstract=str(item.get("abstract") or ""),
        extra={name: _first(item.get(field)) for field, name in _EXTRA.items()},
    )


def _first(value: Any) -> str:
    """A text; of a list, as Crossref gives it, the first one."""
    if isinstance(value, list):
        value = value[0] if value else ""
    return "" if value is None else str(value)


def _name(name: Any) -> str:
    """A name as "Family, Given, Suffix"; an organisation in one piece."""
    if isinstance(name, str):
        return plain(name)
    if literal := name.get("literal") or name.get("name"):
        return plain(str(literal))
    particle = " ".join(str(name.get(p) or "") for p in ("dropping-particle", "non-dropping-particle")).strip()
    family = f"{particle} {name.get('family') or ''}".strip()
    parts = (family, str(name.get("given") or ""), str(name.get("suffix") or ""))
    return ", ".join(plain(part) for part in parts if part.strip())


def _year(date: Any) -> int | None:
    if not isinstance(date, Mapping):
        return year_in(date or "")
    parts = date.get("date-parts") or [[]]
    return year_in(parts[0][0] if parts[0] else date.get("literal") or date.get("raw") or "")
