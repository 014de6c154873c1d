"""The last taxonomy of a focal paper is there for the papers that are as they were, and for no others."""

from pathlib import Path

from marwg.organizing.taxonomy import Dag, taxonomy_of
from marwg.regrowth import LastTaxonomy
from marwg.runs import Runs
from marwg.types import Dimension, Paper

PAPERS = [Paper(paper_id=f"p{n}", key=f"k{n}", title=f"Title {n}", abstract="We check.") for n in range(4)]


def test_papers_that_changed_or_are_gone_are_not_in_it(tmp_path: Path):
    dag = Dag(Dimension.TASK, [p.paper_id for p in PAPERS])
    dag.add_child("task", "checking", papers=["p0", "p1", "p2"])
    runs = Runs(tmp_path / "runs.db")
    last = LastTaxonomy(runs, "key")
    assert last.of(PAPERS) is None
    last.keep(taxonomy_of([dag]), PAPERS)
    assert last.of(PAPERS) == taxonomy_of([dag])
    assert LastTaxonomy(runs, "another key").of(PAPERS) is None
    new = PAPERS[0].model_copy(update={"abstract": "We check more."})
    kept = last.of([new, *PAPERS[1:3]])
    assert [n.papers for n in kept.nodes] == [("p1", "p2"), ("p1", "p2")]
    last.keep(kept, PAPERS[1:3])
    assert last.of(PAPERS) == kept, "the newest takes the place of the one before"
    runs.close()
