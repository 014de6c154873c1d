"""OpenAlex: works to papers."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from marwg.errors import SourceUnavailable
from marwg.library.identity import find_arxiv_id
from marwg.library.records import family_first, paper_from, year_in
from marwg.live.courier import Budget, Courier
from marwg.types import Paper

NAME = "OpenAlex"
PAUSE = 0.2
_FIELDS = "id,doi,title,display_name,publication_year,type,authorships,primary_location,biblio,abstract_inverted_index"
_ENTRY_TYPE = {
    "article": "article",
    "book": "book",
    "book-chapter": "incollection",
    "dissertation": "phdthesis",
    "report": "techreport",
    "review": "article",
}


async def search(
    courier: Courier, base: str, query: str, limit: int, until: date | None, budget: Budget, contact: str = ""
) -> list[Paper]:
    """The works that title, abstract or full text of match a query, likeliest first."""
    params = {"search": re.sub(r"[^\w\s-]", " ", query), "per-page": str(limit), "select": _FIELDS}
    if until is not None:
        params["filter"] = f"to_publication_date:{until.isoformat()}"
    return await _works(courier, base, params, budget, contact)


async def look_up(courier: Courier, base: str, dois: Sequence[str], budget: Budget, contact: str = "") -> list[Paper]:
    """The works with these DOIs, as far as there are any."""
    params = {"filter": f"doi:{'|'.join(dois)}", "per-page": str(len(dois)), "select": _FIELDS}
    return await _works(courier, base, params, budget, contact)


async def often_cited(
    courier: Courier, base: str, by: Sequence[str], least: int, limit: int, budget: Budget, contact: str = ""
) -> list[tuple[Paper, int]]:
    """What at least so many of the works with these DOIs cite, and how many of them, most cited first."""
    params = {"filter": f"doi:{'|'.join(by)}", "per-page": str(len(by)), "select": "id,referenced_works"}
    if contact:
        params["mailto"] = contact
    answer = await courier.get(NAME, f"{base}/works", budget, params=params, pause=PAUSE)
    counted = Counter(reference for work in _results(answer.body) for reference in set(_references(work)))
    often = sorted((i for i, times in counted.items() if times >= least), key=lambda i: (-counted[i], i))[:limit]
    if not often:
        return []
    params = {"filter": f"openalex:{'|'.join(often)}", "per-page": str(len(often)), "select": _FIELDS}
    if contact:
        params["mailto"] = contact
    answer = await courier.get(NAME, f"{base}/works", budget, params=params, pause=PAUSE)
    found = {_short(work.get("id")): work for work in _results(answer.body)}
    papers = [(_readable(found[i]), counted[i]) for i in often if i in found]
    return [(paper, times) for paper, times in papers if paper.title]


def _references(work: Mapping[str, Any]) -> list[str]:
    return [short for address in work.get("referenced_works") or () if (short := _short(address))]


def _short(address: object) -> str:
    """W123 of https://openalex.org/W123."""
    return str(address or "").rpartition("/")[2]


async def _works(courier: Courier, base: str, params: dict[str, str], budget: Budget, contact: str) -> list[Paper]:
    if contact:
        params["mailto"] = contact
    answer = await courier.get(NAME, f"{base}/works", budget, params=params, pause=PAUSE)
    return parse(answer.body)


def parse(body: bytes) -> list[Paper]:
    """The works of an answer that have a title; SourceUnavailable where it is no such answer."""
    return [paper for work in _results(body) if (paper := _readable(work)).title]


def _results(body: bytes) -> list[Mapping[str, Any]]:
    try:
        return [work for work in json.loads(body)["results"] if isinstance(work, Mapping)]
    except (ValueError, KeyError, TypeError) as error:
        raise SourceUnavailable(f"{NAME} sent an answer that cannot be read.") from error


def _readable(work: Mapping[str, Any]) -> Paper:
    try:
        return _paper(work)
    except (ValueError, TypeError, AttributeError) as error:
        raise SourceUnavailable(f"{NAME} sent an answer that cannot be read.") from error


def _paper(work: Mapping[str, Any]) -> Paper:
    place = work.get("primary_location") or {}
    venue = str((place.get("source") or {}).get("display_name") or "")
    address, doi = str(place.get("landing_page_url") or ""), str(work.get("doi") or "")
    arxiv_id = find_arxiv_id(address if "arxiv.org" in address else "", _arxiv_doi(doi))
    biblio = work.get("biblio") or {}
    names = [((a or {}).get("author") or {}).get("display_name") for a in work.get("authorships") or ()]
    return paper_from(
        title=str(work.get("title") or work.get("display_name") or ""),
        authors=[family_first(name) for name in names if name],
        year=year_in(work.get("publication_year") or ""),
        venue="arXiv" if arxiv_id and venue.casefold().startswith("arxiv") else venue,
        doi="" if _arxiv_doi(doi) else doi,
        arxiv_id=arxiv_id,
        url=address,
        entry_type=_ENTRY_TYPE.get(str(work.get("type")), "misc") if not _arxiv_doi(doi) else "misc",
        abstract=_abstract(work.get("abstract_inverted_index")),
        extra={
            "volume": str(biblio.get("volume") or ""),
            "number": str(biblio.get("issue") or ""),
            "pages": "--".join(str(p) for p in (biblio.get("first_page"), biblio.get("last_page")) if p),
        },
    )


def _arxiv_doi(doi: str) -> str:
    return doi.lower().replace("10.48550/arxiv.", "arxiv:") if "10.48550/" in doi else ""


def _abstract(places: Any) -> str:
    """The text of an abstract that is kept as word → places; empty where it is withheld."""
    if not isinstance(places, Mapping):
        return ""
    words = sorted((place, word) for word, found in places.items() for place in found or ())
    return " ".join(word for _, word in words)
