"""What live sources find, into the library: by queries, by identifiers, and full texts. One that fails ends nothing."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from marwg.concurrency import all_of
from marwg.errors import LibraryError, SourceUnavailable
from marwg.events import Notice, Progress, Report
from marwg.index import Index
from marwg.library import Library, Remark
from marwg.library.identifiers import Identifier
from marwg.library.pdf import read_pdf
from marwg.library.report import Parsed
from marwg.live import arxiv, openalex, semantic_scholar, zotero
from marwg.live.courier import Budget, Courier
from marwg.live.queries import queries_for
from marwg.settings import Settings
from marwg.types import Focal, Paper, PaperId, Stage

PER_QUERY = 15
MOST_FULL_TEXTS = 20
MOST_NEIGHBOURS, CITED_BY = 20, 3
_IDS_AT_ONCE = 40

Search = Callable[[str, int, date | None, Budget], Awaitable[list[Paper]]]


@dataclass
class _Heard:
    """What came of asking one source."""

    source: str
    papers: list[Paper] = field(default_factory=list)
    trouble: str = ""

    def __str__(self) -> str:
        count = len({(p.doi, p.arxiv_id, p.title) for p in self.papers})
        said = f"{self.source}: {count} paper{'' if count == 1 else 's'}"
        trouble = self.trouble.rstrip(".")
        return f"{said}, then: {trouble.removeprefix(self.source).strip()}" if trouble and count else trouble or said


class Live:
    """arXiv, OpenAlex, Semantic Scholar and Zotero, for one library."""

    def __init__(self, settings: Settings, library: Library, index: Index) -> None:
        self._settings, self._library, self._index = settings, library, index
        self.courier = Courier(settings)
        self._key = settings.semantic_scholar_api_key.get_secret_value()

    async def close(self) -> None:
        """Ends all connections."""
        await self.courier.close()

    def _budget(self) -> Budget:
        return Budget(self._settings.online_requests, self._settings.online_seconds)

    # ------------------------------------------------------------ by queries

    async def find(
        self, focal: Focal, until: date | None, report: Report, queries: Sequence[str] = ()
    ) -> tuple[PaperId, ...]:
        """Searches all sources and takes in what they find; the papers that are new here, and the user is told.

        The queries are made from title and abstract unless some are given. A paper without abstract is not taken.
        """
        asked = list(queries) or queries_for(focal)
        budget = self._budget()
        heard = await all_of(
            self._ask(name, search, asked, until, budget, report) for name, search in self._searches().items()
        )
        new: list[PaperId] = []
        for each in heard:
            usable = [paper for paper in each.papers if paper.abstract]
            done = await asyncio.to_thread(self._library.add, usable, found_by=each.source)
            new += [i for i in done.paper_ids if self._library.found_online().get(i) == each.source]
        new = list(dict.fromkeys(new))
        await self._index.add(new, report)
        failed = any(each.trouble for each in heard)
        text = f"Live search with {len(asked)} queries. {'; '.join(map(str, heard))}."
        report(Notice(text=text, level="warning" if failed else "info"))
        return tuple(new)

    def _searches(self) -> dict[str, Search]:
        send, chosen, key = self.courier, self._settings, self._key
        return {
            arxiv.NAME: lambda q, n, until, b: arxiv.search(send, chosen.arxiv_url, q, n, until, b),
            openalex.NAME: lambda q, n, until, b: openalex.search(
                send, chosen.openalex_url, q, n, until, b, chosen.contact
            ),
            semantic_scholar.NAME: lambda q, n, until, b: semantic_scholar.search(
                send, chosen.semantic_scholar_url, q, n, until, b, key
            ),
        }

    async def _ask(
        self, name: str, search: Search, queries: Sequence[str], until: date | None, budget: Budget, report: Report
    ) -> _Heard:
        """All queries to one source, one after the other, up to the first that fails."""
        heard = _Heard(name)
        for done, query in enumerate(queries, 1):
            try:
                heard.papers += await search(query, PER_QUERY, until, budget)
            except SourceUnavailable as error:
                heard.trouble = error.message
                break
            report(Progress(stage=Stage.CANDIDATES, done=done, total=len(queries), note=f"searching {name}"))
        return heard

    # ------------------------------------------------------------ by citations

    async def neighbours(self, papers: Sequence[PaperId], report: Report) -> dict[PaperId, str]:
        """What several of these papers cite, taken into the library: the papers, each with the reason."""
        dois = [p.doi or f"10.48550/arxiv.{p.arxiv_id}" for p in self._library.papers(papers) if p.doi or p.arxiv_id]
        if len(dois) < CITED_BY:
            return {}
        where, contact = self._settings.openalex_url, self._settings.contact
        dois = dois[:_IDS_AT_ONCE]
        try:
            found = await openalex.often_cited(
                self.courier, where, dois, CITED_BY, MOST_NEIGHBOURS, self._budget(), contact
            )
        except SourceUnavailable as error:
            report(Notice(text=f"Papers that the nearest ones cite were not looked for. {error}", level="warning"))
            return {}
        reasons: dict[PaperId, str] = {}
        for paper, times in found:
            if paper.abstract:
                done = await asyncio.to_thread(self._library.add, [paper], found_by=openalex.NAME)
                reasons[done.paper_ids[0]] = f"cited by {times} of the {len(dois)} nearest papers"
        await self._index.add(list(reasons), report)
        return reasons

    # ------------------------------------------------------------ by identifier

    async def look_up(self, wanted: Sequence[Identifier], report: Report | None = None) -> Parsed:
        """The papers that identifiers name; for each without one, the reason is among `incomplete`."""
        budget, parts = self._budget(), []
        found: dict[Identifier, Paper] = {}
        troubles: dict[str, str] = {}
        for one in wanted:
            if one.kind == "zotero":
                parts.append(await self._zotero(one, budget))
        named = [one for one in wanted if one.kind != "zotero"]
        for kind, ask in (("arxiv", self._by_arxiv_id), ("doi", self._by_doi)):
            ids = [one for one in named if one.kind == kind]
            for start in range(0, len(ids), _IDS_AT_ONCE):
                await self._noting(ask(ids[start : start + _IDS_AT_ONCE], found, budget), troubles)
        for done, one in enumerate(left := [one for one in named if one not in found]):
            if semantic_scholar.NAME in troubles:
                break
            if report is not None:
                report(Progress(stage=Stage.CANDIDATES, done=done, total=len(left), note=f"looking up {one}"))
            await self._noting(self._by_name(one, found, budget), troubles)
        here = [one for one in named if one in found]
        lost = [one for one in named if one not in found]
        why = "; ".join(text.rstrip(".") for text in troubles.values())
        reason = f"not fetched: {why}" if why else "not fetched: no source knows it"
        return Parsed(
            papers=(*(p for part in parts for p in part.papers), *(found[one] for one in here)),
            places=(*(p for part in parts for p in part.places), *(str(one) for one in here)),
            incomplete=(
                *(remark for part in parts for remark in part.incomplete),
                *(Remark(source=str(one), where=one.where, reason=reason) for one in lost),
            ),
            refused=tuple(remark for part in parts for remark in part.refused),
        )

    async def _noting(self, asked: Awaitable[None], troubles: dict[str, str]) -> None:
        try:
            await asked
        except SourceUnavailable as error:
            source = next(
                (n for n in (arxiv.NAME, openalex.NAME, semantic_scholar.NAME) if error.message.startswith(n)), ""
            )
            unknown = source == semantic_scholar.NAME and "status 404" in error.message
            if not unknown:
                troubles[source] = error.message

    async def _by_arxiv_id(self, wanted: Sequence[Identifier], found: dict[Identifier, Paper], budget: Budget) -> None:
        papers = await arxiv.look_up(self.courier, self._settings.arxiv_url, [one.value for one in wanted], budget)
        by_id = {paper.arxiv_id: paper for paper in papers}
        found.update({one: by_id[one.value] for one in wanted if one.value in by_id})

    async def _by_doi(self, wanted: Sequence[Identifier], found: dict[Identifier, Paper], budget: Budget) -> None:
        where, contact = self._settings.openalex_url, self._settings.contact
        papers = await openalex.look_up(self.courier, where, [one.value for one in wanted], budget, contact)
        by_doi = {paper.doi: paper for paper in papers if paper.doi}
        found.update({one: by_doi[one.value] for one in wanted if one.value in by_doi})

    async def _by_name(self, one: Identifier, found: dict[Identifier, Paper], budget: Budget) -> None:
        name = {"doi": "DOI:", "arxiv": "ARXIV:", "url": "URL:"}[one.kind] + one.value
        papers = await semantic_scholar.look_up(
            self.courier, self._settings.semantic_scholar_url, name, budget, self._key
        )
        if papers:
            found[one] = papers[0]

    async def _zotero(self, one: Identifier, budget: Budget) -> Parsed:
        chosen = self._settings
        if not chosen.zotero_library:
            reason = "not read: MARWG_ZOTERO_LIBRARY is not set (users/NUMBER or groups/NUMBER)"
            return Parsed(refused=(Remark(source=str(one), reason=reason),))
        key = chosen.zotero_api_key.get_secret_value()
        try:
            return await zotero.read(self.courier, chosen.zotero_url, chosen.zotero_library, key, one.value, budget)
        except SourceUnavailable as error:
            return Parsed(refused=(Remark(source=str(one), reason=f"not read: {error.message}"),))

    # ------------------------------------------------------------ full texts

    async def full_texts(self, papers: Sequence[PaperId], report: Report) -> int:
        """Fetches the PDFs of the first of these papers that are on arXiv and have no full text here; how many came."""
        with_pages = self._library.with_full_text()
        wanted = [p for p in self._library.papers(papers) if p.arxiv_id and p.paper_id not in with_pages]
        wanted = wanted[:MOST_FULL_TEXTS]
        budget, taken, trouble = self._budget(), 0, ""
        for done, paper in enumerate(wanted):
            report(Progress(stage=Stage.CANDIDATES, done=done, total=len(wanted), note="fetching full texts"))
            try:
                taken += await self._full_text(paper, budget)
            except SourceUnavailable as error:
                trouble = error.message
                if "status 404" not in trouble:
                    break
            except LibraryError as error:
                trouble = error.message
        if wanted:
            said = f"{taken} of {len(wanted)} full texts were fetched from {arxiv.NAME}."
            report(Notice(text=f"{said} {trouble}".strip(), level="warning" if trouble else "info"))
        return taken

    async def _full_text(self, paper: Paper, budget: Budget) -> int:
        body = await arxiv.pdf(self.courier, self._settings.arxiv_url, paper.arxiv_id, budget)
        with tempfile.TemporaryDirectory(prefix="marwg-") as folder:
            file = Path(folder) / f"{paper.arxiv_id.replace('/', '_')}.pdf"
            file.write_bytes(body)
            parsed = await asyncio.to_thread(read_pdf, file)
        pages = [page.model_copy(update={"paper_id": paper.paper_id}) for page in parsed.pages]
        await asyncio.to_thread(self._library.add, (), pages)
        return int(bool(pages))
