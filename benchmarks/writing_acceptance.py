"""Writes a section for ten open topics of the benchmark with the built-in writer and checks what a reader would see.

    python benchmarks/writing_acceptance.py [--topics N] [--candidates N] [--out DIR]

Each topic has a library of its own references and its nearest other papers, as far as the corpus has them, and goes
through the whole pipeline with default settings. Accepted is a section that reads as prose (no list, no heading inside,
no sentence twice, no paragraph that begins by pointing back, no "this method" with nothing before it), cites at least
80 % of its shortlist, names no paper outside it, accounts for every paper that it does not cite, and whose claims pass
the gate. Prints a line a topic and what was found; the exit status is 1 where a topic is not accepted.
"""

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from marwg.pipeline import Pipeline  # noqa: E402
from marwg.services import open_services  # noqa: E402
from marwg.settings import Settings  # noqa: E402
from marwg.text.markup import markdown, without_citations  # noqa: E402
from marwg.text.references import cited  # noqa: E402
from marwg.types import POSITION, Focal, Request, Run  # noqa: E402
from marwg.verification.claims import points_back  # noqa: E402
from marwg.writing.guards import sentence_key  # noqa: E402
from marwg.writing.redundancy import redundancy  # noqa: E402

DATA = ROOT.parent / "shared" / "benchmark" / "rwg"
SHARE = 0.8
_HANGING = re.compile(
    r"^(?:This|These|The (?:proposed|former|latter|above)) (?:method|approach|model|framework|work|paper|system)s?\b"
)


def faults(run: Run) -> list[str]:
    """What a reader would object to."""
    assert run.draft is not None
    assert run.candidates is not None
    found, seen = [], set()
    for section in run.draft.sections:
        for paragraph in section.paragraphs:
            for place, sentence in enumerate(paragraph):
                plain, key = without_citations(sentence.text), sentence_key(sentence.text)
                if re.match(r"[-*•#]|\d+[.)] ", plain):
                    found.append(f"list: {plain}")
                if key in seen:
                    found.append(f"twice: {plain}")
                seen.add(key)
                hangs = points_back(sentence.text) if section.topic_id != POSITION else bool(_HANGING.match(plain))
                if place == 0 and hangs:
                    found.append(f"points back to nothing: {plain}")
    shortlist = {s.paper_id for s in run.candidates.shortlist}
    there = cited(run.draft)
    found += [f"outside the shortlist: {i}" for i in there if i not in shortlist]
    listed = {u.paper_id for u in run.draft.uncited}
    found += [f"neither cited nor listed: {i}" for i in shortlist if i not in there and i not in listed]
    if len(shortlist & set(there)) < SHARE * len(shortlist):
        found.append(f"cites {len(shortlist & set(there))} of {len(shortlist)}")
    assert run.ledger is not None
    for entry in run.ledger.entries:
        found += [f"gate, {f.rule}: {f.message} “{entry.claim.sentence}”" for f in entry.findings]
    return found


def _kept(home: Path, rows: list[dict[str, Any]]) -> Path:
    home.mkdir()
    library = home / "papers.jsonl"
    library.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return library


async def written(topic: dict[str, Any], corpus: dict[str, Any], candidates: int, home: Path) -> Run:
    """The verified draft for a topic, in a library of its references and their neighbours."""
    ids = [i for i in dict.fromkeys([*topic["gold_refs"], *(topic.get("hard_distractors") or [])]) if i in corpus]
    rows = [corpus[i] | {"url": corpus[i].get("url") or ""} for i in ids[:candidates]]
    library = _kept(home, rows)
    settings = Settings(home=home, generator="built-in", verifier="built-in", starter_library=library)
    services = await open_services(settings)
    try:
        focal = Focal(title=topic["title"], abstract=" ".join(topic["abstract"].split()))
        run = services.runs.start("acceptance", Request(focal=focal))
        for _ in range(2):
            async for event in Pipeline(services).advance(run):
                run = getattr(event, "run", run)
            run = run.model_copy(update={"outline_approved": True})
        return run
    finally:
        await services.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=10)
    parser.add_argument("--candidates", type=int, default=60)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    if not DATA.exists():
        print("skipped: ../shared/benchmark/rwg is not here")
        return 0
    topics = [json.loads(line) for line in (DATA / "topics.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = (json.loads(line) for line in (DATA / "corpus.jsonl").read_text(encoding="utf-8").splitlines())
    corpus = {row["id"]: row for row in rows}
    accepted, kinds = 0, Counter[str]()
    chosen = topics[: asked.topics]
    for topic in chosen:
        with tempfile.TemporaryDirectory() as folder:
            run = asyncio.run(written(topic, corpus, asked.candidates, Path(folder) / "home"))
        assert run.draft is not None
        assert run.candidates is not None
        assert run.ledger is not None
        found = faults(run)
        accepted += not found
        kinds.update(f.split(":")[0].split(" ")[0] if not f.startswith("gate") else f.split(":")[0] for f in found)
        states = Counter(e.state.value for e in run.ledger.entries)
        cites, size = len(cited(run.draft)), len(run.candidates.shortlist)
        words = sum(len(without_citations(s.text).split()) for x in run.draft.sections for s in x.sentences)
        counts = ", ".join(f"{n} {state}" for state, n in sorted(states.items()))
        print(
            f"{topic['id']}: cites {cites} of {size}, {words} words, repeats {redundancy(run.draft.sections):.2f}, {counts}, {len(found)} faults"
        )
        for fault in found:
            print(f"    {fault}")
        if asked.out:
            asked.out.mkdir(parents=True, exist_ok=True)
            (asked.out / f"{topic['id']}.md").write_text(markdown(run.draft.sections), encoding="utf-8")
    print(f"{accepted} of {len(chosen)} sections accepted; faults by kind: {dict(kinds)}")
    return int(accepted < len(chosen))


if __name__ == "__main__":
    sys.exit(main())
