"""Versions in a conversation: text that the user gives back, parts of an earlier version, undo and redo, and the style."""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from marwg.conversation import changes, pasted
from marwg.conversation.looking import Looking
from marwg.conversation.pasted import Pasted
from marwg.conversation.views import Answer
from marwg.errors import InputError
from marwg.events import Event, Notice, RunFinished
from marwg.pipeline import Pipeline
from marwg.tasks import TurnReply
from marwg.text.references import cited
from marwg.text.style import Wish, shaped, wished
from marwg.types import ABSTRACT_PAGE, POSITION, Draft, PaperId, Run, Shortlisted, Style
from marwg.verification.ledger import entry_of
from marwg.writing import matrix, paper_answers, versions

Told = Event | Answer


class Versioning(Looking):
    """The side of an assistant that makes versions without a writer, and looks things up in the papers."""

    # ------------------------------------------------------------ text given back

    def _given_back(self, run: Run | None, text: str) -> Pasted | None:
        """The draft of this conversation where a message gives it back, edited."""
        if run is None or run.draft is None or run.review is not None:
            return None
        return pasted.pasted(text, run.draft, self._library.papers())

    async def _take_over(self, run: Run, given: Pasted) -> AsyncGenerator[Told]:
        assert run.draft is not None
        if given.sections == run.draft.sections:
            yield Answer("This is the text as it stands: nothing in it changed.")
            return
        if given.unknown:
            named = ", ".join(f"“{name}”" for name in given.unknown)
            yield Notice(text=f"These citations name no paper of the library: {named}.", level="warning")
        run = self._with_papers(run, given)
        shortlist = [s.paper_id for s in run.candidates.shortlist] if run.candidates else []
        assert run.draft is not None
        draft = pasted.version(run.draft, given.sections, shortlist, "your own edit")
        async with aclosing(self._put(run, draft)) as told:
            async for each in told:
                yield each

    def _with_papers(self, run: Run, given: Pasted) -> Run:
        """The run with papers of the library in its shortlist that only the user's text cites."""
        if run.candidates is None:
            return run
        there = {s.paper_id for s in run.candidates.shortlist}
        new = self._papers([i for i in cited(Draft(author="user", sections=given.sections)) if i not in there])
        more = tuple(Shortlisted(paper_id=i, score=0.0) for i in new)
        candidates = run.candidates.model_copy(update={"shortlist": run.candidates.shortlist + more})
        return run.model_copy(update={"candidates": candidates})

    async def _put(self, run: Run, draft: Draft) -> AsyncGenerator[Told]:
        """A draft as the next version: its changed claims are checked, and the difference is shown."""
        before = run.draft
        assert before is not None
        async with aclosing(Pipeline(self._services, run.usage).put_draft(run, draft)) as events:
            async for event in events:
                yield event
        after = self._runs.get(run.run_id).draft
        if after is not None:
            yield Answer(changes.draft_difference(before, after, self._library.papers()))

    # ------------------------------------------------------------ earlier and later versions

    def _version(self, run: Run, number: int) -> Draft:
        kept = {d.version: d for d, _ in self._runs.versions(run.run_id)}
        if number not in kept:
            there = ", ".join(str(v) for v in kept) or "none yet"
            raise InputError(f"There is no version {number}.", f"Versions: {there}.")
        return kept[number]

    async def _take(self, run: Run, reply: TurnReply) -> AsyncGenerator[Told]:
        """A paragraph, a section or all of an earlier version, in a new one."""
        if run.draft is None:
            raise InputError("There is no draft yet.", 'Approve the outline first: say "approve".')
        section = reply.topics[0] if reply.topics else 0
        changed = versions.taken(run.draft, self._version(run, reply.version), section, reply.paragraph)
        if changed.sections == run.draft.sections and changed.headings == run.draft.headings:
            yield Answer(f"That part is the same in version {reply.version}: nothing changed.")
            return
        what = f"paragraph {reply.paragraph}" if reply.paragraph else "the text"
        what += f" of section {section}" if section else ""
        shortlist = [s.paper_id for s in run.candidates.shortlist] if run.candidates else []
        draft = pasted.version(changed, changed.sections, shortlist, f"{what} as in version {reply.version}")
        async with aclosing(self._put(run, draft)) as told:
            async for each in told:
                yield each

    async def _redo(self, run: Run) -> AsyncGenerator[Told]:
        if run.draft is None:
            raise InputError("There is no draft yet.", 'Approve the outline first: say "approve".')
        kept = self._runs.versions(run.run_id)
        draft = versions.redone(run.draft, [d for d, _ in kept])
        ledger = next(entries for d, entries in kept if d.version == draft.version)
        run = run.model_copy(update={"draft": draft, "ledger": ledger})
        self._runs.save(run)
        yield Answer(f"Forward to version {draft.version}.")
        yield RunFinished(run=run)

    # ------------------------------------------------------------ style

    def _wished_style(self, run: Run, text: str) -> tuple[Run, Wish | None]:
        """The run with the style that a message asks for, kept for what is written later too."""
        wish = wished(text)
        if wish is None:
            return run, None
        now = run.request.parameters
        style = Style.model_validate(now.style.model_dump() | wish.changes)
        parameters = now.model_copy(update={"style": style})
        run = run.model_copy(update={"request": run.request.model_copy(update={"parameters": parameters})})
        self._runs.save(run)
        return run, wish

    def _noted_style(self, thread_id: str, run: Run | None, text: str) -> Answer | None:
        """Takes note of a style that is wished before there is a draft; None where a message wishes for none."""
        wish = wished(text)
        if wish is None or not wish.whole or (run is not None and run.draft is not None):
            return None
        now = self.parameters(thread_id)
        style = Style.model_validate(now.style.model_dump() | wish.changes)
        self._parameters[thread_id] = now.model_copy(update={"style": style})
        if run is not None:
            request = run.request.model_copy(
                update={"parameters": run.request.parameters.model_copy(update={"style": style})}
            )
            self._runs.save(run.model_copy(update={"request": request}))
        return Answer("Noted: the section will be written so.")

    @staticmethod
    def _with_claim(run: Run, text: str) -> str:
        """A wish about a numbered claim with the words of that claim, so that nothing but its paragraph changes."""
        named = re.search(r"\bclaim\s+(?:number\s+|#)?(\d+)\b", text, re.IGNORECASE)
        entry = entry_of(run.ledger, int(named[1])) if named and run.ledger else None
        return f"{text} (claim {entry.claim.number}: “{entry.claim.sentence}”)" if entry else text

    def _restyled(self, run: Run, wish: Wish, reason: str) -> Draft | None:
        """The draft in its style where code alone can do all that is asked; None where a writer has to."""
        draft = run.draft
        if draft is None or not wish.whole or wish.needs_writer or "word_limit" in wish.changes:
            return None
        changed = shaped(draft, run.request.parameters.style)
        shortlist = [s.paper_id for s in run.candidates.shortlist] if run.candidates else []
        return pasted.version(changed, changed.sections, shortlist, reason)

    @staticmethod
    def _closing_asked(run: Run, wish: Wish | None) -> bool:
        """Whether the closing paragraph is to be written that the draft does not have."""
        there = {s.topic_id for s in run.draft.sections} if run.draft else set()
        return bool(wish and wish.whole and wish.changes.get("closing") and POSITION not in there)

    # ------------------------------------------------------------ what the papers say

    async def _compare(self, run: Run, reply: TurnReply) -> AsyncGenerator[Told]:
        """The comparison matrix of the shortlist, or of the papers named."""
        if run.cards is None:
            raise InputError("The papers are not summarized yet.", "Continue the run first.")
        whole = self._matrix(run) or matrix.Matrix(())
        shown = matrix.only(whole, reply.papers) if reply.papers else whole
        note = f"{shown.silent} cells are empty because the source does not say." if shown.silent else ""
        yield Answer("\n\n".join(p for p in (matrix.markdown(shown), note) if p))

    async def _ask_papers(self, run: Run, reply: TurnReply) -> AsyncGenerator[Told]:
        """What the papers say, in their words; nothing is written that the library does not have."""
        ids = [s.paper_id for s in run.candidates.shortlist] if run.candidates else []
        papers = list(self._papers(ids).values())
        asked = [i for i in reply.papers if i in ids]
        pages = {i: self._texts(i) for i in (asked or ids)}
        if asked:
            args: tuple[Any, ...] = (asked, reply.aspect, reply.statement, run.cards or (), papers, pages)
            yield Answer(paper_answers.of_papers(*args))
        elif reply.statement:
            yield Answer(paper_answers.with_phrase(reply.statement, papers, pages))
        else:
            yield Answer("Which paper do you mean? Name its first author or words of its title.")

    def _texts(self, paper_id: PaperId) -> tuple[tuple[int, str], ...]:
        paper = self._library.get(paper_id)
        return ((ABSTRACT_PAGE, paper.abstract), *((p.number, p.text) for p in self._library.pages(paper_id)))
