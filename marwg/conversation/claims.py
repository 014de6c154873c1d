"""What a conversation answers about claims, and what the user does with one: accept, reject, edit, move, check again."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from marwg.errors import InputError
from marwg.index import Index
from marwg.library import Library
from marwg.runs import Runs
from marwg.tasks import TurnReply
from marwg.text.markup import citations_of, map_citations, normalise_markers, split_sentences, tidy
from marwg.text.quantities import backed, quantities
from marwg.text.wording import content_words, negated_pairs, opposite_direction, overlap
from marwg.types import LedgerEntry, Paper, PaperId, Passage, Run
from marwg.verification import evidence
from marwg.verification.claims import FOCAL
from marwg.verification.ledger import entry_of, explain
from marwg.verification.ledger_answers import answer, named, nearest, where

QUOTES = 3
"""Passages that answer "is it true that …"."""


async def answered(run: Run, reply: TurnReply, library: Library, index: Index, runs: Runs) -> str:
    """The answer to a question about the ledger; InputError where there is none yet."""
    if run.ledger is None or reply.about is None:
        raise InputError("There is no checked draft yet.", "Approve the outline first, or send a text to check.")
    papers = _papers(run, library)
    if reply.about == "true":
        return await _is_true(run, reply, papers, library, index)
    asked = [p for p in reply.papers if p in papers]
    return answer(reply.about, run.ledger, papers.values(), asked, run.review, runs.decided(run.run_id))


def _papers(run: Run, library: Library) -> dict[PaperId, Paper]:
    """The papers that an answer may name: the shortlist, what is cited, and what a review found."""
    ids = [s.paper_id for s in run.candidates.shortlist] if run.candidates else []
    ids += [i for e in run.ledger.entries for i in e.claim.citations] if run.ledger else []
    if run.review:
        ids += [b.paper_id for b in run.review.better] + [c.paper_id for c in run.review.missed] + [*run.review.unused]
    return {p.paper_id: p for p in library.papers(list(dict.fromkeys(ids)))}


# ---------------------------------------------------------------- is it true that …


async def _is_true(run: Run, reply: TurnReply, papers: Mapping[PaperId, Paper], library: Library, index: Index) -> str:
    """What ledger and papers have on a statement: verdicts of claims that say it, and the nearest words of the sources."""
    assert run.ledger is not None
    statement = reply.statement
    lines = []
    for entry in nearest(statement, run.ledger, _alike):
        lines += [f"The draft says nearly this: **claim {entry.claim.number}, {entry.state.value}**.",
                  f"> {named(entry.claim.sentence, papers)}", ""]  # fmt: skip
    found = await _nearest_words(statement, [p for p in reply.papers if p in papers] or list(papers), papers, index)
    if found:
        lines += ["The nearest words of the papers:", ""]
        for passage, words in found:
            lines.append(f"- {where(passage.paper_id, passage.page, papers)}: “{words}”")
            lines += [f"  - {difference}" for difference in _differences(statement, words, passage.text)]
        lines += ["", "These are quotes; whether they carry the statement is for you to judge."]
    elif not lines:
        lines = ["Nothing in the papers of this section speaks of it, so I cannot say that it is true."]
    return "\n".join(lines)


def _alike(statement: str, sentence: str) -> float:
    return overlap(content_words(statement), content_words(sentence))


async def _nearest_words(
    statement: str, ids: Sequence[PaperId], papers: Mapping[PaperId, Paper], index: Index
) -> list[tuple[Passage, str]]:
    """The best sentence of each of the passages nearest to a statement, where it has a good part of its words."""
    (vector,) = await index.embedder.aencode([statement])
    abstracts = await index.vectors(list(ids))
    scored = []
    for paper_id in ids:
        passages = [*await index.passages(paper_id)]
        if (passage := evidence.abstract_passage(papers[paper_id])) and paper_id in abstracts:
            passages.append((passage, abstracts[paper_id]))
        scored += [(score, p) for p, score in evidence.choose(statement, vector, passages, limit=2)]
    found = []
    wanted = content_words(statement)
    for _, passage in sorted(scored, key=lambda s: -s[0])[: 4 * QUOTES]:
        best = max(split_sentences(passage.text), key=lambda s: overlap(wanted, content_words(s)), default="")
        if overlap(wanted, content_words(best)) >= 0.4:
            found.append((passage, best))
    return found[:QUOTES]


def _differences(statement: str, words: str, text: str) -> list[str]:
    """Numbers that are not there, and words that turn the meaning round."""
    stated = quantities(text)
    found = [f"“{q.words}” is not there" for q in quantities(statement) if not q.year and not backed(q, stated, text)]
    if pair := opposite_direction(statement, words):
        found.append(f"you say “{pair[0]}”, it says “{pair[1]}”")
    if denied := negated_pairs(statement, words):
        found.append(f"only one of the two denies it: “{denied}”")
    return found


# ---------------------------------------------------------------- what the user does with a claim


class ClaimAction(BaseModel):
    """What a browser sends about a claim; everything in it is checked here."""

    model_config = ConfigDict(extra="ignore")
    claim: int = Field(ge=1)
    decision: str = ""
    sentence: str = Field("", max_length=2000)
    source: str = Field("", max_length=60, description="move: the paper cited now; all of them if empty")
    target: str = Field("", max_length=60, description="move: the paper to cite instead")


def read(payload: dict[str, Any]) -> ClaimAction:
    """The payload of a button on a claim; InputError where it cannot be one."""
    try:
        return ClaimAction.model_validate(payload)
    except ValidationError as error:
        raise InputError("What to do with the claim did not arrive whole.", "Reload the page and try again.") from error


def entry_for(run: Run, number: int) -> LedgerEntry:
    """The entry of a claim that is in the draft; InputError where there is none."""
    entry = entry_of(run.ledger, number) if run.ledger else None
    if entry is None:
        raise InputError(f"There is no claim {number}.", "Look at the ledger for the numbers.")
    return entry


def edited(run: Run, action: ClaimAction) -> tuple[str, str]:
    """The sentence before and after a user's edit; InputError where the new one cannot stand in the draft."""
    before = _standing(run, action.claim)
    after = tidy(normalise_markers(action.sentence))
    if not after or len(split_sentences(after)) != 1:
        raise InputError("A claim is one sentence.", "Write it as one sentence, with its citations as [@id].")
    after = after if after[-1] in '.!?”"' else f"{after}."
    known = {s.paper_id for s in run.candidates.shortlist} if run.candidates else set()
    strange = [i for i in citations_of(after) if i not in known and i not in citations_of(before)]
    if strange:
        raise InputError(f"[@{strange[0]}] is no paper of this section.", "Cite a paper of the shortlist.")
    if after == before:
        raise InputError("The sentence is the same as before.")
    return before, after


def moved(run: Run, action: ClaimAction) -> tuple[str, str]:
    """The sentence before and after a citation of it is moved to another paper of the section."""
    before = _standing(run, action.claim)
    known = {s.paper_id for s in run.candidates.shortlist} if run.candidates else set()
    known |= {b.paper_id for b in run.review.better} if run.review else set()
    if action.target not in known:
        raise InputError(
            "The paper to cite instead is not among those of this section.", "Choose one of the shortlist."
        )
    if action.source and action.source not in citations_of(before):
        raise InputError("The sentence does not cite the paper that should go.", "Reload the page and try again.")
    gone = {action.source} if action.source else set(citations_of(before))

    def change(ids: tuple[PaperId, ...]) -> list[PaperId]:
        return list(dict.fromkeys(action.target if i in gone else i for i in ids))

    after = map_citations(before, change)
    if after == before:
        raise InputError("The sentence cites that paper already.", "Choose another one.")
    return before, after


def _standing(run: Run, number: int) -> str:
    entry = entry_for(run, number)
    sentences = {s.text for section in run.draft.sections for s in section.sentences} if run.draft else set()
    if entry.claim.sentence not in sentences:
        raise InputError(f"Claim {number} was taken out of the text.", "Choose a claim that stands in it.")
    return entry.claim.sentence


def why(run: Run, number: int, library: Library, runs: Runs) -> str:
    """Why a claim stands where it stands, with what the user decided about it."""
    entry = entry_for(run, number)
    ids = {*entry.claim.citations, *(e.passage.paper_id for e in entry.evidence)} - {FOCAL}
    text = explain(entry, library.papers(sorted(ids)))
    own = [d for d in runs.decided(run.run_id) if d.claim_id == entry.claim.claim_id]
    rows = [f"- {d.kind}, {d.made[:16].replace('T', ' ')}" for d in own]
    return "\n".join([text.rstrip(), "", "**What you decided**", *rows, ""]) if rows else text
