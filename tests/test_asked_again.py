"""A claim that is checked again is really asked about: past the cache, past kept outputs, by another model if named."""

from typing import Any

import pytest

from marwg.agents import fact_checking
from marwg.errors import ModelError
from marwg.language_models import Models
from marwg.settings import Settings
from marwg.tasks import ClaimVerdict, ClaimVerdicts, JudgeClaims
from marwg.types import ClaimState, Request
from tests.fake_encoder import encode
from tests.fake_model import FakeModels
from tests.model_server import ModelServer
from tests.paper_world import CANDIDATES, CARDS, FOCAL, MemoryIndex, MemoryLibrary
from tests.test_fact_checking import S1, S2, draft

VERDICT = ClaimVerdicts(verdicts=(ClaimVerdict(id="c1", label="supported"),)).model_dump_json()
TASK = JudgeClaims(claims=())


def models(server: ModelServer, **more: Any) -> Models:
    return Models(
        Settings(generator="compatible:a", verifier="compatible:b", base_url=f"{server.url}/v1", **more), encode
    )


async def test_a_fresh_question_goes_out_again(own_home: Any) -> None:
    async with ModelServer(VERDICT, VERDICT) as server, models(server) as m:
        await m.run(TASK)
        await m.run(TASK)
        assert (m.usage.calls, m.usage.cached) == (1, 1)
        await m.run(TASK, fresh=True)
        assert (m.usage.calls, m.usage.cached) == (2, 1)


async def test_another_model_judges_in_the_verifiers_place_alone(own_home: Any) -> None:
    async with ModelServer(VERDICT) as server, models(server) as m:
        other = m.judged_by("compatible:c")
        assert other.name("verifier", "judge_claims") == "compatible:c"
        assert other.name("generator", "judge_claims") == "compatible:a"
        assert m.name("verifier", "judge_claims") == "compatible:b"
        with pytest.raises(ModelError, match="names no model"):
            m.judged_by("nobody")


async def test_the_ledger_names_the_models_that_judge_and_not_those_that_write(own_home: Any) -> None:
    async with ModelServer(VERDICT) as server, models(server, task_models={"judge_claims": "compatible:judge"}) as m:
        assert fact_checking.judges_of(m) == ("compatible:judge", "compatible:judge")


def judging(label: str) -> Any:
    def judge(task: Any) -> ClaimVerdicts:
        return ClaimVerdicts.model_validate({"verdicts": [{"id": v.id, "label": label} for v in task.claims]})

    return judge


async def verified(fake: FakeModels, previous: Any = None, fresh: bool = False) -> Any:
    library = MemoryLibrary()
    args = (Request(focal=FOCAL), draft(S1, S2, author="user"), CANDIDATES, CARDS, fake, library, MemoryIndex(library))
    _, ledger = await fact_checking.verify(*args, [].append, previous, fresh)  # type: ignore[arg-type]
    return ledger


async def test_only_the_claim_that_was_taken_out_is_asked_about(own_home: Any) -> None:
    first = await verified(FakeModels({"judge_claims": judging("supported")}))
    without = first.model_copy(update={"entries": first.entries[1:]})
    fake = FakeModels({"judge_claims": judging("not supported")}, names=("fake generator", "somebody else"))
    again = await verified(fake, without, fresh=True)
    assert [e.state for e in again.entries] == [ClaimState.UNSUPPORTED, ClaimState.SUPPORTED]
    assert again.entries[0].judgements[1].judge == "somebody else"
    assert again.judges == first.judges
    assert {v.sentence for t in fake.asked for v in t.claims} == {S1.replace(" [@p1]", "")}
