"""The multidimensional DAG: one directed acyclic graph for each dimension, its growth rules, and how it is shown.

Notation of the paper: ρ(n) is the number of papers of a node, ρ̃(n) the number of those that no child has, C(n) its
children. Levels follow from the edges (a root has level 1, every other node one more than its nearest parent).
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

import networkx as nx

from marwg.errors import InputError
from marwg.types import Assignment, Dimension, Node, PaperId, Taxonomy

Growth = Literal["depth", "width", "stop"]


def growth(papers: int, uncovered: int, children: int, level: int, density: int, max_level: int) -> Growth:
    """expand(n): depth where a full node has no children, width where too many papers fit no child, else stop."""
    if level >= max_level:
        return "stop"
    if children == 0:
        return "depth" if papers >= density else "stop"
    return "width" if uncovered >= density else "stop"


class Dag:
    """The DAG of one dimension while it grows.

    After every public call it is acyclic, every node is reached from the root, and the papers of a node are among those
    of each of its parents. No call takes a paper away.
    """

    def __init__(self, dimension: Dimension, papers: Iterable[PaperId]) -> None:
        self.dimension = dimension
        self.root = dimension.value.lower()
        self._graph = nx.DiGraph()
        self._number = 0
        self._order: dict[PaperId, int] = {}
        self._insert(self.root, dimension.value, "")
        self.add_papers(self.root, papers)

    # ------------------------------------------------------------ insertions

    def add_child(self, parent: str, label: str, gloss: str = "", papers: Iterable[PaperId] = ()) -> str:
        """A new node under `parent`; returns its id."""
        self._known(parent)
        self._number += 1
        node = f"{self.root}-{self._number}"
        self._insert(node, label, gloss)
        self._graph.add_edge(parent, node)
        self.add_papers(node, papers)
        return node

    def add_papers(self, node: str, papers: Iterable[PaperId], phrases: Mapping[PaperId, str] | None = None) -> None:
        """More papers for a node and everything above it; `phrases` say why they are there."""
        self._known(node)
        papers = list(papers)
        for paper in papers:
            self._order.setdefault(paper, len(self._order))
        for above in (node, *nx.ancestors(self._graph, node)):
            self._graph.nodes[above]["papers"].update(papers)
        reasons = self._graph.nodes[node]["phrases"]
        for paper in papers:
            if (phrase := (phrases or {}).get(paper, "")) and paper not in reasons:
                reasons[paper] = phrase

    def link(self, parent: str, child: str) -> bool:
        """`child` under a further parent, which takes over its papers; False where that would close a circle."""
        self._known(parent, child)
        if parent == child or nx.has_path(self._graph, child, parent):
            return False
        self._graph.add_edge(parent, child)
        self.add_papers(child, self.papers(child))
        return True

    def unify(self, node: str, into: str) -> bool:
        """`node` and `into` become one: `into`, under the parents of both, with the papers and children of both.

        False, and nothing changes, where one lies above the other.
        """
        self._known(node, into)
        if node == into or not self.unrelated(node, into):
            return False
        papers, phrases = self.papers(node), dict(self._graph.nodes[node]["phrases"])
        parents, children = self.parents(node), self.children(node)
        self._graph.remove_node(node)
        self._graph.add_edges_from((parent, into) for parent in parents)
        self._graph.add_edges_from((into, child) for child in children)
        self.add_papers(into, [*self.papers(into), *papers], phrases)
        return True

    def restore(self, node: Node) -> None:
        """A node as it was kept, under its own id; its edges follow by `link`."""
        if node.node_id not in self:
            self._insert(node.node_id, node.label, node.gloss)
        else:
            self._graph.nodes[node.node_id].update(label=node.label, gloss=node.gloss)
        self.add_papers(node.node_id, node.papers)
        _, _, number = node.node_id.rpartition("-")
        self._number = max(self._number, int(number) if number.isdecimal() else 0)

    def _insert(self, node: str, label: str, gloss: str) -> None:
        self._graph.add_node(node, label=label, gloss=gloss, papers=set(), phrases={})

    def _known(self, *nodes: str) -> None:
        for node in nodes:
            if node not in self._graph:
                raise KeyError(f"{node} is no node of the dimension {self.dimension.value}")

    # ------------------------------------------------------------ what is there

    @property
    def nodes(self) -> tuple[str, ...]:
        """All nodes, the root first, in the order in which they were made."""
        return tuple(self._graph)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """(parent, child), in the order of the nodes."""
        return tuple(self._graph.edges)

    def __contains__(self, node: str) -> bool:
        return node in self._graph

    def label(self, node: str) -> str:
        return str(self._graph.nodes[node]["label"])

    def gloss(self, node: str) -> str:
        return str(self._graph.nodes[node]["gloss"])

    def phrases(self, node: str) -> dict[PaperId, str]:
        """For the papers of a node, the words of title or abstract that put them there."""
        return dict(self._graph.nodes[node]["phrases"])

    def children(self, node: str) -> tuple[str, ...]:
        """C(n)."""
        return tuple(self._graph.successors(node))

    def parents(self, node: str) -> tuple[str, ...]:
        return tuple(self._graph.predecessors(node))

    def unrelated(self, first: str, second: str) -> bool:
        """Whether neither lies above the other."""
        return not nx.has_path(self._graph, first, second) and not nx.has_path(self._graph, second, first)

    def papers(self, node: str) -> tuple[PaperId, ...]:
        """P_n, in the order of the request."""
        return tuple(sorted(self._graph.nodes[node]["papers"], key=self._order.__getitem__))

    def uncovered(self, node: str) -> tuple[PaperId, ...]:
        """U_n: papers of a node that none of its children has."""
        covered = {p for child in self.children(node) for p in self._graph.nodes[child]["papers"]}
        return tuple(p for p in self.papers(node) if p not in covered)

    def level(self, node: str) -> int:
        """1 for the root, else one more than the nearest parent's."""
        return int(nx.shortest_path_length(self._graph, self.root, node)) + 1

    def path(self, node: str) -> tuple[str, ...]:
        """Labels from the root to a node, by its nearest parents."""
        return tuple(self.label(n) for n in nx.shortest_path(self._graph, self.root, node))

    def above(self, node: str) -> tuple[str, ...]:
        """Every node that lies above this one, in the order of the nodes."""
        ancestors = nx.ancestors(self._graph, node)
        return tuple(n for n in self.nodes if n in ancestors)

    def growth(self, node: str, density: int, max_level: int) -> Growth:
        """What the rule says for a node as it stands."""
        papers, uncovered = len(self.papers(node)), len(self.uncovered(node))
        return growth(papers, uncovered, len(self.children(node)), self.level(node), density, max_level)


# ---------------------------------------------------------------- to and from values


def taxonomy_of(dags: Iterable[Dag]) -> Taxonomy:
    """The DAGs of all dimensions as one value."""
    dags = list(dags)
    return Taxonomy(
        nodes=tuple(
            Node(node_id=n, dimension=d.dimension, label=d.label(n), gloss=d.gloss(n), papers=d.papers(n))
            for d in dags
            for n in d.nodes
        ),
        edges=tuple(edge for d in dags for edge in d.edges),
        assignments=tuple(
            Assignment(paper_id=p, node_id=n, phrase=reasons[p])
            for d in dags
            for n in d.nodes
            for reasons in [d.phrases(n)]
            for p in d.papers(n)
            if p in reasons
        ),
    )


def dags_of(taxonomy: Taxonomy) -> dict[Dimension, Dag]:
    """The DAG of each dimension; refuses a taxonomy that is none (a circle, a stray node, an unknown id)."""
    if problem := _problem(taxonomy):
        raise InputError(f"This is no taxonomy: {problem}.", "Organize the papers again.")
    nodes = {node.node_id: node for node in taxonomy.nodes}
    dags = {n.dimension: Dag(n.dimension, n.papers) for n in taxonomy.nodes if n.node_id == n.dimension.value.lower()}
    for node in taxonomy.nodes:
        dags[node.dimension].restore(node)
    for parent, child in taxonomy.edges:
        dags[nodes[child].dimension].link(parent, child)
    for a in taxonomy.assignments:
        dags[nodes[a.node_id].dimension].add_papers(a.node_id, [a.paper_id], {a.paper_id: a.phrase})
    return dags


def restricted(taxonomy: Taxonomy, papers: Collection[PaperId]) -> Taxonomy:
    """The taxonomy with these papers alone; a node below the roots that is left with fewer than two of them is gone."""
    below = {child for _, child in taxonomy.edges}
    kept = [n.model_copy(update={"papers": tuple(p for p in n.papers if p in papers)}) for n in taxonomy.nodes]
    nodes = {n.node_id: n for n in kept if n.node_id not in below or len(n.papers) > 1}
    return Taxonomy(
        nodes=tuple(nodes.values()),
        edges=tuple((a, b) for a, b in taxonomy.edges if a in nodes and b in nodes),
        assignments=tuple(a for a in taxonomy.assignments if a.node_id in nodes and a.paper_id in papers),
    )


def _problem(taxonomy: Taxonomy) -> str:
    """Why these nodes and edges are no taxonomy; empty if they are one."""
    dimension = {node.node_id: node.dimension for node in taxonomy.nodes}
    if len(dimension) < len(taxonomy.nodes):
        return "a node is there twice"
    named = [n for edge in taxonomy.edges for n in edge] + [a.node_id for a in taxonomy.assignments]
    if unknown := [n for n in named if n not in dimension]:
        return f"there is no node {unknown[0]}"
    if any(dimension[parent] != dimension[child] for parent, child in taxonomy.edges):
        return "an edge joins two dimensions"
    graph = nx.DiGraph(taxonomy.edges)
    if not nx.is_directed_acyclic_graph(graph):
        return "it has a circle"
    below = {child for _, child in taxonomy.edges}
    for node in taxonomy.nodes:
        if (node.node_id in below) == (node.node_id == node.dimension.value.lower()):
            return f"the node {node.node_id} hangs on no root" if node.node_id not in below else "a root has a parent"
    return ""


# ---------------------------------------------------------------- shown


def as_text(taxonomy: Taxonomy, titles: Mapping[PaperId, str] | None = None) -> str:
    """The taxonomy as an indented list with paper counts; with `titles`, the papers below the deepest nodes too.

    A node with several parents is written out under the first and referred to under the others.
    """
    lines: list[str] = []
    for dag in dags_of(taxonomy).values():
        shown: set[str] = set()
        _list_node(dag, dag.root, 0, shown, lines, titles or {})
    return "\n".join(lines)


def _list_node(
    dag: Dag, node: str, depth: int, shown: set[str], lines: list[str], titles: Mapping[PaperId, str]
) -> None:
    indent, papers = "  " * depth, dag.papers(node)
    again = " (see above)" if node in shown else ""
    lines.append(f"{indent}- {dag.label(node)} · {len(papers)} {'paper' if len(papers) == 1 else 'papers'}{again}")
    if again:
        return
    shown.add(node)
    for child in dag.children(node):
        _list_node(dag, child, depth + 1, shown, lines, titles)
    lines.extend(f"{indent}  - {titles[paper]}" for paper in dag.uncovered(node) if paper in titles)


def as_mermaid(taxonomy: Taxonomy) -> str:
    """The taxonomy as a Mermaid flowchart; edges to a further parent are dotted."""
    number = {node.node_id: f"n{i}" for i, node in enumerate(taxonomy.nodes)}
    lines = ["flowchart LR"]
    lines += [f'  {number[n.node_id]}["{_escaped(n.label)} ({len(n.papers)})"]' for n in taxonomy.nodes]
    placed: set[str] = set()
    for parent, child in taxonomy.edges:
        lines.append(f"  {number[parent]} {'-.->' if child in placed else '-->'} {number[child]}")
        placed.add(child)
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """The text as one line that cannot leave its quotes: what Mermaid or HTML would read is given by its code."""
    return "".join(c if c.isalnum() or c in " -,.:/+()'" else f"#{ord(c)};" for c in " ".join(text.split()))


def as_graphml(taxonomy: Taxonomy, keys: Mapping[PaperId, str] | None = None) -> str:
    """The taxonomy as GraphML, with label, dimension and papers of each node; with `keys`, papers by citation key."""
    graph = nx.DiGraph()
    for node in taxonomy.nodes:
        facts = {"label": node.label, "gloss": node.gloss, "dimension": node.dimension.value}
        graph.add_node(
            node.node_id, **facts, papers=" ".join((keys or {}).get(p, p) for p in node.papers), count=len(node.papers)
        )
    graph.add_edges_from(taxonomy.edges)
    return "\n".join(nx.generate_graphml(graph))
