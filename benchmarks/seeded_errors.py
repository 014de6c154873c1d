"""Errors put into sentences that stand, and how many of them the built-in check finds and mends.

    python benchmarks/seeded_errors.py [--sentences N] [--seed N] [--show KIND]

Sentences with one citation are taken from human related-work sections whose citations are marked
(`shared/benchmark/rwg/topics.jsonl`) where the cited abstract has at least half of their words ("human"), and from the
abstracts of the papers that these sections cite, told in the third person ("restated"). Each kind of error is put into
every sentence that can take it, one at a time, and the section of one is checked by gate and built-in judge and mended as
a draft is. Printed are, per kind, the share found, the share mended back to what the source says, and the share of found
ones that keep their meaning; and the share of untouched sentences that are flagged. Choosing human sentences by shared
words makes them easier than others; `verification.py` measures without that choice.
"""

import argparse
import asyncio
import json
import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from extractive_lint import ROOT, Encoder

sys.path.insert(0, str(ROOT))

from marwg.agents import fact_checking
from marwg.extractive.writer import ExtractiveWriter
from marwg.tasks import Task
from marwg.text.markup import citations_of, map_citations, split_sentences, without_citations
from marwg.text.quantities import quantities
from marwg.text.wording import content_words, names_in, overlap
from marwg.types import (
    CandidateSet,
    ClaimState,
    Draft,
    Focal,
    Paper,
    Passage,
    Request,
    Section,
    Sentence,
    Shortlisted,
    Usage,
)  # fmt: skip

DATA = ROOT.parent / "shared" / "benchmark" / "rwg"
FOUND = (ClaimState.UNSUPPORTED, ClaimState.DISPUTED, ClaimState.CORRECTED, ClaimState.REATTRIBUTED)
Change = Callable[["Item", random.Random], str | None]


@dataclass(frozen=True)
class Item:
    """A sentence that stands, the paper that it cites, and the papers around it."""

    text: str
    cited: str
    near: tuple[str, ...]
    base: str


# ---------------------------------------------------------------- errors

_FLIPS = (
    ("improv", "degrad", (("improves", "degrades"), ("improve", "degrade"), ("improved", "degraded"), ("improving", "degrading"))),
    ("increas", "decreas", (("increases", "decreases"), ("increase", "decrease"), ("increasing", "decreasing"), ("increased", "decreased"))),
    ("reduc", "increas", (("reduces", "increases"), ("reduce", "increase"), ("reducing", "increasing"), ("reduced", "increased"))),
    ("outperform", "underperform", (("outperforms", "underperforms"), ("outperform", "underperform"), ("outperforming", "underperforming"))),
    ("high", "low", (("higher", "lower"), ("lower", "higher"), ("better", "worse"), ("faster", "slower"), ("superior", "inferior"), ("more", "less"))),
)  # fmt: skip
_LAST_STOP = re.compile(r"\s*(\[@[^\]]*\])?\.?\s*$")


def with_clause(text: str, clause: str) -> str:
    """The sentence with a clause before its last citation."""
    match = _LAST_STOP.search(text)
    assert match is not None
    return f"{text[: match.start()].rstrip(' ,')}{clause} {match[1] or ''}".rstrip() + "."


def swap(item: Item, luck: random.Random) -> str | None:
    """The nearest other paper of the same section, of the three, that is no version of the same."""
    other = luck.choice(item.near[:3]) if item.near else None
    return map_citations(item.text, lambda ids: [other or i for i in ids]) if other else None


def flip(item: Item, luck: random.Random) -> str | None:
    for _, _, pairs in _FLIPS:
        for word, opposite in pairs:
            if re.search(rf"\b{word}\b", item.text):
                return re.sub(rf"\b{word}\b", opposite, item.text, count=1)
    return None


def numbers(text: str) -> list[str]:
    return [q.words for q in quantities(without_citations(text)) if not q.year and not q.spelled and q.value >= 1]


def change_number(item: Item, luck: random.Random) -> str | None:
    found = numbers(item.text)
    if not found:
        return None
    words = luck.choice(found)
    match = re.search(r"\d[\d,]*(?:\.\d+)?", words)
    assert match is not None
    value = float(match[0].replace(",", ""))
    changed = value + luck.choice([-1, 1]) * max(1.0, round(value * luck.choice([0.2, 0.35, 0.5])))
    changed = value + max(1.0, round(value * 0.4)) if changed <= 0 else changed
    decimals = len(match[0].partition(".")[2])
    new = f"{changed:,.{decimals}f}" if "," in match[0] else f"{changed:.{decimals}f}"
    return item.text.replace(words, words.replace(match[0], new), 1)


def exchange_numbers(item: Item, luck: random.Random) -> str | None:
    found = list(dict.fromkeys(numbers(item.text)))
    plain = [re.sub(r"[^\d.,]", "", w).strip(".,") for w in found]
    if len(found) < 2 or plain[0] == plain[1]:
        return None
    a, b = plain[0], plain[1]
    return re.sub(
        rf"(?<![\d.]){re.escape(a)}(?![\d])|(?<![\d.]){re.escape(b)}(?![\d])",
        lambda m: b if m[0] == a else a,
        item.text,
    )


def overstate(item: Item, luck: random.Random) -> str | None:
    clauses = (
        ", outperforming all existing methods on every benchmark", ", which guarantees correct results in all cases",
        ", making it the first work to address this problem", ", and completely eliminates such errors",
    )  # fmt: skip
    return with_clause(item.text, luck.choice(clauses))


def negative(item: Item, luck: random.Random) -> str | None:
    clauses = (
        ", but does not consider multilingual settings", ", but lacks any human evaluation", ", without evaluating its runtime",
        ", but ignores the temporal order of events",
    )  # fmt: skip
    return with_clause(item.text, luck.choice(clauses))


def joint(item: Item, luck: random.Random) -> str | None:
    if len(citations_of(item.text)) != 1 or not item.near:
        return None
    other = luck.choice(item.near[:3])
    return map_citations(item.text, lambda ids: [*ids, other])


def foreign_name(item: Item, luck: random.Random) -> str | None:
    name = luck.choice(("QuanterBench", "ZephyrNet", "DeltaFormer-XL", "MIRACL-9", "OrthoRAG"))
    known = names_in(without_citations(item.text))
    if known:
        return item.text.replace(known[0], name, 1)
    return with_clause(item.text, f" on {name}")


def invention(item: Item, luck: random.Random) -> str | None:
    clauses = (
        ", and was deployed in hospitals to triage patient records", ", and releases an annotated corpus of court decisions",
        ", and trains a separate reward model on crowd-sourced preferences", ", which is explained by the curvature of the loss surface",
    )  # fmt: skip
    return with_clause(item.text, luck.choice(clauses))


KINDS: dict[str, Change] = {
    "swapped citation": swap, "flipped direction": flip, "changed number": change_number, "exchanged numbers": exchange_numbers,
    "overstated": overstate, "negative property": negative, "one's attribute to both": joint, "foreign name": foreign_name,
    "invention": invention,
}  # fmt: skip


# ---------------------------------------------------------------- sentences that stand

_THIRD = (
    (r"\bwe\b", "they"), (r"\bWe\b", "They"), (r"\bour\b", "their"), (r"\bOur\b", "Their"), (r"\bus\b", "them"), (r"\bours\b", "theirs"),
    (r"^(?:In this (?:paper|work|study), )", ""), (r"\b[Tt]his (?:paper|work|study)\b", "the paper"),
)  # fmt: skip


def items(
    papers: dict[str, Paper], topics: Sequence[dict[str, Any]], encode: Encoder, count: int, luck: random.Random
) -> list[Item]:
    """Sentences of both bases, as many of each as asked for."""
    human, restated = [], []
    for topic in luck.sample(list(topics), len(topics)):
        if min(len(human), len(restated)) >= count:
            break
        gold = [g for g in topic["gold_refs"] if g in papers and len(papers[g].abstract.split()) >= 40]
        if len(gold) < 4:
            continue
        rows = encode([f"{papers[g].title} {papers[g].abstract}" for g in gold])
        near = {
            g: tuple(gold[int(n)] for n in np.argsort(-(rows @ rows[k])) if n != k and rows[int(n)] @ rows[k] < 0.9)
            for k, g in enumerate(gold)
        }
        for text in split_sentences(" ".join((topic["related_work_marked"] or "").split())):
            marks = re.findall(r"\[\[([^\]]+)\]\]", text)
            if len(marks) != 1 or marks[0] not in near or not 8 <= len(text.split()) <= 45:
                continue
            plain = re.sub(r"\s*\[\[[^\]]+\]\]", f" [@{marks[0]}]", text)
            # A named author or a year stands there beside the mark; what is left is what is said.
            words = content_words(re.sub(r"\b[A-Z][\w-]+ et al\.?|\(\d{4}\)", "", without_citations(plain)))
            if overlap(words, content_words(f"{papers[marks[0]].title} {papers[marks[0]].abstract}")) >= 0.5:
                human.append(Item(plain, marks[0], near[marks[0]], "human"))
        for g in luck.sample(gold, min(6, len(gold))):
            sentences = [s for s in split_sentences(papers[g].abstract) if 10 <= len(s.split()) <= 40]
            sentences.sort(key=lambda s: (len(numbers(s)) < 2, not numbers(s)))
            for text in sentences[:2]:
                for pattern, new in _THIRD:
                    text = re.sub(pattern, new, text)
                text = text[:1].upper() + text[1:]
                restated.append(
                    Item(with_clause(text.rstrip("."), "").rstrip(".") + f" [@{g}].", g, near[g], "restated")
                )
    luck.shuffle(human)
    luck.shuffle(restated)
    return human[:count] + restated[:count]


# ---------------------------------------------------------------- the check


class BuiltIn:
    """The built-in writer as both models."""

    usage, independent = Usage(), False

    def __init__(self, encode: Encoder) -> None:
        self._writer = ExtractiveWriter(encode)

    async def run(self, task: Task[Any], role: str = "generator", fresh: bool = False) -> Any:
        return self._writer.answer(task)

    def name(self, role: str = "generator", task: str = "") -> str:
        return "built-in"

    def is_built_in(self, role: str = "generator") -> bool:
        return True


class Shelf:
    """Library and index of some papers with abstracts, in memory."""

    def __init__(self, papers: dict[str, Paper], encode: Encoder) -> None:
        self._papers, self._encode, self.embedder = papers, encode, self

    def papers(self, ids: Sequence[str] | None = None) -> list[Paper]:
        return [self._papers[i] for i in (self._papers if ids is None else ids) if i in self._papers]

    def pages(self, paper_id: str) -> list[Any]:
        return []

    async def aencode(self, texts: Sequence[str]) -> np.ndarray:
        return self._encode(texts)

    async def passages(self, paper_id: str) -> list[tuple[Passage, np.ndarray]]:
        return []

    async def vectors(self, ids: Sequence[str]) -> dict[str, np.ndarray]:
        return dict(zip(ids, self._encode([self._papers[i].abstract for i in ids]), strict=True))


async def checked(text: str, item: Item, shelf: Shelf, models: BuiltIn) -> Any:
    """The ledger entry of one sentence in a section of its own, among the papers of its topic."""
    around = list(dict.fromkeys([item.cited, *item.near, *citations_of(text)]))
    request = Request(
        focal=Focal(title="A paper", abstract="A paper about something else entirely, for which this is written.")
    )
    candidates = CandidateSet(
        candidates=(), longlist=tuple(around), shortlist=tuple(Shortlisted(paper_id=i, score=1) for i in around)
    )
    draft = Draft(author="m", sections=(Section(topic_id="s1", title="T", paragraphs=((Sentence(text=text),),)),))
    ignore: Callable[[Any], None] = lambda event: None  # noqa: E731
    _, ledger = await fact_checking.verify(request, draft, candidates, (), models, shelf, shelf, ignore)  # type: ignore[arg-type]
    return ledger.entries[0] if ledger.entries else None


def objected(entry: Any) -> bool:
    """Whether the check has something against a claim: its state, or a remark on one of its citations."""
    return entry is not None and (
        entry.state in FOUND or any(c.kind in ("flagged", "dropped") for c in entry.corrections)
    )


def mended(before: str, after: str, original: Item) -> bool:
    """Whether a correction took the error out: the right paper again, or no word of what was put in."""
    if set(citations_of(after)) != {original.cited}:
        return False
    put_in = content_words(without_citations(before)) - content_words(without_citations(original.text))
    changed = [n for n in numbers(before) if n not in numbers(original.text)]
    return not (put_in & content_words(without_citations(after))) and not any(n in after for n in changed)


def main() -> None:
    """Put errors in, check, count, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sentences", type=int, default=60, help="of each base")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), metavar="KIND", help="which errors (default: all)")
    parser.add_argument("--show", default="", help="print what is missed of a kind, or 'untouched' that is flagged")
    asked = parser.parse_args()
    if not DATA.exists():
        sys.exit(f"The benchmark data are not at {DATA}.")
    rows = {r["id"]: r for r in map(json.loads, (DATA / "corpus.jsonl").open(encoding="utf-8"))}
    papers = {
        i: Paper(
            paper_id=i,
            key=i,
            title=r["title"],
            authors=tuple(r["authors"] or ()),
            year=r["year"],
            abstract=r["abstract"] or "",
        )
        for i, r in rows.items()
    }
    topics = [json.loads(line) for line in (DATA / "topics.jsonl").open(encoding="utf-8")]
    encode, luck = Encoder(), random.Random(asked.seed)
    chosen = items(papers, topics, encode, asked.sentences, luck)
    shelf, models = Shelf(papers, encode), BuiltIn(encode)
    kinds = {k: c for k, c in KINDS.items() if k in asked.kinds}
    asyncio.run(measure(chosen, shelf, models, asked.seed, asked.show, kinds))


async def measure(
    chosen: Sequence[Item], shelf: Shelf, models: BuiltIn, seed: int, show: str, kinds: dict[str, Change]
) -> None:
    """Check every sentence untouched and with each error; print the table."""
    started, count = time.monotonic(), 0
    for base in ("human", "restated"):
        own = [i for i in chosen if i.base == base]
        print(f"\n{base}: {len(own)} sentences", flush=True)
        flagged = 0
        for item in own:
            entry = await checked(item.text, item, shelf, models)
            count += 1
            bad = objected(entry)
            flagged += bad
            if bad and show == "untouched":
                print(
                    "  flagged:",
                    item.text,
                    "|",
                    [f.words for f in entry.findings],
                    [j.reason for j in entry.judgements[:1]],
                )
        print(f"  {'untouched, flagged':26s} {flagged / max(1, len(own)):.2f}", flush=True)
        for kind, change in kinds.items():
            luck, tried, found, right, kept = random.Random(seed), 0, 0, 0, 0
            for item in own:
                text = change(item, luck)
                if text is None or text == item.text:
                    continue
                entry = await checked(text, item, shelf, models)
                tried, count = tried + 1, count + 1
                if not objected(entry):
                    if show == kind:
                        print("  missed:", text)
                    continue
                found += 1
                if entry.state in (ClaimState.CORRECTED, ClaimState.REATTRIBUTED):
                    right += mended(text, entry.claim.sentence, item)
                    old, new = (content_words(without_citations(t)) for t in (item.text, entry.claim.sentence))
                    kept += overlap(old, new) >= 0.5
                else:
                    kept += 1  # flagged and left as it was
            if tried:
                print(
                    f"  {kind:26s} found {found / tried:.2f} of {tried:3d}, mended {right / tried:.2f}, meaning kept {kept / max(1, found):.2f}",
                    flush=True,
                )
    print(f"\n{1000 * (time.monotonic() - started) / max(1, count):.0f} ms a claim, {count} claims")


if __name__ == "__main__":
    main()
