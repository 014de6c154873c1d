"""R_final = F_fact(F_integrate(F_organize(F_summarize(F_preprocess(S))))): the one path, as a stream of events.

A run is saved after each stage and can be stopped and continued anywhere; it waits by itself until its outline is
approved. Summaries and taxonomy both depend on the candidates alone, so they are made at the same time and shown one
after the other.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from marwg import __version__, prompts, tasks
from marwg.agents import candidate_construction, fact_checking, integration, organization, summarization
from marwg.events import Event, OutlineReady, Report, RunFinished, Spent, StageFinished, StageStarted
from marwg.regrowth import LastTaxonomy
from marwg.reporting import HeldBack, Watched, reported
from marwg.runs import digest
from marwg.services import Services
from marwg.types import Draft, Outline, PaperId, Run, Stage, TextReview, Usage
from marwg.verification.mending import with_sentence
from marwg.writing.removal import cites, without_papers

Make = Callable[[Report], Awaitable[dict[str, Any]]]


PROMPTS: dict[Stage, tuple[type[tasks.Task[Any]], ...]] = {
    Stage.CANDIDATES: (tasks.ReadCandidates, tasks.AskForMissing),
    Stage.SUMMARIES: (tasks.Summarize,),
    Stage.TAXONOMY: (
        tasks.ClassifyDimensions, tasks.LabelPapers, tasks.NameClusters, tasks.AssignChildren, tasks.SameTopic,
        tasks.MakeOutline, tasks.AssignTopics,
    ),
    Stage.DRAFT: (tasks.DraftSection, tasks.DraftPosition, tasks.GiveFeedback, tasks.ReviseSection),
    Stage.VERIFICATION: (tasks.JudgeClaims, tasks.CorrectClaims),
}  # fmt: skip
"""The prompts that a stage's output depends on."""


class Pipeline:
    """Brings runs forward; every public method is an asynchronous generator of events and may be closed at any time."""

    def __init__(self, services: Services, spent: Usage | None = None, judge: str = "") -> None:
        """`judge` names another model to judge claims in the verifier's place."""
        models = services.models.for_run(spent)
        self._models = models.judged_by(judge) if judge else models
        self._library = services.library
        self._index = services.index
        self._runs = services.runs
        self._online = services.online

    def advance(self, run: Run) -> AsyncGenerator[Event]:
        """Goes on from what the run has: to the outline where it is not approved, else to the verified draft."""
        return self._events(lambda report: self._advance(run, report))

    def revise(
        self, run: Run, instruction: str, topic_ids: tuple[str, ...] = (), without: tuple[PaperId, ...] = ()
    ) -> AsyncGenerator[Event]:
        """Writes the named sections (all if none) again as the user wishes, and checks what changed.

        Papers in `without` leave the run; the sections that cite them are among those written again.
        """
        return self._events(lambda report: self._revise(run, instruction, topic_ids, without, report))

    def verify(self, run: Run, fresh: bool = False) -> AsyncGenerator[Event]:
        """Checks the run's draft again; claims that did not change keep their verdicts. `fresh` asks the judges anew."""
        return self._events(lambda report: self._verified(run, report, again=True, fresh=fresh))

    def check(self, run: Run) -> AsyncGenerator[Event]:
        """Checks a text that the user brought (the run's draft) and looks for better sources and papers it misses."""
        return self._events(lambda report: self._checked(run, report))

    def put_sentence(self, run: Run, before: str, after: str, reason: str) -> AsyncGenerator[Event]:
        """A new version in which the user's sentence stands in the place of another, and is checked."""
        return self._events(lambda report: self._put(run, before, after, reason, report))

    def put_draft(self, run: Run, draft: Draft) -> AsyncGenerator[Event]:
        """A draft that was made outside of the stages (by the user, or from an earlier one) becomes the next version,
        and its changed claims are checked; the text of a user stays as it is."""
        return self._events(lambda report: self._put_draft(run, draft, report))

    def change_outline(
        self, run: Run, outline: Outline, wish: str = "", divided: tuple[tuple[str, ...], ...] = ()
    ) -> AsyncGenerator[Event]:
        """Takes over an edited outline; the draft is written again once it is approved.

        With a `wish` the outline is made anew around what the user fixed. Otherwise papers are assigned again only
        within topics that were `divided` into parts, and where a topic has none.
        """
        return self._events(lambda report: self._change_outline(run, outline, wish, divided, report))

    async def _events(self, work: Callable[[Report], Awaitable[object]]) -> AsyncGenerator[Event]:
        before = self._models.usage
        async with aclosing(reported(work)) as events:  # closed with this generator, not some time later
            async for event in events:
                yield event
        if self._models.usage != before:
            yield Spent(usage=self._models.usage)

    # ------------------------------------------------------------ stages

    async def _advance(self, run: Run, report: Report) -> Run:
        run = await self._candidates(run, report)
        run = await self._cards_and_taxonomy(run, report)
        if not run.outline_approved:
            report(OutlineReady(run=run))
            return run
        run = await self._drafted(run, report)
        return await self._verified(run, report)

    async def _stage(
        self, stage: Stage, run: Run, report: Report, depends_on: tuple[Any, ...], make: Make, fresh: bool = False
    ) -> Run:
        """Does one stage, or takes over its output where the same thing was done before; saves the run.

        An output that came with a warning (a model that failed, a check not made) is not kept for other runs.
        """
        started = time.monotonic()
        report(StageStarted(stage=stage))
        written = [prompts.load(task).digest for task in PROMPTS[stage]]
        key = digest(__version__, written, self._models.name("generator"), *depends_on)
        kept = None if fresh else self._runs.output(stage, key)
        if kept is None:
            watched = Watched(report)
            made = await make(watched)
            run = run.model_copy(update=made)
            if not watched.warned:
                self._runs.keep_output(stage, key, run.model_dump(mode="json", include=set(made)))
        else:
            run = Run.model_validate(run.model_dump(mode="json") | kept)
        run = run.model_copy(update={"usage": self._models.usage})
        self._runs.save(run)
        seconds = time.monotonic() - started
        report(StageFinished(stage=stage, run=run, seconds=seconds, kept=kept is not None))
        return run

    async def _candidates(self, run: Run, report: Report) -> Run:
        if run.candidates is not None:
            return run
        library = self._library.state()
        run = run.model_copy(update={"library": library, "models": self._models.describe_roles()})

        async def make(report: Report) -> dict[str, Any]:
            found = await candidate_construction.construct(
                run.request, self._models, self._library, self._index, report, self._online
            )
            return {"candidates": found, "library": self._library.state()}  # live search may have added papers

        names = {"words", "style", "feedback_rounds", "correction_attempts", "density", "max_level", "clustering"}
        asked = run.request.model_dump(mode="json", exclude={"parameters": names})
        depends_on = (asked, library, self._index.embedder.name, self._online is not None)
        return await self._stage(Stage.CANDIDATES, run, report, depends_on, make)

    async def _cards_and_taxonomy(self, run: Run, report: Report) -> Run:
        candidates = run.candidates
        assert candidates is not None
        held = HeldBack()
        taxonomy = asyncio.create_task(self._organize(run, held)) if run.taxonomy is None else None
        try:
            if run.cards is None:

                async def make(report: Report) -> dict[str, Any]:
                    args = (run.request, candidates, self._models, self._library, report)
                    cards, focal_card = await summarization.summarize(*args)
                    return {"cards": cards, "focal_card": focal_card}

                depends_on = (run.request.focal, candidates.shortlist, run.library)
                run = await self._stage(Stage.SUMMARIES, run, report, depends_on, make)
            if taxonomy is None:
                return run
            return await self._organized(run, report, held, taxonomy)
        finally:
            if taxonomy is not None and not taxonomy.done():
                taxonomy.cancel()
                await asyncio.gather(taxonomy, return_exceptions=True)

    async def _organize(self, run: Run, report: Report) -> dict[str, Any]:
        assert run.candidates is not None
        args = (run.request, run.candidates)
        papers = self._library.papers([s.paper_id for s in run.candidates.shortlist])
        last, watched = self._last_taxonomy(run), Watched(report)
        services = (*args, self._models, self._library, self._index, watched)
        taxonomy = await organization.organize(*services, previous=last.of(papers))
        if not watched.warned:
            last.keep(taxonomy, papers)
        outline = await organization.outline(*args, taxonomy, self._models, self._library, report)
        return {"taxonomy": taxonomy, "outline": outline}

    def _last_taxonomy(self, run: Run) -> LastTaxonomy:
        written = [prompts.load(task).digest for task in PROMPTS[Stage.TAXONOMY]]
        made_by = (__version__, written, self._models.name("generator"), self._index.embedder.name)
        parameters = run.request.parameters.model_dump(include={"density", "max_level", "clustering"})
        return LastTaxonomy(self._runs, digest(*made_by, run.request.focal, parameters))

    async def _organized(self, run: Run, report: Report, held: HeldBack, task: asyncio.Task[dict[str, Any]]) -> Run:
        assert run.candidates is not None
        parameters = run.request.parameters.model_dump(include={"density", "max_level", "clustering"})

        async def make(report: Report) -> dict[str, Any]:
            held.let_through(report)
            return await task

        depends_on = (run.request.focal, run.candidates.shortlist, run.library, parameters)
        run = await self._stage(Stage.TAXONOMY, run, report, depends_on, make)
        assert run.outline is not None
        self._runs.keep_outline(run.run_id, run.outline)
        return run

    async def _drafted(self, run: Run, report: Report) -> Run:
        if run.draft is not None:
            return run
        candidates, outline, cards, focal_card = run.candidates, run.outline, run.cards, run.focal_card
        assert candidates and outline and cards is not None and focal_card

        async def make(report: Report) -> dict[str, Any]:
            args = (run.request, outline, candidates, cards, focal_card, self._models, self._library, report)
            return {"draft": await integration.write(*args)}

        parameters = run.request.parameters.model_dump(include={"words", "style", "feedback_rounds"})
        depends_on = (run.request.focal, outline, cards, focal_card, parameters)
        run = await self._stage(Stage.DRAFT, run, report, depends_on, make)
        assert run.draft is not None
        return self._numbered(run, run.draft)

    async def _verified(self, run: Run, report: Report, again: bool = False, fresh: bool = False) -> Run:
        draft, candidates, cards, previous = run.draft, run.candidates, run.cards, run.ledger
        assert draft and candidates and cards is not None
        if previous is None or previous.version != draft.version or again:

            async def make(report: Report) -> dict[str, Any]:
                args = (run.request, draft, candidates, cards, self._models, self._library, self._index, report)
                mended, ledger = await fact_checking.verify(*args, previous=previous, fresh=fresh)
                return {"draft": mended, "ledger": ledger}

            verifier = fact_checking.judges_of(self._models)
            attempts = run.request.parameters.correction_attempts
            depends_on = (
                run.request.focal,
                draft,
                candidates.shortlist,
                run.library,
                verifier,
                attempts,
                again,
                previous,
            )
            run = await self._stage(Stage.VERIFICATION, run, report, depends_on, make, fresh)
            assert run.draft is not None
            self._runs.keep_version(run.run_id, run.draft, run.ledger)
        report(RunFinished(run=run))
        return run

    async def _checked(self, run: Run, report: Report) -> Run:
        assert run.draft and run.candidates
        state = {"library": self._library.state(), "models": self._models.describe_roles(), "cards": run.cards or ()}
        run = self._numbered(run.model_copy(update=state), run.draft)

        def until_done(event: Event) -> None:
            if not isinstance(event, RunFinished):
                report(event)

        run = await self._verified(run, until_done, again=True)
        draft, ledger, candidates = run.draft, run.ledger, run.candidates
        assert draft and ledger and candidates
        known = [s.paper_id for s in candidates.shortlist]
        args = (run.request, draft, ledger, run.review or TextReview(), known)
        found = await fact_checking.review(*args, self._models, self._library, self._index, report)
        run = run.model_copy(update={"review": found, "usage": self._models.usage})
        self._runs.save(run)
        report(RunFinished(run=run))
        return run

    # ------------------------------------------------------------ changes

    async def _change_outline(
        self, run: Run, outline: Outline, wish: str, divided: tuple[tuple[str, ...], ...], report: Report
    ) -> None:
        candidates, taxonomy = run.candidates, run.taxonomy
        assert candidates and taxonomy
        for parts in divided:
            outline = await organization.divide(run.request, outline, parts, candidates, self._models, self._library)
        if wish:
            args = (run.request, candidates, taxonomy, self._models, self._library, report)
            outline = await organization.outline(*args, kept=outline, wish=wish)
        elif any(not topic.papers for topic in outline.topics):
            outline = await organization.assign_topics(run.request, outline, candidates, self._models, self._library)
        changed = {"outline": outline, "outline_approved": False, "draft": None, "ledger": None}
        run = run.model_copy(update=changed | {"usage": self._models.usage})
        self._runs.save(run)
        self._runs.keep_outline(run.run_id, outline)
        report(OutlineReady(run=run))

    async def _revise(
        self, run: Run, instruction: str, topic_ids: tuple[str, ...], without: tuple[PaperId, ...], report: Report
    ) -> Run:
        assert run.draft is not None
        if without:
            topic_ids = topic_ids or tuple(s.topic_id for s in run.draft.sections if cites(s, without))
            run = without_papers(run, without)
        candidates, outline, cards, focal_card = run.candidates, run.outline, run.cards, run.focal_card
        draft, ledger = run.draft, run.ledger
        assert candidates and outline and cards is not None and focal_card and draft

        async def make(report: Report) -> dict[str, Any]:
            args = (run.request, draft, outline, candidates, cards, focal_card, self._models, self._library, report)
            revised, note = await integration.revise(*args, instruction=instruction, topic_ids=topic_ids)
            if note:
                report(integration.notice(note))
            return {"draft": revised}

        style = run.request.parameters.style
        depends_on = (draft, outline, candidates.shortlist, instruction, topic_ids, style)
        run = await self._stage(Stage.DRAFT, run, report, depends_on, make)
        assert run.draft is not None
        run = self._numbered(run.model_copy(update={"ledger": ledger}), run.draft, parent=draft.version)
        return await self._verified(run, report, again=True)

    async def _put(self, run: Run, before: str, after: str, reason: str, report: Report) -> Run:
        assert run.draft is not None
        draft = with_sentence(run.draft, before, after)
        return await self._put_draft(run, draft.model_copy(update={"author": "user", "reason": reason}), report)

    async def _put_draft(self, run: Run, draft: Draft, report: Report) -> Run:
        assert run.draft is not None
        return await self._verified(self._numbered(run, draft, parent=run.draft.version), report, again=True)

    def _numbered(self, run: Run, draft: Draft, parent: int | None = None) -> Run:
        """Gives a new draft the next free version number of its run and keeps it."""
        versions = self._runs.versions(run.run_id)
        if parent is None and versions:
            parent = versions[-1][0].version
        number = versions[-1][0].version + 1 if versions else 1
        draft = draft.model_copy(update={"version": number, "parent": parent})
        run = run.model_copy(update={"draft": draft})
        self._runs.save(run)
        self._runs.keep_version(run.run_id, draft, None)
        return run
