"""The weights that the built-in judge should have, and how well it then tells supported claims from others.

    python benchmarks/extractive_claims.py

Fitted on scientific claims with abstracts and on citation sentences with their paper and with another paper of the same
topic (`shared/benchmark/verify/`), the latter weighing .3 of the former as no person labelled them. Printed are the AUC of
the shipped weights (fitted on these rows), the cross-validated AUC (claims of one abstract, and both versions of one
sentence, stay in one fold), what each threshold gives, and the weights.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from extractive_lint import ROOT, Encoder

sys.path.insert(0, str(ROOT))

from marwg.extractive.judging import probability
from marwg.extractive.support import FEATURES, Support, measure
from marwg.tasks import Source

DATA: Path = ROOT.parent / "shared" / "benchmark" / "verify"
WEIGHT = 0.3
FOLDS = 8


def measured(name: str, encode: Encoder) -> tuple[list[dict[str, Any]], list[Support], np.ndarray]:
    """The rows of a file, the evidence for each, and which are supported."""
    rows = [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]
    found = [
        measure(r["claim"], [Source(id=r["source_id"], title=r["source_title"], abstract=r["source_text"])], encode)
        for r in rows
    ]
    return rows, found, np.array([r["label"] == "SUPPORTED" for r in rows])


def main() -> None:
    """Measure, fit, print."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import balanced_accuracy_score, roc_auc_score
    from sklearn.model_selection import GroupKFold
    from sklearn.preprocessing import StandardScaler

    if not DATA.exists():
        sys.exit(f"The benchmark data are not at {DATA}.")
    encode = Encoder()
    claims, claim_support, claim_labels = measured("claims.jsonl", encode)
    cites, cite_support, cite_labels = measured("cs_citances_weak.jsonl", encode)
    first, second = np.array([f.vector for f in claim_support]), np.array([f.vector for f in cite_support])
    shipped = np.array([probability(f) for f in claim_support])
    print(f"shipped: AUC on claims {roc_auc_score(claim_labels, shipped):.3f}")

    def fitted(of_claims: np.ndarray, of_cites: np.ndarray) -> tuple[Any, Any]:
        rows = np.vstack([first[of_claims], second[of_cites]])
        labels = np.r_[claim_labels[of_claims], cite_labels[of_cites]]
        share = WEIGHT * len(of_claims) / len(of_cites)
        weights = np.r_[np.where(claim_labels[of_claims], 1, 0.6), np.full(len(of_cites), share)]
        scale = StandardScaler().fit(rows)
        return scale, LogisticRegression(C=0.1).fit(scale.transform(rows), labels, sample_weight=weights)

    held_claims, held_cites = np.zeros(len(claims)), np.zeros(len(cites))
    folds = GroupKFold(FOLDS)
    claim_folds = folds.split(first, claim_labels, [r["source_id"] for r in claims])
    cite_folds = folds.split(second, cite_labels, [r["id"].rsplit("-", 1)[0] for r in cites])
    for (train_a, test_a), (train_b, test_b) in zip(claim_folds, cite_folds, strict=True):
        scale, model = fitted(train_a, train_b)
        held_claims[test_a] = model.decision_function(scale.transform(first[test_a]))
        held_cites[test_b] = model.decision_function(scale.transform(second[test_b]))
    print(
        f"cross-validated: AUC on claims {roc_auc_score(claim_labels, held_claims):.3f}, on citations {roc_auc_score(cite_labels, held_cites):.3f}"
    )
    for threshold in (-0.9, -0.7, -0.5, -0.3, 0.0):
        print(
            f"  at {threshold:+.1f}: claims flagged {np.mean(held_claims[claim_labels] < threshold):.2f} of supported, "
            f"{np.mean(held_claims[~claim_labels] < threshold):.2f} of others, balanced "
            f"{balanced_accuracy_score(claim_labels, held_claims > threshold):.3f}; citations flagged "
            f"{np.mean(held_cites[cite_labels] < threshold):.2f} of right ones, {np.mean(held_cites[~cite_labels] < threshold):.2f} of swapped"
        )
    scale, model = fitted(np.arange(len(claims)), np.arange(len(cites)))
    weights = model.coef_[0] / scale.scale_
    intercept = float(model.intercept_[0] - (weights * scale.mean_).sum())
    print({name: round(float(w), 3) for name, w in zip(FEATURES, weights, strict=True)}, round(intercept, 3))


if __name__ == "__main__":
    main()
