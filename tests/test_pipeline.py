"""One path through all stages with the real services: it stops, goes on, repeats for nothing and loses nothing."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from marwg.agents import integration
from marwg.conversation import starters
from marwg.errors import EmptyLibrary, ModelUnavailable
from marwg.events import Event, Notice, OutlineReady, RunFinished, StageFinished, StageStarted
from marwg.pipeline import Pipeline
from marwg.services import Services
from marwg.text.markup import citations_of
from marwg.types import Focal, Parameters, Request, Run, Stage
from tests.real_services import open_services

STARTER = starters.load()[0]
REQUEST = Request(focal=Focal(title=STARTER.title, abstract=STARTER.abstract), parameters=Parameters(breadth=8))


@pytest_asyncio.fixture
async def services(own_home: Path) -> AsyncIterator[Services]:
    opened = open_services(own_home)
    yield opened
    await opened.close()


async def advanced(services: Services, run: Run) -> tuple[Run, list[Event]]:
    events = [event async for event in Pipeline(services).advance(run)]
    return services.runs.get(run.run_id), events


async def drafted(services: Services, request: Request = REQUEST) -> tuple[Run, list[Event]]:
    run, _ = await advanced(services, services.runs.start("thread", request))
    return await advanced(services, run.model_copy(update={"outline_approved": True}))


async def test_a_run_waits_at_the_outline_and_ends_in_a_verified_draft(services: Services):
    run, events = await advanced(services, services.runs.start("thread", REQUEST))
    assert isinstance(events[-1], OutlineReady)
    assert [e.stage for e in events if isinstance(e, StageStarted)] == list(Stage)[:3]
    assert run.draft is None
    run, events = await advanced(services, run.model_copy(update={"outline_approved": True}))
    assert isinstance(events[-1], RunFinished)
    assert run.draft
    assert run.ledger
    assert run.ledger.version == run.draft.version == 1
    shortlist = {s.paper_id for s in run.candidates.shortlist}
    cited = {c for s in run.draft.sections for sentence in s.sentences for c in citations_of(sentence.text)}
    assert cited
    assert cited <= shortlist
    assert cited | {u.paper_id for u in run.draft.uncited} == shortlist
    sentences = {s.text for section in run.draft.sections for s in section.sentences}
    assert {e.claim.sentence for e in run.ledger.entries} <= sentences


async def test_the_same_request_again_does_nothing_twice(services: Services):
    first, _ = await drafted(services)
    second, events = await drafted(services)
    assert all(e.kept for e in events if isinstance(e, StageFinished))
    assert second.run_id != first.run_id
    assert second.draft == first.draft
    assert second.ledger == first.ledger


@pytest.mark.parametrize("changed", [{"breadth": 5}, {"words": 300}, {"density": 3}])
async def test_a_changed_parameter_does_again_what_hangs_on_it(services: Services, changed: dict[str, int]):
    await drafted(services)
    parameters = REQUEST.parameters.model_copy(update=changed)
    request = REQUEST.model_copy(update={"parameters": parameters})
    run, events = await advanced(services, services.runs.start("thread", request))
    _, more = await advanced(services, run.model_copy(update={"outline_approved": True}))
    kept = {e.stage: e.kept for e in [*events, *more] if isinstance(e, StageFinished)}
    first_done_again = {"breadth": Stage.CANDIDATES, "words": Stage.DRAFT, "density": Stage.TAXONOMY}[
        next(iter(changed))
    ]
    assert kept[first_done_again] is False
    assert all(kept[s] for s in list(Stage)[: list(Stage).index(first_done_again)])


async def test_a_run_stopped_in_a_stage_goes_on_with_what_was_done(services: Services, monkeypatch: pytest.MonkeyPatch):
    run, _ = await advanced(services, services.runs.start("thread", REQUEST))
    run = run.model_copy(update={"outline_approved": True})
    write, cancelled = integration.write, []

    async def endless(*args: object) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    monkeypatch.setattr(integration, "write", endless)
    events = Pipeline(services).advance(run)
    assert (await anext(events)) == StageStarted(stage=Stage.DRAFT)
    await asyncio.sleep(0.05)
    await events.aclose()
    assert cancelled
    monkeypatch.setattr(integration, "write", write)
    run, told = await advanced(services, run)
    assert [e.stage for e in told if isinstance(e, StageStarted)] == [Stage.DRAFT, Stage.VERIFICATION]
    assert run.ledger


async def test_an_output_that_came_with_a_warning_is_not_kept_for_others(
    services: Services, monkeypatch: pytest.MonkeyPatch
):
    write = integration.write

    async def with_a_warning(*args):  # type: ignore[no-untyped-def]
        args[-1](Notice(text="the model failed once", level="warning"))
        return await write(*args)

    monkeypatch.setattr(integration, "write", with_a_warning)
    await drafted(services)
    _, events = await drafted(services)
    kept = {e.stage: e.kept for e in events if isinstance(e, StageFinished)}
    assert kept[Stage.DRAFT] is False


async def test_an_error_in_a_stage_reaches_the_caller_and_the_run_is_kept(
    services: Services, monkeypatch: pytest.MonkeyPatch
):
    run, _ = await advanced(services, services.runs.start("thread", REQUEST))
    run = run.model_copy(update={"outline_approved": True})

    async def failing(*args: object) -> None:
        raise ModelUnavailable("The model does not answer.", "Try again.")

    monkeypatch.setattr(integration, "write", failing)
    with pytest.raises(ModelUnavailable):
        [event async for event in Pipeline(services).advance(run)]
    assert services.runs.get(run.run_id).outline


async def test_an_empty_library_says_so_before_anything_is_written(own_home: Path):
    services = open_services(own_home, starter=False)
    run = services.runs.start("thread", REQUEST)
    with pytest.raises(EmptyLibrary):
        [event async for event in Pipeline(services).advance(run)]
    assert services.runs.get(run.run_id).candidates is None
    await services.close()


async def test_a_removed_paper_leaves_the_text_and_the_other_sections_stay(services: Services):
    run, _ = await drafted(services)
    gone = citations_of(run.draft.sections[0].sentences[0].text)[0]
    touched = {s.topic_id for s in run.draft.sections for x in s.sentences if gone in citations_of(x.text)}
    events = [e async for e in Pipeline(services).revise(run, "remove it", without=(gone,))]
    assert isinstance(events[-1], RunFinished)
    after = services.runs.get(run.run_id)
    assert after.draft.version == 2
    assert after.draft.parent == 1
    assert gone not in {c for s in after.draft.sections for x in s.sentences for c in citations_of(x.text)}
    before = {s.topic_id: s for s in run.draft.sections}
    assert all(s == before[s.topic_id] for s in after.draft.sections if s.topic_id not in touched)
    assert [d.version for d, _ in services.runs.versions(run.run_id)] == [1, 2]
