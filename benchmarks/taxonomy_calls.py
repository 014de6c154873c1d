"""Calls and time of the organization stage: `python benchmarks/taxonomy_calls.py [B] [latency in seconds]`.

The model is a double: the built-in writer's answers, each after a fixed latency, any number at a time. Compared are the
stage as it is, its critical path (the same run on a clock that only latency moves), and the same algorithm with one
call per paper and step, one call after another as it is usually run, and with all that may run at once. Last, what one
more paper costs when the taxonomy of the others is there.
"""

import asyncio
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from marwg.agents import organization
from marwg.agents.organization.steps import BATCH
from marwg.events import Event, Notice
from marwg.extractive.writer import ExtractiveWriter
from marwg.index import Embedder
from marwg.organizing.taxonomy import as_text
from marwg.tasks import LabelPapers, PaperLabels, Reply, Task
from marwg.types import CandidateSet, Focal, Outline, Paper, Request, Shortlisted, Taxonomy, Usage

ROOT = Path(__file__).resolve().parent.parent


class PacedModel:
    """The built-in writer behind a fixed latency; an answer that was given before takes no time to find."""

    def __init__(self, writer: ExtractiveWriter, latency: float, at_once: int, answers: dict[str, Reply]) -> None:
        self.writer, self.latency, self.answers = writer, latency, answers
        self.free = asyncio.Semaphore(at_once)
        self.calls: Counter[str] = Counter()
        self.usage = Usage()

    async def run(self, task: Task[Any], role: str = "generator") -> Reply:
        self.calls[task.name] += 1
        async with self.free:
            await asyncio.sleep(self.latency)
        key = f"{task.name} {task.model_dump_json()}"
        if key not in self.answers:
            self.answers[key] = self._answer(task)
        return self.answers[key]

    def _answer(self, task: Task[Any]) -> Reply:
        if not (isinstance(task, LabelPapers) and task.nodes):
            return self.writer.answer(task)
        labels = []
        for node in task.nodes:
            papers = tuple(p for p in task.papers if p.id in node.papers)
            alone = task.model_copy(update={"path": node.path, "nodes": (), "papers": papers})
            labels += [label.model_copy(update={"node": node.id}) for label in self.writer.answer(alone).papers]
        return PaperLabels(papers=tuple(labels))

    def is_built_in(self, role: str = "generator") -> bool:
        return False

    def name(self, role: str = "generator") -> str:
        return "double"


class LatencyClock(asyncio.SelectorEventLoop):
    """A loop whose time stands still while something runs, and jumps to the next timer when nothing does."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0

    def time(self) -> float:
        return self._now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            self._now = max(self._now, self._scheduled[0].when())  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


class Stage:
    """The B papers of the starter library that are nearest to the first starter, and the stage on them."""

    def __init__(self, breadth: int) -> None:
        starter = json.loads((ROOT / "examples/starters.json").read_text())[0]
        lines = (ROOT / "examples/starter_library.jsonl").read_text().splitlines()
        papers = [
            Paper(
                paper_id=f"p{n}",
                key=f"k{n}",
                title=e["title"],
                authors=e["authors"],
                year=e["year"],
                abstract=e["note"],
            )
            for n, e in enumerate(map(json.loads, lines))
        ]
        self.embedder = Embedder()
        rows = self.embedder.encode([f"{p.title}\n{p.abstract}" for p in papers])
        focal = Focal(title=starter["title"], abstract=starter["abstract"])
        order = np.argsort(-(rows @ self.embedder.encode([f"{focal.title}\n{focal.abstract}"])[0]), kind="stable")
        self.papers = [papers[i] for i in order[:breadth]]
        self.vectors = {papers[i].paper_id: rows[i] for i in order}
        self.request = Request(focal=focal)
        shortlist = tuple(Shortlisted(paper_id=p.paper_id, score=1.0) for p in self.papers)
        self.candidates = CandidateSet(candidates=(), longlist=(), shortlist=shortlist)
        self.writer = ExtractiveWriter(self.embedder.encode)
        self.answers: dict[str, Reply] = {}
        self.notices: list[str] = []

    async def run(self, model: PacedModel, batch: int) -> tuple[Taxonomy, Outline]:
        library, index = self._services()
        services: tuple[Any, ...] = (model, library)
        taxonomy = await organization.organize(self.request, self.candidates, *services, index, self._report, batch)
        outline = await organization.outline(self.request, self.candidates, taxonomy, *services, self._report)
        return taxonomy, outline

    def _services(self) -> tuple[Any, Any]:
        """A library and an index that know the papers."""

        async def vectors(ids: Any) -> dict[str, np.ndarray]:
            return {i: self.vectors[i] for i in ids}

        async def encoded(texts: Any) -> np.ndarray:
            return self.embedder.encode(texts)

        index = SimpleNamespace(vectors=vectors, embedder=SimpleNamespace(aencode=encoded))
        library = SimpleNamespace(papers=lambda ids: [p for p in self.papers if p.paper_id in set(ids)])
        return library, index

    def with_one_more(self, latency: float) -> PacedModel:
        """The model after the nearest paper came to a taxonomy of the others."""

        async def organized(papers: Sequence[Paper], model: PacedModel, previous: Taxonomy | None) -> Taxonomy:
            shortlist = tuple(Shortlisted(paper_id=p.paper_id, score=1.0) for p in papers)
            candidates = CandidateSet(candidates=(), longlist=(), shortlist=shortlist)
            services: tuple[Any, ...] = (model, *self._services())
            return await organization.organize(self.request, candidates, *services, self._report, BATCH, previous)

        before, after = (PacedModel(self.writer, latency, 999, self.answers) for _ in range(2))
        with asyncio.Runner(loop_factory=LatencyClock) as runner:
            taxonomy = runner.run(organized(self.papers[1:], before, None))
            runner.run(organized(self.papers, after, taxonomy))
        return after

    def _report(self, event: Event) -> None:
        if isinstance(event, Notice):
            self.notices.append(event.text)

    def timed(self, latency: float, batch: int, at_once: int, clock: bool) -> tuple[PacedModel, float, Any]:
        """The model afterwards, the seconds it took (by the clock of latency alone if `clock`), and what came out."""
        model = PacedModel(self.writer, latency, at_once, self.answers)
        with asyncio.Runner(loop_factory=LatencyClock if clock else None) as runner:
            loop = runner.get_loop()
            started = loop.time()
            made = runner.run(self.run(model, batch))
            return model, loop.time() - started, made


def _taxonomy(model: PacedModel) -> int:
    """The calls of a run that were not for the outline."""
    return model.calls.total() - model.calls["make_outline"] - model.calls["assign_topics"]


def main(breadth: int = 30, latency: float = 0.2) -> int:
    """Prints the tree, the calls by step and the times; 1 where a promise of the stage is not kept."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    stage = Stage(breadth)
    stage.timed(0, BATCH, 999, clock=True)  # answers, vectors and imports are there afterwards
    stage.notices.clear()
    model, wall, (taxonomy, outline) = stage.timed(latency, BATCH, 999, clock=False)
    _, critical, _ = stage.timed(latency, BATCH, 999, clock=True)
    single, one_by_one, _ = stage.timed(latency, 1, 1, clock=True)
    _, single_at_once, _ = stage.timed(latency, 1, 999, clock=True)
    print(as_text(taxonomy))
    print("\n".join(f"{n}. {t.title} ({len(t.papers)} + {len(t.secondary)})" for n, t in enumerate(outline.topics, 1)))
    print(*stage.notices, f"in no topic: {len(outline.uncovered)}", sep="\n")
    print(f"\nB = {breadth}, latency {latency} s a call; calls by step, in batches of {BATCH} / one paper a call")
    for name in single.calls:
        print(f"  {name:22}{model.calls[name]:5}{single.calls[name]:7}")
    print(f"  {'together':22}{model.calls.total():5}{single.calls.total():7}")
    print(f"critical path             {critical:7.2f} s  ({critical / latency:.0f} calls one after another)")
    print(f"the stage, measured       {wall:7.2f} s  ({wall / critical:.2f} of the critical path)")
    print(f"one paper a call          {one_by_one:7.2f} s  ({one_by_one / wall:.0f} times the stage)")
    print(f"the same, all at once     {single_at_once:7.2f} s  (labels of a node still wait for each other)")
    added = stage.with_one_more(latency)
    print(f"one paper more            {added.calls.total():7} calls for its taxonomy, {_taxonomy(model)} for a new one")
    kept = model.calls.total() <= 45 * max(1, breadth / 30) and wall <= 1.3 * critical and wall < one_by_one / 10
    print(f"45 calls, 1.3 of the critical path, a tenth of one paper a call: {'kept' if kept else 'NOT KEPT'}")
    return 0 if kept else 1


if __name__ == "__main__":
    begun = time.perf_counter()
    code = main(*(kind(value) for kind, value in zip((int, float), sys.argv[1:], strict=False)))
    print(f"({time.perf_counter() - begun:.0f} s)")
    sys.exit(code)
