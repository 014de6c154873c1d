"""How one dimension of the taxonomy grows: depth and width expansion by the rule of the paper.

It grows in rounds. In each, all nodes of its shallowest level that the rule wants expanded go together: their
papers get pseudo-labels, labels become clusters, clusters get names, papers are placed, and what means the same is
joined. A node is expanded at most twice, and closed at once where a round did not help.

A round needs calls for labels and for placing. What else it asks (labels that were left out, names, doubles) is asked
as far as the calls that it was given beyond these allow.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from marwg.agents.organization.steps import Steps
from marwg.concurrency import all_of
from marwg.events import Notice
from marwg.index import Index
from marwg.organizing.clustering import centroid, cluster, mixed_vectors
from marwg.organizing.expansion import (
    PAIRS,
    Child,
    Double,
    Expansion,
    Label,
    batches,
    doubles,
    insert,
    labels_in,
    named,
    place,
    view,
    without_repeats,
)
from marwg.organizing.taxonomy import Dag
from marwg.tasks import (
    AssignChildren,
    ChildChoice,
    ClusterName,
    ClusterView,
    LabelPapers,
    NameClusters,
    NodeView,
    PairChoice,
    PairView,
    PaperLabel,
    SameTopic,
    Source,
)
from marwg.text.sources import match_ids
from marwg.types import PaperId, Parameters

ROUNDS = 2
NAMED_BY_MODEL = 10
"""From so many papers on, the clusters of a node are shown to the model to be named, moved and split."""


class Growing:
    """One dimension while it grows."""

    def __init__(
        self,
        dag: Dag,
        parameters: Parameters,
        sources: dict[PaperId, Source],
        vectors: dict[PaperId, np.ndarray],
        index: Index,
        steps: Steps,
        batch: int,
    ) -> None:
        self.dag, self.parameters, self.sources, self.vectors = dag, parameters, sources, vectors
        self.index, self.steps, self.batch = index, steps, batch
        self.asked, self._spare = False, 0
        self._rounds: Counter[str] = Counter()
        self._closed: set[str] = set()
        self._names: dict[str, np.ndarray] = {}
        self._centroids: dict[str, np.ndarray] = {}
        self._origin: dict[str, str] = {}

    def need(self) -> tuple[int, int] | None:
        """The calls that the next round takes at least and at most; None where the rule asks for nothing more."""
        if not (wave := self._wave()):
            return None
        papers = dict.fromkeys(p for e in wave for p in e.papers)
        least = 2 * len(batches(list(papers), self.batch))
        return least, least + 2 + sum(len(e.papers) >= NAMED_BY_MODEL for e in wave)

    async def round(self, spare: int) -> None:
        """Expands all nodes that are due, with so many calls beyond the least."""
        wave = self._wave()
        self.asked, self._spare = True, spare
        self._rounds.update(e.node for e in wave)
        await self._label(wave)
        await self._cluster(wave)
        await all_of(self._name(e) for e in wave)
        await self._place(wave)

    def _may_ask(self) -> bool:
        """Whether one more call may be made beyond the least; it counts as made."""
        self._spare -= 1
        return self._spare >= 0

    async def take_in(self, papers: Sequence[PaperId]) -> None:
        """More papers for a dimension that is grown: from the root down, each goes to the children that fit it.

        Nodes are expanded afterwards only where these papers carry them over the density.
        """
        density, max_level = self.parameters.density, self.parameters.max_level
        self._closed = {n for n in self.dag.nodes if self.dag.growth(n, density, max_level) != "stop"}
        names = await self.index.embedder.aencode(
            [Label(self.dag.label(n), self.dag.gloss(n)).text for n in self.dag.nodes]
        )
        self._names = dict(zip(self.dag.nodes, names, strict=True))
        self.dag.add_papers(self.dag.root, papers)
        texts, new, nodes = self._texts(), set(papers), [self.dag.root]
        while ready := [
            Expansion(n, mine, children=without_repeats((), self.dag, n))
            for n in nodes
            if self.dag.children(n) and (mine := tuple(p for p in self.dag.papers(n) if p in new))
        ]:
            ids = {f"n{i}": child for i, child in enumerate((c for e in ready for c in e.children), 1)}
            choices = await self._choices(ready, ids)
            for expansion in ready:
                insert(self.dag, expansion, place(expansion, ids, choices, texts))
            nodes = list(dict.fromkeys(c.node_id for e in ready for c in e.children))

    def _texts(self) -> dict[PaperId, str]:
        return {i: f"{s.title}\n{s.abstract}" for i, s in self.sources.items()}

    def _wave(self) -> list[Expansion]:
        """The nodes to be expanded next: those of the shallowest level, so that parents are whole before children."""
        density, max_level = self.parameters.density, self.parameters.max_level
        due = [
            n
            for n in self.dag.nodes
            if n not in self._closed and self._rounds[n] < ROUNDS and self.dag.growth(n, density, max_level) != "stop"
        ]
        level = min(map(self.dag.level, due), default=0)
        return [Expansion(n, self.dag.uncovered(n)) for n in due if self.dag.level(n) == level]

    def _about(self, what: str) -> str:
        return f"{self.dag.dimension.value}: {what}"

    # ------------------------------------------------------------ pseudo-labels

    async def _label(self, wave: list[Expansion]) -> None:
        """A label for each paper of each node, batch after batch, each batch knowing the labels used before.

        Nodes share batches, which saves calls; the built-in writer costs none and gets each node by itself.
        """
        if self.steps.models.is_built_in("generator"):
            await all_of(self._label_together([expansion]) for expansion in wave)
        else:
            await self._label_together(wave)

    async def _label_together(self, wave: list[Expansion]) -> None:
        used: dict[str, None] = {}
        papers = list(dict.fromkeys(p for e in wave for p in e.papers))
        for part in batches(papers, self.batch):
            await self._label_batch(wave, part, used)
        missing = [p for p in papers if any(p in e.papers and p not in e.labels for e in wave)]
        if missing and len(missing) < len(papers) and self._may_ask():
            await self._label_batch(wave, missing[: self.batch], used)

    async def _label_batch(self, wave: list[Expansion], papers: Sequence[PaperId], used: dict[str, None]) -> None:
        asked = {e.node: [p for p in papers if p in e.papers and p not in e.labels] for e in wave}
        asked = {node: ids for node, ids in asked.items() if ids}
        several = len(wave) > 1
        task = LabelPapers(
            dimension=self.dag.dimension,
            path=self.dag.path(self.dag.root if several else wave[0].node),
            level=self.dag.level(wave[0].node),
            used_labels=tuple(used),
            nodes=tuple(view(self.dag, node, papers=ids) for node, ids in asked.items()) if several else (),
            papers=tuple(self.sources[p] for p in papers),
        )
        reply: Sequence[PaperLabel] = (await self.steps.run(task, self._about("labelling papers"))).papers
        labels = labels_in(reply, asked)
        for expansion in wave:
            expansion.labels |= labels.get(expansion.node, {})
        used |= dict.fromkeys(label.label for node in labels.values() for label in node.values())

    # ------------------------------------------------------------ clusters

    async def _cluster(self, wave: list[Expansion]) -> None:
        """Groups of papers whose labels mean the same."""
        texts = list(dict.fromkeys(label.text for e in wave for label in e.labels.values()))
        rows = dict(zip(texts, await self.index.embedder.aencode(texts), strict=True)) if texts else {}
        for expansion in wave:
            by_paper = {p: rows[label.text] for p, label in expansion.labels.items()}
            expansion.vectors = mixed_vectors(by_paper, self.vectors)
            labels = {p: expansion.labels[p].label for p in expansion.papers if p in by_paper}
            density, mode = self.parameters.density, self.parameters.clustering
            found = cluster(labels, by_paper, expansion.vectors, density, mode)
            expansion.groups = found.groups
            note = found.note
            if len(labels) < density:
                note = f"the model labelled only {len(labels)} of {len(expansion.papers)} papers, so it is not divided"
            if note:
                self.steps.report(Notice(text=f"{' › '.join(self.dag.path(expansion.node))}: {note}."))

    async def _name(self, expansion: Expansion) -> None:
        """The children to choose from: those that are there, and the clusters under a name each."""
        dag, groups = self.dag, expansion.groups
        if not groups:
            return
        asked = len(expansion.papers) >= NAMED_BY_MODEL and not all(map(expansion.agreed, groups))
        if not (asked and self._may_ask()):
            new = [Child(expansion.own_name(group), group) for group in groups]
        else:
            task = NameClusters(
                dimension=dag.dimension,
                path=dag.path(expansion.node),
                siblings=tuple(dag.label(c) for c in dag.children(expansion.node)),
                clusters=tuple(
                    ClusterView(id=f"c{i}", labels=tuple(dict.fromkeys(expansion.labels[p].label for p in g)), papers=g)
                    for i, g in enumerate(groups, 1)
                ),
                papers=tuple(self.sources[p] for g in groups for p in g),
            )
            reply: Sequence[ClusterName] = (await self.steps.run(task, self._about("naming subtopics"))).clusters
            new = named(expansion, reply)
        expansion.children = without_repeats(new, dag, expansion.node)

    # ------------------------------------------------------------ placing papers

    async def _place(self, wave: list[Expansion]) -> None:
        """Papers to children, by the model, multi-label; then what means the same is joined."""
        ready = [e for e in wave if any(c.papers for c in e.children) and len(e.children) > 1]
        before = {e.node: len(self.dag.uncovered(e.node)) for e in wave}
        new: list[str] = []
        if ready:
            ids = {f"n{i}": child for i, child in enumerate((c for e in ready for c in e.children), 1)}
            choices = await self._choices(ready, ids)
            for expansion in ready:
                fresh = insert(self.dag, expansion, place(expansion, ids, choices, self._texts()))
                await self._remember(expansion, fresh)
                new += fresh
            await self._join(new)
        for expansion in wave:
            node = expansion.node
            if node in self.dag and len(self.dag.uncovered(node)) >= before[node]:
                self._closed.add(node)
        # A child with all papers of its parent would only repeat the parent's expansion.
        self._closed |= {
            n for n in self.dag.nodes if any(self.dag.papers(n) == self.dag.papers(p) for p in self.dag.parents(n))
        }

    async def _choices(self, ready: list[Expansion], ids: dict[str, Child]) -> dict[PaperId, ChildChoice]:
        papers = list(dict.fromkeys(p for e in ready for p in e.papers))

        def task(part: Sequence[PaperId]) -> AssignChildren:
            there = {id(c): e for e in ready for c in e.children if set(part) & set(e.papers)}
            views = [
                NodeView(id=name, path=(*self.dag.path(there[id(c)].node), c.label.label), gloss=c.label.gloss)
                for name, c in ids.items()
                if id(c) in there
            ]
            return AssignChildren(children=tuple(views), papers=tuple(self.sources[p] for p in part))

        note = self._about("placing papers")
        replies = await all_of(self.steps.run(task(part), note) for part in batches(papers, self.batch))
        said: list[ChildChoice] = [choice for reply in replies for choice in reply.papers]
        return match_ids(said, papers).found

    async def _remember(self, expansion: Expansion, fresh: list[str]) -> None:
        """The vectors of new nodes, by name and by papers, and the expansion that they came from."""
        children = [c for c in expansion.children if c.node_id in set(fresh)]
        if not children:
            return
        rows = await self.index.embedder.aencode([c.label.text for c in children])
        for child, row in zip(children, rows, strict=True):
            members = [expansion.vectors[p] for p in child.papers if p in expansion.vectors]
            self._names[child.node_id] = row
            self._centroids[child.node_id] = centroid(members)
            self._origin[child.node_id] = f"{expansion.node} {self._rounds[expansion.node]}"

    async def _join(self, new: list[str]) -> None:
        """Joins new nodes with what they double; the model must agree, except for siblings that are very near."""
        found = doubles(self.dag, new, self._names, self._centroids, self._origin)
        asked = [d for d in found if not d.certain][:PAIRS]
        same = {id(d) for d in found if d.certain}
        if asked and self._may_ask():
            pairs = [
                PairView(id=f"q{i}", first=view(self.dag, d.new), second=view(self.dag, d.old))
                for i, d in enumerate(asked, 1)
            ]
            task = SameTopic(dimension=self.dag.dimension, pairs=tuple(pairs))
            reply: Sequence[PairChoice] = (await self.steps.run(task, self._about("looking for doubles"))).pairs
            answers = match_ids(reply, [p.id for p in pairs]).found
            same |= {id(d) for p, d in zip(pairs, asked, strict=True) if p.id in answers and answers[p.id].same}
        self._unify([d for d in found if id(d) in same])

    def _unify(self, agreed: list[Double]) -> None:
        now: dict[str, str] = {}
        for double in agreed:
            new, old = double.new, double.old
            while new in now:
                new = now[new]
            while old in now:
                old = now[old]
            if self.dag.unify(new, old):
                now[new] = old
