"""What can be seen of the conversations, the papers and the evidence, without changing a run."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from marwg.conversation import starters, views
from marwg.conversation.views import EvidenceView, PaperView, Starter
from marwg.errors import InputError, RunError
from marwg.exports import write_all
from marwg.services import Services
from marwg.types import Paper, PaperId, Parameters, Run
from marwg.verification.ledger import entry_of
from marwg.writing.matrix import Matrix, matrix


class Looking:
    """The readable side of an assistant."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._library = services.library
        self._runs = services.runs
        self._parameters: dict[str, Parameters] = {}

    async def describe(self) -> str:
        """In a few sentences: which models write and check, what the library holds, and what to know of that."""
        models, count = self._services.models, len(self._library)
        roles = f"Written by **{models.name()}**, checked by the same and **{models.name('verifier')}**"
        if not models.independent:
            roles = f"Written and checked by **{models.name()}**"
        held = f"{count} paper{'' if count == 1 else 's'} in the library"
        return "\n\n".join([f"{roles}; {held}.", *models.warnings])

    def starters(self) -> list[Starter]:
        """Focal papers to begin with."""
        return starters.load()

    def run(self, thread_id: str) -> Run | None:
        """The current run of a conversation."""
        return self._runs.of_thread(thread_id)

    def decisions(self, thread_id: str) -> dict[str, str]:
        """What the user decided about claims: claim_id → "accept" or "reject"."""
        run = self.run(thread_id)
        return self._runs.decisions(run.run_id) if run else {}

    def paper_card(self, paper_id: PaperId) -> PaperView:
        """What is shown of a paper; LibraryError where there is none."""
        return views.paper_view(self._library.get(paper_id), self._library.has_full_text(paper_id))

    async def evidence(self, thread_id: str, claim: int) -> list[EvidenceView]:
        """The passages that a claim was checked against, best first."""
        run = self._run(thread_id)
        entry = entry_of(run.ledger, claim) if run.ledger else None
        if entry is None:
            raise InputError(f"There is no claim {claim} in this draft.")
        shown = []
        for evidence in entry.evidence:
            passage = evidence.passage
            known = self._papers([passage.paper_id]).get(passage.paper_id)
            paper = views.paper_view(known, self._library.has_full_text(known.paper_id)) if known else None
            shown.append(
                EvidenceView(
                    paper_id=passage.paper_id,
                    title=paper.title if paper else run.request.focal.title,
                    cited_as=paper.cited_as if paper else "Your abstract",
                    page=passage.page,
                    text=passage.text,
                    url=paper.url if paper else "",
                    is_note=bool(paper and paper.is_note and not passage.page),
                    marks=evidence.marks,
                )
            )
        return shown

    async def export(self, thread_id: str, folder: Path) -> list[Path]:
        """The draft, its bibliography and its ledger as files of one version."""
        run = self._run(thread_id)
        if run.draft is None:
            raise RunError("There is no draft to export yet.", "Approve the outline first.")
        return await asyncio.to_thread(
            write_all,
            folder,
            run.request.focal,
            run.draft,
            run.ledger,
            self._library.papers(),
            run.review,
            self._runs.decided(run.run_id),
            run.taxonomy,
            self._matrix(run),
            run.paper,
            self._services.settings.csl,
        )

    def _matrix(self, run: Run) -> Matrix | None:
        """The comparison matrix of a run; nothing where its papers are not summarized."""
        if not run.cards:
            return None
        return matrix(run.cards, run.focal_card, self._papers([c.paper_id for c in run.cards]).values())

    def parameters(self, thread_id: str) -> Parameters:
        """Θ for the next run of a conversation."""
        run = self.run(thread_id)
        return self._parameters.get(thread_id) or (run.request.parameters if run else Parameters())

    async def set_parameters(self, thread_id: str, values: dict[str, Any]) -> Parameters:
        """Changes Θ for the next run; InputError names a value that is out of range, and nothing is changed then."""
        try:
            changed = Parameters.model_validate(self.parameters(thread_id).model_dump() | values)
        except ValidationError as error:
            first = error.errors()[0]
            raise InputError(f"{first['loc'][0]} cannot be {first['input']!r}: {first['msg'].lower()}.") from error
        self._parameters[thread_id] = changed
        return changed

    def _run(self, thread_id: str) -> Run:
        run = self.run(thread_id)
        if run is None:
            raise RunError("There is nothing to work on yet.", "Send a title and an abstract first.")
        return run

    def _papers(self, ids: Sequence[PaperId]) -> dict[PaperId, Paper]:
        return {p.paper_id: p for p in self._library.papers(ids)}
