"""A stand-in for `Assistant` (same interface) that plays one believable run, at a pace that a test sets."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from marwg.conversation.views import Answer, EvidenceView, PaperView, Starter, paper_view
from marwg.errors import EmptyLibrary, LibraryError
from marwg.events import (
    CardWritten,
    Event,
    Notice,
    OutlineReady,
    Progress,
    RunFinished,
    SectionWritten,
    Spent,
    StageFinished,
    StageStarted,
)
from marwg.settings import Settings
from marwg.types import (
    Candidate,
    CandidateSet,
    Card,
    Cell,
    Claim,
    ClaimState,
    Correction,
    Dimension,
    Draft,
    ErrorType,
    Evidence,
    Feedback,
    Finding,
    Focal,
    Judgement,
    Ledger,
    LedgerEntry,
    Node,
    Outline,
    Paper,
    PaperRole,
    Parameters,
    Passage,
    Request,
    Run,
    Section,
    Sentence,
    Shortlisted,
    Stage,
    Taxonomy,
    Topic,
    Usage,
)

Told = Event | Answer

_FACTS = """
p1|Lewis, P; Perez, E; Piktus, A|2020|Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks
p2|Karpukhin, V; Oguz, B; Min, S|2020|Dense Passage Retrieval for Open-Domain Question Answering
p3|Gao, T; Yen, H; Yu, J; Chen, D|2023|Enabling Large Language Models to Generate Text with Citations
p4|Bohnet, B; Tran, V; Verga, P|2022|Attributed Question Answering: Evaluation and Modeling for Attributed LLMs
p5|Rashkin, H; Nikolaev, V|2023|Measuring Attribution in Natural Language Generation Models
p6|Min, S; Krishna, K; Lyu, X|2023|FActScore: Fine-grained Atomic Evaluation of Factual Precision
p7|Thorne, J; Vlachos, A|2018|FEVER: a Large-scale Dataset for Fact Extraction and VERification
p8|Wadden, D; Lin, S; Lo, K|2020|Fact or Fiction: Verifying Scientific Claims
p9|Shao, Y; Jiang, Y; Kanell, T|2024|Assisting in Writing Wikipedia-like Articles From Scratch
p10|Wang, Y; Guo, Q; Yao, W|2024|AutoSurvey: Large Language Models Can Automatically Write Surveys
p11|Honovich, O; Aharoni, R|2022|TRUE: Re-evaluating Factual Consistency Evaluation
p12|Khattab, O; Zaharia, M|2020|ColBERT: Efficient and Effective Passage Search
"""


def _paper(line: str) -> Paper:
    paper_id, authors, year, title = line.split("|")
    names = tuple(authors.split("; "))
    key = f"{names[0].split(',')[0].lower()}{year}"
    return Paper(
        paper_id=paper_id, key=key, title=title, authors=names, year=int(year), url=f"https://example.org/{paper_id}"
    )


PAPERS = {p.paper_id: p for p in map(_paper, _FACTS.strip().splitlines())}
FULL_TEXT = {"p1", "p3", "p5", "p7", "p8"}
IDS = tuple(PAPERS)

TOPICS = (
    Topic(topic_id="t1", title="Retrieval for grounded generation", papers=("p1", "p2", "p12")),
    Topic(topic_id="t2", title="Measuring attribution and factuality", papers=("p3", "p4", "p5", "p6", "p11")),
    Topic(topic_id="t3", title="Claim verification and survey writing", papers=("p7", "p8", "p9", "p10")),
)

SENTENCES = {
    "t1": (
        "Retrieval-augmented generation conditions a language model on passages from a dense index [@p1].",
        "Dense retrievers outperform BM25 by 9 to 19 points in top-20 accuracy [@p2], and late interaction keeps token-level "
        "matches at a moderate cost [@p12].",
    ),
    "t2": (
        "ALCE measures fluency, correctness and citation quality of generated answers [@p3].",
        "Attribution to identified sources gives human raters a shared definition [@p5], which later work turns into an "
        "automatic metric [@p4; @p11].",
        "Long texts are split in atomic facts that are judged one by one [@p6].",
    ),
    "t3": (
        "FEVER has 185,445 claims that annotators verified against Wikipedia [@p7].",
        "Scientific claims need rationales from abstracts, which SciFact provides [@p8].",
        "STORM and AutoSurvey write whole articles but do not verify what they cite [@p9; @p10].",
    ),
}
STATES = (
    ClaimState.SUPPORTED,
    ClaimState.CORRECTED,
    ClaimState.SUPPORTED,
    ClaimState.DISPUTED,
    ClaimState.SUPPORTED,
    ClaimState.SUPPORTED,
    ClaimState.NOT_CHECKED,
    ClaimState.UNSUPPORTED,
)
QUOTE = "The passages that a model is given determine what it can support, and the measured accuracy follows from them."


def candidates() -> CandidateSet:
    roles = (PaperRole.FOUNDATION, PaperRole.METHOD, PaperRole.COMPETITOR, PaperRole.EVALUATION)
    found = tuple(
        Candidate(
            paper_id=p,
            similarity=0.82 - 0.03 * i,
            score=0.9 - 0.03 * i,
            topic=("retrieval", "attribution", "verification")[i % 3],
            grade=3 - i // 4,
            role=roles[i % 4],
            reason="Its evaluation is the one that the focal paper extends." if i % 3 == 0 else "",
        )
        for i, p in enumerate(IDS)
    )
    chosen = tuple(Shortlisted(paper_id=p, score=0.7, pages=(1, 3, 4) if p in FULL_TEXT else ()) for p in IDS[:11])
    return CandidateSet(
        candidates=found, longlist=IDS, shortlist=chosen, queries=("citation quality", "claim verification")
    )


def card(paper_id: str) -> Card:
    title = PAPERS[paper_id].title
    return Card(
        paper_id=paper_id,
        problem=Cell(text=f"How far {title.split(':')[0]} can be trusted.", quote=QUOTE),
        method=Cell(text="A retriever and a reader that are trained together."),
        result=Cell(text="Higher accuracy than the baselines on three data sets."),
        relation="extends",
        relation_reason="It gives the evaluation that the focal paper builds on.",
    )


def taxonomy() -> Taxonomy:
    nodes, edges = [], []
    labels = {
        Dimension.TASK: ("Question answering", "Survey writing", "Claim verification"),
        Dimension.METHODOLOGY: ("Dense retrieval", "Late interaction", "Atomic facts"),
        Dimension.DATASET: ("Wikipedia claims", "Scientific abstracts"),
        Dimension.EVALUATION: ("Citation quality", "Human judgement"),
    }
    for d, children in labels.items():
        root = d.value.lower()
        nodes.append(Node(node_id=root, dimension=d, label=d.value, papers=IDS[:9]))
        for i, text in enumerate(children):
            nodes.append(
                Node(
                    node_id=f"{root}{i}",
                    dimension=d,
                    label=text,
                    gloss=f"Work on {text.lower()}.",
                    papers=IDS[i : i + 4],
                )
            )
            edges.append((root, f"{root}{i}"))
    nodes.append(
        Node(node_id="shared", dimension=Dimension.TASK, label="Attributed answers to open questions", papers=IDS[2:5])
    )
    edges += [("task0", "shared"), ("task2", "shared")]
    return Taxonomy(nodes=tuple(nodes), edges=tuple(edges))


def draft(outline: Outline, version: int = 1) -> Draft:
    sections = [
        Section(
            topic_id=t.topic_id,
            title=t.title,
            paragraphs=(tuple(Sentence(text=s) for s in SENTENCES.get(t.topic_id, ("A new topic was added [@p1].",))),),
        )
        for t in outline.topics
    ]
    feedback = (Feedback(topic_id="t1", critical_analysis="Say what dense retrieval costs."),)
    return Draft(version=version, author="built-in", sections=tuple(sections), feedback=feedback)


def ledger(written: Draft) -> Ledger:
    entries = []
    for section in written.sections:
        for sentence in section.sentences:
            number = len(entries) + 1
            state = STATES[(number - 1) % len(STATES)]
            entries.append(_entry(number, section.topic_id, sentence.text, state))
    return Ledger(version=written.version, entries=tuple(entries), judges=("built-in", "built-in"))


def _entry(number: int, topic_id: str, sentence: str, state: ClaimState) -> LedgerEntry:
    from marwg.text.markup import citations_of

    cited = citations_of(sentence)
    good = state in (ClaimState.SUPPORTED, ClaimState.CORRECTED)
    passage = Passage(paper_id=cited[0], page=3 if cited[0] in FULL_TEXT else 0, start=0, end=len(QUOTE), text=QUOTE)
    return LedgerEntry(
        claim=Claim(
            claim_id=f"c{number}", number=number, topic_id=topic_id, sentence=sentence, kind="cited", citations=cited
        ),
        evidence=(Evidence(passage=passage, score=0.8, marks=((4, 12), (40, 55))),),
        findings=()
        if good
        else (Finding(rule="number", words="9 to 19", message="This number is not in the passages."),),
        judgements=tuple(
            Judgement(
                judge=judge,
                citations=cited,
                label="supported"
                if good or (state is ClaimState.DISPUTED and judge == "gemini-2.5-flash")
                else "not supported",
                error_type=None if good else ErrorType.UNSUBSTANTIATED,
                confidence=0.8,
                reason="The passage says this in other words." if good else "The passage does not say how much.",
                quote="what it can support",
            )
            for judge in ("gemini-2.5-flash", "deepseek-v3")
        ),
        corrections=(
            Correction(
                kind="weakened",
                before="Dense retrievers always outperform BM25 [@p2].",
                after=sentence,
                reason="“always” is not in the source",
                by="deepseek-v3",
            ),
        )
        if state is ClaimState.CORRECTED
        else (),
        state=state,
        error_type=None if good else ErrorType.UNSUBSTANTIATED,
        abstract_only=cited[0] not in FULL_TEXT,
    )


class FakeAssistant:
    """Keeps runs in `home`, so that they outlive the process; `pace` is the length of one short wait in seconds."""

    pace = 0.0

    def __init__(self, home: Path) -> None:
        self._home = home / "fake_runs"
        self._home.mkdir(parents=True, exist_ok=True)
        self._parameters: dict[str, Parameters] = {}
        self._decided: dict[str, str] = {}
        self.asked: list[tuple[str, Any]] = []

    @classmethod
    async def open(cls, settings: Settings) -> "FakeAssistant":
        return cls(settings.home)

    async def warm_up(self) -> None: ...

    async def close(self) -> None: ...

    async def describe(self) -> str:
        return "Written and checked by the **built-in writer**: no model, sentences from abstracts. The library holds 12 papers."

    def starters(self) -> list[Starter]:
        labels = ("Attributed generation", "Taxonomies of papers", "Survey writing")
        return [
            Starter(label=text, title=f"Towards {text.lower()}", abstract="We study how sources are cited. " * 6)
            for text in labels
        ]

    def run(self, thread_id: str) -> Run | None:
        file = self._home / f"{thread_id}.json"
        return Run.model_validate_json(file.read_text()) if file.exists() else None

    def decisions(self, thread_id: str) -> dict[str, str]:
        return self._decided

    def paper_card(self, paper_id: str) -> PaperView:
        if paper_id not in PAPERS:
            raise LibraryError(f"There is no paper {paper_id}.")
        return paper_view(PAPERS[paper_id], paper_id in FULL_TEXT)

    async def evidence(self, thread_id: str, claim: int) -> list[EvidenceView]:
        run = self.run(thread_id)
        assert run
        assert run.ledger
        seen = [(e, self.paper_card(e.passage.paper_id)) for e in run.ledger.entries[claim - 1].evidence]
        return [
            EvidenceView(v.paper_id, v.title, v.cited_as, e.passage.page, e.passage.text, v.url, False, e.marks)
            for e, v in seen
        ]

    async def export(self, thread_id: str, folder: Path) -> list[Path]:
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        paths = [folder / n for n in ("related_work.md", "related_work.tex", "references.bib", "ledger.json")]
        for path in paths:
            path.write_text(f"{path.name} of {thread_id}")
        return paths

    def parameters(self, thread_id: str) -> Parameters:
        return self._parameters.get(thread_id, Parameters())

    async def set_parameters(self, thread_id: str, values: dict[str, Any]) -> Parameters:
        self._parameters[thread_id] = Parameters.model_validate(self.parameters(thread_id).model_dump() | values)
        return self._parameters[thread_id]

    # ------------------------------------------------------------ turns

    async def handle(self, thread_id: str, text: str, files: Sequence[Path] = ()) -> AsyncIterator[Told]:
        self.asked.append((text, files))
        if "empty library" in text:
            raise EmptyLibrary("The library is empty.", "Upload a .bib file or PDFs first.")
        if "surprise" in text:
            raise RuntimeError("what only the log may know")
        run = self.run(thread_id)
        if run is None or "\n" in text:
            title, _, abstract = text.partition("\n")
            async for told in self._to_outline(
                thread_id, Run(run_id="r", request=Request(focal=Focal(title=title, abstract=abstract)))
            ):
                yield told
        elif run.draft is None and text != "approve":
            yield Answer(f"Done: {text}.")
            yield OutlineReady(run=self._save(thread_id, run, outline=Outline(topics=TOPICS[:2])))
        else:
            async for told in self._to_draft(thread_id, run):
                yield told

    async def act(self, thread_id: str, action: str, payload: dict[str, Any]) -> AsyncIterator[Told]:
        self.asked.append((action, payload))
        run = self.run(thread_id)
        assert run
        if action in ("approve", "edit_outline"):
            run = self._save(thread_id, run, outline=Outline(topics=tuple(Topic(**t) for t in payload["outline"])))
        if action == "edit_outline":
            yield OutlineReady(run=run)
        elif action in ("approve", "continue"):
            work = self._to_draft if run.outline else self._to_outline
            async for told in work(thread_id, run):
                yield told
        elif action == "why":
            yield Answer(f"Claim {payload['claim']} was flagged because the number is not in [@p2].")
        elif action == "decide":
            self._decided[f"c{payload['claim']}"] = payload["decision"]
            yield Answer(f"Claim {payload['claim']}: {payload['decision']}ed by you.")
        elif action == "recheck":
            assert run.ledger
            entries = tuple(
                e.model_copy(update={"state": ClaimState.SUPPORTED}) if e.claim.number == payload["claim"] else e
                for e in run.ledger.entries
            )
            yield StageStarted(stage=Stage.VERIFICATION)
            run = self._save(thread_id, run, ledger=run.ledger.model_copy(update={"entries": entries}))
            yield StageFinished(stage=Stage.VERIFICATION, run=run, seconds=0.2)
            yield RunFinished(run=run)

    def _save(self, thread_id: str, run: Run, **changes: Any) -> Run:
        run = run.model_copy(update=changes)
        (self._home / f"{thread_id}.json").write_text(run.model_dump_json())
        return run

    async def _stage(self, stage: Stage, notes: Sequence[str]) -> AsyncIterator[Event]:
        yield StageStarted(stage=stage)
        for i, note in enumerate(notes):
            await asyncio.sleep(self.pace)
            yield Progress(stage=stage, done=i + 1, total=len(notes), note=note)

    async def _to_outline(self, thread_id: str, run: Run) -> AsyncIterator[Event]:
        run = self._save(thread_id, run)
        async for e in self._stage(Stage.CANDIDATES, ("Searched the library", "Read 12 candidates", "Chose 11 papers")):
            yield e
        run = self._save(thread_id, run, candidates=candidates())
        yield StageFinished(stage=Stage.CANDIDATES, run=run, seconds=1.2)
        yield StageStarted(stage=Stage.SUMMARIES)
        for i, p in enumerate(IDS[:11]):
            await asyncio.sleep(self.pace)
            yield CardWritten(card=card(p))
            yield Progress(stage=Stage.SUMMARIES, done=i + 1, total=11)
        run = self._save(thread_id, run, cards=tuple(map(card, IDS[:11])))
        yield StageFinished(stage=Stage.SUMMARIES, run=run, seconds=4.7)
        async for e in self._stage(Stage.TAXONOMY, ("Sorted the papers in four dimensions", "Expanded 9 nodes")):
            yield e
        run = self._save(thread_id, run, taxonomy=taxonomy(), outline=Outline(topics=TOPICS))
        yield StageFinished(stage=Stage.TAXONOMY, run=run, seconds=0.4)
        yield OutlineReady(run=run)

    async def _to_draft(self, thread_id: str, run: Run) -> AsyncIterator[Event]:
        assert run.outline
        run = self._save(thread_id, run, outline_approved=True)
        yield StageStarted(stage=Stage.DRAFT)
        written = draft(run.outline, version=run.draft.version + 1 if run.draft else 1)
        for i, section in enumerate(written.sections):
            words, text = " ".join(s.text for s in section.sentences).split(" "), ""
            for word in words:
                text += f"{word} "
                await asyncio.sleep(self.pace / 5)
                yield SectionWritten(topic_id=section.topic_id, title=section.title, text=text)
            yield SectionWritten(topic_id=section.topic_id, title=section.title, text=text.strip(), done=True)
            yield Progress(stage=Stage.DRAFT, done=i + 1, total=len(written.sections), note=f"Wrote {section.title}")
        run = self._save(thread_id, run, draft=written)
        yield StageFinished(stage=Stage.DRAFT, run=run, seconds=6.0)
        async for e in self._stage(
            Stage.VERIFICATION, ("Compared numbers, names and years", "Read the passages of 8 claims")
        ):
            yield e
        run = self._save(
            thread_id,
            run,
            ledger=ledger(written),
            usage=Usage(calls=14, input_tokens=41_000, output_tokens=5_200, dollars=0.034),
        )
        yield Notice(text="Both verdicts come from the built-in judge.", level="warning")
        yield StageFinished(stage=Stage.VERIFICATION, run=run, seconds=2.3)
        yield Spent(usage=run.usage)
        yield RunFinished(run=run)
