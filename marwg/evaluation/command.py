"""The commands of the terminal: evaluate systems on a benchmark, and make a benchmark of one's own papers."""

import argparse
from collections.abc import Callable
from pathlib import Path

from marwg.errors import InputError
from marwg.evaluation.making import add_topic
from marwg.evaluation.report import Results, write_report
from marwg.evaluation.runner import OFFLINE, ORACLE, Asked, forecast, opened, run
from marwg.evaluation.systems import SYSTEMS
from marwg.settings import Settings


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    """The arguments of `evaluate`."""
    parser.add_argument("benchmark", type=Path, help="a folder with topics.jsonl and corpus.jsonl")
    parser.add_argument("--systems", default="all", help=f"all, or some of {', '.join(SYSTEMS)}")
    parser.add_argument("--topics", type=int, default=0, metavar="N", help="so many topics (default: all)")
    parser.add_argument("--breadth", default="20", help="B, or several: 10,20,30,40,oracle (default: 20)")
    parser.add_argument("--models", help="generator, or generator,verifier (default: as in the environment)")
    parser.add_argument("--judge", default=OFFLINE, help="offline, or a model that neither writes nor verifies")
    parser.add_argument("--words", type=int, default=600, help="aimed length of a section (default: 600)")
    parser.add_argument("--concurrency", type=int, default=2, help="articles at the same time (default: 2)")
    parser.add_argument("--out", type=Path, required=True, help="folder for texts, metrics and report; goes on there")
    parser.add_argument("--forecast", action="store_true", help="only say what is left to do and what it will cost")


def add_benchmark(parser: argparse.ArgumentParser) -> None:
    """The arguments of `benchmark`."""
    parser.add_argument("folder", type=Path, help="the benchmark, made or added to")
    parser.add_argument("tex", type=Path, help="a paper in LaTeX with its abstract and its related work")
    parser.add_argument("bib", type=Path, nargs="+", help="its .bib, and others that make the corpus larger")


async def evaluate(asked: argparse.Namespace, say: Callable[[str], None]) -> None:
    """Runs an evaluation and writes its report."""
    plan = _plan(asked)
    settings = Settings()
    if asked.models:
        generator, _, verifier = asked.models.partition(",")
        settings = settings.model_copy(update={"generator": generator.strip(), "verifier": verifier.strip()})
    async with opened(plan, settings, say) as bench:
        say(bench.models.describe())
        say(f"Judge: {bench.judge.name}")
        say(forecast(bench))
        if asked.forecast:
            return
        await run(bench, say)
        setting = bench.records.setting()
        assert setting is not None
        results = Results(setting, bench.benchmark.topics, bench.records.results(bench.judge.name))
        files = write_report(asked.out, results)
        say("Wrote " + ", ".join(map(str, files)) + ".")


async def make_benchmark(asked: argparse.Namespace, say: Callable[[str], None]) -> None:
    """Adds a paper to a benchmark."""
    say(add_topic(asked.folder, asked.tex, asked.bib))


def _plan(asked: argparse.Namespace) -> Asked:
    systems = (
        tuple(SYSTEMS) if asked.systems == "all" else tuple(s.strip() for s in asked.systems.split(",") if s.strip())
    )
    if asked.topics < 0 or asked.concurrency < 1 or not 100 <= asked.words <= 3000:
        raise InputError(
            "--topics cannot be negative, --concurrency is at least 1, --words is from 100 to 3000.", "See --help."
        )
    return Asked(
        benchmark=asked.benchmark,
        out=asked.out,
        systems=systems,
        breadths=tuple(_breadth(text) for text in asked.breadth.split(",")),
        topics=asked.topics,
        judge=asked.judge,
        words=asked.words,
        at_once=asked.concurrency,
    ).checked()


def _breadth(text: str) -> int:
    text = text.strip()
    if text == "oracle":
        return ORACLE
    if not text.isdigit() or int(text) == 0:
        raise InputError(f"--breadth cannot be '{text}'.", "For example --breadth 10,20,oracle")
    return int(text)
