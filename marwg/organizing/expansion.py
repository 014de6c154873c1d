"""One expansion of nodes, between the replies of a model and the DAG: labels, named clusters, assignments, doubles.

Nothing here trusts a reply: ids that were not asked for are left out, ids that are missing keep what is known of them
without the model, and a label is always one short line.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import TypeVar

import numpy as np

from marwg.organizing.clustering import centroid, normal_form
from marwg.organizing.taxonomy import Dag
from marwg.tasks import ChildChoice, ClusterName, NodeView, PaperLabel
from marwg.text.sources import find_quote
from marwg.types import PaperId

MERGE, ASK = 0.80, 0.70
"""Cosine of a new node to a sibling that was there: merged above the first, asked about from the second on."""

SECOND_PARENT = 0.75
"""Cosine of names above which nodes of different branches may be one."""

PAIRS = 15
"""At most so many pairs are asked about at a time, the most alike first."""

_LABEL_WORDS, _LABEL_CHARACTERS, _GLOSS_WORDS, _PHRASE_CHARACTERS = 8, 60, 25, 200

T = TypeVar("T")


def batches(items: Sequence[T], size: int) -> list[tuple[T, ...]]:
    """The items in order, in as few batches of at most `size` as possible, all of nearly the same length."""
    count = -(-len(items) // size)
    ends = [len(items) * i // count for i in range(count + 1)] if count else [0]
    return [tuple(items[start:end]) for start, end in pairwise(ends)]


# ---------------------------------------------------------------- labels


@dataclass(frozen=True)
class Label:
    """A subtopic in a few words, and what is meant by it."""

    label: str
    gloss: str = ""

    @property
    def text(self) -> str:
        """What is embedded: `label: gloss`."""
        return f"{self.label}: {self.gloss}" if self.gloss else self.label


def clean_label(text: str, gloss: str = "") -> Label | None:
    """A label on one line of at most eight words; None where nothing is left."""
    label = _line(text, _LABEL_WORDS)
    while len(label) > _LABEL_CHARACTERS and " " in label:
        label = label.rpartition(" ")[0]
    label = label[:_LABEL_CHARACTERS].strip(" -:;,.")
    return Label(label, _line(gloss, _GLOSS_WORDS)) if normal_form(label) else None


def _line(text: str, words: int) -> str:
    printable = "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in text)
    return re.sub(r"^[\W_]+(?=\w)", "", " ".join(printable.split()[:words])).strip(" -:;,.\"'*")


def labels_in(reply: Iterable[PaperLabel], asked: Mapping[str, Sequence[PaperId]]) -> dict[str, dict[PaperId, Label]]:
    """node → paper → label for what was asked; a label that names no known node holds for every node of its paper."""
    exact: dict[tuple[str, PaperId], Label] = {}
    general: dict[PaperId, Label] = {}
    for item in reply:
        if (label := clean_label(item.label, item.gloss)) is None:
            continue
        paper = item.id.strip(" []@")
        if item.node.strip() in asked:
            exact.setdefault((item.node.strip(), paper), label)
        else:
            general.setdefault(paper, label)
    return {
        node: {p: label for p in papers if (label := exact.get((node, p)) or general.get(p))}
        for node, papers in asked.items()
    }


# ---------------------------------------------------------------- clusters and their names


@dataclass
class Child:
    """A child that a node has or may get: `node_id` is empty until it is in the DAG."""

    label: Label
    papers: tuple[PaperId, ...] = ()
    node_id: str = ""


@dataclass
class Expansion:
    """A node in one round: the papers to be placed (P_n or U_n), their labels, and the children to choose from."""

    node: str
    papers: tuple[PaperId, ...]
    labels: dict[PaperId, Label] = field(default_factory=dict)
    vectors: dict[PaperId, np.ndarray] = field(default_factory=dict)
    groups: tuple[tuple[PaperId, ...], ...] = ()
    children: list[Child] = field(default_factory=list)

    def own_name(self, group: Sequence[PaperId]) -> Label:
        """A name without asking: the label that most of the group share, else that of the paper in its middle."""
        forms = Counter(normal_form(self.labels[p].label) for p in group)
        form, count = forms.most_common(1)[0]
        if count > 1:
            return next(self.labels[p] for p in group if normal_form(self.labels[p].label) == form)
        middle = centroid([self.vectors[p] for p in group])
        return self.labels[max(group, key=lambda p: round(float(self.vectors[p] @ middle), 9))]

    def agreed(self, group: Sequence[PaperId]) -> bool:
        """Whether all papers of the group have one label, so that there is nothing to name."""
        return len({normal_form(self.labels[p].label) for p in group}) == 1


def named(expansion: Expansion, reply: Sequence[ClusterName]) -> list[Child]:
    """The clusters with the model's names.

    Papers that it moved and clusters that it split are taken over if every id is still in exactly one cluster and at
    least two clusters hold two papers (or as many as before); otherwise it only names the clusters that it got.
    """
    wanted = sorted(p for group in expansion.groups for p in group)
    said = [[p.strip(" []@") for p in item.papers] for item in reply]
    groups = tuple(tuple(p for p in expansion.papers if p in set(papers)) for papers in said)
    enough = sum(len(group) > 1 for group in groups) >= min(2, len(expansion.groups))
    if sorted(p for papers in said for p in papers) == wanted and enough:
        pairs = [(group, clean_label(item.label, item.gloss)) for group, item in zip(groups, reply, strict=True)]
    else:
        pairs = [(group, _name_for(group, said, reply)) for group in expansion.groups]
    return [Child(name or expansion.own_name(group), group) for group, name in pairs if len(group) > 1]


def _name_for(
    group: Sequence[PaperId], said: Sequence[Sequence[PaperId]], reply: Sequence[ClusterName]
) -> Label | None:
    """The name of the cluster in the reply that holds most of this one; None where none holds more than half."""
    shared = [len(set(group) & set(papers)) for papers in said]
    best = int(np.argmax(shared)) if shared else 0
    if not shared or 2 * shared[best] <= max(len(group), len(set(said[best]))):
        return None
    return clean_label(reply[best].label, reply[best].gloss)


def without_repeats(children: Iterable[Child], dag: Dag, node: str) -> list[Child]:
    """The children to choose from: those that the node has, then the new ones.

    A new child that bears the name of another, or of a child that is there, is joined with it; one that bears the name
    of its own node, or of a node above, says nothing new and is left out.
    """
    listed = [Child(Label(dag.label(c), dag.gloss(c)), node_id=c) for c in dag.children(node)]
    by_name = {normal_form(c.label.label): c for c in listed}
    above = {normal_form(dag.label(n)) for n in (node, *dag.above(node))}
    for child in children:
        name = normal_form(child.label.label)
        if name in by_name:
            by_name[name].papers += child.papers
        elif name not in above:
            by_name[name] = child
            listed.append(child)
    return listed


# ---------------------------------------------------------------- assignment


def place(
    expansion: Expansion,
    ids: Mapping[str, Child],
    choices: Mapping[PaperId, ChildChoice],
    texts: Mapping[PaperId, str],
) -> list[tuple[Child, dict[PaperId, str]]]:
    """Which papers of the node go to which child, with the words that say so where the text has them.

    A paper that the model placed nowhere stays at the node. One that it did not answer for, or answered with unknown
    ids only, stays in the cluster of its label.
    """
    placed: dict[int, dict[PaperId, str]] = {id(child): {} for child in expansion.children}
    own = {id(child) for child in expansion.children}
    for paper in expansion.papers:
        choice = choices.get(paper)
        said = [c.strip() for c in choice.children] if choice else []
        mine = [ids[c] for c in said if c in ids and id(ids[c]) in own]
        phrase = _phrase(choice.phrase, texts.get(paper, "")) if choice else ""
        if choice is None or (said and not any(c in ids for c in said)):
            mine, phrase = [child for child in expansion.children if paper in child.papers], ""
        for child in mine:
            placed[id(child)][paper] = phrase
    return [(child, placed[id(child)]) for child in expansion.children]


def _phrase(phrase: str, text: str) -> str:
    """The words of the text that a phrase quotes; empty where the text does not have them."""
    span = find_quote(phrase[:_PHRASE_CHARACTERS], text)
    return " ".join(text[slice(*span)].split()) if span else ""


def insert(dag: Dag, expansion: Expansion, placed: Sequence[tuple[Child, dict[PaperId, str]]]) -> list[str]:
    """Puts what was placed into the DAG; returns the ids of the new nodes.

    A new child needs two papers; a node without children needs two new ones, or it is not split at all.
    """
    new = [(child, papers) for child, papers in placed if not child.node_id and len(papers) > 1]
    if not dag.children(expansion.node) and len(new) < 2:
        return []
    for child, _ in new:
        child.node_id = dag.add_child(expansion.node, child.label.label, child.label.gloss)
    for child, papers in placed:
        if child.node_id and papers:
            dag.add_papers(child.node_id, papers, papers)
    return [child.node_id for child, _ in new]


# ---------------------------------------------------------------- nodes that may be one


@dataclass(frozen=True)
class Double:
    """A new node and an older one that may mean the same."""

    new: str
    old: str
    alike: float
    certain: bool = False


def doubles(
    dag: Dag,
    new: Sequence[str],
    names: Mapping[str, np.ndarray],
    centroids: Mapping[str, np.ndarray],
    fresh: Mapping[str, str],
) -> list[Double]:
    """New nodes that may be what another is: siblings by their papers' vectors, other branches by name or papers.

    `fresh` gives the expansion that each new node came from: nodes of one clustering are never joined again.
    """
    older = [n for n in dag.nodes if n != dag.root and n not in set(new)]
    pairs = [(n, o) for n in new for o in older] + [(n, o) for o, n in combinations(new, 2)]
    found = []
    for n, o in pairs:
        if fresh.get(n) == fresh.get(o) or not dag.unrelated(n, o):
            continue
        if set(dag.parents(n)) & set(dag.parents(o)):
            alike = _cosine(n, o, centroids)
            if alike >= ASK:
                found.append(Double(n, o, alike, certain=alike > MERGE))
        elif (alike := _cosine(n, o, names)) > SECOND_PARENT or _share(dag, n, o) or _same_name(dag, n, o):
            found.append(Double(n, o, alike))
    return sorted(found, key=lambda d: -round(d.alike, 6))


def _cosine(first: str, second: str, vectors: Mapping[str, np.ndarray]) -> float:
    return float(vectors[first] @ vectors[second]) if first in vectors and second in vectors else 0.0


def _share(dag: Dag, first: str, second: str) -> bool:
    """Whether two nodes have two papers and half of the smaller one in common."""
    a, b = set(dag.papers(first)), set(dag.papers(second))
    return len(a & b) >= max(2, min(len(a), len(b)) / 2)


def _same_name(dag: Dag, first: str, second: str) -> bool:
    return normal_form(dag.label(first)) == normal_form(dag.label(second))


def view(dag: Dag, node: str, name: str = "", papers: Sequence[PaperId] | None = None) -> NodeView:
    """A node as a task shows it."""
    shown = dag.papers(node) if papers is None else tuple(papers)
    return NodeView(id=name or node, path=dag.path(node), gloss=dag.gloss(node), papers=shown)
