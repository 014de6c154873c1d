"""How well the check tells claims that their source bears from others: gate alone, built-in judge, and models if named.

    python benchmarks/verification.py [--rows N] [--models GENERATOR [VERIFIER]]

Data: `shared/benchmark/verify/` (scientific claims by experts; citation sentences of papers with the right paper and with
another one of the same topic; citations judged in biomedicine, which are noisy and reported apart). "Positive" is "not
supported". Printed are precision, recall and F1 of it, the share of supported claims that are flagged, balanced accuracy,
AUC where there is a score, and the time a claim. Flagging everything gives an F1 of .80 on claims.jsonl. `--models` asks
real models through the same interface as a run (keys from the environment); two of them flag what either does not support.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from extractive_lint import ROOT, Encoder

sys.path.insert(0, str(ROOT))

from marwg.extractive.judging import judge_claims
from marwg.language_models import Models
from marwg.settings import Settings
from marwg.tasks import ClaimView, JudgeClaims, Source
from marwg.types import Paper
from marwg.verification.claims import claim_of
from marwg.verification.gate import HARD, TURNING, GateSource, check

DATA = ROOT.parent / "shared" / "benchmark" / "verify"
FILES = ("claims.jsonl", "claims_rest_unbalanced.jsonl", "cs_citances_weak.jsonl", "citation_integrity.jsonl")
A_CALL = 10

Row = dict[str, Any]


def text_of(row: Row) -> str:
    """The claim without marks of citations."""
    for mark in ("[<|cit|>]", "[<|multi_cit|>]", "[CIT]"):
        row["claim"] = row["claim"].replace(mark, "")
    return " ".join(row["claim"].split())


def by_gate(row: Row) -> bool:
    """Whether the gate alone objects."""
    claim = claim_of(f"{text_of(row).rstrip('.')} [@p].", "s", 1)
    if claim is None:
        return False
    paper = Paper(paper_id="p", key="p", title=row["source_title"], abstract=row["source_text"])
    found = check(claim, {"p": GateSource(paper, row["source_text"])}, {"p"})
    return any(f.rule in HARD | TURNING for f in found)


def view_of(row: Row, name: str) -> ClaimView:
    """The row as a judge sees it."""
    source = Source(id="p", title=row["source_title"], abstract=row["source_text"])
    return ClaimView(id=name, claim=text_of(row), sentence=text_of(row), citations=("p",), passages=(source,))


def by_built_in(rows: Sequence[Row], encode: Encoder) -> list[float]:
    """For each row how sure the built-in judge is that it is not supported."""
    scores = []
    for row in rows:
        (verdict,) = judge_claims(JudgeClaims(claims=(view_of(row, "c1"),)), encode).verdicts
        scores.append(verdict.confidence if verdict.label == "not supported" else 1 - verdict.confidence)
    return scores


async def by_model(rows: Sequence[Row], models: Models, role: Any) -> list[float]:
    """The same for a real model; a verdict that does not come counts as neither."""
    scores = [0.5] * len(rows)
    for start in range(0, len(rows), A_CALL):
        batch = rows[start : start + A_CALL]
        task = JudgeClaims(claims=tuple(view_of(r, f"c{n}") for n, r in enumerate(batch)))
        reply = await models.run(task, role=role)
        for verdict in reply.verdicts:
            if verdict.id[1:].isdigit() and int(verdict.id[1:]) < len(batch):
                sure = max(0.5001, verdict.confidence)
                scores[start + int(verdict.id[1:])] = sure if verdict.label == "not supported" else 1 - sure
    return scores


def told(name: str, rows: Sequence[Row], flags: Sequence[bool], seconds: float, scores: Sequence[float] = ()) -> None:
    """One line of the table."""
    from sklearn.metrics import roc_auc_score

    wrong, flagged = np.array([r["label"] != "SUPPORTED" for r in rows]), np.array(flags, dtype=bool)
    hit = int((wrong & flagged).sum())
    precision, recall = hit / max(1, int(flagged.sum())), hit / max(1, int(wrong.sum()))
    false = float(flagged[~wrong].mean())
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    line = f"  {name:28s} P {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}  false flags {false:.3f}  balanced {(recall + 1 - false) / 2:.3f}"
    if len(scores):
        auc = roc_auc_score(wrong, scores)
        at = float(np.mean(np.array(scores)[wrong] > np.quantile(np.array(scores)[~wrong], 0.85)))
        line += f"  AUC {auc:.3f}  R at .15 false flags {at:.3f}"
    print(f"{line}  {1000 * seconds / len(rows):.0f} ms", flush=True)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What some work gives, and how long it took."""
    started = time.monotonic()
    return work(), time.monotonic() - started


def main() -> None:
    """Measure and print, one block a file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=400, help="of each file, evenly spread; 0 for all")
    parser.add_argument("--models", nargs="+", default=[], metavar="MODEL")
    asked = parser.parse_args()
    if not DATA.exists():
        sys.exit(f"The benchmark data are not at {DATA}.")
    encode = Encoder()
    for name in FILES:
        rows = [json.loads(line) for line in (DATA / name).open(encoding="utf-8")]
        if asked.rows and len(rows) > asked.rows:
            rows = [rows[int(i)] for i in np.linspace(0, len(rows) - 1, asked.rows)]
        print(f"{name}: {len(rows)} rows, {sum(r['label'] != 'SUPPORTED' for r in rows)} not supported", flush=True)
        told("flag everything", rows, [True] * len(rows), 0.0)
        gate, seconds = timed(lambda rows=rows: [by_gate(r) for r in rows])
        told("gate alone", rows, gate, seconds)
        scores, seconds = timed(lambda rows=rows: by_built_in(rows, encode))
        told("built-in judge", rows, [s > 0.5 for s in scores], seconds, scores)
        both = [s > 0.5 or g for s, g in zip(scores, gate, strict=True)]
        told("gate or built-in judge", rows, both, seconds)
        if asked.models:
            asyncio.run(real(rows, asked.models))


async def real(rows: Sequence[Row], named: Sequence[str]) -> None:
    """The lines of the models that were named, alone and together."""
    settings = Settings(generator=named[0], verifier=named[-1])
    models = Models(settings, lambda texts: np.zeros((len(texts), 1)))
    try:
        found = {}
        for role in ("generator", "verifier")[: len(named)]:
            started = time.monotonic()
            found[role] = await by_model(rows, models, role)
            told(models.name(role), rows, [s > 0.5 for s in found[role]], time.monotonic() - started, found[role])  # type: ignore[arg-type]
        if len(found) == 2:
            told("either of the two", rows, [max(p) > 0.5 for p in zip(*found.values(), strict=True)], 0.0)
    finally:
        await models.close()


if __name__ == "__main__":
    main()
