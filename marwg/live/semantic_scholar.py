"""Semantic Scholar: its graph to papers."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any
from urllib.parse import quote

from marwg.errors import SourceUnavailable
from marwg.library.records import family_first, paper_from, year_in
from marwg.live.courier import Budget, Courier
from marwg.types import Paper

NAME = "Semantic Scholar"
PAUSE = 1.1
_FIELDS = "title,abstract,year,venue,authors,externalIds,publicationTypes,journal,url"


async def search(
    courier: Courier, base: str, query: str, limit: int, until: date | None, budget: Budget, key: str = ""
) -> list[Paper]:
    """The papers that match a query, likeliest first."""
    params = {"query": query.replace("-", " "), "limit": str(limit), "fields": _FIELDS}
    if until is not None:
        params["publicationDateOrYear"] = f":{until.isoformat()}"
    url = f"{base}/graph/v1/paper/search"
    answer = await courier.get(NAME, url, budget, params=params, headers=_headers(key), pause=PAUSE)
    return parse(answer.body)


async def look_up(courier: Courier, base: str, name: str, budget: Budget, key: str = "") -> list[Paper]:
    """The paper that "DOI:…", "ARXIV:…" or "URL:…" names."""
    url = f"{base}/graph/v1/paper/{quote(name, safe=':/')}"
    answer = await courier.get(NAME, url, budget, params={"fields": _FIELDS}, headers=_headers(key), pause=PAUSE)
    return parse(answer.body)


def _headers(key: str) -> dict[str, str]:
    return {"x-api-key": key} if key else {}


def parse(body: bytes) -> list[Paper]:
    """The papers of an answer that have a title; SourceUnavailable where it is no such answer."""
    try:
        found = json.loads(body)
        rows = found.get("data") or [] if "data" in found or "total" in found else [found]
        return [paper for row in rows if isinstance(row, Mapping) and (paper := _paper(row)).title]
    except (ValueError, TypeError, AttributeError) as error:
        raise SourceUnavailable(f"{NAME} sent an answer that cannot be read.") from error


def _paper(row: Mapping[str, Any]) -> Paper:
    ids = row.get("externalIds") or {}
    journal = row.get("journal") or {}
    kinds = row.get("publicationTypes") or ()
    arxiv_id, doi = str(ids.get("ArXiv") or ""), str(ids.get("DOI") or "")
    venue = str(row.get("venue") or journal.get("name") or "")
    entry_type = "inproceedings" if "Conference" in kinds else "article" if "JournalArticle" in kinds else "misc"
    preprint = "arxiv" in venue.casefold() or (bool(arxiv_id) and not venue)
    return paper_from(
        title=str(row.get("title") or ""),
        authors=[family_first(str(a["name"])) for a in row.get("authors") or () if (a or {}).get("name")],
        year=year_in(row.get("year") or ""),
        venue="arXiv" if preprint else venue,
        doi="" if "10.48550/" in doi else doi,
        arxiv_id=arxiv_id,
        url=str(row.get("url") or ""),
        entry_type="misc" if preprint else entry_type,
        abstract=str(row.get("abstract") or ""),
        extra={"volume": str(journal.get("volume") or ""), "pages": str(journal.get("pages") or "")},
    )
