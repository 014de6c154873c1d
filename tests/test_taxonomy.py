"""The DAG keeps its promises whatever is inserted: no circle, papers of a node under its parents too, nothing lost."""

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marwg.errors import InputError
from marwg.organizing.taxonomy import Dag, as_graphml, as_mermaid, as_text, dags_of, growth, taxonomy_of
from marwg.types import Assignment, Dimension, Node, Taxonomy

PAPERS = tuple(f"p{i}" for i in range(8))


def check(dag: Dag) -> None:
    """What must hold of a DAG at any time."""
    graph = nx.DiGraph(dag.edges)
    graph.add_node(dag.root)
    assert nx.is_directed_acyclic_graph(graph)
    assert set(nx.descendants(graph, dag.root)) | {dag.root} == set(dag.nodes)
    for parent, child in dag.edges:
        assert set(dag.papers(child)) <= set(dag.papers(parent))
        assert dag.level(child) <= dag.level(parent) + 1
    for node in dag.nodes:
        covered = {p for child in dag.children(node) for p in dag.papers(child)}
        assert set(dag.uncovered(node)) == set(dag.papers(node)) - covered
        assert len(dag.path(node)) == dag.level(node)


steps = st.lists(
    st.tuples(
        st.sampled_from(["child", "link", "unify", "papers"]),
        st.integers(0, 30),
        st.integers(0, 30),
        st.sets(st.sampled_from(PAPERS)),
    ),
    max_size=25,
)


@settings(max_examples=150, deadline=None)
@given(steps)
def test_any_sequence_of_insertions(steps):
    dag = Dag(Dimension.TASK, PAPERS[:5])
    held = set(PAPERS[:5])
    for kind, a, b, papers in steps:
        first, second = dag.nodes[a % len(dag.nodes)], dag.nodes[b % len(dag.nodes)]
        before = {n: set(dag.papers(n)) for n in dag.nodes}
        shape = (dag.nodes, dag.edges)
        if kind == "child":
            dag.add_child(first, f"label {a}", papers=papers)
            held |= papers
        elif kind == "papers":
            dag.add_papers(first, papers)
            held |= papers
        elif kind == "link":
            allowed = first != second and first not in _below(dag, second)
            assert dag.link(first, second) == allowed
        else:
            apart = first not in _below(dag, second) and second not in _below(dag, first)
            joined = dag.unify(first, second)
            assert joined == apart
            if joined:
                assert set(dag.papers(second)) >= before[first] | before[second]
                assert first not in dag
            else:
                assert (dag.nodes, dag.edges) == shape
        check(dag)
        assert all(set(dag.papers(n)) >= before[n] for n in dag.nodes if n in before), "papers are never taken away"
    assert set(dag.papers(dag.root)) == held
    kept = taxonomy_of([dag])
    again = dags_of(kept)[Dimension.TASK]
    assert taxonomy_of([again]) == kept
    check(again)
    assert again.add_child(again.root, "one more") not in shape_of(kept)


def shape_of(taxonomy: Taxonomy) -> set[str]:
    return {n.node_id for n in taxonomy.nodes}


def _below(dag: Dag, node: str) -> set[str]:
    graph = nx.DiGraph(dag.edges)
    graph.add_nodes_from(dag.nodes)
    return nx.descendants(graph, node) | {node}


@pytest.mark.parametrize(
    ("papers", "uncovered", "children", "level", "expected"),
    [
        (5, 5, 0, 1, "depth"),  # ρ = δ
        (4, 4, 0, 1, "stop"),
        (9, 5, 2, 2, "width"),  # ρ̃ = δ
        (9, 4, 2, 2, "stop"),
        (9, 9, 0, 3, "stop"),  # level = l_max
        (9, 9, 0, 2, "depth"),
        (30, 30, 1, 3, "stop"),
    ],
)
def test_the_rule_at_its_limits(papers, uncovered, children, level, expected):
    assert growth(papers, uncovered, children, level, density=5, max_level=3) == expected


def shared() -> tuple[Dag, str, str, str]:
    dag = Dag(Dimension.METHODOLOGY, PAPERS[:6])
    left = dag.add_child(dag.root, "dense", papers=PAPERS[:3])
    right = dag.add_child(dag.root, 'sparse "and" [old]', papers=PAPERS[3:6])
    node = dag.add_child(left, "late interaction", papers=PAPERS[1:3])
    return dag, left, right, node


def test_a_shared_node_keeps_the_union_of_papers_and_both_parents():
    dag, left, right, node = shared()
    other = dag.add_child(right, "late interactions", papers=PAPERS[3:5])
    dag.add_papers(other, ["p3"], {"p3": "token by token"})
    assert dag.unify(other, node)
    assert dag.papers(node) == ("p1", "p2", "p3", "p4")
    assert dag.parents(node) == (left, right)
    assert dag.papers(left) == ("p0", "p1", "p2", "p3", "p4")
    assert dag.phrases(node) == {"p3": "token by token"}


def test_a_circle_is_refused_over_several_generations():
    dag, left, _, node = shared()
    deepest = dag.add_child(node, "deeper")
    assert not dag.link(deepest, left)
    assert not dag.unify(deepest, left)
    assert not dag.link(node, node)
    check(dag)


def test_it_is_shown_as_text_mermaid_and_graphml():
    dag, _, right, node = shared()
    dag.link(right, node)
    taxonomy = taxonomy_of([dag])
    assert as_text(taxonomy).splitlines() == [
        "- Methodology · 6 papers",
        "  - dense · 3 papers",
        "    - late interaction · 2 papers",
        '  - sparse "and" [old] · 5 papers',
        "    - late interaction · 2 papers (see above)",
    ]
    assert "  - A title" in as_text(taxonomy, {"p0": "A title"})
    mermaid = as_mermaid(taxonomy).splitlines()
    assert mermaid[0] == "flowchart LR"
    assert '  n2["sparse #34;and#34; #91;old#93; (5)"]' in mermaid
    assert mermaid[-1] == "  n2 -.-> n3"
    read = nx.parse_graphml(as_graphml(taxonomy))
    assert read.nodes["methodology-2"]["label"] == 'sparse "and" [old]'
    assert set(read.edges) == set(taxonomy.edges)


@pytest.mark.parametrize(
    ("edges", "says"),
    [
        ([("task", "task-1"), ("task-1", "task-2"), ("task-2", "task-1")], "circle"),
        ([("task", "task-1")], "hangs on no root"),
        ([("task", "task-1"), ("task", "task-2"), ("task", "task-9")], "no node task-9"),
        ([("task", "task-1"), ("task-1", "task-2"), ("task-2", "task")], "circle"),
        ([("dataset", "task-1"), ("task", "task-2")], "two dimensions"),
    ],
)
def test_what_is_no_taxonomy_is_refused(edges, says):
    nodes = [Node(node_id=i, dimension=Dimension.TASK, label=i) for i in ("task", "task-1", "task-2")]
    nodes.append(Node(node_id="dataset", dimension=Dimension.DATASET, label="Dataset"))
    with pytest.raises(InputError, match=says):
        dags_of(Taxonomy(nodes=tuple(nodes), edges=tuple(edges)))


def test_reasons_survive_the_way_there_and_back():
    dag, left, *_ = shared()
    dag.add_papers(left, ["p0"], {"p0": "dense vectors"})
    taxonomy = taxonomy_of([dag])
    assert taxonomy.assignments == (Assignment(paper_id="p0", node_id=left, phrase="dense vectors"),)
    assert taxonomy_of(dags_of(taxonomy).values()) == taxonomy
