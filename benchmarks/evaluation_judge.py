"""How well the offline judge of the evaluation tells supported statements from unsupported ones.

usage: python benchmarks/evaluation_judge.py [ROWS]
Reads ../shared/benchmark/verify (SciFact pairs, and citing sentences of computer science with swapped citations), takes
the first ROWS of each file (default 300) and prints area under the curve and, at the threshold in use, balanced
accuracy, precision, recall and F1 for "not supported" and the rate of false flags; and the threshold that would be best.
"""

import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("HF_HUB_OFFLINE", "1")

FOLDER = ROOT.parent / "shared" / "benchmark"
FILES = ("claims.jsonl", "cs_citances_weak.jsonl")


def main() -> None:
    from marwg.evaluation.judges import SUPPORTED_FROM, OfflineJudge
    from marwg.evaluation.tasks import SupportQuestion
    from marwg.index import Embedder
    from marwg.metrics import area_under_curve, flagging
    from marwg.settings import Settings
    from marwg.tasks import Source

    if not FOLDER.is_dir():
        print(f"{FOLDER} is not here; there is nothing to measure.")
        return
    rows_each = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    corpus = [json.loads(line) for line in (FOLDER / "rwg/corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    embedder = Embedder(Settings(), cached=100_000)
    judge = OfflineJudge(embedder.encode, (f"{row['title']} {row['abstract']}" for row in corpus))
    print(f"{embedder.name}; threshold {SUPPORTED_FROM}")
    for name in FILES:
        lines = (FOLDER / "verify" / name).read_text(encoding="utf-8").splitlines()[:rows_each]
        rows = [json.loads(line) for line in lines]
        questions = [
            SupportQuestion(
                id="",
                claim=row["claim"],
                papers=(Source(id="p", title=row["source_title"] or "", abstract=row["source_text"]),),
            )
            for row in rows
        ]
        scores = judge.scores(questions)
        wrong = [row["label"] != "SUPPORTED" for row in rows]

        def at(threshold: float, scores: list[float] = scores, wrong: list[bool] = wrong) -> float:
            return flagging([s < threshold for s in scores], wrong).balanced

        found = flagging([s < SUPPORTED_FROM for s in scores], wrong)
        best = max((t / 100 for t in range(20, 95)), key=at)
        print(
            f"{name}: {len(rows)} pairs, {sum(wrong)} not supported; AUC {area_under_curve([-s for s in scores], wrong):.3f}; "
            f"balanced accuracy {found.balanced:.3f}, precision {found.precision:.3f}, recall {found.recall:.3f}, "
            f"F1 {found.f1:.3f}, false flags {found.false_flags:.3f}; best threshold {best:.2f} with {at(best):.3f}"
        )


if __name__ == "__main__":
    main()
