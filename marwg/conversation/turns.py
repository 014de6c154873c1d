"""What a message asks for: the model (or the built-in rules) routes it, code checks that it can be done."""

from collections.abc import Mapping

from marwg.errors import InputError
from marwg.language_models import Models
from marwg.sources import source_of
from marwg.tasks import RouteTurn, TurnReply
from marwg.types import Paper, PaperId, Run

LONGEST_MESSAGE = 4_000
"""Characters of a message that is not a focal paper; a wish is shorter."""


async def route(
    message: str, stage: str, run: Run | None, papers: Mapping[PaperId, Paper], models: Models
) -> TurnReply:
    """The action that a message asks for, with numbers and ids that exist; InputError where they do not."""
    if len(message) > LONGEST_MESSAGE:
        raise InputError(
            f"This message has {len(message):,} characters and does not begin with a title and an abstract.",
            "Send the title on the first line and the abstract below, or say in a few sentences what to do.",
        )
    shortlist = tuple(s.paper_id for s in run.candidates.shortlist) if run and run.candidates else ()
    task = RouteTurn(
        message=message,
        stage=stage,
        topics=_titles(run),
        papers=tuple(source_of(papers[p], words=0) for p in shortlist if p in papers),
        claims=len(run.ledger.entries) if run and run.ledger else 0,
    )
    return _checked(await models.run(task), task, message)


def _titles(run: Run | None) -> tuple[str, ...]:
    """What the numbers of a message count: the sections of a draft, else the topics of the outline."""
    if run and run.draft:
        return tuple(s.title for s in run.draft.sections)
    return tuple(t.title for t in run.outline.topics) if run and run.outline else ()


def _checked(reply: TurnReply, task: RouteTurn, message: str) -> TurnReply:
    topics, ids = len(task.topics), {p.id for p in task.papers}
    for number in [*reply.topics, *(n for edit in reply.edits for n in edit.topics)]:
        if not 1 <= number <= topics:
            raise InputError(f"There is no topic {number}.", f"The topics are numbered from 1 to {topics}.")
    unknown = [p for p in [*reply.remove_papers, *(p for e in reply.edits for p in e.papers)] if p not in ids]
    if unknown:
        raise InputError("The paper that you mean is not in the shortlist.", "Name its first author or its title.")
    if reply.kind == "why" and not 1 <= reply.claim <= task.claims:
        there = f"The claims are numbered from 1 to {task.claims}." if task.claims else "There is no checked draft yet."
        raise InputError(f"There is no claim {reply.claim or 'of that number'}.", there)
    if reply.kind == "edit_outline" and not reply.edits:
        return reply.model_copy(update={"kind": "unclear", "question": "Which topic should change, and how?"})
    return reply
