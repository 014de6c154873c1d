"""A benchmark from a user's own papers: the gold text and references come from a `.tex` with its `.bib`."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from marwg.conversation.reading import focal_in_file
from marwg.errors import UnreadableFile
from marwg.library.identity import normal_title
from marwg.library.importing import read_bib_file
from marwg.library.latex import plain
from marwg.metrics import same_reference
from marwg.types import Paper

_SECTION = re.compile(r"\\section\*?\s*\{(?P<title>[^{}]*)\}")
_RELATED = re.compile(r"related|prior work|previous work|background|state of the art|literature", re.IGNORECASE)
_CITE = re.compile(r"\s*~?\\[Cc]ite[a-zA-Z]*\*?\s*(?:\[[^\]]*\]\s*){0,2}\{(?P<keys>[^{}]*)\}")
_STYLED = re.compile(r"\\(?:emph|text\w\w|texttt|underline|mbox)\s*\{([^{}]*)\}")
_COMMENT = re.compile(r"(?<!\\)%.*")
_DROPPED = re.compile(
    r"\\(?:label|ref|vspace|footnote)\{[^{}]*\}|\\begin\{(figure|table)\*?\}.*?\\end\{\1\*?\}", re.DOTALL
)


def add_topic(folder: Path, tex: Path, bibs: Sequence[Path]) -> str:
    """Adds the paper of a `.tex` as a topic, and what its `.bib` files hold to the corpus; says what came of it.

    Only references with an abstract enter the corpus, and only those can be gold. Further `.bib` files make the corpus
    larger: without papers that nobody cited, retrieval is no task.
    """
    focal = focal_in_file(tex)
    text = related_work(tex.read_text(encoding="utf-8", errors="replace"))
    if not text:
        raise UnreadableFile(
            f"{tex.name} has no section on related work.", "Its title must name related, prior or previous work."
        )
    keys = list(dict.fromkeys(k.strip() for m in _CITE.finditer(text) for k in m["keys"].split(",") if k.strip()))
    folder.mkdir(parents=True, exist_ok=True)
    corpus = _rows(folder / "corpus.jsonl")
    known = [_paper(row) for row in corpus]
    ids: dict[str, str] = {}
    for paper in (p for bib in bibs for p in read_bib_file(bib).papers):
        if not paper.abstract.strip():
            continue
        same = next(
            (row["id"] for row, k in zip(corpus, known, strict=True) if same_reference(k, paper, normal_title)), ""
        )
        if not same:
            same = f"bib:{normal_title(paper.title)[:40]}{paper.year or ''}"
            corpus.append(_row(same, paper))
            known.append(paper)
        ids.setdefault(paper.key, same)
    gold = list(dict.fromkeys(ids[k] for k in keys if k in ids))
    topic = {
        "id": tex.stem,
        "title": focal.title,
        "abstract": focal.abstract,
        "related_work": human_text(text),
        "gold_refs": gold,
        "n_refs_total": len(keys),
    }
    topics = [row for row in _rows(folder / "topics.jsonl") if row["id"] != topic["id"]] + [topic]
    _write(folder / "corpus.jsonl", corpus)
    _write(folder / "topics.jsonl", topics)
    return (
        f"{tex.name}: {len(gold)} of {len(keys)} cited references have an abstract and are gold; "
        f"the corpus holds {len(corpus)} papers, the benchmark {len(topics)} topics."
    )


def related_work(tex: str) -> str:
    """The LaTeX of the section on related work; empty if there is none."""
    text = _COMMENT.sub("", tex)
    sections = list(_SECTION.finditer(text))
    for place, match in enumerate(sections):
        if _RELATED.search(match["title"]):
            end = sections[place + 1].start() if place + 1 < len(sections) else len(text)
            return re.split(r"\\bibliography|\\end\{document\}|\\appendix", text[match.end() : end])[0]
    return ""


def human_text(tex: str) -> str:
    """The words of a section, without commands and citations."""
    text = _CITE.sub("", _DROPPED.sub("", tex))
    text = _STYLED.sub(r"\1", text)
    text = re.sub(r"\\(?:sub)*(?:section|paragraph)\*?\s*\{([^{}]*)\}", "\n\n", text)
    blocks = [" ".join(plain(block).split()) for block in re.split(r"\n\s*\n", text)]
    return "\n".join(block for block in blocks if block)


def _rows(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def _row(identifier: str, paper: Paper) -> dict[str, Any]:
    facts = paper.model_dump(include={"title", "abstract", "year", "venue", "doi", "url", "arxiv_id"})
    return {"id": identifier, **facts, "authors": list(paper.authors)}


def _paper(row: dict[str, Any]) -> Paper:
    return Paper(
        paper_id=str(row["id"]),
        key="",
        title=row["title"],
        authors=tuple(row.get("authors") or ()),
        year=row.get("year"),
        doi=row.get("doi") or "",
        arxiv_id=row.get("arxiv_id") or "",
    )
