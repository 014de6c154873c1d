"""arXiv: its Atom feed to papers."""

import re
from collections.abc import Sequence
from datetime import date
from xml.etree import ElementTree

from marwg.errors import SourceUnavailable
from marwg.library.identity import find_arxiv_id
from marwg.library.latex import plain
from marwg.library.records import family_first, paper_from, year_in
from marwg.live.courier import Budget, Courier
from marwg.types import Paper

NAME = "arXiv"
PAUSE = 3.0  # as its terms ask
_ATOM, _OWN = "{http://www.w3.org/2005/Atom}", "{http://arxiv.org/schemas/atom}"
_SMALL = frozenset("a an and for from in of on or the to via with".split())


async def search(
    courier: Courier, base: str, query: str, limit: int, until: date | None, budget: Budget
) -> list[Paper]:
    """The papers that hold the words of a query, likeliest first."""
    words = [w for w in re.findall(r"[^\W_]+(?:-[^\W_]+)*", query) if w.casefold() not in _SMALL][:10]
    asked = " AND ".join(f"all:{word}" for word in words)
    if until is not None:
        asked += f" AND submittedDate:[190001010000 TO {until:%Y%m%d}2359]"
    params = {"search_query": asked, "max_results": str(limit), "sortBy": "relevance"}
    return await _papers(courier, base, params, budget)


async def look_up(courier: Courier, base: str, ids: Sequence[str], budget: Budget) -> list[Paper]:
    """The papers with these ids, as far as there are any."""
    return await _papers(courier, base, {"id_list": ",".join(ids), "max_results": str(len(ids))}, budget)


async def pdf(courier: Courier, base: str, arxiv_id: str, budget: Budget) -> bytes:
    """The newest PDF of a paper."""
    answer = await courier.get(NAME, f"{base}/pdf/{arxiv_id}", budget, form="pdf", pause=PAUSE)
    return answer.body


async def _papers(courier: Courier, base: str, params: dict[str, str], budget: Budget) -> list[Paper]:
    answer = await courier.get(NAME, f"{base}/api/query", budget, form="xml", params=params, pause=PAUSE)
    return parse(answer.body)


def parse(feed: bytes) -> list[Paper]:
    """The entries of a feed that name a paper; SourceUnavailable where the feed is broken off."""
    try:
        root = ElementTree.fromstring(feed)
    except ElementTree.ParseError as error:
        raise SourceUnavailable(f"{NAME} sent an answer that is broken off.") from error
    papers = []
    for entry in root.iter(f"{_ATOM}entry"):
        address = _text(entry, f"{_ATOM}id")
        arxiv_id = find_arxiv_id(address)
        title = _text(entry, f"{_ATOM}title")
        if not arxiv_id or not title or "/api/errors" in address:
            continue
        authors = [name for author in entry.iter(f"{_ATOM}author") if (name := _text(author, f"{_ATOM}name"))]
        journal = _text(entry, f"{_OWN}journal_ref")
        papers.append(
            paper_from(
                title=title,
                authors=[family_first(name) for name in authors],
                year=year_in(_text(entry, f"{_ATOM}published")),
                venue="arXiv",
                arxiv_id=arxiv_id,
                url=f"https://arxiv.org/abs/{arxiv_id}",
                abstract=_text(entry, f"{_ATOM}summary"),
                extra={"note": f"Published as {journal}"} if journal else {},
            )
        )
    return papers


def _text(element: ElementTree.Element, name: str) -> str:
    found = element.find(name)
    return plain(found.text or "") if found is not None else ""
