"""Calls, tokens and wall time of one article at B = 30 for every system, with a model of fixed latency.

usage: python benchmarks/evaluation_calls.py [--topics N] [--latency SECONDS] [--systems a,b,…] [--out DIR]
The model answers each call after the same time (default 2 s, at most four calls at a time, as MARWG_CONCURRENCY has it)
with what the built-in writer says to the task; so the texts, and what the offline judge says of them, are those of that
writer, and calls, waiting and prompts are those of a language model. Every article is written twice, first without
waiting, so that the second, timed one does not wait for that writer to think. Tokens are characters / 4 of prompts and
replies. "In a row" is calls × latency: one call after the other.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("HF_HUB_OFFLINE", "1")

BENCHMARK = ROOT.parent / "shared" / "benchmark" / "rwg"
AT_ONCE = 4


class FixedLatency:
    """The interface of `Models` over the built-in writer, each call after the same time."""

    independent = True

    def __init__(self, writer: Any, latency: float, known: dict[str, Any]) -> None:
        from marwg.types import Usage

        self._writer, self._latency, self._known = writer, latency, known
        self._gate = asyncio.Semaphore(AT_ONCE)
        self.usage = Usage()

    def for_run(self, spent: Any = None) -> "FixedLatency":
        return FixedLatency(self._writer, self._latency, self._known)

    def is_built_in(self, role: str = "generator") -> bool:
        return False

    def name(self, role: str = "generator", task: str = "") -> str:
        return f"fixed latency, {role}"

    def describe_roles(self) -> dict[str, str]:
        return {role: self.name(role) for role in ("generator", "verifier")}

    async def run(self, task: Any, role: str = "generator") -> Any:
        from marwg import prompts
        from marwg.types import Usage

        async with self._gate:
            prompt = prompts.render(task)
            key = prompt.system + prompt.user
            if key not in self._known:
                self._known[key] = await asyncio.to_thread(self._answer, task)
            reply = self._known[key]
            await asyncio.sleep(self._latency)
        tokens_in, tokens_out = len(prompt.system + prompt.user) // 4, len(reply.model_dump_json()) // 4
        self.usage += Usage(calls=1, input_tokens=tokens_in, output_tokens=tokens_out, seconds=self._latency)
        return reply

    async def stream(self, task: Any, role: str = "generator") -> Any:
        yield await self.run(task, role)

    async def close(self) -> None:
        pass

    def _answer(self, task: Any) -> Any:
        from marwg.evaluation.tasks import (
            KeywordQueries,
            PlanSentences,
            SentencePlan,
            WriteAtOnce,
            WriteByPlan,
            WriteWithMemory,
        )
        from marwg.extractive.focal import terms
        from marwg.tasks import DraftSection, Queries, SectionPlan

        match task:
            case KeywordQueries():
                return Queries(queries=tuple(form for _, form in terms(task.focal)[:5]))
            case PlanSentences():
                return SentencePlan(sentences=())
            case WriteAtOnce() | WriteByPlan():
                plan = SectionPlan(topic_id="all", title="", index=0, titles=("",), words=task.words)
                task = DraftSection(focal=task.focal, plan=plan, papers=task.papers, facts=())
            case WriteWithMemory():
                task = DraftSection(focal=task.focal, plan=task.plan, papers=task.papers, facts=())
        return self._writer.answer(task)


async def main(asked: argparse.Namespace) -> None:
    from marwg.evaluation.runner import Asked, jobs, opened, run, write
    from marwg.evaluation.systems import SYSTEMS
    from marwg.extractive import ExtractiveWriter
    from marwg.settings import Settings

    out = asked.out or Path(tempfile.mkdtemp())
    systems = tuple(asked.systems.split(",")) if asked.systems else tuple(SYSTEMS)
    plan = Asked(BENCHMARK, out, systems=systems, breadths=(30,), topics=asked.topics)
    settings = Settings(generator="built-in", verifier="built-in")
    async with opened(plan, settings, lambda text: print(text, file=sys.stderr)) as bench:
        writer = ExtractiveWriter(bench.index.embedder.encode)
        known: dict[str, Any] = {}
        swift: Any = FixedLatency(writer, 0.0, known)
        scores = [s for _, s in await run(replace(bench, models=swift), lambda text: print(text, file=sys.stderr))]
        timed: Any = FixedLatency(writer, asked.latency, known)
        timed_bench = replace(bench, models=timed)
        rows = [(await write(timed_bench, job), score) for job, score in zip(jobs(timed_bench), scores, strict=True)]
    print(f"B = 30, {asked.topics} topics, latency {asked.latency:g} s, {AT_ONCE} calls at a time; means per article")
    print("| System | Calls | Tokens in | Tokens out | Wall time, s | In a row, s | ClaP | CitP | RC | SN over floor |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in systems:
        mine = [(w, s) for w, s in rows if w.system == name]
        count = len(mine)
        usage = [sum(getattr(w.usage, f) for w, _ in mine) / count for f in ("calls", "input_tokens", "output_tokens")]
        wall = sum(w.seconds for w, _ in mine) / count
        quality = [sum(s.values[m] for _, s in mine) / count for m in ("clap", "citp", "rc", "sn_over")]
        cells = [*(f"{u:,.0f}" for u in usage), f"{wall:.0f}", f"{usage[0] * asked.latency:.0f}"]
        print(f"| {SYSTEMS[name].title} | {' | '.join(cells)} | {' | '.join(f'{q:.3f}' for q in quality)} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=3)
    parser.add_argument("--latency", type=float, default=2.0)
    parser.add_argument("--systems", default="")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if BENCHMARK.is_dir():
        asyncio.run(main(given))
    else:
        print(f"{BENCHMARK} is not here; there is nothing to measure.")
