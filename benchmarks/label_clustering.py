"""How labels become nodes, compared: `python benchmarks/label_clustering.py [folder of labels] [open topics to take, 38 are all]`.

First on labels with reference groups (three topics, `../shared/notes/labels`): agreement with the reference (adjusted
Rand index), node count, papers left alone, largest node, coverage, likeness of siblings, and stability when a fifth of
the papers is left out. Then on open topics (`../shared/benchmark/rwg/topics.jsonl`), whose papers the built-in writer
labels: the same without a reference. `default` is what the program does; a change of it has to win here first.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from marwg.extractive.writer import ExtractiveWriter
from marwg.index import Embedder
from marwg.organizing import clustering
from marwg.organizing.clustering import centroid, cluster, mixed_vectors
from marwg.tasks import LabelPapers, Source
from marwg.types import Dimension

SHARED = Path(__file__).resolve().parents[2] / "shared"
LEAST = 14
"""Papers that a cell (topic and dimension) needs to be counted."""

DRAWS, SHARE = 3, 0.8

Rows = Mapping[str, np.ndarray]
Method = Callable[["Cell", Sequence[str]], list[int]]


@dataclass(frozen=True)
class Cell:
    """The papers of one topic in one dimension: labels, vectors of label, label with gloss and abstract, reference."""

    name: str
    main: bool
    labels: Mapping[str, str]
    plain: Rows
    glossed: Rows
    abstracts: Rows
    reference: Mapping[str, int]


# ---------------------------------------------------------------- methods


def groups_of(papers: Sequence[str], groups: Iterable[Sequence[str]]) -> list[int]:
    """A number for each paper; papers that are in no group get one each."""
    place = {p: n for n, group in enumerate(groups) for p in group}
    return [place.get(p, len(papers) + i) for i, p in enumerate(papers)]


def as_the_program(mode: str, weight: float | None = None, glosses: bool = True) -> Method:
    """`marwg.organizing.clustering.cluster`, at another weight of the label if one is given."""

    def method(cell: Cell, papers: Sequence[str]) -> list[int]:
        before = clustering.LABEL_WEIGHT
        clustering.LABEL_WEIGHT = before if weight is None else weight
        rows = cell.glossed if glosses else cell.plain
        try:
            mixed = mixed_vectors({p: rows[p] for p in papers}, cell.abstracts)
            labels = {p: cell.labels[p] for p in papers}
            return groups_of(papers, cluster(labels, rows, mixed, 5, mode).groups)  # type: ignore[arg-type]
        finally:
            clustering.LABEL_WEIGHT = before

    return method


def fixed_cut(linkage: str, cut: float, glosses: bool) -> Method:
    """Agglomerative clustering of the labels alone at one cosine distance."""

    def method(cell: Cell, papers: Sequence[str]) -> list[int]:
        from scipy.cluster.hierarchy import fcluster
        from scipy.cluster.hierarchy import linkage as tree
        from scipy.spatial.distance import squareform

        rows = cell.glossed if glosses else cell.plain
        points = np.stack([rows[p] for p in papers])
        distances = np.clip(1 - points @ points.T, 0, 2)
        np.fill_diagonal(distances, 0)
        return [int(g) for g in fcluster(tree(squareform(distances, checks=False), linkage), cut, "distance")]

    return method


METHODS: dict[str, Method] = {
    "average .40, label": fixed_cut("average", 0.40, False),
    "average .45, gloss": fixed_cut("average", 0.45, True),
    "complete .60, gloss": fixed_cut("complete", 0.60, True),
    "fixed-cut mode": as_the_program("cut"),
    "Ward, label": as_the_program("ward", 1.0, glosses=False),
    "Ward, gloss": as_the_program("ward", 1.0),
    "default": as_the_program("ward"),
    "Ward, abstract alone": as_the_program("ward", 0.0),
}


# ---------------------------------------------------------------- what is measured


def measured(cell: Cell, method: Method, rng: np.random.Generator) -> dict[str, float]:
    """All figures of one method on one cell."""
    from sklearn.metrics import adjusted_rand_score

    papers = list(cell.labels)
    found = method(cell, papers)
    sizes = np.unique(found, return_counts=True)[1]
    nodes = [[p for p, g in zip(papers, found, strict=True) if g == group] for group in dict.fromkeys(found)]
    nodes = [n for n in nodes if len(n) > 1]
    mixed = mixed_vectors(cell.glossed, cell.abstracts)
    centres = [centroid([mixed[p] for p in node]) for node in nodes]
    alike = [float(a @ b) for a, b in combinations(centres, 2)]
    figures = {
        "nodes": float(len(nodes)),
        "alone": float((sizes == 1).sum()) / len(papers),
        "largest": float(sizes.max()) / len(papers),
        "coverage": sum(map(len, nodes)) / len(papers),
        "siblings": max(alike, default=0.0),
    }
    kept = [sorted(rng.choice(len(papers), round(SHARE * len(papers)), replace=False)) for _ in range(DRAWS)]
    again = [method(cell, [papers[i] for i in part]) for part in kept]
    same = [adjusted_rand_score([found[i] for i in part], a) for part, a in zip(kept, again, strict=True)]
    figures["stability"] = float(np.mean(same))
    if cell.reference:
        figures["ARI"] = float(adjusted_rand_score([cell.reference[p] for p in papers], found))
    return figures


def table(title: str, cells: Sequence[Cell]) -> None:
    """One line a method: means over the cells, and the worst case where that is what matters."""
    print(f"\n{title}")
    referenced = any(c.reference for c in cells)
    heads = (["ARI main", "ARI all"] if referenced else []) + [
        "nodes",
        "alone",
        "largest (any)",
        "coverage",
        "siblings",
        "stability",
    ]
    print("  " + f"{'':22}" + "".join(f"{h:>15}" for h in heads))
    for name, method in METHODS.items():
        rng = np.random.default_rng(0)
        all_figures = [measured(c, method, rng) for c in cells]
        main = [f["ARI"] for c, f in zip(cells, all_figures, strict=True) if c.main and "ARI" in f]
        mean = {k: float(np.mean([f[k] for f in all_figures])) for k in all_figures[0]}
        shown = [float(np.mean(main)), mean["ARI"]] if referenced else []
        shown += [mean["nodes"], mean["alone"], max(f["largest"] for f in all_figures), mean["coverage"]]
        shown += [mean["siblings"], mean["stability"]]
        print("  " + f"{name:22}" + "".join(f"{value:15.2f}" for value in shown))


# ---------------------------------------------------------------- the data


def encoded(embedder: Embedder, texts: Mapping[str, str]) -> Rows:
    """A row for each key."""
    return dict(zip(texts, embedder.encode(list(texts.values())), strict=True))


def text_of(paper: Mapping[str, Any]) -> str:
    return f"{paper['title']}\n{paper.get('abstract') or ''}"


def labelled_cells(folder: Path, corpus: Mapping[str, Any], embedder: Embedder) -> list[Cell]:
    """The cells of the labels with reference groups."""
    cells = []
    for file in sorted(folder.glob("*.json")):
        topic = json.loads(file.read_text())
        for dimension, groups in topic["reference"].items():
            said = {label["id"]: label for label in topic["labels"]["w1"][dimension]}
            ids = topic["papers"]
            reference = {ids[i]: n for n, members in enumerate(groups.values()) for i in members}
            papers = [p for p in ids if p in said and p in reference and p in corpus]
            if len(papers) >= LEAST:
                labels = {p: said[p]["label"] for p in papers}
                glossed = {p: f"{said[p]['label']}: {said[p].get('gloss', '')}" for p in papers}
                abstracts = encoded(embedder, {p: text_of(corpus[p]) for p in papers})
                rows = encoded(embedder, labels), encoded(embedder, glossed), abstracts
                main = dimension in ("Task", "Methodology")
                cells.append(Cell(f"{topic['topic']} {dimension}", main, labels, *rows, reference))
    return cells


def open_cells(topics: Sequence[Mapping[str, Any]], corpus: Mapping[str, Any], embedder: Embedder) -> list[Cell]:
    """The cells of open topics, with the labels of the built-in writer."""
    writer = ExtractiveWriter(embedder.encode)
    cells = []
    for topic in topics:
        papers = [p for p in topic["gold_refs"] if p in corpus][:30]
        if len(papers) < LEAST:
            continue
        sources = tuple(
            Source(id=p, title=corpus[p]["title"], abstract=corpus[p].get("abstract") or "") for p in papers
        )
        abstracts = encoded(embedder, {p: text_of(corpus[p]) for p in papers})
        for dimension in (Dimension.TASK, Dimension.METHODOLOGY):
            reply = writer.answer(LabelPapers(dimension=dimension, path=(dimension.value,), level=1, papers=sources))
            labels = {item.id: item.label for item in reply.papers}  # type: ignore[attr-defined]
            glossed = {i.id: f"{i.label}: {i.gloss}" if i.gloss else i.label for i in reply.papers}  # type: ignore[attr-defined]
            rows = encoded(embedder, labels), encoded(embedder, glossed), {p: abstracts[p] for p in labels}
            cells.append(Cell(f"{topic['id']} {dimension.value}", True, labels, *rows, {}))
    return cells


def main(folder: str = str(SHARED / "notes" / "labels"), count: str = "38") -> int:
    """Prints both tables."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    rwg = SHARED / "benchmark" / "rwg"
    if not (rwg / "corpus.jsonl").exists():
        print(f"Skipped: {rwg / 'corpus.jsonl'} is not there, and the labels are of its papers.")
        return 0
    begun = time.perf_counter()
    corpus = {p["id"]: p for p in map(json.loads, (rwg / "corpus.jsonl").read_text().splitlines())}
    embedder = Embedder()
    cells = labelled_cells(Path(folder), corpus, embedder)
    if cells:
        table(f"Labels with reference groups: {len(cells)} cells, {sum(c.main for c in cells)} of them main", cells)
    else:
        print(f"No labels in {folder}: the first table is left out.")
    topics = [json.loads(line) for line in (rwg / "topics.jsonl").read_text().splitlines()]
    cells = open_cells(topics[: int(count)], corpus, embedder)
    table(f"Open topics, labels of the built-in writer: {len(cells)} cells", cells)
    print(
        f"\nEncoder {embedder.name}. alone: share of papers in no node; largest (any): share of the largest node in any cell; siblings: "
        f"greatest likeness of two nodes; stability: ARI with the nodes of {SHARE:.0%} of the papers, {DRAWS} draws. "
        f"({time.perf_counter() - begun:.0f} s)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
