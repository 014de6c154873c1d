"""How well the built-in judge tells supported claims from others, and the weights it should have.

    python benchmarks/extractive_claims.py

Scientific claims with abstracts (`shared/benchmark/verify/claims.jsonl`). Printed are the AUC of the shipped weights, the
cross-validated AUC of a logistic regression on the same features (claims of one abstract stay in one fold), and its weights.
"""

import json
import sys
from pathlib import Path

import numpy as np
from extractive_lint import ROOT, Encoder

sys.path.insert(0, str(ROOT))

from marwg.extractive.judging import probability
from marwg.extractive.support import FEATURES, measure
from marwg.tasks import Source

CLAIMS: Path = ROOT.parent / "shared" / "benchmark" / "verify" / "claims.jsonl"


def main() -> None:
    """Measure, fit, print."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import balanced_accuracy_score, roc_auc_score
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if not CLAIMS.exists():
        sys.exit(f"The benchmark data are not at {CLAIMS}.")
    rows = [json.loads(line) for line in CLAIMS.read_text("utf-8").splitlines()]
    encode = Encoder()
    found = [
        measure(r["claim"], [Source(id=r["source_id"], title=r["source_title"], abstract=r["source_text"])], encode)
        for r in rows
    ]
    features = np.array([f.vector for f in found])
    supported = np.array([r["label"] == "SUPPORTED" for r in rows])
    shipped = np.array([probability(f) for f in found])
    print(
        f"shipped: AUC {roc_auc_score(supported, shipped):.3f}, balanced accuracy {balanced_accuracy_score(supported, shipped > 0.5):.3f}"
    )
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, class_weight="balanced"))
    groups = [r["source_id"] for r in rows]
    chance = cross_val_predict(model, features, supported, groups=groups, cv=GroupKFold(10), method="predict_proba")[
        :, 1
    ]
    print(
        f"cross-validated: AUC {roc_auc_score(supported, chance):.3f}, balanced accuracy {balanced_accuracy_score(supported, chance > 0.5):.3f}"
    )
    model.fit(features, supported)
    scale, regression = model[0], model[1]
    weights = regression.coef_[0] / scale.scale_
    intercept = float(regression.intercept_[0] - (weights * scale.mean_).sum())
    print({name: round(float(w), 3) for name, w in zip(FEATURES, weights, strict=True)}, round(intercept, 3))


if __name__ == "__main__":
    main()
