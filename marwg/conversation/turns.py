"""What a message asks for: the model (or the built-in rules) routes it, code checks that it can be done."""

from collections.abc import Mapping

from marwg.errors import InputError
from marwg.extractive.outline_papers import which_paper
from marwg.language_models import Models
from marwg.tasks import OutlineEditReply, RouteTurn, TurnReply
from marwg.text.sources import source_of
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
    named = [*reply.remove_papers, *reply.papers, *(p for e in reply.edits for p in e.papers)]
    unknown = [p for p in named if p not in ids]
    if unknown:
        raise InputError("The paper that you mean is not in the shortlist.", "Name its first author or its title.")
    if reply.kind == "why" and not 1 <= reply.claim <= task.claims:
        there = f"The claims are numbered from 1 to {task.claims}." if task.claims else "There is no checked draft yet."
        raise InputError(f"There is no claim {reply.claim or 'of that number'}.", there)
    if question := _asked_back(reply, task, message):
        return TurnReply(kind="unclear", question=question)
    return reply


# ---------------------------------------------------------------- what is asked back


def _asked_back(reply: TurnReply, task: RouteTurn, message: str) -> str:
    """What to ask where a reply says half of what is needed, or what cannot be at this stage; empty where it is whole."""
    match reply.kind:
        case "revise" | "export" | "show_version" | "take" | "redo" if task.stage == "outline":
            return "There is no draft yet. What should change in the outline, or is it good as it is?"
        case "edit_outline" | "ask_outline" if task.stage == "empty":
            return "There is no outline yet. Send the title of your paper on the first line and its abstract below it."
        case "edit_outline":
            missing = [said for edit in reply.edits if (said := _missing(edit))]
            which = which_paper(message, reply.edits, task.papers)
            return (missing[0] if missing else which) if reply.edits else "Which topic should change, and how?"
        case "ask_outline":
            named = reply.papers or reply.topics or reply.node.strip()
            whole = reply.ask in ("uncovered", "overview") or (reply.ask and named)
            return (
                "" if whole else "Which paper, topic or subtopic do you ask about? Name it by author, title or number."
            )
        case "unclear" if not reply.question.strip() and task.stage != "empty":
            return 'I did not understand what to do. Say it in other words, or say "help".'
    return ""


def _missing(edit: OutlineEditReply) -> str:
    """What an edit lacks to be made, as a question."""
    papers = bool(edit.papers or edit.description.strip())
    whole = {
        "rename": len(edit.topics) == 1 and bool(edit.title.strip()),
        "merge": len(set(edit.topics)) > 1,
        "drop": bool(edit.topics),
        "add": bool(edit.title.strip()),
        "move_papers": len(edit.topics) == 1 and papers,
        "leave_out": papers,
        "split": len(edit.topics) == 1,
        "sort": bool(edit.by.strip()),
        "reorder": bool(edit.topics),
        "resize": edit.count > 0,
        "regenerate": True,
    }
    if whole[edit.kind]:
        return ""
    if edit.kind == "move_papers":
        return "Which papers should be moved?" if len(edit.topics) == 1 else "To which topic should they go?"
    return _QUESTIONS[edit.kind]


_QUESTIONS = {
    "rename": "Which topic, and what should it be called?",
    "merge": "Which topics should be merged? Give their numbers.",
    "drop": "What should be left out: which topic, or which paper?",
    "add": "What should the new topic be on?",
    "leave_out": "Which paper should be left out?",
    "split": "Which topic should be split, and by what?",
    "sort": "In which order should the topics be?",
    "reorder": "In which order should the topics be? Give their numbers.",
    "resize": "How many topics should there be?",
}
