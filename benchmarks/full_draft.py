"""A whole draft with the built-in writer at B = 20 on the starter library, cold and warm.

usage: python benchmarks/full_draft.py [RUNS]
Cold is a new process with an empty home: the embedding model is loaded and the library embedded. Warm is the next
starter in the same process. Both go from the request to the verified draft. Prints seconds by stage and in all.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


async def draft(services, starter) -> dict[str, float]:  # type: ignore[no-untyped-def]
    from marwg.events import StageFinished
    from marwg.pipeline import Pipeline
    from marwg.types import Focal, Request

    started, stages = time.perf_counter(), {}
    run = services.runs.start("benchmark", Request(focal=Focal(title=starter.title, abstract=starter.abstract)))
    for _ in range(2):
        async for event in Pipeline(services).advance(run):
            run = getattr(event, "run", run)
            if isinstance(event, StageFinished):
                stages[event.stage.value] = event.seconds
        run = run.model_copy(update={"outline_approved": True})
    assert run.ledger is not None
    return stages | {"in all": time.perf_counter() - started}


async def one_process() -> list[dict[str, float]]:
    started = time.perf_counter()
    from marwg.conversation import starters
    from marwg.services import open_services
    from marwg.settings import Settings

    services = await open_services(Settings(generator="built-in", verifier="built-in"))
    opening = time.perf_counter() - started
    first, second, third = [await draft(services, s) for s in starters.load()]
    await services.close()
    first["in all"] += opening
    return [first, second, third]


def main(runs: int) -> None:
    results = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as home:
            environment = os.environ | {"MARWG_HOME": home, "HF_HUB_OFFLINE": "1"}
            command = [sys.executable, __file__, "--one"]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=ROOT)
            results.append(json.loads(done.stdout.splitlines()[-1]))
    print(f"{'median s of ' + str(runs):26}{'cold':>8}{'warm':>8}")
    for stage in results[0][0]:
        cold = statistics.median(r[0][stage] for r in results)
        warm = statistics.median(r[n][stage] for r in results for n in (1, 2))
        print(f"{stage:26}{cold:8.1f}{warm:8.1f}")


if __name__ == "__main__":
    if "--one" in sys.argv:
        print(json.dumps(asyncio.run(one_process())))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
