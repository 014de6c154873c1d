"""How long importing takes, in new processes: `python benchmarks/import_time.py [RUNS]`. Prints medians and ranges."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULES = ("marwg", "marwg.types", "marwg.tasks", "marwg.settings", "marwg.conversation")


def seconds(code: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    return time.perf_counter() - started


def main(runs: int) -> None:
    times: dict[str, list[float]] = {name: [] for name in ("(nothing)", *MODULES)}
    for _ in range(runs):  # in turn, so that a busy moment hits all alike
        for name in times:
            times[name].append(seconds("pass" if name == "(nothing)" else f"import {name}"))
    base = statistics.median(times["(nothing)"])
    print(f"{'import':22}{'median s':>10}{'min':>8}{'max':>8}{'beyond python':>16}")
    for name, each in times.items():
        median = statistics.median(each)
        print(f"{name:22}{median:10.3f}{min(each):8.3f}{max(each):8.3f}{median - base:16.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
