"""Runs systems over the topics of a benchmark and has the texts judged: resumable, concurrent, failures recorded.

The last word on every (system, B, topic) is on disk before the next begins. What is there already, made in the same
way, is not made again; a failure is tried again by the next run, and until then it counts as 0.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from marwg import __version__, prompts
from marwg.concurrency import all_of
from marwg.errors import InputError, KeyRefused, LimitReached, MarwgError
from marwg.evaluation import tasks as evaluation_tasks
from marwg.evaluation.benchmark import Benchmark, Topic, read_benchmark
from marwg.evaluation.corpus_index import CorpusIndex, Encoder
from marwg.evaluation.judges import Judge, ModelJudge, OfflineJudge
from marwg.evaluation.measuring import Measures, same_theme
from marwg.evaluation.parts import Setup
from marwg.evaluation.records import Records, Scored, Setting, Written, slug
from marwg.evaluation.systems import SYSTEMS, System
from marwg.index import Embedder
from marwg.language_models import Models
from marwg.runs import digest
from marwg.settings import Settings
from marwg.tasks import TASKS
from marwg.types import ClaimState, Parameters, Request, Usage

ORACLE = 0
"""The breadth that stands for "as many papers as the topic has gold references in the corpus"."""

OFFLINE = "offline"
_STANDING = (ClaimState.UNSUPPORTED, ClaimState.DISPUTED)
_LIBRARIES = ("pydantic-ai-slim", "sentence-transformers", "torch", "numpy")

Say = Callable[[str], None]


@dataclass(frozen=True)
class Asked:
    """What an evaluation is asked for."""

    benchmark: Path
    out: Path
    systems: tuple[str, ...] = tuple(SYSTEMS)
    breadths: tuple[int, ...] = (20,)
    topics: int = 0
    judge: str = OFFLINE
    words: int = 600
    at_once: int = 1

    def checked(self) -> "Asked":
        """The same, or InputError for what is not there."""
        unknown = [s for s in self.systems if s not in SYSTEMS]
        if unknown:
            raise InputError(f"There is no system {', '.join(unknown)}.", f"Known are {', '.join(SYSTEMS)}.")
        if not self.systems or not self.breadths or any(b < ORACLE or b > 100 for b in self.breadths):
            raise InputError("B must be between 1 and 100, or 'oracle'.", "For example --breadth 10,20,oracle")
        return self


@dataclass(frozen=True)
class Bench:
    """Everything that is open during an evaluation."""

    asked: Asked
    benchmark: Benchmark
    topics: tuple[Topic, ...]
    index: CorpusIndex
    models: Models
    built_in: Models
    judge: Judge
    records: Records
    floors: dict[str, Topic | None]

    def models_for(self, system: System) -> Models:
        """The models of a system, with an account of their own."""
        return (self.built_in if system.always_built_in else self.models).for_run()

    def request(self, topic: Topic, breadth: int) -> Request:
        """What a system is asked for: B papers (the oracle knows how many), nothing later than the topic."""
        size = breadth or max(1, min(100, len(topic.gold)))
        parameters = Parameters(breadth=size, until=topic.until, words=self.asked.words)
        return Request(focal=topic.focal, parameters=parameters)

    def key(self, system: System, topic: Topic, breadth: int) -> str:
        """A digest of all that the text depends on, but for the code of this version."""
        models = self.models_for(system)
        written = [] if models.is_built_in() else sorted(_prompts().values())
        request = self.request(topic, breadth).model_dump(mode="json")
        facts = (__version__, system.name, breadth, topic.topic_id, request, models.describe_roles(), written)
        return digest(*facts, self.benchmark.corpus, self.index.embedder.name)


@asynccontextmanager
async def opened(asked: Asked, settings: Settings, say: Say, embedder: Encoder | None = None) -> AsyncIterator[Bench]:
    """Opens benchmark, index, models and judge; closes them whatever happens."""
    asked = asked.checked()
    asked.out.mkdir(parents=True, exist_ok=True)
    benchmark = await asyncio.to_thread(read_benchmark, asked.benchmark, asked.out / "corpus", say)
    embedder = embedder or Embedder(settings, cached=100_000)
    kept = asked.out / "corpus" / f"vectors-{slug(embedder.name)}.npz"
    index = await CorpusIndex.open(benchmark.library, embedder, kept, say)
    models = await Models.open(settings, embedder.encode)
    built_in = Models(
        settings.model_copy(update={"generator": "built-in", "verifier": "built-in", "task_models": {}}),
        embedder.encode,
    )
    judge, judging = _judge(asked.judge, settings, models, index)
    topics = benchmark.first(asked.topics)
    rows = await embedder.aencode([f"{t.focal.title}\n{t.focal.abstract}" for t in benchmark.topics])
    floors = {t.topic_id: same_theme(t, benchmark.topics, rows) for t in topics}
    records = Records(asked.out)
    records.open_for(_setting(asked, benchmark, topics, index, models, judge))
    try:
        yield Bench(asked, benchmark, topics, index, models, built_in, judge, records, floors)
    finally:
        for each in (models, built_in, *judging):
            await each.close()
        benchmark.library.close()


def _judge(name: str, settings: Settings, models: Models, index: CorpusIndex) -> tuple[Judge, list[Models]]:
    if name == OFFLINE:
        texts = (f"{p.title} {p.abstract}" for p in index.library.papers())
        return OfflineJudge(index.embedder.encode, texts), []
    chosen = Models(
        settings.model_copy(update={"generator": name, "verifier": name, "task_models": {}}), index.embedder.encode
    )
    if chosen.is_built_in():
        raise InputError("The built-in writer judges its own drafts in verification.", f"Use --judge {OFFLINE}.")
    return ModelJudge(chosen, models.describe_roles().values()), [chosen]


def _prompts() -> dict[str, str]:
    return {task.name: prompts.load(task).digest for task in (*TASKS, *evaluation_tasks.TASKS)}


def _setting(
    asked: Asked, benchmark: Benchmark, topics: Sequence[Topic], index: CorpusIndex, models: Models, judge: Judge
) -> Setting:
    parameters = Parameters(words=asked.words).model_dump(mode="json", exclude={"breadth", "until"})
    return Setting(
        benchmark=asked.benchmark.name,
        corpus=benchmark.corpus,
        corpus_size=benchmark.size,
        topics=len(topics),
        embedding=index.embedder.name,
        models=models.describe_roles(),
        judge=judge.name,
        parameters={name: str(value) for name, value in parameters.items()},
        prompts=_prompts(),
        versions={"marwg": __version__, **{name: _version(name) for name in _LIBRARIES}},
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


# ---------------------------------------------------------------- running


@dataclass(frozen=True)
class Job:
    """One system on one topic at one B."""

    system: System
    topic: Topic
    breadth: int
    key: str


def jobs(bench: Bench) -> list[Job]:
    """Everything that the evaluation consists of, by topic, so that what is embedded for one serves all systems."""
    return [
        Job(SYSTEMS[name], topic, breadth, bench.key(SYSTEMS[name], topic, breadth))
        for topic in bench.topics
        for breadth in bench.asked.breadths
        for name in bench.asked.systems
    ]


async def run(bench: Bench, say: Say) -> list[tuple[Written, Scored]]:
    """Does what is not done yet and gives the results of all jobs, in order."""
    everything = jobs(bench)
    texts, scores = bench.records.written(), bench.records.scored(bench.judge.name)
    gate = asyncio.Semaphore(bench.asked.at_once)
    measures = Measures(bench.index, bench.judge)
    started, done = time.monotonic(), 0

    async def do(job: Job) -> None:
        nonlocal done
        async with gate:
            row = texts.get(job.key)
            if row is None or row.error:
                row = await write(bench, job)
                bench.records.add(row)
                texts[job.key] = row
                scores.pop(job.key, None)
            score = scores.get(job.key)
            if score is None or score.error:
                score = await measures.score(row, job.topic, bench.floors[job.topic.topic_id])
                bench.records.add(score)
                scores[job.key] = score
        done += 1
        outcome = row.error or f"{row.seconds:.1f} s, {row.usage.calls} calls"
        left = (time.monotonic() - started) / done * (len(everything) - done)
        say(
            f"{done}/{len(everything)} {job.topic.topic_id} {job.system.name} B={_shown(job.breadth)}: {outcome}; about {left / 60:.0f} min left"
        )

    await all_of(do(job) for job in everything)
    return [(texts[job.key], scores[job.key]) for job in everything]


async def write(bench: Bench, job: Job) -> Written:
    """What the system writes; an error of ours is a failure of the system, all but those that end the evaluation."""
    models = bench.models_for(job.system)
    request = bench.request(job.topic, job.breadth)
    index: Any = bench.index
    setup = Setup(request, models, bench.benchmark.library, index, lambda event: None)
    row = Written(
        key=job.key,
        corpus=bench.benchmark.corpus,
        system=job.system.name,
        breadth=job.breadth,
        topic=job.topic.topic_id,
    )
    started = time.monotonic()
    try:
        made = await job.system.run(setup)
    except (KeyRefused, LimitReached):
        raise
    except MarwgError as error:
        seconds = time.monotonic() - started
        return row.model_copy(update={"error": str(error), "usage": models.usage, "seconds": seconds})
    flagged = sum(e.state in _STANDING for e in made.ledger.entries) if made.ledger else 0
    return row.model_copy(
        update={
            "sections": made.sections,
            "ranked": made.ranked[: 6 * request.parameters.breadth],
            "shortlist": made.shortlist,
            "flagged": flagged,
            "usage": models.usage,
            "seconds": time.monotonic() - started,
            "error": "" if made.sections else "It wrote nothing.",
        }
    )


def _shown(breadth: int) -> str:
    return str(breadth) if breadth != ORACLE else "oracle"


# ---------------------------------------------------------------- forecast

CALLS = {
    "naive": (1, 13, 3), "citegeist": (6, 24, 17), "litllm": (9, 55, 8), "surveyforge": (4, 19, 3), "rewos": (0, 0, 0),
    "paper": (634, 566, 45), "ours": (78, 365, 48), "no-summaries": (73, 340, 34), "no-dag": (33, 193, 34),
    "no-feedback": (77, 363, 48), "no-checking": (64, 262, 37),
}  # fmt: skip
"""Calls, thousands of tokens in and out, for one article at B = 30 on abstracts (`benchmarks/evaluation_calls.py`): used
until the run has its own."""


def forecast(bench: Bench) -> str:
    """What is left to do and about what it will cost, by system; from this run's own articles where it has some."""
    texts = bench.records.written()
    left = [job for job in jobs(bench) if job.key not in texts or texts[job.key].error]
    total = len(jobs(bench))
    lines = [f"{total - len(left)} of {total} texts are there; {len(left)} are to be written."]
    if bench.models.is_built_in() or not left:
        return "\n".join([*lines, "No language model is asked to write."] if left else lines)
    for name in bench.asked.systems:
        mine = [job for job in left if job.system.name == name]
        if mine and not SYSTEMS[name].always_built_in:
            lines.append(_expected(name, mine, [t for t in texts.values() if t.system == name and t.usage.calls]))
    return "\n".join(lines)


def _expected(name: str, left: Sequence[Job], known: Sequence[Written]) -> str:
    if known:
        spent = sum((t.usage for t in known), Usage())
        count = len(left) / len(known)
        price = "price unknown" if spent.dollars is None else f"${spent.dollars * count:.2f}"
        calls, tokens_in, tokens_out = spent.calls * count, spent.input_tokens * count, spent.output_tokens * count
        return f"{name}: about {calls:,.0f} calls, {tokens_in:,.0f} tokens in, {tokens_out:,.0f} out, {price} (from {len(known)} here)"
    scale = sum((job.breadth or len(job.topic.gold)) / 30 for job in left)
    calls, thousands_in, thousands_out = (figure * scale for figure in CALLS[name])
    return f"{name}: about {max(calls, len(left)):,.0f} calls, {thousands_in:,.0f}k tokens in, {thousands_out:,.0f}k out (rough)"
