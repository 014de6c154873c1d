"""What readers of plain records (RIS, CSL-JSON, answers of web services) share: from their fields to papers."""

import re
from collections.abc import Iterable, Mapping

from marwg.library.identity import find_arxiv_id, normal_doi, usable_key
from marwg.library.latex import decode, encode, plain
from marwg.library.names import read_names
from marwg.library.report import Parsed, Remark
from marwg.types import Paper


def paper_from(
    *,
    title: str,
    key: str = "",
    authors: Iterable[str] = (),
    year: int | None = None,
    venue: str = "",
    doi: str = "",
    arxiv_id: str = "",
    url: str = "",
    entry_type: str = "misc",
    abstract: str = "",
    extra: Mapping[str, str] | None = None,
) -> Paper:
    """A paper without id from fields in plain text, perhaps with HTML or LaTeX in them; names must be ready."""
    further = {name: text for name, value in (extra or {}).items() if (text := plain(value))}
    if not plain(venue):
        venue = further.pop("publisher", "")  # as a .bib file of ours is read
    clean_url = url.strip() if re.match(r"https?://\S+$", url.strip()) else ""
    return Paper(
        paper_id="",
        key=usable_key(key),
        title=decode(title),
        authors=tuple(name for name in (plain(author) for author in authors) if name),
        year=year,
        venue=decode(venue),
        doi=normal_doi(doi) or (normal_doi(clean_url) if "doi.org/" in clean_url else ""),
        arxiv_id=arxiv_id or find_arxiv_id(clean_url if "arxiv.org" in clean_url else "", venue, _preprint_doi(doi)),
        url=clean_url,
        entry_type=entry_type,
        abstract=decode(abstract),
        extra=tuple((name, _written(name, value)) for name, value in further.items()),
    )


def family_first(name: str) -> str:
    """A name of a person as "Family, Given"; one that has a comma, or one piece only, stays."""
    name = plain(name)
    return name if "," in name or " " not in name else next(iter(read_names(encode(name))), name)


def year_in(text: object) -> int | None:
    """The first year that a date in whatever form names."""
    found = re.search(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)", str(text))
    return int(found.group(1)) if found else None


def missing_in(paper: Paper) -> str:
    """What the record lacks of author, year and abstract, as a remark says it; empty if nothing."""
    facts = (("author", paper.authors), ("year", paper.year), ("abstract", paper.abstract))
    return ", ".join(f"no {name}" for name, value in facts if not value)


def sorted_out(found: Iterable[tuple[str, Paper | str]], source: str) -> Parsed:
    """Papers with where they stand, and in place of a paper the reason why it was refused, as a reader's result."""
    papers: list[Paper] = []
    places: list[str] = []
    incomplete: list[Remark] = []
    refused: list[Remark] = []
    for where, paper in found:
        if isinstance(paper, str):
            refused.append(Remark(source=source, where=where, reason=paper))
        elif not paper.title:
            refused.append(Remark(source=source, where=where, reason="no title"))
        else:
            papers.append(paper)
            places.append(where)
            if lacking := missing_in(paper):
                incomplete.append(Remark(source=source, where=where, reason=lacking))
    return Parsed(papers=tuple(papers), places=tuple(places), incomplete=tuple(incomplete), refused=tuple(refused))


def _written(name: str, value: str) -> str:
    """A further field as BibTeX has it; the double dash between pages stays."""
    return value if name == "pages" and re.fullmatch(r"[\w.:–-]+", value) else encode(value)


def _preprint_doi(doi: str) -> str:
    return doi if "10.48550/" in doi else ""
