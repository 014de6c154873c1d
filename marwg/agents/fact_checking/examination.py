"""Examining claims: R_c for each, the gate, and the verdicts of both judges; nothing is changed here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from marwg.concurrency import all_of
from marwg.errors import KeyRefused, ModelError
from marwg.events import Notice, Report
from marwg.index import Index
from marwg.language_models import Models
from marwg.library import Library
from marwg.tasks import ClaimVerdict, ClaimView, JudgeClaims, Source
from marwg.text.markup import without_citations
from marwg.text.sources import find_quote, match_ids, source_of
from marwg.types import Claim, Evidence, Finding, Judgement, Paper, PaperId, Passage, Request
from marwg.verification import evidence, gate
from marwg.verification.claims import FOCAL, says_only_what_is_near
from marwg.verification.gate import GateSource
from marwg.verification.verdicts import UNION, Outcome, View, outcome, reasons, views_of

Role = Literal["generator", "verifier"]
ROLES: tuple[Role, Role] = ("generator", "verifier")
JUDGING = JudgeClaims.name

CLAIMS_A_CALL = 10
VIEWS_A_CALL = 24
WORDS_A_CALL = 9000
"""A call holds as much as a model of moderate context still reads with care."""

DETAILS = frozenset({"number", "quote", "name"})
"""What a claim may have from the full text that an abstract does not show."""

_MANY = 2
"""Of more papers than this in one view, only the best passages are shown."""


@dataclass(frozen=True)
class Text:
    """What is at hand of one paper: its facts, its passages with vectors, and whether there are pages at all."""

    paper: Paper
    passages: tuple[tuple[Passage, np.ndarray], ...] = ()
    whole: str = ""

    @property
    def readable(self) -> bool:
        return bool(self.paper.abstract.strip() or self.passages)


@dataclass(frozen=True)
class Examined:
    """A claim with what was read for it, what the gate found, and what both judges said of each view."""

    claim: Claim
    read: Mapping[PaperId, tuple[tuple[Passage, float], ...]]
    sources: Mapping[PaperId, Source]
    findings: tuple[Finding, ...] = ()
    verdicts: Mapping[str, tuple[Judgement, ...]] = field(default_factory=dict)
    abstract_only: bool = False

    @property
    def outcome(self) -> Outcome:
        return outcome(self.claim, self.verdicts, self.findings)

    @property
    def against(self) -> str:
        """Everything said against the claim."""
        return reasons(self.verdicts, self.findings)

    @property
    def rests_on_missing_pages(self) -> bool:
        """Whether all that speaks against the claim is a detail that an abstract need not have."""
        return self.abstract_only and bool(self.findings) and all(f.rule in DETAILS for f in self.findings)

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        return tuple(j for key in sorted(self.verdicts, key=lambda k: (k != UNION, k)) for j in self.verdicts[key])

    def evidence(self) -> tuple[Evidence, ...]:
        """What was read, with the words marked that the judges point at, or that come nearest."""
        quotes = [j.quote for j in self.judgements if j.quote]
        text = without_citations(self.claim.sentence)
        return tuple(evidence.marked(text, p, score, quotes) for chosen in self.read.values() for p, score in chosen)


class Examiner:
    """Examines claims of one draft; texts of papers are fetched once."""

    def __init__(
        self,
        request: Request,
        known: Sequence[PaperId],
        models: Models,
        library: Library,
        index: Index,
        report: Report,
        fresh: bool = False,
    ) -> None:
        self.known = tuple(known)
        self._models = models
        self._library = library
        self._index = index
        self._report = report
        self._fresh = fresh
        self._failed: dict[Role, str] = {}
        self._abstracts: Mapping[PaperId, np.ndarray] | None = None
        self._shelf: dict[PaperId, Paper] = {}
        focal = request.focal
        paper = Paper(paper_id=FOCAL, key=FOCAL, title=focal.title, abstract=focal.abstract)
        self._texts: dict[PaperId, Text] = {FOCAL: Text(paper, whole=focal.abstract)}

    async def examine(
        self,
        claims: Sequence[Claim],
        contexts: Mapping[str, str],
        used: Mapping[str, Sequence[Passage]] | None = None,
        judged: Callable[[int], None] = lambda done: None,
    ) -> list[Examined]:
        """Each claim examined, in the order given; `judged` is told how many claims have their verdicts."""
        await self._fetch({i for c in claims for i in c.citations})
        if self._abstracts is None and claims:
            self._abstracts = await self._index.vectors(list(self.known))
            self._shelf = {p.paper_id: p for p in self._library.papers(list(self.known))}
        texts = [without_citations(c.sentence) for c in claims]
        vectors = await self._index.embedder.aencode(texts) if texts else np.zeros((0, 1))
        read = [self._read(c, v, (used or {}).get(c.claim_id, ())) for c, v in zip(claims, vectors, strict=True)]
        checked = [c for c in read if views_of(c.claim)]
        batches = _batches(checked)
        done = 0

        async def judge(role: Role, batch: list[Examined]) -> dict[tuple[int, str], Judgement]:
            nonlocal done
            found = await self._judge(role, batch, contexts)
            done += len(batch)
            judged(done // len(ROLES))
            return found

        answers = await all_of(judge(role, batch) for batch in batches for role in ROLES)
        verdicts: dict[int, dict[str, list[Judgement]]] = {}
        for (batch, _), answer in zip([(b, r) for b in batches for r in ROLES], answers, strict=True):
            for (place, key), judgement in answer.items():
                verdicts.setdefault(id(batch[place]), {}).setdefault(key, []).append(judgement)
        return [self._with(item, verdicts.get(id(item), {})) for item in read]

    def _with(self, item: Examined, verdicts: Mapping[str, list[Judgement]]) -> Examined:
        given = {key: tuple(found) for key, found in verdicts.items()}
        return Examined(item.claim, item.read, item.sources, item.findings, given, item.abstract_only)

    async def best_other(self, claim: Claim, part: str, least: float) -> PaperId | None:
        """The shortlisted paper, not cited by the claim, whose passages are nearest to a part of it."""
        others = [i for i in self.known if i not in claim.citations]
        await self._fetch(set(others))
        (vector,) = await self._index.embedder.aencode([part])
        abstracts = await self._index.vectors(others)
        scored = []
        for place, paper_id in enumerate(others):
            text = self._texts[paper_id]
            near = [(score, p) for p, score in evidence.choose(part, vector, text.passages, limit=1)]
            if (passage := evidence.abstract_passage(text.paper)) and paper_id in abstracts:
                near += [(s, p) for p, s in evidence.choose(part, vector, [(passage, abstracts[paper_id])])]
            if near:
                scored.append((max(s for s, _ in near), -place, paper_id))
        best = max(scored, default=None)
        return best[2] if best and best[0] >= least else None

    # ------------------------------------------------------------ R_c and the gate

    async def _fetch(self, ids: set[PaperId]) -> None:
        wanted = sorted(i for i in ids if i not in self._texts)
        papers = {p.paper_id: p for p in self._library.papers([i for i in wanted if i in self.known])}
        found = await all_of(self._index.passages(i) for i in papers)
        for (paper_id, paper), passages in zip(papers.items(), found, strict=True):
            whole = " ".join((paper.abstract, *(page.text for page in self._library.pages(paper_id))))
            self._texts[paper_id] = Text(paper, tuple(passages), whole)

    def _read(self, claim: Claim, vector: np.ndarray, used: Sequence[Passage]) -> Examined:
        ids = (FOCAL, *claim.citations) if claim.kind == "focal" else claim.citations
        texts = {i: self._texts[i] for i in ids if i in self._texts}
        read: dict[PaperId, tuple[tuple[Passage, float], ...]] = {}
        for paper_id, text in texts.items():
            chosen = evidence.choose(without_citations(claim.sentence), vector, text.passages, used)
            abstract = evidence.abstract_passage(text.paper)
            read[paper_id] = (*(((abstract, 1.0),) if abstract else ()), *chosen)
        sources = {i: source_of(texts[i].paper, [p for p, _ in found if p.page]) for i, found in read.items()}
        gate_sources = {i: GateSource(t.paper, t.whole) for i, t in texts.items() if t.readable}
        findings = (*gate.check(claim, gate_sources, self.known), *self._closer(claim, vector, read))
        cited = [texts[i] for i in claim.citations if i in texts]
        return Examined(claim, read, sources, findings, {}, bool(cited) and not any(t.passages for t in cited))

    def _closer(
        self, claim: Claim, vector: np.ndarray, read: Mapping[PaperId, Sequence[tuple[Passage, float]]]
    ) -> tuple[Finding, ...]:
        """That another paper of the list speaks of the claim far more than all that it cites."""
        cited = [i for i in claim.citations if i in read]
        if claim.kind != "cited" or not cited or not self._abstracts or says_only_what_is_near(claim.sentence):
            return ()
        text = without_citations(claim.sentence)
        near = {
            i: evidence.nearness(text, vector, self._shelf[i], row)
            for i, row in self._abstracts.items()
            if i in self._shelf
        }
        own = max((near.get(i, 0.0) for i in cited), default=0.0)
        own = max([own, *(score for i in cited for p, score in read[i] if p.page)])
        others = [(score, i) for i, score in near.items() if i not in claim.citations]
        best, other = max(others, default=(0.0, ""))
        if best - own < evidence.FAR_MORE:
            return ()
        message = "another paper of the list speaks of this far more than what is cited"
        words = " ".join(text.split()[:8])
        return (Finding(rule="closer", words=words, message=message, paper_id=other),)

    # ------------------------------------------------------------ verdicts

    async def _judge(
        self, role: Role, batch: list[Examined], contexts: Mapping[str, str]
    ) -> dict[tuple[int, str], Judgement]:
        """The judgement of one model on every view of some claims; one that it does not give is "not checked"."""
        asked: dict[str, tuple[int, View]] = {}
        shown: list[ClaimView] = []
        answers: dict[tuple[int, str], Judgement] = {}
        for place, item in enumerate(batch):
            for view in views_of(item.claim):
                passages = tuple(_shown(item, view, i) for i in view.citations if self._readable(i))
                if not passages:
                    why = "no text of the cited paper is at hand"
                    answers[place, view.key] = self._unchecked(role, view, why)
                    continue
                key = f"c{len(shown) + 1}"
                asked[key] = (place, view)
                sentence = without_citations(contexts.get(item.claim.claim_id, item.claim.sentence))
                shown.append(
                    ClaimView(id=key, claim=view.text, sentence=sentence, citations=view.citations, passages=passages)
                )
        verdicts = await self._ask(role, shown)
        for key, (place, view) in asked.items():
            verdict = verdicts.get(key)
            answers[place, view.key] = (
                self._judgement(role, view, verdict, batch[place])
                if verdict
                else self._unchecked(role, view, self._failed.get(role, "the model gave no verdict"))
            )
        return answers

    def _readable(self, paper_id: PaperId) -> bool:
        return paper_id in self._texts and self._texts[paper_id].readable

    async def _ask(self, role: Role, shown: list[ClaimView]) -> dict[str, ClaimVerdict]:
        """The verdicts by id; those that are missing are asked for once more."""
        found: dict[str, ClaimVerdict] = {}
        for _ in range(2):
            missing = tuple(v for v in shown if v.id not in found)
            if not missing:
                break
            task = JudgeClaims(claims=missing)
            try:
                again = self._models.run(task, role=role, fresh=True) if self._fresh else None
                reply = await (again or self._models.run(task, role=role))
            except KeyRefused:
                raise
            except ModelError as error:
                self._report_failure(role, error)
                break
            found |= match_ids(reply.verdicts, [v.id for v in missing]).found
        return found

    def _report_failure(self, role: Role, error: ModelError) -> None:
        if role not in self._failed:
            text = f"{self._models.name(role, JUDGING)} could not judge some claims; they stay “not checked”. {error}"
            self._report(Notice(text=text, level="warning"))
        self._failed[role] = f"no verdict: {error.message}"

    def _unchecked(self, role: Role, view: View, reason: str) -> Judgement:
        return Judgement(
            judge=self._models.name(role, JUDGING), citations=view.citations, label="not checked", reason=reason
        )

    def _judgement(self, role: Role, view: View, verdict: ClaimVerdict, item: Examined) -> Judgement:
        texts = [t for i in view.citations if i in item.sources for t in _texts_of(item.sources[i])]
        supported = verdict.label == "supported"
        return Judgement(
            judge=self._models.name(role, JUDGING),
            citations=view.citations,
            label=verdict.label,
            error_type=None if supported else verdict.error_type,
            confidence=min(1.0, max(0.0, verdict.confidence)),
            reason=verdict.reason.strip(),
            quote=_found(verdict.quote, texts),
        )


def _texts_of(source: Source) -> list[str]:
    return [source.abstract, *(p.text for p in source.passages), source.title]


def _found(quote: str, texts: Sequence[str]) -> str:
    """The words of the source that a verdict quotes; nothing where no text has them."""
    if not quote.strip():
        return ""
    for text in texts:
        if span := find_quote(quote, text):
            return text[span[0] : span[1]]
    return ""


def _shown(item: Examined, view: View, paper_id: PaperId) -> Source:
    source = item.sources[paper_id]
    if len(view.citations) <= _MANY:
        return source
    return source.model_copy(update={"passages": source.passages[:_MANY]})


def _size(item: Examined) -> tuple[int, int]:
    """How many views a claim has, and how many words they show."""
    views = views_of(item.claim)
    shown = [_shown(item, v, i) for v in views for i in v.citations if i in item.sources]
    return len(views), sum(len(s.abstract.split()) + sum(len(p.text.split()) for p in s.passages) for s in shown)


def _batches(items: Sequence[Examined]) -> list[list[Examined]]:
    batches: list[list[Examined]] = []
    views = words = 0
    for item in items:
        more_views, more_words = _size(item)
        full = views + more_views > VIEWS_A_CALL or words + more_words > WORDS_A_CALL
        if not batches or len(batches[-1]) >= CLAIMS_A_CALL or full:
            batches.append([])
            views = words = 0
        batches[-1].append(item)
        views, words = views + more_views, words + more_words
    return batches
