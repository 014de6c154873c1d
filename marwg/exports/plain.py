"""A draft as plain text, with author-year citations and its references, and as JSON."""

import json
from collections.abc import Iterable, Sequence

from marwg.text.markup import body, citations_of
from marwg.text.references import labels, with_keys, with_names
from marwg.types import Draft, Focal, Paper, Sentence
from marwg.writing.matrix import Matrix, as_data


def plain_text(draft: Draft, papers: Sequence[Paper]) -> str:
    """The draft to be read or pasted anywhere; `papers` are those that it cites, in the order of the list."""
    blocks = ["Related Work"]
    for section in draft.sections:
        if section.title and draft.headings:
            blocks.append(section.title)
        blocks.append(with_names(body(section), papers))
    blocks.append("References\n\n" + "\n".join(references(papers)))
    return "\n\n".join(blocks) + "\n"


def references(papers: Sequence[Paper]) -> list[str]:
    """One line a paper: authors, year as cited, title, where it appeared; what is not known is left out."""
    years = {i: year for i, (_, year) in labels(papers).items()}
    lines = []
    for paper in papers:
        authors = "; ".join(paper.authors) or labels([paper])[paper.paper_id][0]
        where = paper.venue or (f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else "")
        link = f"https://doi.org/{paper.doi}" if paper.doi else paper.url
        parts = [f"{authors} ({years[paper.paper_id]})", paper.title.rstrip("."), where, link]
        lines.append(". ".join(p for p in parts if p) + ("" if link else "."))
    return lines


def draft_json(focal: Focal, draft: Draft, papers: Sequence[Paper], matrix: Matrix | None = None) -> str:
    """The draft as data: sections, paragraphs and sentences with citation keys and the passages that they were made from."""
    keys = {p.paper_id: p.key for p in papers}
    document = {
        "format": "marwg draft 1",
        "title": focal.title,
        "version": draft.version,
        "parent": draft.parent,
        "written_by": draft.author,
        "reason": draft.reason,
        "headings": draft.headings,
        "sections": [
            {"title": s.title, "paragraphs": [[_sentence(x, keys) for x in p] for p in s.paragraphs]}
            for s in draft.sections
        ],
        "uncited": [{"key": keys.get(u.paper_id, u.paper_id), "reason": u.reason} for u in draft.uncited],
        "references": list(_facts(papers)),
        "comparison": as_data(matrix) if matrix else [],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _sentence(sentence: Sentence, keys: dict[str, str]) -> dict[str, object]:
    return {
        "text": with_keys(sentence.text, keys),
        "citations": [keys.get(i, i) for i in citations_of(sentence.text)],
        "sources": [
            {"key": keys.get(s.paper_id, s.paper_id), "page": s.page or "abstract", "quote": s.text}
            for s in sentence.sources
        ],
    }


def _facts(papers: Iterable[Paper]) -> Iterable[dict[str, object]]:
    for p in papers:
        facts = p.model_dump(include={"key", "title", "authors", "year", "venue", "doi", "arxiv_id", "url"})
        yield {name: value for name, value in facts.items() if value}
