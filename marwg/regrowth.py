"""The taxonomy that was grown last for a focal paper, so that another library or shortlist rebuilds only what it must."""

from collections.abc import Sequence

from marwg.organizing.taxonomy import restricted
from marwg.runs import Runs, digest
from marwg.types import Paper, Stage, Taxonomy


class LastTaxonomy:
    """Kept under a key of everything that a taxonomy depends on except its papers."""

    def __init__(self, runs: Runs, key: str) -> None:
        self._runs, self._key = runs, digest("last taxonomy", key)

    def of(self, papers: Sequence[Paper]) -> Taxonomy | None:
        """The last taxonomy with those of these papers whose title and abstract are as they were; None before the first."""
        kept = self._runs.output(Stage.TAXONOMY, self._key)
        if kept is None:
            return None
        same = {p.paper_id for p in papers if kept["texts"].get(p.paper_id) == _text(p)}
        return restricted(Taxonomy.model_validate(kept["taxonomy"]), same)

    def keep(self, taxonomy: Taxonomy, papers: Sequence[Paper]) -> None:
        """Takes the place of the one before."""
        texts = {p.paper_id: _text(p) for p in papers}
        output = {"taxonomy": taxonomy.model_dump(mode="json"), "texts": texts}
        self._runs.keep_output(Stage.TAXONOMY, self._key, output)


def _text(paper: Paper) -> str:
    return digest(paper.title, paper.abstract)
